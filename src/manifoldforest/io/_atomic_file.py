"""Files that appear under their names only when they are complete.

What is written goes to a temporary file in the same folder, which then takes the place of the
target. Its name is short, whatever the length of the target's, and begins with a digest of the
target's name: a save whose process was killed leaves it behind, and the next save to that name
removes it. A writer holds a lock on its temporary file, which ends with its process, so that only
files without a living writer are removed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `target` at the end, or vanishes if anything fails.

    Parameters
    ----------
    target : Path
        The file to write or replace.

    Yields
    ------
    file : binary file
        Where to write.

    Raises
    ------
    OSError
        If the file cannot be written, for instance because the disk is full. It names `target`:
        the caller did not choose the temporary file.
    """
    try:
        _remove_abandoned(target)
        file, unfinished = _open_unfinished(target)
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if sys.platform == "win32":  # where an open file can be neither moved nor removed
                    file.close()
                os.replace(unfinished, target)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(target)) from error


def _prefix(target: Path) -> str:
    return f".manifoldforest-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"


def _open_unfinished(target: Path) -> tuple[IO[bytes], Path]:
    """Return a new file in the folder of `target`, locked, and its path."""
    while True:
        path = target.with_name(_prefix(target) + secrets.token_hex(8))
        file = path.open("xb")
        try:
            # Before it is locked, another save may take the file for an abandoned one.
            if _lock(file) is not False and os.fstat(file.fileno()).st_nlink > 0:
                return file, path
        except BaseException:
            file.close()
            path.unlink(missing_ok=True)
            raise
        file.close()


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files for `target` whose writers are gone.

    What cannot be listed, opened, locked or removed stays: it may belong to another process, and is
    no reason not to save.
    """
    prefix = _prefix(target)
    with suppress(OSError):
        names = [name for name in os.listdir(target.parent) if name.startswith(prefix)]
        for name in names:
            path = target.with_name(name)
            with suppress(OSError), path.open("rb+") as file:
                if sys.platform == "win32":
                    file.close()
                if sys.platform == "win32" or _lock(file):
                    path.unlink()


def _lock(file: IO[bytes]) -> bool | None:
    """Lock a file until it is closed or its process ends.

    Returns False if another one has locked it, and None if there are no locks: on Windows, where
    nobody can remove an open file, and on file systems without them.
    """
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True

"""The file of finished runs: one JSON object a line, only ever appended to.

A run that is in the file is finished. If the program is killed while it writes, the last line is
cut off; it is dropped when the file is opened again, and the run is done again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ._experiment import Preset, Run
from ._results import Row

FIELDS = ("experiment", "preset", "seed", "parameters", "metrics", "seconds", "version", "date")


def run_key(experiment: str, preset: Preset, run: Run) -> str:
    """Return what tells a run from all others."""
    return json.dumps([experiment, preset, run.seed, dict(run.parameters)], sort_keys=True)


def row_key(row: Row) -> str:
    """Return the key of the run that a row is of."""
    return run_key(row.experiment, row.preset, Run(row.seed, row.parameters))


class DamagedFile(OSError):
    """A file of rows that another hand has changed."""


class RowFile:
    """``rows.jsonl`` of a folder, with the arrays of the rows beside it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rows.jsonl"
        self._arrays = folder / "arrays"

    def read(self) -> list[Row]:
        """Return all complete rows."""
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().split(b"\n")[:-1]
        return [self._row(number, line) for number, line in enumerate(lines, start=1)]

    def _row(self, number: int, line: bytes) -> Row:
        try:
            fields = json.loads(line)
            row = Row(**{name: fields[name] for name in FIELDS})
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedFile(
                f"{self.path}, line {number}, is not a finished run: {error!r}"
            ) from error
        if fields.get("arrays"):
            return replace(row, arrays_file=self._arrays / fields["arrays"])
        return row

    @contextmanager
    def append(self) -> Iterator[RowWriter]:
        """Open the file for one program at a time; a line that was cut off is removed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as stream:
            _lock(stream, self.path)
            _drop_cut_line(stream)
            yield RowWriter(stream, self._arrays)


class RowWriter:
    """Adds rows to the end of a file."""

    def __init__(self, stream: BinaryIO, arrays: Path) -> None:
        self._stream = stream
        self._arrays = arrays

    def add(self, row: Row, arrays: Mapping[str, NDArray[Any]]) -> Row:
        """Store a row: its arrays first, so that a row in the file always has them."""
        fields: dict[str, Any] = {name: getattr(row, name) for name in FIELDS}
        if arrays:
            file = self._store(row, arrays)
            fields["arrays"] = file.name
            row = replace(row, arrays_file=file)
        # JSON has no NaN: a metric that is none is a defect of the run, not a result.
        line = json.dumps(fields, allow_nan=False)
        self._stream.write(line.encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())
        return row

    def _store(self, row: Row, arrays: Mapping[str, NDArray[Any]]) -> Path:
        self._arrays.mkdir(exist_ok=True)
        name = hashlib.sha256(f"{row.version} {row_key(row)}".encode()).hexdigest()[:20]
        unfinished = self._arrays / f"{name}.part.npz"
        np.savez_compressed(unfinished, **arrays)  # type: ignore[arg-type]
        return unfinished.replace(self._arrays / f"{name}.npz")


def _drop_cut_line(stream: BinaryIO) -> None:
    stream.seek(0)
    content = stream.read()
    complete = content.rfind(b"\n") + 1
    if complete < len(content):
        stream.truncate(complete)
    stream.seek(0, os.SEEK_END)


def _lock(stream: BinaryIO, path: Path) -> None:
    """Keep other programs from the file until it is closed."""
    try:
        if os.name == "nt":
            import msvcrt

            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise BlockingIOError(f"another program is writing to {path}") from error

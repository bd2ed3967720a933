"""Reading data, whatever they are stored in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO

from ..validation._suggestions import did_you_mean
from ._encoding import Data
from ._errors import TableError, need
from ._image_data import ImageForm

STREAM = "-"  # standard input or output
FORMATS = ("csv", "tsv", "parquet", "npy", "npz")
_SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".npy": "npy", ".npz": "npz"} | {
    suffix: "parquet" for suffix in (".parquet", ".pq", ".parq")
}


def format_of(path: str, wanted: str | None, option: str = "--format") -> str:
    """Return the format of a table: what was asked for, or what the end of its name says."""
    if wanted is not None:
        return wanted
    if path == STREAM:
        return "csv"
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise TableError(
            f"{path} does not end in {', '.join(_SUFFIXES)}: rename it, or say {option} "
            f"{'|'.join(FORMATS)}"
        )
    return _SUFFIXES[suffix]


def read_data(
    path: str,
    wanted: str | None = None,
    *,
    images: ImageForm | None = None,
    labelled: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Data:
    """Read a table, an array or a folder of images.

    Parameters
    ----------
    path : str
        A file, a folder of images, or ``"-"`` for standard input.
    wanted : {"csv", "tsv", "parquet", "npy", "npz"} or None
        The format; by default what the end of the name says, csv for standard input.
    images : ImageForm, optional
        What images should be.
    labelled : bool
        Whether each image must lie in the folder of its label.
    progress : callable, optional
        Told how many images were read, and of how many.
    """
    if path == STREAM:
        return _read_file("standard input", BytesIO(sys.stdin.buffer.read()), wanted or "csv")
    file = Path(path)
    try:
        if file.is_dir():
            need("PIL", "cli", "reading images")
            from ._images import read_images

            return read_images(file, images or ImageForm(), labelled=labelled, progress=progress)
        with file.open("rb") as opened:
            return _read_file(path, opened, format_of(path, wanted))
    except FileNotFoundError as error:
        raise TableError(f"there is no file {path}{_neighbour(file)}") from error
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}") from error


def _read_file(source: str, file: IO[bytes], form: str) -> Data:
    if form in ("npy", "npz"):
        from ._arrays import read_arrays

        return read_arrays(source, file)
    need("pyarrow", "cli", f"reading {form}")
    if form == "parquet":
        from ._parquet import read_parquet

        return read_parquet(source, file)
    from ._csv import read_csv

    return read_csv(source, file, form)


def _neighbour(file: Path) -> str:
    """Return a question whether another file of the same folder was meant."""
    folder = file.parent
    if not folder.is_dir():
        return f", nor a folder {folder}"
    names: Sequence[str] = [path.name for path in folder.iterdir()]
    meant = {name: str(folder / name) for name in names}
    return did_you_mean(file.name, meant)

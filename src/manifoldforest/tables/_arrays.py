"""Reading arrays: npy, and npz with X and y or with one array."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from ._errors import TableError


@dataclass(frozen=True)
class Arrays:
    """Examples along the first axis and, where a file has them, what is to be predicted."""

    source: str
    X: NDArray[Any]
    y: NDArray[Any] | None = None
    others: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of examples."""
        return len(self.X)


def read_arrays(source: str, file: IO[bytes]) -> Arrays:
    """Read npy or npz; arrays of Python objects are refused, for they would run code."""
    try:
        content = np.load(file, allow_pickle=False)
        if not isinstance(content, NpzFile):
            return Arrays(source, _examples(source, content))
        with content:
            arrays = {name: _native(content[name]) for name in content.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError, SyntaxError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{source} is not a whole npy or npz file of numbers or text: {error}"
        ) from error
    if "X" not in arrays:
        if len(arrays) != 1:
            raise TableError(
                f"{source} must hold arrays X and y, or one array, got {', '.join(arrays) or None}"
            )
        return Arrays(source, _examples(source, *arrays.values()))
    X = _examples(source, arrays.pop("X"))
    y = arrays.pop("y", None)
    if y is not None and y.shape != (len(X),):
        raise TableError(
            f"y of {source} must have one value for each row of X, the shape ({len(X)},), got "
            f"the shape {y.shape}"
        )
    return Arrays(source, X, y, arrays)


def _native(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array in the byte order of this machine, and numbers with at most 64 bits."""
    if array.dtype == np.longdouble:
        return array.astype(np.float64)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _examples(source: str, X: NDArray[Any]) -> NDArray[Any]:
    X = _native(X)
    if X.dtype.kind not in "biuf":
        raise TableError(
            f"{source} must hold numbers, got an array of the type {X.dtype}: write text to a csv "
            "or a parquet file"
        )
    if X.ndim < 2 or 0 in X.shape:
        raise TableError(
            f"{source} must hold examples along its first axis, an array of shape (rows, columns) "
            f"or (rows, height, width) and not empty, got the shape {X.shape}"
        )
    return X

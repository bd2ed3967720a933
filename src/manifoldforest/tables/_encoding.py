"""From data as they were read to the array that a forest takes, as a schema says."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation._precision import merged_shares
from ._arrays import Arrays
from ._columns import Column, Table, first_row, listed
from ._errors import TableError
from ._image_data import Images
from ._schema import ArrayPositions, FeatureColumn, Features, ImagePixels, NamedColumns

Data = Table | Arrays | Images

_KINDS = {"number": "numbers", "boolean": "booleans", "text": "text"}
_WANTED = {
    NamedColumns: "a table with named columns: give a csv or parquet file",
    ArrayPositions: "an array: give an npy or npz file",
    ImagePixels: "images: give a folder of images",
}
_LARGEST = float(np.finfo(np.float32).max)


def encoded(features: Features, data: Data) -> NDArray[Any]:
    """Return the examples in data, in the form in which the forest was fitted.

    Parameters
    ----------
    features : NamedColumns, ArrayPositions or ImagePixels
        What the forest knows of its features.
    data : Table, Arrays or Images
        What was read. Columns that the forest does not know are left alone.
    """
    if isinstance(features, NamedColumns) and isinstance(data, Table):
        return _encoded_columns(features, data)
    if isinstance(features, NamedColumns) and isinstance(data, Arrays):
        return _columns_by_position(features, data)
    if isinstance(features, ArrayPositions) and isinstance(data, Arrays):
        return _used_columns(features, data)
    if isinstance(features, ImagePixels) and isinstance(data, Images):
        return data.X
    raise TableError(
        f"{data.source} does not fit the model, which was fitted on {_WANTED[type(features)]}"
    )


# -------------------------------------------------------------------------------- columns


def _encoded_columns(features: NamedColumns, table: Table) -> NDArray[Any]:
    absent = [column.name for column in features.columns if column.name not in table.columns]
    if absent:
        plural = "s" if len(absent) > 1 else ""
        raise TableError(
            f"{table.source} lacks the column{plural} {listed(absent)}, from which the forest has "
            f"learned: it has {listed(table.columns)}"
        )
    X = np.empty((table.n_rows, len(features.feature_names)), dtype=np.float32)
    place = 0
    for known in features.columns:
        width = len(known.feature_names)
        _encode_column(known, table, X[:, place : place + width])
        place += width
    return X


def _encode_column(known: FeatureColumn, table: Table, out: NDArray[np.float32]) -> None:
    """Write the features of one column."""
    column = table.columns[known.name]
    if known.kind == "text" and column.kind in ("text", "mixed"):
        one_hot(column, known.levels, out)
    elif column.kind in ("number", "boolean") and (known.kind != "text" or column.missing.all()):
        out[:] = _numbers(column, table.source)[:, None]
    else:
        content = column.content or _KINDS[column.kind]
        raise TableError(
            f"column {known.name!r} of {table.source} holds {content}, and held "
            f"{_KINDS[known.kind]} when the forest was fitted: correct it"
        )


def one_hot(column: Column, levels: tuple[str, ...], out: NDArray[np.float32]) -> None:
    """Write 1 at the place of each row's text, nothing for unknown ones, NaN for empty cells."""
    place = {level: i for i, level in enumerate(levels)}
    of_code = np.array([place.get(level, -1) for level in column.levels] + [-1])
    places = of_code[column.values]  # empty cells, -1, take the last entry
    out[:] = places[:, None] == np.arange(len(levels))
    out[column.missing] = np.nan


def _numbers(column: Column, source: str) -> NDArray[np.float32]:
    """Return a column of numbers or booleans in single precision."""
    values = column.values
    if values.dtype.kind == "f":
        infinite = np.abs(values) > _LARGEST
        if infinite.any():
            row = first_row(infinite)
            raise TableError(
                f"column {column.name!r} of {source} holds {values[row - 1]} in row {row}: forests "
                "take numbers up to 3.4e38 in size. Correct it, or leave the cell empty"
            )
    return values.astype(np.float32)


def columns_that_lose(features: NamedColumns, table: Table, X: NDArray[Any]) -> list[str]:
    """Return the columns whose values differ, but become equal in single precision."""
    lost = []
    place = 0
    for known in features.columns:
        values = table.columns[known.name].values
        if known.kind == "number" and merged_shares(values[:, None], X[:, place : place + 1]):
            lost.append(known.name)
        place += len(known.feature_names)
    return lost


# --------------------------------------------------------------------------------- arrays


def _columns_by_position(features: NamedColumns, arrays: Arrays) -> NDArray[Any]:
    texts = [column.name for column in features.columns if column.kind == "text"]
    if texts:
        raise TableError(
            f"{arrays.source} holds numbers only, and the forest was fitted on text in column "
            f"{texts[0]!r}: give a csv or parquet file with named columns"
        )
    return _checked(arrays, arrays.X, (len(features.columns),))


def _used_columns(features: ArrayPositions, arrays: Arrays) -> NDArray[Any]:
    X = arrays.X
    if features.used is None:
        return _checked(arrays, X, None)
    if X.ndim == 2 and X.shape[1] == features.n_columns:
        X = X[:, features.used]
    return _checked(arrays, X, (len(features.used),))


def _checked(arrays: Arrays, X: NDArray[Any], shape: tuple[int, ...] | None) -> NDArray[Any]:
    """Return examples of a given shape, None for any, that hold no infinite numbers."""
    if shape is not None and X.shape[1:] != shape:
        raise TableError(
            f"{arrays.source} has {' × '.join(map(str, X.shape[1:]))} columns, and the forest was "
            f"fitted on {shape[0]}"
        )
    if X.dtype.kind == "f":
        infinite = (np.abs(X) > _LARGEST).reshape(len(X), -1).any(axis=1)
        if infinite.any():
            raise TableError(
                f"{arrays.source} holds an infinite number in row {first_row(infinite)}: forests "
                "take numbers up to 3.4e38 in size, and NaN for missing ones"
            )
    return X

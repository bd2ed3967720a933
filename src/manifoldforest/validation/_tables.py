"""Tables of pandas, polars and Arrow: the names, types and values of their columns.

None of the three packages is imported: what a table is, its attributes tell. All that depends on
the package that a table is from is written here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# types of columns that bytes hold exactly, as the three packages call them
_BYTES = {"bool", "boolean", "uint8", "bool[pyarrow]", "uint8[pyarrow]"}


def is_table(X: Any) -> bool:
    """Whether X is a table of pandas, polars or Arrow, whose columns have types of their own."""
    if _is_arrow(X):
        return True
    # an array with named axes may have coordinates of any name, such as "columns"
    own = hasattr(X, "columns") and not hasattr(X, "dims")
    return own and (hasattr(X, "iloc") or hasattr(X, "to_series"))


def _is_arrow(X: Any) -> bool:
    return hasattr(X, "column_names") and hasattr(X, "schema") and hasattr(X, "num_columns")


def whole_table(X: Any) -> Any:
    """Return an Arrow table in place of a RecordBatch, and everything else as it is."""
    if not _is_arrow(X) or hasattr(X, "combine_chunks"):
        return X
    import pyarrow as pa

    return pa.Table.from_batches([X])


def column_names(X: Any) -> list[Any]:
    """Return the names of the columns of a table."""
    return list(X.column_names if _is_arrow(X) else X.columns)


def column_types(X: Any) -> list[Any]:
    """Return the types of the columns of a table, or the one type of an array."""
    if _is_arrow(X):
        return list(X.schema.types)
    return list(X.dtypes) if is_table(X) else [X.dtype] if hasattr(X, "dtype") else []


def column(X: Any, j: int) -> NDArray[Any]:
    """Return a column; those of examples with several axes are counted in the flat form."""
    if _is_arrow(X):
        return np.asarray(X.column(j))
    if is_table(X):
        return np.asarray(X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j))
    array = np.asarray(X)
    return array.reshape(len(array), -1)[:, j]


def numbers_of(
    X: Any, rows: NDArray[np.intp] | None, features: NDArray[np.intp] | None
) -> NDArray[np.float64]:
    """Return rows and columns of a table of numbers, all if None, in double precision."""
    if hasattr(X, "iloc"):
        X = X if rows is None else X.iloc[rows]
        X = X if features is None else X.iloc[:, features]
        return np.asarray(X.to_numpy(dtype=np.float64, na_value=np.nan))
    if _is_arrow(X):
        X = X if features is None else X.select(features.tolist())
        return np.asarray(X if rows is None else X.take(rows)).astype(np.float64)
    X = X if rows is None else X[rows]
    X = X if features is None else X[:, features.tolist()]
    return np.asarray(X.to_numpy()).astype(np.float64)


def is_time(dtype: Any) -> bool:
    """Whether a type of numpy, pandas, polars or Arrow is one of dates, times or durations."""
    if hasattr(dtype, "is_temporal"):
        return bool(dtype.is_temporal())
    if hasattr(dtype, "to_pandas_dtype"):  # of Arrow
        return str(dtype).startswith(("date", "time", "duration"))
    return getattr(dtype, "kind", "") in ("M", "m")


def is_integer_type(dtype: Any) -> bool:
    """Whether a type of numpy, pandas, polars or Arrow is one of integers."""
    if hasattr(dtype, "is_integer"):
        return bool(dtype.is_integer())
    if hasattr(dtype, "to_pandas_dtype"):
        return str(dtype).startswith(("int", "uint"))
    return getattr(dtype, "kind", "") in ("i", "u")


def is_categorical(dtype: Any) -> bool:
    """Whether the type of a column of a table is one of categories."""
    return str(dtype).lower().startswith(("categor", "enum", "dictionary"))


def holds_bytes(X: Any) -> bool:
    """Whether X is a table of booleans and bytes without missing values."""
    if not is_table(X) or not all(str(dtype).lower() in _BYTES for dtype in column_types(X)):
        return False
    if hasattr(X, "iloc"):
        return not X.isna().to_numpy().any()
    columns = X.columns if _is_arrow(X) else X.get_columns()
    return not any(part.null_count if _is_arrow(X) else part.null_count() for part in columns)

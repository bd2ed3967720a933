"""Reading the points that users pass as rows of numbers, without rounding.

Different points must not be at distance 0, so no number is rounded here: uint8 and float32 stay as
they are, everything else becomes float32 if that is exact, float64 otherwise. Integers and long
doubles that are not exact in float64 are refused. Decimals and fractions, which arrays of objects
may hold, become the nearest float64.
"""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from ..validation._arrays import check_array_like
from ..validation._columns import numbers_required
from ..validation._named_dims import check_no_dataset
from ..validation._tables import column, column_names, holds_bytes, is_table, whole_table

# Types that rows may have before they are converted to the narrowest exact type.
WIDE_TYPES = (np.float64, np.float32, np.uint8, np.bool_)

# The smallest power of two from which on float64 does not hold all integers.
_FIRST_ROUNDED = 2.0**53

# Advice in messages about integers that are not exact in float64.
USE_BRUTE_FORCE = ", or use BruteForceIndex, which measures arrays of int64 exactly"
_USE_INTEGERS = ", or give points as an array of int64, whose distances are exact"


def read_rows(
    X: Any, name: str, largest: float, alternative: str = ""
) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Return points as flat rows of uint8, float32 or float64, and the shape of one point.

    NaN, infinity and integers that would have to be rounded raise a ValueError.
    """
    if not issparse(X):
        X = with_axes(X, name)
    shape = tuple(X.shape[1:])
    with numbers_required(X, name):
        if len(shape) > 1:
            X = np.asarray(X).reshape(X.shape[0], math.prod(shape))
        check_exact(X, name, alternative)
        types = np.uint8 if holds_bytes(X) else list(WIDE_TYPES)
        with np.errstate(over="ignore", invalid="ignore"):  # check_array sums all numbers
            rows: NDArray[Any] = check_array(X, dtype=types, order="C", input_name=name)
    return narrowed(rows, name, largest), shape


def read_exact_rows(X: Any, name: str, largest: float) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Return the same as :func:`read_rows`, but int64 for integers that only this type holds."""
    if not issparse(X):
        X = with_axes(X, name)
        with numbers_required(X, name):
            table = np.asarray(X)
        if table.dtype.kind in "iu" and len(_rounded(table)):
            if int(table.max()) > np.iinfo(np.int64).max:
                raise ValueError(f"{name} must hold integers below 2**63, got {table.max()}")
            return table.reshape(len(table), -1).astype(np.int64), tuple(X.shape[1:])
    return read_rows(X, name, largest, _USE_INTEGERS)


def narrowed(rows: NDArray[Any], name: str, largest: float) -> NDArray[Any]:
    """Return rows in the narrowest of uint8, float32 and float64 that holds them exactly."""
    if rows.dtype == np.bool_:
        rows = rows.astype(np.uint8)
    if rows.dtype == np.float64:
        with np.errstate(over="ignore", under="ignore"):
            single = rows.astype(np.float32)
        if (single == rows).all():
            rows = single
        else:
            check_range(rows, name, largest)
    return np.ascontiguousarray(rows)


def check_range(rows: NDArray[np.float64], name: str, largest: float) -> None:
    """Raise a ValueError if a number is so large that distances could overflow."""
    if not is_in_range(rows, largest):
        raise ValueError(
            f"{name} must hold numbers in [-{largest:g}, {largest:g}], as distances between larger "
            f"ones may not be finite, got {rows.flat[np.abs(rows).argmax()]}"
        )


def is_in_range(rows: NDArray[np.float64], largest: float) -> bool:
    """Return whether all numbers are finite and at most `largest` in magnitude."""
    return bool(rows.size == 0 or max(rows.max(), -rows.min()) <= largest)


def check_exact(X: Any, name: str = "X", alternative: str = "") -> None:
    """Raise a ValueError if a conversion of X to float64 would change integers or long doubles.

    The message advises to subtract an offset, and `alternative`.
    """
    if is_table(X):
        names = column_names(X)
        parts = [(f"the column {known!r} of {name}", column(X, j)) for j, known in enumerate(names)]
    else:
        parts = [] if issparse(X) else [(name, _as_array(X))]
    for part, values in parts:
        lost = _rounded(values)
        if len(lost):
            raise ValueError(
                f"{part} must hold numbers that are exact in double precision, got {lost[0]}, "
                f"which would be rounded: subtract an offset that all points share{alternative}"
            )


def _rounded(values: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers that float64 would change; text and other objects are not checked here."""
    kind = values.dtype.kind
    if kind == "O":
        changed = np.frompyfunc(_is_rounded, 1, 1)(values).astype(bool)
    elif kind not in "iuf" or values.dtype.itemsize <= (8 if kind == "f" else 4):
        return np.empty(0)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            doubles = values.astype(np.float64)
            if kind == "f":
                changed = (doubles != values) & np.isfinite(values)
            else:  # the largest integer is rounded up to a power of two, which overflows its type
                inside = doubles < float(np.iinfo(values.dtype).max)
                back = np.where(inside, doubles, 0).astype(values.dtype)
                changed = ~inside | (back != values)
    lost: NDArray[Any] = values[changed]
    return lost


def _is_rounded(value: object) -> bool:
    if isinstance(value, np.longdouble):
        return bool(np.isfinite(value)) and np.longdouble(float(value)) != value
    if not isinstance(value, Integral):
        return False
    whole = int(value)  # NumPy rounds its own integers when it compares them with floats
    try:
        return float(whole) != whole
    except OverflowError:
        return True


def _as_array(X: Any) -> NDArray[Any]:
    """Return an array of X; of objects if it is a sequence with integers that would be rounded.

    NumPy converts integers to floats if there are floats among them.
    """
    array = np.asarray(X)
    if hasattr(X, "__array__") or array.dtype.kind != "f":
        return array
    if not (np.abs(array) >= _FIRST_ROUNDED).any():
        return array
    objects = np.asarray(X, dtype=object)
    return objects if len(_rounded(objects)) else array


def with_axes(given: Any, name: str) -> Any:
    """Return X as an object with a shape of at least one row and at least two axes."""
    X = whole_table(given)
    check_no_dataset(X, name)
    if not hasattr(X, "shape"):
        try:
            X = _as_array(X)
        except ValueError as error:
            raise ValueError(f"{name} must be a rectangular array of numbers: {error}") from error
    expected = f"{name} must be an array or a table of shape (n, n_features) or (n, ...), got"
    if not X.shape and not hasattr(given, "shape"):
        raise TypeError(f"{expected} an object of type {type(given).__name__}")
    if len(X.shape) < 2:
        raise ValueError(f"{expected} the shape {X.shape}")
    if X.shape[0] == 0:
        raise ValueError(f"{name} must have at least one row, got the shape {X.shape}")
    return X


def check_shape(shape: tuple[int, ...], expected: tuple[int, ...], name: str = "X") -> None:
    """Raise a ValueError unless points have the shape of those before them, or one is flat."""
    if shape == expected:
        return
    features, n_features = math.prod(shape), math.prod(expected)
    if features != n_features:
        raise ValueError(
            f"{name} has {features} features, but points with {n_features} features are expected, "
            "as in the first batch"
            + (f": for one point pass {name}[None]" if shape == expected[1:] else "")
        )
    if len(shape) > 1 and len(expected) > 1:
        raise ValueError(
            f"{name} must have the shape (n, {', '.join(map(str, expected))}) or its flat form "
            f"(n, {n_features}), as in the first batch, got (n, {', '.join(map(str, shape))})"
        )


def read_objects(X: Any, name: str = "X") -> tuple[list[Any], tuple[int, ...] | None]:
    """Return the points that a user's metric is to compare, at least one, and the shape of each.

    An array of numbers with several axes is read as :func:`read_rows` does, and its points keep
    their shape. Everything else is a sequence of objects without a shape (None), which the metric
    gets as they are.
    """
    if issparse(X):
        raise TypeError(f"{name} must be a dense array or a sequence of objects, got {type(X)}")
    if isinstance(X, memoryview) and X.ndim != 1:
        raise TypeError(
            f"{name} must be an array or a sequence of objects, got a memoryview with {X.ndim} "
            "axes: pass numpy.asarray of it"
        )
    if hasattr(X, "__array__") and (table := np.asarray(X)).ndim != 1:
        # a table is read as one: its columns have names and types of their own
        rows, shape = read_rows(X if hasattr(X, "shape") else table, name, math.inf)
        return list(rows.reshape(len(rows), *shape)), shape
    check_array_like(X, name, "an array or a sequence of objects")
    points = list(X)
    if not points:
        raise ValueError(f"{name} must have at least one row, got none")
    return points, None

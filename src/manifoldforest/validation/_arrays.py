"""Arrays and sequences among the arguments: what is none is a TypeError, all else a ValueError."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ._rules import is_integer, shown


def is_array_like(value: Any) -> bool:
    """Whether a value is a dense array, or has entries in an order that means something."""
    if issparse(value) or isinstance(value, str | bytes | Mapping | set | frozenset):
        return False
    return hasattr(value, "__array__") or isinstance(value, Iterable)


def check_array_like(value: Any, name: str, expected: str) -> None:
    """Raise a TypeError unless a value is a dense array or a sequence; `expected` in words."""
    if is_array_like(value):
        return
    if issparse(value):
        got = f"a sparse {type(value).__name__}"
    else:
        got = "None" if value is None else f"an object of type {type(value).__name__}"
    raise TypeError(f"{name} must be {expected}, got {got}")


def as_list(value: Any, name: str, expected: str) -> list[Any]:
    """Return the entries of a sequence, or those of an array along its first axis."""
    check_array_like(value, name, expected)
    if not hasattr(value, "__array__"):
        return list(value)
    array = np.asarray(value)
    if array.ndim == 0:
        raise TypeError(f"{name} must be {expected}, got {shown(value)}")
    return list(array)


def as_array(value: Any, name: str, expected: str) -> NDArray[Any]:
    """Return a dense array of whatever type; `expected` says in words what is wanted."""
    check_array_like(value, name, expected)
    try:
        return np.asarray(value if hasattr(value, "__array__") else list(value))
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name} must be {expected}: {error}") from error


def as_numbers(value: Any, name: str, expected: str) -> NDArray[Any]:
    """Return a dense array of real numbers, in the type in which it came."""
    array = as_array(value, name, expected)
    if array.dtype.kind == "O":  # numbers in a table of objects
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{name} must be {expected}, got no number: {error}") from error
        except OverflowError as error:
            raise ValueError(
                f"{name} must be {expected}, got a number beyond double precision: {error}"
            ) from error
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name} must be {expected}, got entries of type {array.dtype}")
    return array


def check_each_finite(array: NDArray[Any], name: str) -> None:
    """Raise a ValueError unless all numbers are finite."""
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers, got NaN or infinity")


def read_indices(value: Any, name: str, n: int) -> NDArray[np.intp]:
    """Return one or more indices of `n` things; a single integer is one of them."""
    expected = f"an integer in [0, {n - 1}] or a sequence of these"
    array = as_array([value] if is_integer(value) else value, name, expected)
    if array.shape == (0,):  # an empty list has no type of its own
        return np.empty(0, dtype=np.intp)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be {expected}, got {shown(value)}")
    if array.ndim != 1 or not ((array >= 0) & (array < n)).all():
        raise ValueError(f"{name} must be {expected}, got {shown(value)}")
    return array.astype(np.intp)


# Different whole numbers that may be labels where nobody says what they are.
_MOST_NUMBER_LABELS = 20


def are_labels(values: NDArray[Any]) -> bool:
    """Whether responses are labels rather than numbers, as far as their values tell.

    Text, booleans and other things that are no numbers are labels, and so are at most 20 different
    whole numbers, if on average each of them is that of two rows or more.
    """
    if values.dtype.kind not in "iuf":
        return True
    if not np.isfinite(values).all() or (values != np.rint(values)).any():
        return False
    n_different = len(np.unique(values))
    return n_different <= _MOST_NUMBER_LABELS and 2 * n_different <= values.size

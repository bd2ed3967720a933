"""Checks of parameters that several projections share.

A wrong type raises TypeError, a wrong value ValueError; both name the parameter, what was expected
and what came.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from manifoldforest.validation._suggestions import did_you_mean


def is_sequence(value: Any) -> bool:
    """Whether `value` is a list, a tuple or an array with at least one axis."""
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def check_integer(name: str, value: Any, least: int) -> int:
    """Return `value` as an int, or raise unless it is an integer of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer >= {least}, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be an integer >= {least}, got {value!r}")
    return int(value)


def check_weight(name: str, value: Any) -> float:
    """Return `value` as a float, or raise unless it is a finite number of at least 0."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not 0 <= float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
    return float(value)


def check_positive(name: str, value: Any) -> float:
    """Return `value` as a float, or raise unless it is a finite number above 0."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not 0 < float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    return float(value)


def check_flag(name: str, value: Any) -> bool:
    """Return `value` as a bool, or raise unless it is one."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return `value`, or raise unless it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}"
            f"{did_you_mean(value, choices)}"
        )
    return value


def check_range(name: str, value: Any, least: int) -> tuple[int, int]:
    """Return (min, max) of `value`, an integer that is both or a pair in ascending order."""
    if getattr(value, "ndim", 0) > 1:  # a matrix for another parameter, not to be printed
        raise TypeError(
            f"{name} must be an integer or a pair (min, max), got a matrix of shape {value.shape}"
        )
    if not is_sequence(value):
        value = check_integer(name, value, least)
        return value, value
    if len(value) != 2:
        raise ValueError(f"{name} must be an integer or a pair (min, max), got {value!r}")
    low, high = (check_integer(name, end, least) for end in value)
    if low > high:
        raise ValueError(f"{name} must be a pair (min, max) with min <= max, got {value!r}")
    return low, high


def check_matrix(name: str, value: Any) -> sparse.csc_array:
    """Return `value` as a sparse matrix of its nonzeros; refuse all but finite real numbers."""
    matrix = value if sparse.issparse(value) else np.asarray(value)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two axes, got shape {matrix.shape}")
    if matrix.dtype.kind not in "buif":
        raise TypeError(f"{name} must hold real numbers, got {matrix.dtype}")
    # A copy, since tidying up must not change the caller's matrix.
    columns = sparse.csc_array(matrix, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    if not np.isfinite(columns.data).all():
        raise ValueError(f"{name} must hold finite numbers, got NaN or infinity")
    return columns


def check_adjacency(name: str, value: Any, n_nodes: int) -> sparse.csr_array:
    """Return the edges of a graph of `n_nodes` nodes as a matrix of ones, without self-loops."""
    matrix = check_matrix(name, value)
    if matrix.shape != (n_nodes, n_nodes):
        raise ValueError(
            f"{name} must have shape {(n_nodes, n_nodes)} to fit the data, got {matrix.shape}"
        )
    tail, head = matrix.nonzero()
    apart = tail != head
    ones = np.ones(np.count_nonzero(apart), dtype=np.int32)
    return sparse.csr_array((ones, (tail[apart], head[apart])), shape=matrix.shape)

"""What indexes accept as ids of points, and as filters of ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation._rules import any_callable, check_argument, is_integer

_INT64 = np.iinfo(np.int64)
_FILTER = replace(any_callable, expected="a function of an id")


def read_ids(ids: Any, n: int | None, name: str = "ids") -> NDArray[np.int64]:
    """Return ids as int64, all different.

    There must be `n` of them, in an order that means something; None is any number in any order.
    """
    found = _integers(ids, name, order=None if n is None else "the rows of X")
    if n is not None and len(found) != n:
        raise ValueError(f"{name} must have one id for each of the {n} rows of X, got {len(found)}")
    values, counts = np.unique(found, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"{name} must be all different, got {values[counts > 1][0]} twice")
    return found


def read_ids_to_get(ids: Any) -> NDArray[np.int64]:
    """Return ids in an order that means something; some may come twice."""
    return _integers(ids, "ids", order="the points to return")


def read_among(among: Any) -> NDArray[np.int64]:
    """Return the ids of a filter, at least one; ids that come twice count once."""
    found: NDArray[np.int64] = np.unique(_integers(among, "among", order=None))
    if len(found) == 0:
        raise ValueError("among must hold at least one id, got none")
    return found


def read_where(where: Any, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ids that a user's filter accepts, at least one."""
    check_argument("where", where, _FILTER)
    accepted: NDArray[np.int64] = ids[[bool(where(i)) for i in ids.tolist()]]
    if len(accepted) == 0:
        raise ValueError(f"where must accept at least one of the {len(ids)} ids, got none")
    return accepted


def _integers(ids: Any, name: str, *, order: str | None) -> NDArray[np.int64]:
    """Return ids as int64; `order` says what their order is that of, None that it is nothing's."""
    if isinstance(ids, set | frozenset) and order is not None:
        raise TypeError(f"{name} must be in the order of {order}, got a {type(ids).__name__}")
    expected = f"{name} must be a sequence of integers"
    if isinstance(ids, str | bytes | Mapping):
        raise TypeError(f"{expected}, got an object of type {type(ids).__name__}")
    if isinstance(ids, Iterable) and not hasattr(ids, "__array__"):
        ids = list(ids)
        # NumPy makes integers of booleans among integers
        strangers = [i for i in ids if not is_integer(i)]
        if strangers:
            raise TypeError(f"{expected}, got {strangers[0]!r}")
        if ids and not (_INT64.min <= min(ids) <= max(ids) <= _INT64.max):
            raise ValueError(f"{name} must fit into 64 bits, got {max(ids, key=abs)}")
        return np.array(ids, dtype=np.int64)
    found = np.asarray(ids)
    if found.dtype.kind not in "iu" and found.shape != (0,):
        given = repr(ids) if found.ndim == 0 else f"an array of type {found.dtype}"
        raise TypeError(f"{expected}, got {given}")
    if found.ndim > 1:
        raise ValueError(f"{name} must have one axis, got the shape {found.shape}")
    if found.dtype.kind == "u" and found.size and int(found.max()) > _INT64.max:
        raise ValueError(f"{name} must fit into 64 bits, got {found.max()}")
    return np.atleast_1d(found).astype(np.int64)

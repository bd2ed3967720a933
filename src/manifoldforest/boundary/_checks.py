"""What indexes accept as points, ids, k, metric and embedding: checked before anything is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ._metrics import METRICS
from ._numeric_rows import read_rows

Metric: TypeAlias = str | Callable[[Any, Any], Any]

_INT64 = np.iinfo(np.int64)


def read_k(k: Any) -> int:
    """Return `k`, the number of neighbours asked for."""
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise ValueError(f"k must be an integer >= 1, got {k!r}")
    return int(k)


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
    if not callable(where):
        raise TypeError(f"where must be a function of an id, got {where!r}")
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
        strangers = [i for i in ids if not isinstance(i, Integral) or isinstance(i, bool)]
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


def resolve_metric(metric: Any, names: tuple[str, ...] = METRICS) -> Metric:
    """Return the name of a metric, or the function that a callable or an object stands for."""
    distance = getattr(metric, "distance", None)
    if isinstance(metric, str) and metric in names:
        return metric
    if not isinstance(metric, type):  # a class has not been given its parameters
        if callable(distance):
            return distance  # type: ignore[no-any-return]
        if callable(metric):
            return metric  # type: ignore[no-any-return]
    raise ValueError(
        f"metric must be one of {', '.join(map(repr, names))}, a callable or an object with a "
        f"method `distance`, got {metric!r}"
    )


def read_distance(distance: Any) -> float:
    """Return what a user's metric has returned, if it can be a distance."""
    try:
        number = float(distance)
    except (TypeError, ValueError) as error:
        raise TypeError(f"metric must return a number, got {distance!r}") from error
    if not 0 <= number < math.inf:  # NaN is not either
        raise ValueError(f"metric must return finite numbers >= 0, got {number}")
    return number


def resolve_embedding(embedding: Any) -> Callable[[Any], Any] | None:
    """Return the function that an embedding stands for."""
    if embedding is None:
        return None
    transform = getattr(embedding, "transform", None)
    if not isinstance(embedding, type):
        if callable(transform):
            return transform  # type: ignore[no-any-return]
        if callable(embedding):
            return embedding  # type: ignore[no-any-return]
    raise ValueError(f"embedding must be None, a transformer or a callable, got {embedding!r}")


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
    if isinstance(X, str | bytes | Mapping | set | frozenset) or not isinstance(X, Iterable):
        got = "None" if X is None else f"an object of type {type(X).__name__}"
        raise TypeError(f"{name} must be an array or a sequence of objects, got {got}")
    points = list(X)
    if not points:
        raise ValueError(f"{name} must have at least one row, got none")
    return points, None

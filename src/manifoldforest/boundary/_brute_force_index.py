"""Nearest neighbours by measuring all distances: what faster indexes are compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from ..validation._parameters import check_parameters, n_threads, none, nonzero_integer
from ._checks import (
    check_shape,
    read_among,
    read_distance,
    read_ids,
    read_ids_to_get,
    read_k,
    read_where,
    resolve_embedding,
    resolve_metric,
)
from ._core_forest import read_points
from ._metrics import INDEX_METRICS, largest_entry
from ._numeric_rows import read_exact_rows
from ._pairwise_distances import PAIRWISE_METRICS, stacked, whole

# Distances between this many queries and points are held at a time: 8 MB per thread.
_QUERIES, _POINTS = 256, 4096

_RULES = {"n_jobs": nonzero_integer | none}


class BruteForceIndex(BaseEstimator):
    """Points with ids, and their nearest neighbours by measuring every distance.

    The twin of :class:`manifoldforest.BoundaryIndex`: the same methods, but for files, with exact
    answers at the cost of one distance per query and point. It is there to measure the recall of
    the other, and for collections so small that nothing else is needed.

    Parameters
    ----------
    metric : str, callable or object, default="euclidean"
        The distance: ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"cosine"`` (1 - cos; a
        vector of zeros has the distance 1 to all but another one), ``"hamming"`` (the share of
        entries that differ), ``"inner_product"`` (1 - <a, b>, which may be negative: the largest
        inner product is the nearest), a function ``metric(a, b)``, or an object with a method
        ``distance(a, b)``. Functions get the stored point first, then the query.
    embedding : transformer, callable or None, default=None
        What is applied to `X` before distances are measured. A transformer is used as it is, so it
        must have been fitted.
    n_jobs : int or None, default=None
        Number of threads for queries, as in scikit-learn; functions are called from one.

    See Also
    --------
    manifoldforest.BoundaryIndex : the same, approximate, with a logarithmic number of distances.

    Notes
    -----
    Of points at the same distance the one that arrived first is the nearest.

    *Precision.* Points are kept in the precision in which they came, so that those that differ are
    not at distance 0, with two exceptions: by ``"cosine"``, vectors of one direction are, and those
    of nearly one direction may be; ``"inner_product"`` is no metric, and its differences may be
    lost to rounding. Distances are computed in double precision, those between rows of bytes
    without any rounding before the last step.

    Integers from -2**63 to 2**63 - 1 that are not exact in double precision are kept as int64, and
    their differences are exact, but ``"cosine"`` and ``"inner_product"`` round them. All points of
    the index must be whole numbers then. Such integers are refused if they are in arrays of
    objects or, in one array, list or table, among floats, if they are larger, and in arrays for
    a metric that is a function. Decimals and fractions in arrays of objects become the nearest
    float64. Numbers above 1e300 are refused (1e150 for the inner product).

    Examples
    --------
    >>> from manifoldforest.boundary import BruteForceIndex
    >>> index = BruteForceIndex()
    >>> index.add([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    array([0, 1, 2])
    >>> distances, ids = index.query([[0.0, 1.0]], k=2)
    >>> ids
    array([[0, 1]])
    >>> distances.round(3)
    array([[1.   , 4.243]])

    Any function is a metric, and any objects are points:

    >>> words = BruteForceIndex(metric=lambda a, b: len(set(a) ^ set(b)))
    >>> words.add(["stone", "river", "tones"], ids=[10, 20, 30])
    array([10, 20, 30])
    >>> words.remove([10])
    >>> words.query(["notes"])[1]
    array([[30]])
    """

    def __init__(
        self, metric: Any = "euclidean", embedding: Any = None, n_jobs: int | None = None
    ) -> None:
        self.metric = metric
        self.embedding = embedding
        self.n_jobs = n_jobs
        self._points: dict[int, Any] = {}  # in order of arrival
        self._next_id = 0
        self._shape: tuple[int, ...] | None = None  # of each point; None for objects
        self._n_long = 0  # number of rows of type int64
        self._table: NDArray[Any] | None = None  # the rows of _points, made when needed

    # ------------------------------------------------------------------ changes

    def add(self, X: Any, ids: ArrayLike | None = None) -> NDArray[np.int64]:
        """Add points.

        Parameters
        ----------
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            The points; objects only for a metric that is no name.
        ids : array-like of n integers or None, default=None
            Their ids, which no other point of the index may have. None takes the next integers
            after the largest that was ever used.

        Returns
        -------
        ids : ndarray of int64, shape (n,)
            The ids of the points.

        Examples
        --------
        >>> from manifoldforest.boundary import BruteForceIndex
        >>> index = BruteForceIndex()
        >>> index.add([[0.0], [1.0]], ids=[7, 3])
        array([7, 3])
        >>> index.add([[2.0]])
        array([8])
        """
        points, shape = self._read(X)
        if ids is None:
            found = self._new_ids(len(points))
        else:
            found = read_ids(ids, len(points))
            present = [i for i in found.tolist() if i in self._points]
            if present:
                raise ValueError(f"ids must be new, got {present[0]}, which is in the index")
        next_id = max(self._next_id, int(found.max()) + 1)
        self._store(found, points, shape)
        self._next_id = next_id
        return found

    def update(self, ids: ArrayLike, X: Any) -> None:
        """Give points new positions.

        Parameters
        ----------
        ids : array-like of n integers
            Ids of points in the index.
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            Their new positions.

        Raises
        ------
        KeyError
            If an id is not in the index; then nothing is changed.

        Examples
        --------
        >>> from manifoldforest.boundary import BruteForceIndex
        >>> index = BruteForceIndex()
        >>> _ = index.add([[0.0], [1.0]])
        >>> index.update([0], [[5.0]])
        >>> index.query([[4.0]])
        (array([[1.]]), array([[0]]))
        """
        points, shape = self._read(X)
        found = read_ids(ids, len(points))
        self._check_present(found, "ids")
        self._store(found, points, shape)

    def remove(self, ids: ArrayLike) -> None:
        """Remove points.

        Parameters
        ----------
        ids : array-like of integers
            Ids of points in the index.

        Raises
        ------
        KeyError
            If an id is not in the index; then nothing is removed.

        Examples
        --------
        >>> from manifoldforest.boundary import BruteForceIndex
        >>> index = BruteForceIndex()
        >>> _ = index.add([[0.0], [1.0]])
        >>> index.remove([0])
        >>> index.ids
        array([1])
        """
        found = read_ids(ids, None)
        self._check_present(found, "ids")
        gone = set(found.tolist())
        n_long = self._n_long - _n_long(self._points[i] for i in gone)
        points = {i: point for i, point in self._points.items() if i not in gone}
        shape = self._shape if points else None
        self._points, self._table, self._shape, self._n_long = points, None, shape, n_long

    # ------------------------------------------------------------------ queries

    def query(
        self,
        X: Any,
        k: int = 1,
        *,
        among: ArrayLike | set[int] | None = None,
        where: Callable[[int], bool] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Find the nearest points.

        Parameters
        ----------
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            Where to search.
        k : int, default=1
            Number of points to find for each.
        among : set or array-like of integers, or None, default=None
            Ids of the points that may be found; None is all.
        where : callable or None, default=None
            A function of an id that says whether the point may be found; None is all. It is called
            once for every id, or every one in `among`.

        Returns
        -------
        distances : ndarray of float64, shape (n, min(k, number of points that may be found))
            Distances of the nearest points, nearest first.
        ids : ndarray of int64 of the same shape
            Their ids.

        Raises
        ------
        KeyError
            If an id in `among` is not in the index.

        Examples
        --------
        >>> from manifoldforest.boundary import BruteForceIndex
        >>> index = BruteForceIndex(metric="manhattan")
        >>> _ = index.add([[0, 0], [1, 2], [3, 3]])
        >>> index.query([[1, 1]], k=5)
        (array([[1., 2., 4.]]), array([[1, 0, 2]]))
        >>> index.query([[1, 1]], among={0, 2})
        (array([[2.]]), array([[0]]))
        >>> index.query([[1, 1]], where=lambda id: id % 2 == 0)
        (array([[2.]]), array([[0]]))
        """
        k = read_k(k)
        check_parameters({"n_jobs": self.n_jobs}, _RULES)
        if not self._points:
            raise ValueError("the index must hold at least one point to be queried, got none")
        queries, _ = self._read(X)
        ids = self.ids
        chosen = np.arange(len(ids))
        if among is not None:
            wanted = read_among(among)
            self._check_present(wanted, "among")
            chosen = np.flatnonzero(np.isin(ids, wanted))
        if where is not None:
            chosen = np.flatnonzero(np.isin(ids, read_where(where, ids[chosen])))
        k = min(k, len(chosen))
        metric = resolve_metric(self.metric, INDEX_METRICS)
        if isinstance(metric, str):
            rows = self._rows() if len(chosen) == len(ids) else self._rows()[chosen]
            distances, nearest = _nearest_rows(queries, rows, k, metric, n_threads(self.n_jobs))
        else:
            stored = list(self._points.values())
            distances, nearest = _nearest_objects(queries, [stored[i] for i in chosen], k, metric)
        return distances, ids[chosen][nearest]

    def get(self, ids: ArrayLike) -> Any:
        """Return points by their ids.

        Parameters
        ----------
        ids : array-like of n integers
            Ids of points in the index, in any order.

        Returns
        -------
        points : ndarray of shape (n, p) or (n, ...), or list of n objects
            The points, after the embedding if there is one. An array is a copy, of a type in which
            the numbers are those that were given: uint8, float32, float64 or int64.

        Raises
        ------
        KeyError
            If an id is not in the index.

        Examples
        --------
        >>> from manifoldforest.boundary import BruteForceIndex
        >>> index = BruteForceIndex()
        >>> _ = index.add([[0.0, 1.0], [2.0, 3.0]], ids=[7, 3])
        >>> index.get([3])
        array([[2., 3.]], dtype=float32)
        """
        found = read_ids_to_get(ids)
        self._check_present(found, "ids")
        points = [self._points[i] for i in found.tolist()]
        if self._shape is None:
            return points
        dtype = self._rows().dtype
        return np.array(points, dtype=dtype).reshape(len(points), *self._shape)

    @property
    def dim(self) -> int | None:
        """Number of features of a point; None for objects, and while there are no points."""
        return None if self._shape is None else math.prod(self._shape)

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids in order of arrival; a point that was updated keeps its place."""
        return np.fromiter(self._points, dtype=np.int64, count=len(self._points))

    def __len__(self) -> int:
        return len(self._points)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __contains__(self, key: object) -> bool:
        return isinstance(key, Integral) and int(key) in self._points

    # ----------------------------------------------------------------- internal

    def _read(self, X: Any) -> tuple[Any, tuple[int, ...] | None]:
        """Return points, and the shape of one of them if they are arrays of numbers."""
        metric = resolve_metric(self.metric, INDEX_METRICS)
        embed = resolve_embedding(self.embedding)
        name = "X"
        if embed is not None:
            X, name = embed(X), "the embedding of X"
        points: Any
        shape: tuple[int, ...] | None
        by_name = isinstance(metric, str)
        if by_name:
            points, shape = read_exact_rows(X, name, largest_entry(metric))
        else:
            points, shape = read_points(X, metric, name, of_arrays=self._shape is not None)
        if shape is not None and self._shape is not None:
            check_shape(shape, self._shape, name)
            if by_name:
                self._check_types(points, name)
            else:
                points = [point.reshape(self._shape) for point in points]
        return points, shape

    def _check_types(self, rows: NDArray[Any], name: str) -> None:
        """Raise a ValueError if there is no type in which all points, old and new, are exact."""
        if self._n_long:
            whole(rows, name)
        elif rows.dtype == np.int64:
            whole(self._rows(), "the index")

    def _new_ids(self, n: int) -> NDArray[np.int64]:
        if self._next_id + n - 1 > np.iinfo(np.int64).max:
            raise ValueError(f"ids must be given, as no integers follow {self._next_id - 1}")
        return np.arange(self._next_id, self._next_id + n, dtype=np.int64)

    def _check_present(self, ids: NDArray[np.int64], name: str) -> None:
        for i in ids.tolist():
            if i not in self._points:
                raise KeyError(f"{name} must be in the index, got {i}, which is not")

    def _store(self, ids: NDArray[np.int64], points: Any, shape: tuple[int, ...] | None) -> None:
        if shape is not None:
            points = [point.copy() for point in points]  # the caller may change X later
        stored = dict(zip(ids.tolist(), points, strict=True))
        new = stored.keys() - self._points.keys()
        is_first = not self._points
        replaced = (self._points[i] for i in stored.keys() - new)
        n_long = self._n_long + _n_long(points) - _n_long(replaced)
        self._table = None
        try:
            self._points.update(stored)
        except BaseException:
            for i in new:
                self._points.pop(i, None)
            raise
        self._n_long = n_long
        if is_first:
            self._shape = shape

    def _rows(self) -> NDArray[Any]:
        if self._table is None:
            self._table = stacked(list(self._points.values()))
        return self._table


def _n_long(points: Iterable[Any]) -> int:
    return sum(isinstance(point, np.ndarray) and point.dtype == np.int64 for point in points)


def _nearest_rows(
    queries: NDArray[Any], rows: NDArray[Any], k: int, metric: str, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return distances of the `k` rows nearest to each query, and which rows they are."""
    exact = PAIRWISE_METRICS[metric]

    def search(begin: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        some = queries[begin : begin + _QUERIES]
        best = np.empty((len(some), 0))
        where = np.empty((len(some), 0), dtype=np.int64)
        for first in range(0, len(rows), _POINTS):
            points = rows[first : first + _POINTS]
            # what was found before comes first, so that the order of arrival decides ties
            proxies = np.hstack([best, exact.proxies(some, points)])
            numbers = np.tile(np.arange(first, first + len(points)), (len(some), 1))
            numbers = np.hstack([where, numbers])
            order = _smallest(proxies, k)
            best = np.take_along_axis(proxies, order, axis=1)
            where = np.take_along_axis(numbers, order, axis=1)
        return best, where

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(search, range(0, len(queries), _QUERIES)))
    best = np.vstack([part for part, _ in parts])
    return exact.distances(best), np.vstack([where for _, where in parts])


def _smallest(distances: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the columns of the `k` smallest entries of each row in ascending, stable order."""
    if k >= distances.shape[1]:
        return np.argsort(distances, axis=1, kind="stable")
    bound = np.partition(distances, k - 1, axis=1)[:, k - 1]
    columns = np.empty((len(distances), k), dtype=np.int64)
    for i, row in enumerate(distances):  # where there are ties, more than k are within the bound
        within = np.flatnonzero(row <= bound[i])
        columns[i] = within[np.argsort(row[within], kind="stable")[:k]]
    return columns


def _nearest_objects(
    queries: list[Any], points: list[Any], k: int, metric: Callable[[Any, Any], Any]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return what `_nearest_rows` does, for a function of two objects."""
    distances = np.empty((len(queries), k))
    nearest = np.empty((len(queries), k), dtype=np.int64)
    for i, query in enumerate(queries):
        found = np.array([read_distance(metric(point, query)) for point in points])
        nearest[i] = _smallest(found[None], k)[0]
        distances[i] = found[nearest[i]]
    return distances, nearest

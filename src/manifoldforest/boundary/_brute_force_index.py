"""Nearest neighbours by measuring all distances: the reference for faster indexes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _model_file
from ._metrics import INDEX_METRICS, resolve_metric
from ._neighbour_index import NeighbourIndex
from ._point_store import ObjectStore, PointStore, RowStore


class BruteForceIndex(NeighbourIndex[PointStore]):
    """Exact nearest neighbours of points with ids, by measuring every distance.

    It has the methods of :class:`manifoldforest.BoundaryIndex`, which take the same arguments, and
    no trees. A query takes one distance per point. Use it to measure the recall of the other index,
    and for collections that are small enough.

    Parameters
    ----------
    metric : str, callable or object, default="euclidean"
        The distance: ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"cosine"`` (1 - cos; a
        vector of zeros has the distance 1 to all but another one), ``"hamming"`` (the share of
        entries that differ), ``"inner_product"`` (1 - <a, b>, which may be negative: the largest
        inner product is the nearest), a function ``metric(a, b)``, or an object with a method
        ``distance(a, b)``. With a function, points may be any objects; it gets the stored point
        first, then the query.
    embedding : transformer, callable or None, default=None
        What is applied to `X` before distances are measured, such as a view of
        :mod:`manifoldforest.views`. A transformer must have been fitted.
    n_jobs : int or None, default=None
        Number of threads for queries, as in scikit-learn; functions are called from one. It can be
        set later as well; the other parameters are fixed.

    Attributes
    ----------
    ids : ndarray of int64
        Ids in order of arrival; an updated point arrives again.
    dim : int or None
        Number of features of a point; None for objects, and while there are no points.

    See Also
    --------
    manifoldforest.BoundaryIndex : approximate answers from a logarithmic number of distances.

    Notes
    -----
    Of points at the same distance the one that arrived first is the nearest.

    *Threads.* Other threads may query the index while one changes it. An answer is that of the
    index when the query began. A change is made completely or, if anything is raised, not at all.

    *Precision.* Points are stored in the precision in which they were given, so that different
    points are never at distance 0, with two exceptions: by ``"cosine"``, vectors of one direction
    are, and those of nearly one direction may be; ``"inner_product"`` is not a metric, and its
    differences may be lost to rounding. Distances are computed in double precision, those between
    rows of bytes without any rounding before the last step.

    Integers from -2**63 to 2**63 - 1 that are not exact in double precision are stored as int64,
    and their differences are exact, but ``"cosine"`` and ``"inner_product"`` round them. All points
    of the index must be whole numbers then. Such integers are refused if they are in arrays of
    objects or, in one array, list or table, among floats, if they are larger, and in arrays for
    a metric that is a function. Decimals and fractions in arrays of objects become the nearest
    float64. Numbers above 1e300 are refused (1e150 for the inner product).

    *Speed.* Adding a point takes amortised constant time. Removing or updating points copies all
    others once per call.

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
        self, *, metric: Any = "euclidean", embedding: Any = None, n_jobs: int | None = None
    ) -> None:
        super().__init__(metric=metric, embedding=embedding, n_jobs=n_jobs)

    def _first_storage(self, X: Any, name: str) -> tuple[PointStore, Any]:
        metric = resolve_metric(self.metric, INDEX_METRICS)
        if isinstance(metric, str):
            return RowStore.first(X, name, metric)
        return ObjectStore.first(X, name, metric)

    def _insert(self, storage: PointStore, points: Any, ids: NDArray[np.int64]) -> None:
        grown = storage.appended(points, ids)
        next_id = max(self._next_id, int(ids.max()) + 1)
        vars(self).update(_storage=grown, _next_id=next_id)  # one step: no interrupt in between

    def _replace(self, storage: PointStore, points: Any, ids: NDArray[np.int64]) -> None:
        self._storage = storage.without(ids).appended(points, ids)

    def _delete(self, storage: PointStore, ids: NDArray[np.int64]) -> None:
        self._storage = storage.without(ids)

    def _write_file(self, path: str | os.PathLike[str]) -> None:
        _model_file.save_brute_force_index(self, path)

"""Nearest neighbours by measuring the distance of every query to every point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation._distances import read_distance
from ._pairwise_distances import PAIRWISE_METRICS

# Distances between this many queries and points are held at a time: 8 MB per thread.
_QUERIES_PER_BATCH, _POINTS_PER_BATCH = 256, 4096

Neighbours = tuple[NDArray[np.float64], NDArray[np.int64]]


def nearest_rows(
    queries: NDArray[Any], rows: NDArray[Any], k: int, metric: str, n_threads: int
) -> Neighbours:
    """Return the distances of the `k` rows nearest to each query, and the numbers of these rows.

    Of rows at the same distance the first is the nearest.
    """
    measure = PAIRWISE_METRICS[metric]

    def search(begin: int) -> Neighbours:
        batch = queries[begin : begin + _QUERIES_PER_BATCH]
        best = np.empty((len(batch), 0))
        nearest = np.empty((len(batch), 0), dtype=np.int64)
        for first in range(0, len(rows), _POINTS_PER_BATCH):
            points = rows[first : first + _POINTS_PER_BATCH]
            # earlier rows are the first columns, so that a stable sort prefers them in ties
            proxies = np.hstack([best, measure.proxies(batch, points)])
            numbers = np.tile(np.arange(first, first + len(points)), (len(batch), 1))
            numbers = np.hstack([nearest, numbers])
            order = _smallest(proxies, k)
            best = np.take_along_axis(proxies, order, axis=1)
            nearest = np.take_along_axis(numbers, order, axis=1)
        return best, nearest

    batches = range(0, len(queries), _QUERIES_PER_BATCH)
    if n_threads == 1 or len(batches) == 1:  # to start a thread takes longer than a small query
        parts = list(map(search, batches))
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            parts = list(pool.map(search, batches))
    best = np.vstack([proxies for proxies, _ in parts])
    return measure.distances(best), np.vstack([numbers for _, numbers in parts])


def nearest_objects(
    queries: Sequence[Any], points: Sequence[Any], k: int, metric: Callable[[Any, Any], Any]
) -> Neighbours:
    """Return the same as :func:`nearest_rows`, for a metric that is a function of two objects."""
    distances = np.empty((len(queries), k))
    nearest = np.empty((len(queries), k), dtype=np.int64)
    for i, query in enumerate(queries):
        row = np.array([read_distance(metric(point, query), "metric") for point in points])
        nearest[i] = _smallest(row[None], k)[0]
        distances[i] = row[nearest[i]]
    return distances, nearest


def _smallest(distances: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the columns of the `k` smallest entries of each row in ascending, stable order."""
    if k >= distances.shape[1]:
        return np.argsort(distances, axis=1, kind="stable")
    bound = np.partition(distances, k - 1, axis=1)[:, k - 1]
    columns = np.empty((len(distances), k), dtype=np.int64)
    for i, row in enumerate(distances):
        within = np.flatnonzero(row <= bound[i])  # more than k if there are ties
        columns[i] = within[np.argsort(row[within], kind="stable")[:k]]
    return columns

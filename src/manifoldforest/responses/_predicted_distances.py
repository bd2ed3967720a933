"""Predicted distances of a new response to the training responses.

[DRF] Algorithm 1 starts from the training response l that shares most leaves with the new one. The
distance to l is the smallest between any two training responses, and the other responses p are
taken in the order of their distance to l:

    d(new, p) = min over the responses i before p of max(d(new, i), D_ip).

All distances here are squared, which changes no minimum and no maximum. ``rows(indices)`` returns
rows of the matrix of squared distances, which need not exist as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from ..spaces._chunks import row_chunks

Rows = Callable[[NDArray[np.intp]], NDArray[np.floating[Any]]]

# Dimensions up to which a k-d tree finds neighbours faster than all distances do.
_FEW_DIMS = 15


# --------------------------------------------------------------------- rows of squared distances


def rows_of_matrix(squared_distances: NDArray[np.floating[Any]]) -> Rows:
    """Return access to the rows of a matrix of squared distances."""
    return lambda indices: squared_distances[indices]


def rows_of_points(embedding: NDArray[np.float64]) -> Rows:
    """Return access to the squared distances between points, computed when asked for."""
    return lambda indices: cdist(embedding[indices], embedding, "sqeuclidean")


def smallest_of_matrix(squared_distances: NDArray[np.floating[Any]]) -> float:
    """Return the smallest squared distance between two responses, 0 for a single one."""
    n = len(squared_distances)
    return 0.0 if n == 1 else _smallest(rows_of_matrix(squared_distances), n)


def smallest_of_points(embedding: NDArray[np.float64]) -> float:
    """Return the smallest squared distance between two points, 0 for a single one."""
    n, n_dims = embedding.shape
    if n == 1 or n_dims == 0:
        return 0.0
    if n_dims <= _FEW_DIMS:
        distance, _ = KDTree(embedding).query(embedding, k=2)
        return float(distance[:, 1].min() ** 2)
    return _smallest(rows_of_points(embedding), n)


def _smallest(rows: Rows, n: int) -> float:
    smallest = np.inf
    for some in row_chunks(n, n):
        own = np.arange(some.start, some.stop)
        chunk = np.array(rows(own))
        chunk[np.arange(len(own)), own] = np.inf
        smallest = min(smallest, float(chunk.min()))
    return smallest


# ----------------------------------------------------------------------------- the new distances


def most_affine(affinity: csr_matrix, weights: csr_matrix) -> NDArray[np.intp]:
    """Return the training response of largest affinity to each query.

    Parameters
    ----------
    affinity : csr_matrix of shape (q, n)
        Share of the trees in which query and training row are in the same leaf.
    weights : csr_matrix of shape (q, n)
        Forest weights. Of several responses with the same affinity the one with the largest
        weight is taken, of those the first.

    Returns
    -------
    nearest : ndarray of shape (q,)
        Indices of training responses.
    """
    n_queries, n = affinity.shape
    nearest = np.empty(n_queries, dtype=np.intp)
    for some in row_chunks(n_queries, n):
        shared = affinity[some].toarray()
        is_largest = shared == shared.max(axis=1, keepdims=True)
        nearest[some] = np.where(is_largest, weights[some].toarray(), -1.0).argmax(axis=1)
    return nearest


def in_decreasing_order(
    rows: Rows, nearest: NDArray[np.intp], smallest: float
) -> NDArray[np.float64]:
    """Algorithm 1 of [DRF] as printed, with p in the order of decreasing distance to l.

    The loop over p is not needed. Every response i != l before p has, by induction, the distance
    D_il >= D_pl, so that the minimum is at i = l: max(smallest, D_lp) = D_lp. The prediction is
    the row of l, with the smallest distance at l itself.

    Parameters
    ----------
    rows : callable
        Squared distances of training responses to all of them.
    nearest : ndarray of shape (q,)
        The response l of each query.
    smallest : float
        Smallest squared distance between two training responses.

    Returns
    -------
    squared_distances : ndarray of shape (q, n)
        Of each query to the training responses.
    """
    predicted = np.array(rows(nearest), dtype=np.float64)
    predicted[np.arange(len(nearest)), nearest] = smallest
    return predicted


def in_increasing_order(
    rows: Rows, nearest: NDArray[np.intp], smallest: float
) -> NDArray[np.float64]:
    """Algorithm 1 with p in the order of increasing distance to l.

    The distance to p becomes the longest step on the best way from l to p, where a way may only
    lead away from l. It takes n^2 time for each distinct l. The parameters are those of
    `in_decreasing_order`.
    """
    distinct, query = np.unique(nearest, return_inverse=True)
    n = rows(distinct[:1]).shape[1]
    linked = np.empty((len(distinct), n))
    for some in row_chunks(len(distinct), n):
        linked[some] = _recursion_from(rows, distinct[some], smallest)
    return linked[query]


def _recursion_from(rows: Rows, starts: NDArray[np.intp], smallest: float) -> NDArray[np.float64]:
    """Return the recursion from each of the distinct responses `starts`.

    A response whose distance is settled passes it on to those after it; those before are settled.
    """
    of_start = np.arange(len(starts))
    order_by = np.array(rows(starts), dtype=np.float64)
    order_by[of_start, starts] = -1  # first even if others coincide with it
    order = np.argsort(order_by, axis=1, kind="stable")
    place = np.argsort(order, axis=1)
    predicted = np.full(order.shape, np.inf)
    predicted[of_start, starts] = smallest
    for position, responses in enumerate(order.T):
        reached = np.maximum(predicted[of_start, responses][:, None], rows(responses))
        np.minimum(predicted, reached, out=predicted, where=place > position)
    return predicted


def new_squared_distances(
    order: str, rows: Rows, nearest: NDArray[np.intp], smallest: float
) -> NDArray[np.float64]:
    """Predict squared distances by Algorithm 1 in one of the two orders of `distance_order`."""
    algorithm = {"decreasing": in_decreasing_order, "increasing": in_increasing_order}[order]
    return algorithm(rows, nearest, smallest)

"""Examples as points of a plane, by the leaves that they share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

from ._forest_weights import indicator_matrix

# Share of the inertia below which a direction is rounding error.
_NOTHING = 1e-12


def proximity_coordinates(
    leaves: NDArray[np.int32], n_nodes: int, n_dims: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Place examples by classical scaling of 1 - proximity as squared distances.

    The proximity of two examples is the share of trees in which they share the leaf. With Q
    (examples × leaves) the indicators of leaves divided by the root of the number of trees, that
    is Q Q', so that squared distances 2 - 2 Q Q' are those of points, and the coordinates are the
    principal components of Q. No matrix of pairs is made.

    Parameters
    ----------
    leaves : ndarray of shape (n_examples, n_trees)
        Leaves, numbered over all trees.
    n_nodes : int
        Number of nodes of all trees.
    n_dims : int
        Number of dimensions, less than n_examples.

    Returns
    -------
    coordinates : ndarray of shape (n_examples, n_dims)
        Points, of which the first of the largest entries of each column is positive; columns are
        zero where examples have fewer dimensions.
    shares : ndarray of shape (n_dims,)
        Share of each dimension in the sum of the squared distances.
    """
    n, n_trees = leaves.shape
    values = np.full(leaves.shape, np.sqrt(0.5 / n_trees))
    indicators = indicator_matrix(leaves, values, n_nodes)
    mean = np.asarray(indicators.mean(axis=0)).ravel()
    inertia = 0.5 * n - n * float(mean @ mean)
    coordinates, shares = np.zeros((n, n_dims)), np.zeros(n_dims)
    if inertia <= _NOTHING * n:  # all examples share all leaves
        return coordinates, shares

    def times(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        centred = vector.ravel() - vector.mean()
        product = indicators @ (indicators.T @ centred)
        return np.asarray((product - product.mean()) / inertia)

    start = np.random.default_rng(0).standard_normal(n)  # fixed, so that results repeat
    operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
    found, vectors = eigsh(operator, k=n_dims, which="LA", v0=start)
    shares[:] = np.maximum(found[::-1], 0.0)
    shares[shares < _NOTHING] = 0.0
    vectors = vectors[:, ::-1]
    largest = np.argmax(np.abs(vectors) >= (1 - 1e-6) * np.abs(vectors).max(axis=0), axis=0)
    signs = np.sign(vectors[largest, np.arange(n_dims)])
    coordinates[:] = vectors * signs * np.sqrt(shares * inertia)
    return coordinates, shares

"""Matrices among the parameters of projections: atoms, and the edges of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifoldforest.validation._arrays import as_array, check_each_finite


def read_matrix(name: str, value: Any) -> sparse.csc_array:
    """Return a matrix as a sparse one of its nonzeros; refuse all but finite real numbers."""
    matrix = value if sparse.issparse(value) else as_array(value, name, "a matrix of real numbers")
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two axes, got shape {matrix.shape}")
    if matrix.dtype.kind not in "buif":
        raise TypeError(f"{name} must hold real numbers, got {matrix.dtype}")
    # A copy, since tidying up must not change the caller's matrix.
    columns = sparse.csc_array(matrix, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    check_each_finite(columns.data, name)
    return columns


def read_adjacency(name: str, value: Any, n_nodes: int) -> sparse.csr_array:
    """Return the edges of a graph of `n_nodes` nodes as a matrix of ones, without self-loops."""
    matrix = read_matrix(name, value)
    if matrix.shape != (n_nodes, n_nodes):
        raise ValueError(
            f"{name} must have shape {(n_nodes, n_nodes)} to fit the data, got {matrix.shape}"
        )
    tail, head = matrix.nonzero()
    apart = tail != head
    ones = np.ones(np.count_nonzero(apart), dtype=np.int32)
    return sparse.csr_array((ones, (tail[apart], head[apart])), shape=matrix.shape)

"""Weights of training rows in the predictions of a forest, and proximities to them.

Both are sparse products over the nodes of all trees, which are numbered one tree after the other.
No loop runs over rows, and one over trees only where each tree balances its classes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, vstack

from .. import _core

if TYPE_CHECKING:
    from ..forests._flat_forest import FlatForest
    from ..forests._forest_model import ForestModel, TrainingRecord

# Multiplications of sparse matrices that are done at a time, in a fraction of a second.
_PRODUCTS_AT_ONCE = 2**25


def indicator_matrix(columns: NDArray[Any], values: NDArray[Any], n_columns: int) -> csr_matrix:
    """Return a matrix with `values` at `columns`, equally many in every row."""
    n_rows, per_row = columns.shape
    starts = np.arange(0, n_rows * per_row + 1, per_row)
    return csr_matrix((values.ravel(), columns.ravel(), starts), shape=(n_rows, n_columns))


def _product(a: csr_matrix, b: csr_matrix) -> csr_matrix:
    """Return ``a @ b``, for some rows at a time if it takes long, so that Ctrl-C is noticed."""
    of_row = np.concatenate([[0], np.cumsum(np.diff(b.indptr)[a.indices], dtype=np.int64)])
    cost = of_row[a.indptr]  # multiplications for all rows before each
    n_chunks = 1 + int(cost[-1] // _PRODUCTS_AT_ONCE)
    if n_chunks == 1:
        return csr_matrix(a @ b)
    ends = np.unique(np.searchsorted(cost, np.linspace(0, cost[-1], n_chunks + 1)))
    ends[0], ends[-1] = 0, a.shape[0]
    return csr_matrix(vstack([a[i:j] @ b for i, j in pairwise(ends)], format="csr"))


def proximity(
    trees: FlatForest,
    leaves: NDArray[np.int32],
    *,
    counts: NDArray[Any] | None = None,
    used: NDArray[np.bool_] | None = None,
) -> csr_matrix:
    """Return the share of trees in which examples and training rows share a leaf.

    A training row counts `counts` times (trees × training rows) in each tree, once if that is None.
    Of the trees only those `used` (examples × trees) are asked.
    """
    offsets = trees["tree_offsets"]
    asked = np.ones(leaves.shape) if used is None else used.astype(np.float64)
    share = asked / np.maximum(asked.sum(axis=1, keepdims=True), 1.0)
    query = indicator_matrix(leaves + offsets[:-1], share, trees.n_nodes)
    trained = trees.leaves_of_rows().T
    counted = np.ones(trained.shape) if counts is None else counts.T.astype(np.float64)
    training = indicator_matrix(trained, counted, trees.n_nodes)
    shared = _product(query, training.T.tocsr())
    shared.eliminate_zeros()
    shared.sort_indices()
    return shared


def forest_weights(
    model: ForestModel, leaves: NDArray[np.int32], *, used: NDArray[np.bool_] | None = None
) -> csr_matrix:
    """Return the weights of training rows in the predictions of examples.

    With M (nodes × training rows) the share of each row in the weight of its leaf and Q (examples ×
    nodes) the leaves of the examples, the weights are Q M, divided by the number of trees. Of the
    trees only those `used` (examples × trees) are asked.
    """
    trees, record = model.trees, model.record
    assert record is not None
    offsets = trees["tree_offsets"]
    query = leaves + offsets[:-1]
    tree, row, weight = _weighted_rows(model, record)
    leaf = trees["leaf_of_row"][tree, row] + offsets[tree]
    leaf_weight = np.bincount(leaf, weight, minlength=trees.n_nodes)

    # only rows in the leaves of the examples are needed
    wanted = np.zeros(trees.n_nodes, dtype=bool)
    wanted[query] = True
    relevant = wanted[leaf]
    share = weight[relevant] / leaf_weight[leaf[relevant]]
    shape = (trees.n_nodes, record.n_rows)
    rows_of_leaf = coo_matrix((share, (leaf[relevant], row[relevant])), shape).tocsr()

    asked = np.ones(leaves.shape, dtype=bool) if used is None else used
    empty = leaf_weight[query] == 0
    counts = asked if model.empty_leaf == "empirical" else asked & ~empty
    n_counted = counts.sum(axis=1)
    factor = counts / np.maximum(n_counted, 1)[:, None]
    query_leaves = indicator_matrix(query, np.where(empty, 0.0, factor), trees.n_nodes)
    weights = _product(query_leaves, rows_of_leaf)

    if model.empty_leaf == "empirical":  # an empty leaf has the value of all rows that fill leaves
        tree_weight = np.bincount(tree, weight, minlength=trees.n_trees)
        shape = (trees.n_trees, record.n_rows)
        rows_of_tree = coo_matrix((weight / tree_weight[tree], (tree, row)), shape).tocsr()
        weights = weights + csr_matrix(np.where(empty, factor, 0.0)) @ rows_of_tree
    if (n_counted == 0).any():
        prior = record.total_weight / record.total_weight.sum()
        weights = weights + csr_matrix((n_counted == 0)[:, None].astype(float)) @ csr_matrix(prior)
    result = csr_matrix(weights)
    result.eliminate_zeros()
    result.sort_indices()
    return result


def _weighted_rows(
    model: ForestModel, record: TrainingRecord
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Return tree, row and weight of each training row that counts in the leaves of a tree."""
    inbag = model.trees["inbag"]
    counted = inbag > 0
    # an honest tree whose bag was too small to be divided is filled by the rows that grew it
    counted |= ~counted.any(axis=1, keepdims=True) & (inbag < 0)
    tree, row = np.nonzero(counted)
    count = np.abs(inbag[tree, row])
    weight = record.row_weight[row] * (count if record.bootstrap else 1)
    if record.balanced:
        labels, n_classes = record.table[row], model.n_classes
        for start, end in pairwise(np.searchsorted(tree, range(model.trees.n_trees + 1))):
            some = slice(start, end)
            weight[some] *= _core.balanced_weights(labels[some], n_classes, weight[some])
    return tree, row, weight

"""What a grown forest tells about examples, training rows and leaves.

Everything is written as sparse products over the nodes of all trees, counted through: no loop over
rows, and none over trees but for the balance of classes in each.
"""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, vstack

from .. import _core
from ..forests._model import Model, TrainingRecord
from ..forests._trees import FlatForest
from ..projections import Projection

if TYPE_CHECKING:
    from ._fitted_forest import FittedForest

# Multiplications of sparse matrices that are done at a time, in a fraction of a second.
_PRODUCTS_AT_ONCE = 2**25


def _indicator(columns: NDArray[Any], values: NDArray[Any], n_columns: int) -> csr_matrix:
    """Return a matrix with `values` at `columns`, equally many in every row."""
    n_rows, per_row = columns.shape
    starts = np.arange(0, n_rows * per_row + 1, per_row)
    return csr_matrix((values.ravel(), columns.ravel(), starts), shape=(n_rows, n_columns))


def _product(a: csr_matrix, b: csr_matrix) -> csr_matrix:
    """Return ``a @ b``, computed for some rows at a time if it takes long: Ctrl-C is noticed."""
    of_row = np.concatenate([[0], np.cumsum(np.diff(b.indptr)[a.indices], dtype=np.int64)])
    cost = of_row[a.indptr]  # multiplications for all rows before each
    n_blocks = 1 + int(cost[-1] // _PRODUCTS_AT_ONCE)
    if n_blocks == 1:
        return csr_matrix(a @ b)
    ends = np.unique(np.searchsorted(cost, np.linspace(0, cost[-1], n_blocks + 1)))
    ends[0], ends[-1] = 0, a.shape[0]
    return csr_matrix(vstack([a[i:j] @ b for i, j in pairwise(ends)], format="csr"))


def decision_path(
    trees: FlatForest, leaves: NDArray[np.int32]
) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Return the nodes above given leaves, examples × nodes of all trees, and where trees begin."""
    offsets = trees["tree_offsets"]
    hit, which = np.unique(leaves + offsets[:-1], return_inverse=True)
    which = which.reshape(leaves.shape)
    parent = trees.parents()
    rows, nodes = [], []
    row, node = np.arange(len(hit)), hit
    while len(node):  # one step towards the roots for all leaves together
        rows.append(row)
        nodes.append(node)
        above = parent[node]
        row, node = row[above >= 0], above[above >= 0]
    pairs = (np.concatenate(rows), np.concatenate(nodes))
    ancestors = coo_matrix((np.ones(len(pairs[0]), np.int8), pairs), (len(hit), trees.n_nodes))
    falls_into = _indicator(which, np.ones(which.size, np.int8), len(hit))
    indicator = (falls_into @ ancestors.tocsr()).astype(np.int64)
    indicator.sort_indices()
    return indicator, offsets.copy()


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
    query = _indicator(leaves + offsets[:-1], share, trees.n_nodes)
    trained = trees.leaves_of_rows().T
    counted = np.ones(trained.shape) if counts is None else counts.T.astype(np.float64)
    training = _indicator(trained, counted, trees.n_nodes)
    shared = _product(query, training.T.tocsr())
    shared.eliminate_zeros()
    shared.sort_indices()
    return shared


def forest_weights(
    model: Model, leaves: NDArray[np.int32], *, used: NDArray[np.bool_] | None = None
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

    # a query needs only the leaves that it hits
    wanted = np.zeros(trees.n_nodes, dtype=bool)
    wanted[query] = True
    relevant = wanted[leaf]
    share = weight[relevant] / leaf_weight[leaf[relevant]]
    shape = (trees.n_nodes, record.n_rows)
    rows_of_leaf = coo_matrix((share, (leaf[relevant], row[relevant])), shape).tocsr()

    asked = np.ones(leaves.shape, dtype=bool) if used is None else used
    empty = leaf_weight[query] == 0
    speaks = asked if model.empty_leaf == "empirical" else asked & ~empty
    n_counted = speaks.sum(axis=1)
    factor = speaks / np.maximum(n_counted, 1)[:, None]
    asking = _indicator(query, np.where(empty, 0.0, factor), trees.n_nodes)
    weights = _product(asking, rows_of_leaf)

    if model.empty_leaf == "empirical":  # an empty leaf stands for all rows that estimate
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
    model: Model, record: TrainingRecord
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


def values_per_tree(
    model: Model, leaves: NDArray[np.int32], tree_numbers: NDArray[np.intp], *, votes: bool
) -> NDArray[np.float64]:
    """Return what trees say of examples in given leaves: trees × examples × values.

    NaN where a tree is left out because its leaf is empty. With `votes` the largest share of each
    output is 1 and the others 0.
    """
    trees, offsets = model.trees, model.trees["tree_offsets"]
    values = np.empty((len(tree_numbers), len(leaves), trees["value"].shape[1]))
    for k, tree in enumerate(tree_numbers):
        nodes = leaves[:, tree] + offsets[tree]
        of_tree = trees["value"][nodes].astype(np.float64)
        if votes and model.n_classes:
            of_tree = _votes(of_tree, model.n_classes)
        if model.empty_leaf == "ignore":
            of_tree[trees["weight"][nodes] == 0] = np.nan
        values[k] = of_tree
    return values


def _votes(shares: NDArray[np.float64], n_classes: list[int]) -> NDArray[np.float64]:
    votes, first = np.zeros_like(shares), 0
    for n in n_classes:
        most = shares[:, first : first + n].argmax(axis=1)
        votes[np.arange(len(shares)), first + most] = 1.0
        first += n
    return votes


def chosen_trees(trees: Any, n_trees: int) -> NDArray[np.intp]:
    """Return the numbers of the trees that were asked for; None is all."""
    if trees is None:
        return np.arange(n_trees)
    chosen = np.atleast_1d(np.asarray(trees))
    if chosen.shape == (0,):  # an empty list has no type of its own
        return np.empty(0, dtype=np.intp)
    if (
        chosen.dtype.kind not in "iu"
        or chosen.ndim != 1
        or not ((chosen >= 0) & (chosen < n_trees)).all()
    ):
        raise ValueError(f"trees must be integers in [0, {n_trees - 1}], got {trees!r}")
    return chosen.astype(np.intp)


def leaf_region(model: Model, tree: int, leaf: int) -> tuple[csr_matrix, NDArray[np.float64]]:
    """Return A and b of the polytope A x <= b of a leaf."""
    n_trees = model.trees.n_trees
    if not isinstance(tree, Integral) or not 0 <= tree < n_trees:
        raise ValueError(f"tree must be an integer in [0, {n_trees - 1}], got {tree!r}")
    first, end = model.trees["tree_offsets"][tree : tree + 2]
    left = model.trees["left"][first:end]
    if not isinstance(leaf, Integral) or not 0 <= leaf < len(left) or left[leaf] != 0:
        raise ValueError(f"leaf must be the number of a leaf of tree {tree}, got {leaf!r}")
    path, sign, child = [], [], int(leaf)
    while child > 0:
        parent = int(np.flatnonzero((left > 0) & ((left == child) | (left + 1 == child)))[0])
        path.append(parent)
        sign.append(1.0 if left[parent] == child else -1.0)
        child = parent
    path, sign = path[::-1], sign[::-1]
    direction = np.array(sign)
    atoms = model.expand_atoms(int(tree), "leaf_region").astype(np.float64)[path]
    threshold = model.trees["threshold"][first:end][path]
    return csr_matrix(atoms.multiply(direction[:, None])), direction * threshold


def describe(forest: FittedForest) -> str:
    """Return a few lines about a forest."""
    trees = forest._model.trees
    is_leaf = trees["left"] == 0
    depth = trees.depths()
    tree_depth = np.maximum.reduceat(depth, trees["tree_offsets"][:-1])
    candidates = forest.max_features_
    shape = " × ".join(map(str, forest.feature_shape_))
    lines = {
        "trees": f"{trees.n_trees}, {trees.n_nodes} nodes, {int(is_leaf.sum())} leaves, "
        f"depth {tree_depth.min()} to {tree_depth.max()} (mean {tree_depth.mean():.1f})",
        "examples": f"{shape} ({forest.n_features_in_} features)",
        "projection": f"{_shortened(forest.projection_)}, {candidates} candidates per node",
    }
    if grids := forest.projection_._grids(forest.feature_shape_):
        lines["grid"] = "; ".join(grids)
    lines["output"] = forest._describe_target()
    if forest._model.record is not None:
        lines["training"] = f"{forest._model.record.n_rows} rows kept"
    if hasattr(forest, "oob_score_"):
        lines["out of bag"] = f"score {forest.oob_score_:.4f}"
    width = max(map(len, lines)) + 2
    body = "\n".join(f"  {name:<{width}}{text}" for name, text in lines.items())
    return f"{type(forest).__name__}\n{body}"


def _shortened(projection: Projection) -> str:
    """Return a projection as one line; arrays among its parameters may be long."""
    text = " ".join(repr(projection).split())
    return text if len(text) <= 80 else text[:79] + "…"

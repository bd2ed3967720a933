"""Paths from roots to leaves: the nodes of examples, and the region of a leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

from ..validation._rules import Rule, check_argument, integer, is_integer
from ._forest_weights import indicator_matrix

if TYPE_CHECKING:
    from ..forests._flat_forest import FlatForest
    from ..forests._forest_model import ForestModel


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
    falls_into = indicator_matrix(which, np.ones(which.size, np.int8), len(hit))
    indicator = (falls_into @ ancestors.tocsr()).astype(np.int64)
    indicator.sort_indices()
    return indicator, offsets.copy()


def leaf_region(model: ForestModel, tree: int, leaf: int) -> tuple[csr_matrix, NDArray[np.float64]]:
    """Return A and b of the polytope A x <= b of a leaf."""
    n_trees = model.trees.n_trees
    check_argument("tree", tree, integer(0, n_trees - 1))
    first, end = model.trees["tree_offsets"][tree : tree + 2]
    left = model.trees["left"][first:end]
    leaves = np.flatnonzero(left == 0)
    expected = f"the number of a leaf of tree {tree}"
    check_argument("leaf", leaf, Rule(expected, is_integer, lambda leaf: leaf in leaves))
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

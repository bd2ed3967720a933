"""Trees as operators: TreeEnsemble says to which leaf each row goes in each of some trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..forests._flat_forest import FlatForest
from ._graph import TREE_DOMAIN, Graph

# Splits of the trees of one operator, at most, unless it is a single tree: the values of their
# atoms for some dozens of rows stay in the cache.
_MOST_SPLITS = 2**13


@dataclass(frozen=True)
class SomeTrees:
    """Trees of a forest that follow each other."""

    trees: FlatForest
    begin: int
    end: int

    @property
    def nodes(self) -> slice:
        """Their nodes, counted through the forest."""
        offsets = self.trees["tree_offsets"]
        return slice(int(offsets[self.begin]), int(offsets[self.end]))

    @property
    def splits(self) -> NDArray[np.int64]:
        """Their splits, counted through the forest."""
        nodes = self.nodes
        found: NDArray[np.int64] = nodes.start + np.flatnonzero(self.trees["left"][nodes])
        return found


def parts_of(trees: FlatForest) -> list[SomeTrees]:
    """Divide the trees of a forest among operators."""
    offsets = trees["tree_offsets"]
    before = np.concatenate([[0], np.cumsum(trees["left"] != 0)])[offsets]
    begins = [0]
    for tree in range(1, trees.n_trees):
        if before[tree + 1] - before[begins[-1]] > _MOST_SPLITS:
            begins.append(tree)
    ends = [*begins[1:], trees.n_trees]
    return [SomeTrees(trees, begin, end) for begin, end in zip(begins, ends, strict=True)]


def leaves_of(graph: Graph, values: str, feature: NDArray[np.int64], some: SomeTrees) -> str:
    """Return the leaf of each row in each tree, counted through the leaves of these trees.

    `values` are rows × features, float32; `feature` is that of each node, 0 for leaves.
    """
    trees, nodes = some.trees, some.nodes
    offsets = trees["tree_offsets"][some.begin : some.end + 1] - nodes.start
    roots = offsets[:-1]
    left = trees["left"][nodes]
    is_leaf = left == 0
    leaf_rank = np.cumsum(is_leaf) - 1
    # A tree that is a leaf gets a split, and the leaf a twin: both sides say the same.
    is_split = ~is_leaf
    is_split[roots] = True
    split_rank = np.cumsum(is_split) - 1
    splits = np.flatnonzero(is_split)
    of_tree = np.repeat(np.arange(len(roots)), np.diff(offsets))
    first_leaf = np.searchsorted(np.flatnonzero(is_leaf), roots)
    alone = is_leaf[splits]
    child = np.where(alone, splits, roots[of_tree[splits]] + left[splits])
    other = np.where(alone, child, child + 1)
    left_leaf, right_leaf = is_leaf[child], is_leaf[other]
    left_number = np.where(left_leaf, leaf_rank[child], split_rank[child])
    right_number = np.where(right_leaf, leaf_rank[other], split_rank[other])
    n_leaves, twins = int(np.count_nonzero(is_leaf)), of_tree[splits[alone]]
    right_number[alone] = n_leaves + np.arange(len(twins))
    tree_of_leaf = np.concatenate([of_tree[is_leaf], twins])
    leaf_in_tree = np.concatenate([leaf_rank[is_leaf] - first_leaf[of_tree[is_leaf]], 0 * twins])
    shift = _shift_of_leaves(left_leaf, right_leaf, left_number, right_number, len(tree_of_leaf))
    for is_of_leaf, numbers in ((left_leaf, left_number), (right_leaf, right_number)):
        numbers[is_of_leaf] = (numbers[is_of_leaf] + shift) % len(tree_of_leaf)
    threshold = np.where(alone, 0.0, trees["threshold"][nodes][splits])
    whole = {
        "tree_roots": split_rank[roots],
        "nodes_featureids": feature[splits],
        "nodes_truenodeids": left_number,
        "nodes_falsenodeids": right_number,
        "nodes_trueleafs": left_leaf,
        "nodes_falseleafs": right_leaf,
        "nodes_missing_value_tracks_true": trees["missing_left"][nodes][splits],
        "leaf_targetids": np.roll(tree_of_leaf, shift),
    }
    tensors: dict[str, NDArray[Any]] = {
        "nodes_splits": float_thresholds(threshold),
        "nodes_modes": np.zeros(len(splits), dtype=np.uint8),  # at most
        "leaf_weights": np.roll(leaf_in_tree, shift).astype(np.float32),
    }
    found = graph.op(
        "TreeEnsemble",
        values,
        domain=TREE_DOMAIN,
        n_targets=len(roots),
        aggregate_function=1,  # of one leaf for each target, which is a tree
        **{name: array.astype(np.int64).tolist() for name, array in whole.items()},
        **{name: _tensor(array, name) for name, array in tensors.items()},
    )
    return graph.op("Add", graph.cast(found, np.int64), graph.constant(first_leaf[None], np.int64))


def _shift_of_leaves(
    left_leaf: NDArray[np.bool_],
    right_leaf: NDArray[np.bool_],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    n_leaves: int,
) -> int:
    """Return by how much to turn the numbers of leaves, so that no sibling of one has its number.

    Leaves and splits are numbered apart. Up to version 1.23 onnxruntime takes children of the same
    number for the same leaf, and so a whole tree for a single leaf.
    """
    mixed = left_leaf != right_leaf
    split_minus_leaf = np.where(left_leaf, right - left, left - right)[mixed]
    # each pair forbids one shift, and there are fewer pairs than leaves
    taken = np.bincount(split_minus_leaf % n_leaves, minlength=n_leaves)
    return int(np.argmin(taken))


def float_thresholds(threshold: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the largest float32 numbers that are not above the thresholds.

    Values of atoms are float32: they are at most one exactly if they are at most the other.
    """
    with np.errstate(over="ignore"):  # what is too large is above all values
        nearest = threshold.astype(np.float32)
        below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest.astype(np.float64) > threshold, below, nearest)


def _tensor(array: NDArray[Any], name: str) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(array, name)

"""Minimal cost-complexity pruning of a grown forest, by wrongly classified training rows.

Breiman et al. (1984): a subtree T costs the rows in the bag that it classifies wrongly plus a price
for every leaf, and the cheapest one is kept, the smallest of equally cheap ones. All trees are
pruned together, one level of nodes at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manifoldforest.forests._classifier import ForestClassifier
from manifoldforest.forests._trees import FlatForest

Nodes = NDArray[np.int64]  # counted through all trees


@dataclass(frozen=True, eq=False)
class PruningForest:
    """The trees of a forest, ready to be pruned at several prices.

    Parameters
    ----------
    wrong : ndarray of shape (n_nodes,)
        Rows in the bag that each node would classify wrongly if it were a leaf.
    left : ndarray of shape (n_nodes,)
        Left child of each node, the right one comes next; 0 for leaves.
    levels : list of ndarray
        Nodes with children, those of the roots' level first.
    """

    wrong: NDArray[np.float64]
    left: Nodes
    levels: list[Nodes]

    @classmethod
    def of(cls, trees: FlatForest) -> PruningForest:
        """Read the trees of a classifier whose training rows all have weight one."""
        offsets = trees["tree_offsets"]
        first = np.repeat(offsets[:-1], np.diff(offsets))
        left = np.where(trees["left"] > 0, first + trees["left"], 0)
        # shares are rounded numbers, and ties between whole numbers of rows must remain ties
        wrong = np.rint(trees["weight"] * (1.0 - trees["value"].max(axis=1)))
        levels = []
        nodes = np.asarray(offsets[:-1])
        while len(nodes := nodes[left[nodes] > 0]):
            levels.append(nodes)
            nodes = np.concatenate([left[nodes], left[nodes] + 1])
        return cls(wrong, left, levels)

    def becomes_leaf(self, price: float) -> NDArray[np.bool_]:
        """Return the nodes that are no dearer as a leaf than the best subtree below them."""
        cost = self.wrong + price
        leaf = np.asarray(self.left == 0)
        for nodes in reversed(self.levels):
            below = cost[self.left[nodes]] + cost[self.left[nodes] + 1]
            leaf[nodes] = cost[nodes] <= below
            cost[nodes] = np.minimum(cost[nodes], below)
        return leaf

    def leaf_above(self, price: float) -> Nodes:
        """Return the leaf of the pruned tree that is above each node; a node still there, itself.

        Parameters
        ----------
        price : float
            What a leaf costs, in rows.
        """
        leaf = self.becomes_leaf(price)
        above = np.arange(len(self.left))
        for nodes in self.levels:
            ends = leaf[nodes] | (above[nodes] != nodes)
            for child in (self.left[nodes], self.left[nodes] + 1):
                above[child] = np.where(ends, above[nodes], child)
        return above


def pruned_oob_errors(
    forest: ForestClassifier, prices: tuple[float, ...]
) -> dict[float, tuple[float, float]]:
    """Return the out-of-bag error of a forest pruned at each price, and the share of leaves left.

    Parameters
    ----------
    forest : ForestClassifier
        A fitted forest that remembers the leaves of its training rows.
    prices : tuple of float
        Prices of a leaf, in rows.

    Returns
    -------
    dict
        Error and share of leaves that are left, by price.
    """
    model = forest._model
    assert model.record is not None
    trees, truth = model.trees, model.record.table[:, 0]
    pruning = PruningForest.of(trees)
    leaves = trees.leaves_of_rows()
    start = trees["tree_offsets"][:-1, None]
    n_leaves = np.count_nonzero(pruning.left == 0)

    found = {}
    for price in prices:
        above = pruning.leaf_above(price)
        values, n_trees = model.out_of_bag(
            (above[leaves] - start).astype(np.int32), aggregation="mean"
        )
        seen = n_trees > 0
        error = np.mean(values[seen].argmax(axis=1) != truth[seen])
        left = len(np.unique(above[pruning.left == 0])) / n_leaves
        found[price] = (float(error), float(left))
    return found

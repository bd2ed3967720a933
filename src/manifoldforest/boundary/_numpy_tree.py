"""A boundary tree in NumPy, for trees of a few dozen nodes that are built often.

Walks, and the probabilities of random walks, are computed for many examples at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Step:
    """One step of all walks that have not ended."""

    rows: NDArray[np.int64]  # the examples whose walks go on
    node: NDArray[np.int64]  # the node of each of them
    choice: NDArray[np.int64]  # position of the nearest among the options of that node


@dataclass(frozen=True)
class NumpyTree:
    """A boundary tree without limit on the number of children; nodes are in preorder."""

    example: NDArray[np.int64]
    parent: NDArray[np.int64]  # -1 for the root
    label: NDArray[Any]

    @cached_property
    def n_children(self) -> NDArray[np.int32]:
        """Number of children of each node."""
        return np.bincount(self.parent[1:], minlength=len(self.parent)).astype(np.int32)

    @cached_property
    def node_depth(self) -> NDArray[np.int64]:
        """Number of steps from the root to each node."""
        depth = np.zeros(len(self.parent), dtype=np.int64)
        for node in range(1, len(depth)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @cached_property
    def options(self) -> NDArray[np.int64]:
        """The options of a walk at each node: its children in order, then the node itself.

        Rows are padded with -1. Children come first, as a child is preferred over the node at the
        same distance.
        """
        lists: list[list[int]] = [[] for _ in self.parent]
        for node in range(1, len(lists)):
            lists[self.parent[node]].append(node)
        table = np.full((len(lists), 1 + max(map(len, lists))), -1)
        for node, children in enumerate(lists):
            table[node, : len(children) + 1] = [*children, node]
        return table

    def walk(self, distances: NDArray[np.floating[Any]]) -> Iterator[Step]:
        """Yield the steps of the walks of all examples from the root, level by level.

        `distances` has one row for each example and one column for each node. A walk ends when the
        node is nearer than its children, or at a leaf.
        """
        is_leaf = self.options[:, 0] == np.arange(len(self.parent))
        rows = np.arange(len(distances))
        node = np.zeros(len(distances), dtype=np.int64)
        while len(rows):
            options = self.options[node]
            near = np.where(options < 0, np.inf, _pick(distances, rows, options))
            choice = near.argmin(axis=1)
            yield Step(rows, node, choice)
            chosen = options[np.arange(len(rows)), choice]
            goes_on = (chosen != node) & ~is_leaf[chosen]
            rows, node = rows[goes_on], chosen[goes_on]

    def last_choice(
        self, distances: NDArray[np.floating[Any]], sigma: float
    ) -> NDArray[np.float64]:
        """Return the probabilities of the options at the last step of the walk of each example."""
        result = np.zeros(distances.shape)
        for step in self.walk(distances):  # a later step overwrites an earlier one
            options = self.options[step.node]
            near = np.where(options < 0, np.inf, _pick(distances, step.rows, options))
            result[step.rows] = 0
            row, column = np.nonzero(options >= 0)
            chances = _softmin(near / sigma)
            result[step.rows[row], options[row, column]] = chances[row, column]
        return result

    def ends(self, distances: NDArray[np.floating[Any]], sigma: float) -> NDArray[np.float64]:
        """Return the probability of each node to be the end of a random walk of each example."""
        reached = np.ones(distances.shape)
        for node, options in enumerate(self.options):  # parents before children
            options = options[options >= 0]
            chances = _softmin(distances[:, options] / sigma)
            reached[:, options] = reached[:, [node]] * chances  # the node itself is the last
        return reached


def build_tree(points: NDArray[np.floating[Any]], labels: NDArray[np.int64]) -> NumpyTree:
    """Build a boundary tree: learn points in order, and store those that are predicted wrongly."""
    rows = np.asarray(points, dtype=np.float64)
    label_list = labels.tolist()
    examples: list[int] = []
    parents: list[int] = []
    options: list[NDArray[np.int64]] = []  # nodes: the children, then the node itself
    near = np.empty((len(rows), 64))  # squared distances of all points from each node

    def add(example: int, parent: int) -> None:
        nonlocal near
        node = len(examples)
        if node == near.shape[1]:
            near = np.concatenate([near, np.empty_like(near)], axis=1)
        offsets = rows - rows[example]
        near[:, node] = np.einsum("ij,ij->i", offsets, offsets)
        examples.append(example)
        parents.append(parent)
        options.append(np.array([node]))
        if parent >= 0:
            options[parent] = np.insert(options[parent], -1, node)

    add(0, -1)
    for example in range(1, len(rows)):
        to_nodes = near[example]
        previous, node = -1, 0
        while previous != node:
            previous = node
            node = options[node][to_nodes[options[node]].argmin()]
        if label_list[examples[node]] != label_list[example]:
            add(example, node)
    order = _preorder([nodes[:-1].tolist() for nodes in options])
    position = np.argsort(order)  # of each node in preorder
    parent, kept = np.array(parents)[order], np.array(examples)[order]
    return NumpyTree(kept, np.where(parent < 0, -1, position[parent]), labels[kept])


def _preorder(children: list[list[int]]) -> NDArray[np.int64]:
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(children[node]))
    return np.array(order)


def _pick(table: Any, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Any:
    """Return, for each of some rows, the entries in its columns; any number where that is -1."""
    return table[rows[:, None], columns]


def _softmin(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the softmax of minus the values, by rows."""
    weights = np.exp(values.min(axis=1, keepdims=True) - values)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))

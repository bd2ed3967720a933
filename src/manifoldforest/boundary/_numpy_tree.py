"""A boundary tree in NumPy, small and clear: for a few dozen nodes, and built often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Step:
    """One choice of those examples that still walk."""

    rows: NDArray[np.int64]
    node: NDArray[np.int64]  # where each of them is
    choice: NDArray[np.int64]  # which of the node's options is nearest


@dataclass(frozen=True)
class NumpyTree:
    """A boundary tree without bound on the number of children, in preorder."""

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
        """Where one can go from each node: to its children in order, or stay; -1 fills up.

        A child is preferred over the node itself if they are equally near, so it comes first.
        """
        lists: list[list[int]] = [[] for _ in self.parent]
        for node in range(1, len(lists)):
            lists[self.parent[node]].append(node)
        table = np.full((len(lists), 1 + max(map(len, lists))), -1)
        for node, children in enumerate(lists):
            table[node, : len(children) + 1] = [*children, node]
        return table

    def walk(self, distances: NDArray[np.floating[Any]]) -> Iterator[Step]:
        """Yield the choices of all examples on their way from the root, level by level.

        `distances` has one row for each example and one column for each node. The way ends where
        there is no choice: when a node is nearer than its children, or at a leaf.
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
        """Return the probabilities of nodes at the last choice of each example on its way."""
        result = np.zeros(distances.shape)
        for step in self.walk(distances):  # a later choice takes the place of an earlier one
            options = self.options[step.node]
            near = np.where(options < 0, np.inf, _pick(distances, step.rows, options))
            result[step.rows] = 0
            row, column = np.nonzero(options >= 0)
            chances = _softmin(near / sigma)
            result[step.rows[row], options[row, column]] = chances[row, column]
        return result

    def ends(self, distances: NDArray[np.floating[Any]], sigma: float) -> NDArray[np.float64]:
        """Return the probabilities of nodes to be the end of a random walk of each example."""
        reached = np.ones(distances.shape)
        for node, options in enumerate(self.options):  # parents before children
            options = options[options >= 0]
            chances = _softmin(distances[:, options] / sigma)
            reached[:, options] = reached[:, [node]] * chances  # the node itself is the last
        return reached


def build_tree(points: NDArray[np.floating[Any]], labels: NDArray[np.int64]) -> NumpyTree:
    """Build a boundary tree: show it the points in order, keep those it answers wrongly."""
    places = np.asarray(points, dtype=np.float64)
    names = labels.tolist()
    examples: list[int] = []
    parents: list[int] = []
    options: list[NDArray[np.int64]] = []  # nodes: the children, then the node itself
    near = np.empty((len(places), 64))  # squared distances of all points from each node

    def add(example: int, parent: int) -> None:
        nonlocal near
        node = len(examples)
        if node == near.shape[1]:
            near = np.concatenate([near, np.empty_like(near)], axis=1)
        offsets = places - places[example]
        near[:, node] = np.einsum("ij,ij->i", offsets, offsets)
        examples.append(example)
        parents.append(parent)
        options.append(np.array([node]))
        if parent >= 0:
            options[parent] = np.insert(options[parent], -1, node)

    add(0, -1)
    for example in range(1, len(places)):
        to = near[example]
        at, node = -1, 0
        while at != node:
            at = node
            node = options[at][to[options[at]].argmin()]
        if names[examples[node]] != names[example]:
            add(example, node)
    order = _preorder([nodes[:-1].tolist() for nodes in options])
    place = np.argsort(order)
    parent, kept = np.array(parents)[order], np.array(examples)[order]
    return NumpyTree(kept, np.where(parent < 0, -1, place[parent]), labels[kept])


def _preorder(children: list[list[int]]) -> NDArray[np.int64]:
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(children[node]))
    return np.array(order)


def _pick(table: Any, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Any:
    """Return some columns of each of some rows; any number where the column is -1."""
    return table[rows[:, None], columns]


def _softmin(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return weights that fall with the values, rows adding up to 1."""
    weights = np.exp(values.min(axis=1, keepdims=True) - values)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))

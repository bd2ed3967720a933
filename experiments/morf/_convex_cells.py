"""Cells of trees: whether they are convex, and what they look like in a plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._datasets import Array

if TYPE_CHECKING:
    from manifoldforest.forests._classifier import ForestClassifier

PLANE = 160  # pixels a side of the picture of cells


def share_of_convex(
    leaves_of: Callable[[Array], NDArray[Any]], X: Array, n_pairs: int, seed: int
) -> tuple[float, int]:
    """Return how often a point between two points of one cell lies in it, and the pairs tried.

    `leaves_of` tells the cell of each point in each tree. The point between is anywhere on the
    line; if all cells are convex, the share is 1.
    """
    leaves = leaves_of(X)
    rng = np.random.default_rng(seed)
    same, tried = 0, 0
    for tree, first, second in _pairs(leaves, n_pairs, rng):
        weight = rng.random((len(first), 1))
        between = weight * X[first].astype(float) + (1 - weight) * X[second].astype(float)
        same += int(np.sum(leaves_of(between)[:, tree] == leaves[first, tree]))
        tried += len(first)
    return (same / tried if tried else float("nan")), tried


def _pairs(
    leaves: NDArray[Any], n_pairs: int, rng: np.random.Generator
) -> list[tuple[int, NDArray[Any], NDArray[Any]]]:
    """Return, for each tree, rows that share a leaf: each with the next of a random order."""
    n_rows, n_trees = leaves.shape
    pairs = []
    for tree in range(n_trees):
        shuffled = rng.permutation(n_rows)
        order = shuffled[np.argsort(leaves[shuffled, tree], kind="stable")]
        together = np.flatnonzero(leaves[order[:-1], tree] == leaves[order[1:], tree])
        together = rng.permutation(together)[: -(-n_pairs // n_trees)]
        pairs.append((tree, order[together], order[together + 1]))
    return pairs


def plane_of_cells(forest: ForestClassifier, X: Array) -> NDArray[np.int16]:
    """Return the leaf in the first tree at the points of a plane through three examples."""
    origin, first, second = X[:3].astype(float)
    steps = np.linspace(-0.5, 1.5, PLANE)
    u, v = np.meshgrid(steps, steps[::-1])
    points = origin + u.reshape(-1, 1) * (first - origin) + v.reshape(-1, 1) * (second - origin)
    leaves = forest.apply(points)[:, 0].reshape(PLANE, PLANE)
    return leaves.astype(np.int16)

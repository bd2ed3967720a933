"""Responses as rows of numbers for methods that only know vectors, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.spaces import Circle, KendallShape, Rotations, Space

Array = NDArray[Any]


@dataclass(frozen=True)
class Chart:
    """Training responses as rows, and the way back from predicted rows to the manifold."""

    rows: Array
    back: Callable[[Array], Array]


def chart_of(space: Space, Y: Array) -> Chart:
    """Return the usual coordinates of training responses in canonical form.

    Angles become points of the plane; rotations and tensors the entries of their matrices;
    landmarks are centred, scaled and turned onto their mean shape. Means of rows are brought back
    by the direction of the point, the nearest rotation, or nothing at all for tensors and shapes,
    whose means are tensors and landmarks.
    """
    if isinstance(space, Circle):
        unit = space.period / (2 * np.pi)
        rows = np.column_stack([np.cos(Y / unit), np.sin(Y / unit)])
        return Chart(rows, lambda means: unit * np.arctan2(means[:, 1], means[:, 0]))
    shape = Y.shape[1:]
    if isinstance(space, KendallShape):
        Y = turned_onto_their_mean(Y)
    rows = Y.reshape(len(Y), -1)
    if isinstance(space, Rotations):
        return Chart(rows, lambda means: space.project(means.reshape(-1, *shape)))
    return Chart(rows, lambda means: means.reshape(-1, *shape))


def turned_onto_their_mean(preshapes: Array, n_passes: int = 20) -> Array:
    """Return landmarks after generalised Procrustes analysis without reflections."""
    mean = preshapes[0]
    for _ in range(n_passes):
        turned = turned_onto(preshapes, mean)
        mean = turned.mean(axis=0)
        mean /= np.linalg.norm(mean)
    return turned


def turned_onto(preshapes: Array, target: Array) -> Array:
    """Return landmarks (n, k, d) turned to be as close to those of `target` as possible."""
    left, _, right = np.linalg.svd(np.einsum("nki,kj->nij", preshapes, target))
    flip = np.ones((len(preshapes), 1, preshapes.shape[2]))
    flip[:, 0, -1] = np.sign(np.linalg.det(left @ right))
    return preshapes @ ((left * flip) @ right)

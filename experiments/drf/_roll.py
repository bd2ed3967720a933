"""The swiss roll (t cos t, u, t sin t), pi <= t <= 3 pi, 0 <= u <= 21: data and distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.datasets import make_swiss_roll_responses
from manifoldforest.spaces import Isomap

from ._methods import without_isomap_warnings

Array = NDArray[Any]

T_MIN, T_MAX, U_MIN, U_MAX = math.pi, 3 * math.pi, 0.0, 21.0

_GRID = np.linspace(T_MIN, T_MAX, 2001)


@dataclass(frozen=True)
class RollSplit:
    """Inputs and responses of the training and of the test points, and where these belong."""

    X_train: Array
    Y_train: Array
    X_test: Array
    Y_test: Array
    on_roll_train: Array  # without noise
    on_roll_test: Array


def draw_split(n_train: int, n_test: int, noise_variance: float, seed: int) -> RollSplit:
    """Draw points and divide them at random; the noise does not change the points on the roll."""
    n = n_train + n_test
    X, Y = make_swiss_roll_responses(n, noise_variance=noise_variance, random_state=seed)
    _, on_roll = make_swiss_roll_responses(n, noise_variance=0, random_state=seed)
    order = np.random.default_rng(seed).permutation(n)
    train, test = order[:n_train], order[n_train:]
    return RollSplit(X[train], Y[train], X[test], Y[test], on_roll[train], on_roll[test])


def roll_metrics(predicted: Array, split: RollSplit) -> dict[str, float]:
    """Return how far predictions are from the roll, and from where they should be on it."""
    return {
        "to_roll": float(distance_to_roll(predicted).mean()),
        "rmse": root_mean_square(predicted - split.Y_test),
        "to_truth": root_mean_square(predicted - split.on_roll_test),
        "radius_error": float(radius_error(predicted, split.on_roll_test).mean()),
    }


def root_mean_square(errors: Array) -> float:
    """Return the root of the mean squared length of error vectors."""
    return float(np.sqrt(np.mean(np.sum(errors**2, axis=1))))


def distance_to_roll(points: Array) -> Array:
    """Return the distance of each point to the nearest point of the roll without noise.

    The nearest u is the second coordinate, within its limits; the nearest t is searched on a dense
    grid, and then between the neighbours of the best grid point.
    """
    across = points[:, 1] - np.clip(points[:, 1], U_MIN, U_MAX)
    flat = points[:, [0, 2]]
    best = np.argmin(_squared(flat[:, None], _GRID[None]), axis=1)
    low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, len(_GRID) - 1)]
    for _ in range(40):  # thirds: there is one minimum so close to it
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left = _squared(flat, a) < _squared(flat, b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    return np.asarray(np.sqrt(across**2 + _squared(flat, (low + high) / 2)))


def radius_error(points: Array, truth: Array) -> Array:
    """Return how much farther from the axis of the roll points are than they should be."""
    return radius(points) - radius(truth)


def radius(points: Array) -> Array:
    """Return the distance from the axis of the roll; on the roll it is t."""
    return np.asarray(np.hypot(points[:, 0], points[:, 2]))


def count_shortcuts(split: RollSplit, n_neighbors: int) -> int:
    """Return how many neighbours in the graph of Isomap are half a turn of the roll or more apart.

    One of them is enough to shorten the paths between very many responses.
    """
    with without_isomap_warnings():
        paths = Isomap(n_neighbors=n_neighbors).split_distances(split.Y_train)
    ends = radius(split.on_roll_train)[neighbour_edges(split.Y_train, paths)]
    return int(np.sum(np.abs(ends[:, 0] - ends[:, 1]) >= math.pi))


def neighbour_edges(responses: Array, paths: Array) -> Array:
    """Return pairs of neighbours in the graph: the path between them is the straight line."""
    straight = np.linalg.norm(responses[:, None] - responses, axis=2)
    return np.argwhere(np.triu(np.isclose(paths, straight, rtol=1e-9), k=1))


def _squared(flat: Array, t: Array) -> Array:
    """Squared distance, in the plane, to the point of the spiral at t."""
    away = (flat[..., 0] - t * np.cos(t)) ** 2 + (flat[..., 1] - t * np.sin(t)) ** 2
    return np.asarray(away)

"""How far points are from the swiss roll (t cos t, u, t sin t), pi <= t <= 3 pi, 0 <= u <= 21."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

T_MIN, T_MAX, U_MIN, U_MAX = math.pi, 3 * math.pi, 0.0, 21.0

_GRID = np.linspace(T_MIN, T_MAX, 2001)


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
    return np.sqrt(across**2 + _squared(flat, (low + high) / 2))


def radius_error(points: Array, truth: Array) -> Array:
    """Return how much farther from the axis of the roll points are than they should be."""
    return np.hypot(points[:, 0], points[:, 2]) - np.hypot(truth[:, 0], truth[:, 2])


def _squared(flat: Array, t: Array) -> Array:
    """Squared distance, in the plane, to the point of the spiral at t."""
    return (flat[..., 0] - t * np.cos(t)) ** 2 + (flat[..., 1] - t * np.sin(t)) ** 2

"""Classes of points in the unit square, and how long the borders between them are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_RADII = (0.12, 0.22, 0.31, 0.4)
MOST_CLASSES = len(_RADII) + 1


@dataclass(frozen=True)
class Border:
    """A picture of two or more classes."""

    name: str
    classes: Callable[[NDArray[Any]], NDArray[np.int64]]
    length: float  # in sides of the square
    note: str = ""  # on the length


def wave(X: NDArray[Any]) -> NDArray[np.int64]:
    """Two classes, above and below a sine."""
    above: NDArray[np.bool_] = X[:, 1] > 0.5 + 0.25 * np.sin(6 * X[:, 0])
    return above.astype(np.int64)


def rings(X: NDArray[Any]) -> NDArray[np.int64]:
    """Five classes, rings around the centre."""
    return np.searchsorted(_RADII, np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5))


def _wave_length() -> float:
    x = np.linspace(0, 1, 10_001)
    return float(np.hypot(np.diff(x), np.diff(0.25 * np.sin(6 * x))).sum())


WAVE = Border("wave", wave, _wave_length())
RINGS = Border("rings", rings, 2 * np.pi * sum(_RADII), " (ours was chosen to be as long)")

"""Surfaces over the unit square, from -1 to 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Surface = Callable[[NDArray[Any]], NDArray[np.float64]]

RANGE = 2.0  # of both


def ramp(X: NDArray[Any]) -> NDArray[np.float64]:
    """Return a wave that rises from a flat side."""
    return np.asarray(np.sin(6.0 * X[:, 0]) * X[:, 1], dtype=np.float64)


def hills(X: NDArray[Any]) -> NDArray[np.float64]:
    """Return hills and valleys over the whole square, about twice as steep."""
    return np.asarray(np.sin(2 * np.pi * X[:, 0]) * np.cos(2 * np.pi * X[:, 1]), dtype=np.float64)

"""Exponents of growth: straight lines through logarithms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Slope:
    """An exponent with its standard error, which is NaN for fewer than three points."""

    value: float
    error: float

    def __str__(self) -> str:
        # an exponent of -0.001 reads as 0, not as -0
        value = f"{round(self.value, 2) + 0.0:.2f}"
        return value if math.isnan(self.error) else f"{value} ± {self.error:.2f}"


def fit_slope(sizes: ArrayLike, costs: ArrayLike) -> Slope | None:
    """Fit ``cost = factor * size ** slope`` by least squares of logarithms.

    Parameters
    ----------
    sizes, costs : array-like of shape (n,)
        Positive numbers; costs that are not positive are left out.

    Returns
    -------
    Slope or None
        None if there are fewer than two different sizes.
    """
    size, cost = np.asarray(sizes, float), np.asarray(costs, float)
    x, y = np.log(size[cost > 0]), np.log(cost[cost > 0])
    if len(np.unique(x)) < 2:
        return None
    x, y = x - x.mean(), y - y.mean()
    spread = float(x @ x)
    value = float(x @ y) / spread
    if len(x) < 3:
        return Slope(value, math.nan)
    residual = y - value * x
    return Slope(value, math.sqrt(float(residual @ residual) / (len(x) - 2) / spread))

"""Means over repetitions, and which of their differences are clear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

CHANCE = 0.05  # of a difference that is clear, but there by chance alone


@dataclass(frozen=True)
class Mean:
    """A mean over trials with its standard error, which is NaN for a single trial.

    Few trials know their own noise badly: `freedom` is how many differences between trials the
    standard error rests on.
    """

    value: float
    error: float
    freedom: float = np.inf

    @property
    def noise(self) -> float:
        """How far from zero it may be by chance alone, as Student's test tells."""
        if not self.freedom:
            return np.inf
        return float(student.ppf(1 - CHANCE / 2, self.freedom) * self.error)

    @property
    def clearly_positive(self) -> bool:
        """Whether it is above zero by more than its noise."""
        return self.value > self.noise

    @property
    def clearly_negative(self) -> bool:
        """Whether it is as clearly below zero."""
        return (-self).clearly_positive

    def __neg__(self) -> Mean:
        return replace(self, value=-self.value)

    def __sub__(self, other: Mean) -> Mean:
        """Return the difference of means of independent trials."""
        half = average([self, -other])
        return replace(half, value=2 * half.value, error=2 * half.error)

    def __str__(self) -> str:
        spread = "" if np.isnan(self.error) else f" ± {self.error:.3f}"
        return f"{self.value:+.3f}{spread}"


def mean_of(values: Sequence[float] | NDArray[Any]) -> Mean:
    """Return the mean of one or more values."""
    array = np.asarray(values, dtype=float)
    error = array.std(ddof=1) / np.sqrt(len(array)) if len(array) > 1 else np.nan
    return Mean(float(array.mean()), float(error), len(array) - 1)


def average(means: Sequence[Mean]) -> Mean:
    """Return the average of means of independent trials."""
    value = float(np.mean([mean.value for mean in means]))
    variances = np.array([mean.error**2 for mean in means])
    error = float(np.sqrt(variances.sum()) / len(means))
    return Mean(value, error, _freedom(variances, np.array([mean.freedom for mean in means])))


def _freedom(variances: NDArray[np.float64], freedoms: NDArray[np.float64]) -> float:
    """Return how much a sum of variances can be trusted (Welch and Satterthwaite)."""
    if not freedoms.all():
        return 0.0
    noise = (variances**2 / freedoms).sum()
    return float(variances.sum() ** 2 / noise) if noise else np.inf

"""Errors of repeated trials, compared on the same training sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from .._results import Results

Cell = tuple[str, str, int]  # method, transformation and number of features
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
    def clearly_positive(self) -> bool:
        """Whether it is above zero by more than the noise, as Student's test tells."""
        margin = student.ppf(1 - CHANCE / 2, self.freedom) * self.error if self.freedom else np.inf
        return bool(self.value > margin)

    @property
    def clearly_negative(self) -> bool:
        """Whether it is as clearly below zero."""
        return (-self).clearly_positive

    def __neg__(self) -> Mean:
        return replace(self, value=-self.value)

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


class Trials:
    """One metric of the rows of an experiment, by method, transformation, features and seed.

    Parameters
    ----------
    results : Results
        Rows with the parameters method, transformation and p.
    metric : str, default="error"
        The metric; rows that lack it are left out.
    """

    def __init__(self, results: Results, metric: str = "error") -> None:
        self._values: dict[Cell, dict[int, float]] = {}
        for row in results:
            cell = (str(row.get("method")), str(row.get("transformation")), _integer(row.get("p")))
            if metric in row.metrics:
                self._values.setdefault(cell, {})[row.seed] = row.metrics[metric]

    def __contains__(self, cell: Cell) -> bool:
        return cell in self._values

    def mean(self, cell: Cell) -> Mean:
        """Return the mean over all trials of a cell."""
        return mean_of(list(self._values[cell].values()))

    def difference(self, cell: Cell, other: Cell) -> Mean | None:
        """Return the mean difference over the training sets that both cells have, if any."""
        mine, theirs = self._values.get(cell, {}), self._values.get(other, {})
        common = sorted(mine.keys() & theirs.keys())
        return mean_of([mine[s] - theirs[s] for s in common]) if common else None

    def n_common(self, cell: Cell, other: Cell) -> int:
        """Return on how many training sets two cells can be compared."""
        return len(self._values.get(cell, {}).keys() & self._values.get(other, {}).keys())

    def common(self, cells: Sequence[Cell]) -> NDArray[np.float64]:
        """Return one row of values for each training set that all cells have."""
        known = [self._values.get(cell, {}) for cell in cells]
        seeds = sorted(set.intersection(*(set(values) for values in known)))
        return np.array([[values[s] for values in known] for s in seeds]).reshape(-1, len(cells))

    def methods(self) -> list[str]:
        """Return all methods in the order of the rows."""
        return list(dict.fromkeys(method for method, _, _ in self._values))

    def transformations(self) -> list[str]:
        """Return all transformations in the order of the rows."""
        return list(dict.fromkeys(transformation for _, transformation, _ in self._values))

    def sizes(self, method: str | None = None, transformation: str | None = None) -> list[int]:
        """Return the numbers of features, in order, of one method or transformation or all."""
        found = {
            p for m, t, p in self._values if method in (None, m) and transformation in (None, t)
        }
        return sorted(found)

    def n_trials(self, cell: Cell) -> int:
        """Return the number of trials of a cell."""
        return len(self._values.get(cell, {}))


def _integer(value: Any) -> int:
    return int(value)

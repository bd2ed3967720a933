"""Percentile intervals of measures by resampling of rows (Efron 1979)."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Measures(Protocol):
    """Numbers that depend on the weights of rows alone: predictions and truth are fixed."""

    def __call__(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return all numbers for these weights, NaN where one is not defined."""


def bootstrap(
    measures: Measures,
    weight: NDArray[np.float64],
    *,
    n_bootstrap: int,
    coverage: float,
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of measures, and the lower and upper ends of their intervals.

    A resample draws as many rows as there are, with replacement: each row has its weight times how
    often it was drawn. The ends are quantiles of the values of all resamples in which a measure is
    defined; NaN if there are none.
    """
    n, rng = len(weight), np.random.default_rng(seed)
    values = measures(weight)
    replicates = np.empty((n_bootstrap, len(values)))
    for k in range(n_bootstrap):
        times_drawn = np.bincount(rng.integers(n, size=n), minlength=n)
        replicates[k] = measures(weight * times_drawn)
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    defined = ~np.isnan(replicates).all(axis=0)
    ends = [(1 - coverage) / 2, (1 + coverage) / 2]
    low[defined], high[defined] = np.nanquantile(replicates[:, defined], ends, axis=0)
    return values, low, high

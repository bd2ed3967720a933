"""Performance profiles (Dolan and Moré): how often a method comes how close to the best one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 2000


def ratios(costs: Array) -> Array:
    """Divide the costs of each problem, a row, by those of its best method; all are positive."""
    smallest = costs.min(axis=1, keepdims=True)
    return np.asarray(costs / smallest)


def profile(ratio: Array) -> tuple[Array, Array]:
    """Return where the share of problems with at most this ratio jumps, and the share from there.

    Parameters
    ----------
    ratio : ndarray of shape (n_problems,)
        Ratios of one method.

    Returns
    -------
    at, share : ndarrays
        Distinct ratios in increasing order, and the share of problems up to each of them.
    """
    at, count = np.unique(ratio, return_counts=True)
    return at, np.cumsum(count) / len(ratio)


def area(ratio: Array, end: float) -> Array:
    """Return the area under each method's profile for ratios from 1 to `end`.

    A problem adds the length of the axis on which its ratio is already reached, so the area is
    ``end`` minus the mean ratio, with ratios beyond the axis cut to its end.

    Parameters
    ----------
    ratio : ndarray of shape (..., n_problems, n_methods)
        Ratios to the best method.
    end : float
        Where the axis ends.

    Returns
    -------
    ndarray of shape (..., n_methods)
        Areas under the curves.
    """
    return np.asarray(end - np.minimum(ratio, end).mean(axis=-2))


def resampled_areas(ratio: Array, end: float, resamples: int = RESAMPLES) -> Array:
    """Return areas for problems drawn with replacement, the same ones for all methods.

    Parameters
    ----------
    ratio : ndarray of shape (n_problems, n_methods)
        Ratios to the best method.
    end : float
        Where the axis ends.
    resamples : int, default=2000
        How often all problems are drawn.

    Returns
    -------
    ndarray of shape (resamples, n_methods)
        Areas under the curves.
    """
    chosen = np.random.default_rng(0).integers(len(ratio), size=(resamples, len(ratio)))
    return area(ratio[chosen], end)


def interval(draws: Array) -> tuple[float, float]:
    """Return the middle 95 % of the draws."""
    low, high = np.percentile(draws, [2.5, 97.5])
    return float(low), float(high)

"""Folds, and intervals for differences between methods on the same examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold

Array = NDArray[Any]


def folds(n: int, groups: Array | None, n_folds: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Yield rows for training and for testing; groups, if given, stay together."""
    splitter = KFold if groups is None else GroupKFold
    parts = splitter(n_folds, shuffle=True, random_state=seed)
    yield from parts.split(np.zeros(n), groups=groups)


def relative_difference(
    a: Array, b: Array, groups: Array | None, n_resamples: int = 2000, seed: int = 0
) -> tuple[float, float, float]:
    """Return (mean a - mean b) / mean b with a 95 % interval from a paired bootstrap.

    Whole groups are drawn where there are some, as the errors within a group depend on each other.
    """
    labels = np.arange(len(a)) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_groups = labels.max() + 1
    sum_a, sum_b = np.bincount(labels, a, n_groups), np.bincount(labels, b, n_groups)
    rng = np.random.default_rng(seed)
    ratios = np.empty(n_resamples)
    for k in range(n_resamples):
        times = np.bincount(rng.integers(0, n_groups, n_groups), minlength=n_groups)
        ratios[k] = (times @ sum_a) / (times @ sum_b)
    low, high = np.quantile(ratios, [0.025, 0.975]) - 1
    return float(a.sum() / b.sum() - 1), float(low), float(high)

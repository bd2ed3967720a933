"""Spreads of columns, to which the weights of sparse combinations are relative."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

# numbers that are looked at at a time
_CHUNK = 2**20

# A larger weight would not be finite in single precision.
_LARGEST_FACTOR = 2.0**127


def standard_deviations(
    rows: NDArray[np.generic], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the standard deviation of each column, with something else where it is 0.

    Missing values are left out. A constant column has the size of its value in place of a
    deviation: so it counts the same in any unit, too. A column of zeros has 1, and so has one that
    is missing in all rows. Two passes: a large mean costs no digits.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Training rows, uint8 or float32.
    weight : ndarray of float64, shape (n_samples,)
        Weights of the rows, not all 0.

    Returns
    -------
    spreads : ndarray of float64, shape (n_features,)
        Positive numbers.
    """
    n_columns = rows.shape[1]
    weight = weight / weight.max()  # squares of numbers times weights stay finite
    low, high = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
    sums, total = np.zeros(n_columns), np.zeros(n_columns)
    for chunk, there, of_row in _chunks(rows, weight):
        low = np.minimum(low, np.where(there, chunk, np.inf).min(axis=0))
        high = np.maximum(high, np.where(there, chunk, -np.inf).max(axis=0))
        sums += (of_row * np.where(there, chunk, 0.0)).sum(axis=0)
        total += (of_row * there).sum(axis=0)
    total[total == 0.0] = 1.0  # of columns that are missing in all rows
    means = sums / total
    squares = np.zeros(n_columns)
    for chunk, there, of_row in _chunks(rows, weight):
        squares += (of_row * np.where(there, chunk - means, 0.0) ** 2).sum(axis=0)
    # The mean of equal numbers may differ from them in its last bit: their deviation is not 0.
    spreads = np.where(low < high, np.sqrt(squares / total), np.where(low == high, abs(low), 0.0))
    spreads[spreads == 0.0] = 1.0
    return spreads


def weight_factors(spreads: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return what weights are multiplied by: one over the spread, as far as that is finite."""
    return np.minimum(1.0 / spreads, _LARGEST_FACTOR).astype(np.float32)


def _chunks(
    rows: NDArray[np.generic], weight: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]]:
    """Yield some rows at a time, which of their entries count, and their weights as a column."""
    step = max(1, _CHUNK // rows.shape[1])
    for first in range(0, len(rows), step):
        chunk = rows[first : first + step].astype(np.float64)
        of_row = weight[first : first + step, None]
        yield chunk, ~np.isnan(chunk) & (of_row > 0.0), of_row

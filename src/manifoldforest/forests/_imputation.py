"""Missing values of forests whose directions are dense.

A direction that reads all features would be missing for every row with a single missing value. For
forests that draw such directions (`Projection._is_dense`) a missing value counts as the mean of its
column in the training set: it is filled in before the core sees the rows, in training and later.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..projections import Projection

# numbers that are summed at a time
_CHUNK = 2**20


def fill_values(
    projection: Projection, rows: NDArray[np.generic], weight: NDArray[np.float64]
) -> NDArray[np.float32] | None:
    """Return what stands for a missing value in each column, or None if it stays missing.

    Parameters
    ----------
    projection : Projection
        The projection of the forest.
    rows : ndarray of shape (n_samples, n_features)
        Training rows, uint8 or float32.
    weight : ndarray of float64, shape (n_samples,)
        Weights of the rows, not all 0.

    Returns
    -------
    values : ndarray of float32, shape (n_features,), or None
        Weighted means of what is not missing; 0 for a column that is missing in all rows.
    """
    if not projection._is_dense:
        return None
    n_rows, n_columns = rows.shape
    sums, weights = np.zeros(n_columns), np.zeros(n_columns)
    step = max(1, _CHUNK // n_columns)
    for first in range(0, n_rows, step):
        chunk = rows[first : first + step].astype(np.float64)
        of_row = weight[first : first + step, None]
        there = ~np.isnan(chunk)
        weights += (of_row * there).sum(axis=0)
        sums += (of_row * np.where(there, chunk, 0.0)).sum(axis=0)
    return np.divide(sums, weights, out=np.zeros(n_columns), where=weights > 0).astype(np.float32)


def filled(rows: NDArray[np.generic], values: NDArray[np.float32] | None) -> NDArray[np.generic]:
    """Return rows with `values` in place of what is missing; the same rows if nothing is."""
    if values is None or rows.dtype != np.float32:
        return rows
    missing = np.isnan(rows)
    return np.where(missing, values, rows) if missing.any() else rows

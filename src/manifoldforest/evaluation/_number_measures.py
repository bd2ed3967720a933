"""Measures of predicted numbers, and of distances to predicted responses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Share of a mean square below which the variance that is left of it is rounding error.
_ROUNDING = 1e-13


class NumberMeasures:
    """Root mean squared, mean absolute and median absolute error, and R², of each output.

    Parameters
    ----------
    true, predicted : ndarray of shape (n_rows, n_outputs)
        Numbers.
    """

    names = ("rmse", "mae", "median_absolute_error", "r2")

    def __init__(self, true: NDArray[np.float64], predicted: NDArray[np.float64]) -> None:
        errors = np.abs(true - predicted)
        centred = true - true.mean(axis=0)  # so that the variances below lose no digits
        self._n_outputs = true.shape[1]
        self._columns = np.concatenate([errors, errors**2, centred, centred**2], axis=1)
        self._order = np.argsort(errors, axis=0, kind="stable")
        self._sorted = np.take_along_axis(errors, self._order, axis=0)

    def __call__(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the means over outputs of each measure, then all measures of each output."""
        means = weight @ self._columns / weight.sum()
        absolute, squared, centre, square = means.reshape(4, self._n_outputs)
        variance = square - centre**2
        variance[variance <= _ROUNDING * square] = 0.0
        of_outputs = np.stack(
            [np.sqrt(squared), absolute, self._medians(weight), _r2(squared, variance)]
        )
        return np.concatenate([of_outputs.mean(axis=1), of_outputs.T.ravel()])

    def _medians(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the median error of each output; between two that are both medians, their mean."""
        medians = np.empty(self._n_outputs)
        for k, (order, errors) in enumerate(zip(self._order.T, self._sorted.T, strict=True)):
            below = np.cumsum(weight[order])
            half, last = below[-1] / 2, len(below) - 1
            first = np.searchsorted(below, half, side="left")
            second = np.searchsorted(below, half, side="right")
            # rows of weight 0 lie between the two
            medians[k] = (errors[min(first, last)] + errors[min(second, last)]) / 2
        return medians


class DistanceMeasures:
    """Mean and mean squared distance, and the share of the Fréchet variance that is explained.

    Parameters
    ----------
    distances : ndarray of shape (n_rows,)
        Distances between true and predicted responses.
    squared_spread : ndarray of shape (n_rows,)
        Squared distances of true responses to the best single one of all.
    """

    names = ("mean_distance", "mean_squared_distance", "explained_variance")

    def __init__(self, distances: NDArray[np.float64], squared_spread: NDArray[np.float64]) -> None:
        self._columns = np.stack([distances, distances**2, squared_spread], axis=1)

    def __call__(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what `names` say."""
        mean, squared, variance = weight @ self._columns / weight.sum()
        return np.concatenate([[mean, squared], _r2(squared[None], variance[None])])


def _r2(error: NDArray[np.float64], variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - error / variance; without any variance 1 if there is no error, or else 0."""
    explained = np.where(error == 0, 1.0, 0.0)
    np.divide(error, variance, out=explained, where=variance > 0)
    return np.where(variance > 0, 1 - explained, explained)

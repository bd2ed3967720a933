"""The Fréchet variance of responses, and the share of it that predictions explain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..spaces import Space
from ..spaces._chunks import row_chunks


def explained_variance(
    space: Space, truth: Any, predicted: Any, weight: NDArray[np.float64]
) -> float:
    """Return 1 - mean squared distance / Fréchet variance."""
    weight = weight / weight.sum()
    error = float(weight @ space.paired_distances(truth, predicted) ** 2)
    variance = frechet_variance(space, truth, weight)
    if variance == 0:  # as scikit-learn's R²
        return 1.0 if error == 0 else 0.0
    return 1 - error / variance


def frechet_variance(space: Space, values: Any, weight: NDArray[np.float64]) -> float:
    """Return the smallest weighted mean of squared distances to one response.

    To the Fréchet mean, or to one of the responses where the space has no mean.
    """
    if space.has_mean:
        mean = space.mean(values, csr_matrix(weight))
        repeated = [mean[0]] * len(values) if isinstance(mean, list) else mean[[0] * len(values)]
        return float(weight @ space.paired_distances(values, repeated) ** 2)
    if space.embeds:
        points = space.embed(values)
        centred = points - weight @ points
        to_mean = np.sum(centred**2, axis=1)
        return float(weight @ to_mean + to_mean.min())
    if isinstance(values, list):  # one call for all pairs measures each pair once
        return float(np.min(weight @ space.distances(values) ** 2))
    sums = np.zeros(len(values))
    for some in row_chunks(len(values), len(values)):
        sums += weight[some] @ np.asarray(space.distances(values[some], values)) ** 2
    return float(sums.min())

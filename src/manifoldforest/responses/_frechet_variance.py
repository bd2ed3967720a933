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

    To the Fréchet mean, or to one of the responses where the space has no mean. Weights sum to 1.
    """
    return float(weight @ squared_distances_to_centre(space, values, weight))


def squared_distances_to_centre(
    space: Space, values: Any, weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the squared distance of each response to the best single one, under weights.

    That is the Fréchet mean, or the medoid where the space has no mean.
    """
    if space.has_mean:
        centre = space.mean(values, csr_matrix(weight))
        medoid = 0
    else:
        centre, medoid = values, _medoid(space, values, weight)
    if isinstance(centre, list):
        repeated: Any = [centre[medoid]] * len(values)
    else:
        repeated = centre[[medoid] * len(values)]
    return np.asarray(space.paired_distances(values, repeated), dtype=np.float64) ** 2


def _medoid(space: Space, values: Any, weight: NDArray[np.float64]) -> int:
    """Return which response has the smallest weighted sum of squared distances."""
    if space.embeds:
        points = space.embed(values)
        centred = points - weight @ points
        return int(np.argmin(np.sum(centred**2, axis=1)))
    if isinstance(values, list):  # one call for all pairs measures each pair once
        return int(np.argmin(weight @ space.distances(values) ** 2))
    sums = np.zeros(len(values))
    for some in row_chunks(len(values), len(values)):
        sums += weight[some] @ np.asarray(space.distances(values[some], values)) ** 2
    return int(np.argmin(sums))

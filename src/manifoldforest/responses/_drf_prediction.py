"""[DRF]'s prediction: distances of the new response, its place in an embedding, and back.

Tsagkrasoulis and Montana, Random Forest regression for manifold-valued responses, section 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from ..spaces._chunks import row_chunks
from ._backscoring import BackScoring
from ._classical_scaling import out_of_sample
from ._predicted_distances import most_affine, new_squared_distances
from ._training_responses import TrainingResponses


@dataclass(frozen=True)
class DrfOptions:
    """Parameters of the estimator that the embedding and the map back depend on."""

    embedding_dim: int | None
    bandwidth: float | None
    smoothness: float
    ridge: str
    center: bool


class DrfPredictor:
    """The embedding of the training responses and the map back from it.

    Parameters
    ----------
    responses : TrainingResponses
        The training responses.
    options : DrfOptions
        Settings. Where responses are vectors, a point of the embedding is mapped back by Gaussian
        kernel ridge regression; where they are not, to the nearest training response.
    """

    def __init__(self, responses: TrainingResponses, options: DrfOptions) -> None:
        self.responses = responses
        self.options = options
        # places and distances are in the unit of the responses, whatever its size
        self.scaling = responses.scaling(options.embedding_dim)
        bandwidth = options.bandwidth
        if bandwidth is not None:
            bandwidth = float(responses.measure().unit.down(bandwidth))
        vectors = responses.space.vectors(responses.values)
        self.back_scoring = None
        if vectors is not None:
            self.back_scoring = BackScoring.fit(
                self.scaling.coordinates,
                vectors,
                bandwidth=bandwidth,
                smoothness=options.smoothness,
                ridge=options.ridge,
                center=options.center,
            )

    def by_distances(
        self, affinity: csr_matrix, weights: csr_matrix, *, order: str, formula: str
    ) -> Any:
        """Predict by the distances of the response of largest affinity (Algorithm 1)."""
        nearest = most_affine(affinity, weights)
        places = np.empty((len(nearest), self.scaling.n_dims))
        for some in row_chunks(len(nearest), len(self.responses)):
            squared = new_squared_distances(
                order, self.responses.rows(), nearest[some], self.responses.smallest()
            )
            places[some] = out_of_sample(self.scaling, squared, formula=formula)
        return self.back(places)

    def by_barycentre(self, weights: csr_matrix) -> Any:
        """Predict by the weighted mean of the training responses in the embedding."""
        return self.back(weights @ self.scaling.coordinates)

    def back(self, places: NDArray[np.float64]) -> Any:
        """Return the responses that belong to places in the embedding."""
        responses = self.responses
        if self.back_scoring is not None:
            return responses.space.from_vectors(self.back_scoring.predict(places), responses.values)
        nearest = np.empty(len(places), dtype=np.intp)
        for some in row_chunks(len(places), len(responses)):
            nearest[some] = _nearest(places[some], self.scaling.coordinates)
        return responses.take(nearest)


def _nearest(places: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.intp]:
    if points.shape[1] == 0:  # all responses are equal
        return np.zeros(len(places), dtype=np.intp)
    return np.asarray(cdist(places, points, "sqeuclidean").argmin(axis=1))

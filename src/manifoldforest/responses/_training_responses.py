"""Training responses as points or distances, for splits and predictions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .._units import Unit
from ..spaces import Space
from ..spaces._chunks import row_chunks
from ..validation._inputs import CoreTarget, ForestTarget
from ._classical_scaling import Scaling, classical_scaling, leading_coordinates, scaling_of_points
from ._predicted_distances import (
    Rows,
    rows_of_matrix,
    rows_of_points,
    smallest_of_matrix,
    smallest_of_points,
)

# Squares of distances within these bounds, and sums of them, stay in the range of float32.
_SMALLEST, _LARGEST = 2.0**-40, 2.0**40

# Sums in single precision that differ by less than this share are computed again in double.
_CLOSE = 1e-4


@dataclass(frozen=True)
class Points:
    """Responses as centred points, in a unit in which squared distances stay in range."""

    unit: Unit
    coordinates: NDArray[np.float64]

    def rows(self) -> Rows:
        """Return access to rows of squared distances."""
        return rows_of_points(self.coordinates)

    def smallest(self) -> float:
        """Return the smallest squared distance between two of them."""
        return smallest_of_points(self.coordinates)

    def scaling(self, n_dims: int | None) -> Scaling:
        """Return their classical scaling."""
        return scaling_of_points(self.coordinates, n_dims)


@dataclass(frozen=True)
class Distances:
    """Squared distances between all responses, in a unit in which they stay in range."""

    unit: Unit
    squared: NDArray[np.float32]

    def rows(self) -> Rows:
        """Return access to rows of the matrix."""
        return rows_of_matrix(self.squared)

    def smallest(self) -> float:
        """Return the smallest squared distance between two responses."""
        return smallest_of_matrix(self.squared)

    def scaling(self, n_dims: int | None) -> Scaling:
        """Return the classical scaling of the responses."""
        return classical_scaling(self.squared, n_dims)


class TrainingResponses:
    """Responses with the points or distances that their space gives, computed when first needed.

    Parameters
    ----------
    space : Space
        Where they live.
    values : ndarray or list
        The responses, as `space.check` returned them.
    """

    def __init__(self, space: Space, values: Any) -> None:
        self.space = space
        self.values = values
        self.predictors: dict[Any, Any] = {}  # by the options that they were made with

    def __len__(self) -> int:
        return len(self.values)

    def __getstate__(self) -> dict[str, Any]:
        return {"space": self.space, "values": self.values, "predictors": {}}

    def measure(self) -> Points | Distances:
        """Return points whose Euclidean distances splits use, or squared distances of all pairs.

        They are computed at the first call.
        """
        return self._points if self.space.embeds else self._distances

    @cached_property
    def _points(self) -> Points:
        points = self.space.embed(self.values)
        points = points - points.mean(axis=0)
        unit = _unit(float(np.abs(points).max(initial=0.0)))
        return Points(unit, unit.down(points))

    @cached_property
    def _distances(self) -> Distances:
        squared = np.empty((len(self), len(self)), dtype=np.float32)
        unit = _unit(self._fill(squared, Unit()))
        if unit != Unit():  # rare, and known only after all distances
            self._fill(squared, unit)
        self._zero_distances_of_equal(squared)
        return Distances(unit, squared)

    def _zero_distances_of_equal(self, squared: NDArray[np.float32]) -> None:
        """Set distances between equal responses to zero, which rounding may have made positive."""
        if isinstance(self.values, list):
            return
        rows = self.values.reshape(len(self), -1)
        group, size = np.unique(rows, axis=0, return_inverse=True, return_counts=True)[1:]
        group = group.reshape(-1)
        order = np.argsort(group, kind="stable")
        for members in np.split(order, np.cumsum(size)[:-1]):
            if len(members) > 1:
                squared[np.ix_(members, members)] = 0.0

    def _fill(self, squared: NDArray[np.float32], unit: Unit) -> float:
        """Write squared distances in a unit and return the largest distance."""
        largest = 0.0
        with np.errstate(over="ignore", under="ignore"):
            for rows, some in self.space.split_distance_chunks(self.values):
                largest = max(largest, float(some.max()))
                scaled = unit.down(some)
                np.multiply(scaled, scaled, out=squared[rows], casting="same_kind")
        return largest

    def rows(self) -> Rows:
        """Return access to rows of squared distances, in the unit."""
        return self.measure().rows()

    def smallest(self) -> float:
        """Return the smallest squared distance between two responses, in the unit."""
        return self._smallest

    @cached_property
    def _smallest(self) -> float:
        return self.measure().smallest()

    def scaling(self, n_dims: int | None) -> Scaling:
        """Return the classical scaling of the responses, in the unit."""
        return self.measure().scaling(n_dims)

    def medoids(self, weights: csr_matrix) -> NDArray[np.intp]:
        """Return the training row nearest to all others, for each row of weights.

        That is argmin_j of sum_i w_i D2_ij, the first one on ties.
        """
        found = np.empty(weights.shape[0], dtype=np.intp)
        nearest = self._medoids_of_points if self.space.embeds else self._medoids_by_distances
        for some in row_chunks(len(found), len(self)):
            found[some] = nearest(weights[some])
        return found

    def _medoids_of_points(self, weights: csr_matrix) -> NDArray[np.intp]:
        """Of points the medoid is the one that is nearest to their weighted mean."""
        points = self._points.coordinates
        means = weights @ points
        to_mean = np.sum(points**2, axis=1) - 2 * (means @ points.T)
        return np.asarray(to_mean.argmin(axis=1))

    def _medoids_by_distances(self, weights: csr_matrix) -> NDArray[np.intp]:
        squared = self._distances.squared
        sums = weights.astype(np.float32) @ squared
        low = sums.min(axis=1, keepdims=True)
        close = sums <= low + _CLOSE * np.abs(low)
        found = sums.argmin(axis=1)
        for query in np.flatnonzero(close.sum(axis=1) > 1):
            row = weights[query]
            candidates = np.flatnonzero(close[query])
            exact = row.data @ squared[np.ix_(row.indices, candidates)].astype(np.float64)
            found[query] = candidates[exact.argmin()]
        return np.asarray(found)

    def projected_means(self, weights: csr_matrix) -> Any:
        """Return weighted means of the responses as vectors, brought back to the space."""
        return self.space.from_vectors(weights @ self._vectors, self.values)

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        vectors = self.space.vectors(self.values)
        if vectors is None:
            raise ValueError(f"responses in {self.space!r} are no vectors")
        return vectors

    def some(self, rows: NDArray[np.intp]) -> TrainingResponses:
        """Return the responses of some training rows, with their space."""
        return TrainingResponses(self.space, self.take(rows))

    def take(self, rows: NDArray[np.intp]) -> Any:
        """Return the responses of some training rows."""
        if isinstance(self.values, list):
            return [self.values[row] for row in rows]
        return self.values[rows]


class Truncation(NamedTuple):
    """The coordinates of responses with the largest part in their distances."""

    coordinates: NDArray[np.float64]
    signs: NDArray[np.float64]
    error: float  # share of what is left out


class ResponseTarget(ForestTarget):
    """Responses in a metric space, of which the core sees points or distances.

    Parameters
    ----------
    responses : TrainingResponses
        The responses.
    max_rank : int or None
        How many directions large nodes may use in place of distances; None is none.
    """

    def __init__(self, responses: TrainingResponses, max_rank: int | None) -> None:
        self.responses = responses
        self.max_rank = max_rank

    @property
    def n_classes(self) -> list[int]:
        """Return an empty list: responses have no classes."""
        return []

    def strata(self) -> NDArray[np.int32]:
        """Return zeros: there are no labels."""
        return np.broadcast_to(np.int32(0), (len(self.responses),))  # takes no memory

    def truncation(self) -> Truncation | None:
        """Return the directions that `max_rank` asks for, None if that is no fewer than all."""
        return self._truncation

    @cached_property
    def _truncation(self) -> Truncation | None:
        if self.max_rank is None or self.max_rank >= len(self.responses) - 1:
            return None
        measured = self.responses.measure()
        if isinstance(measured, Points):
            return None
        return Truncation(*leading_coordinates(measured.squared, self.max_rank))

    def for_core(self, *, reads_node: bool) -> CoreTarget:
        """Return points, or distances, or both where large nodes may use a few directions."""
        measured = self.responses.measure()
        if isinstance(measured, Points):
            return CoreTarget(measured.unit, np.ascontiguousarray(measured.coordinates))
        unit, squared = measured.unit, measured.squared
        truncated = self.truncation()
        if truncated is not None:
            coordinates = np.ascontiguousarray(truncated.coordinates)
            return CoreTarget(unit, coordinates, truncated.signs, squared)
        if reads_node:  # directions that are derived from a node divide by it
            return CoreTarget(unit, _first_axis(squared), None, squared)
        return CoreTarget(unit, None, None, squared)


def _first_axis(squared: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the first coordinate of the classical scaling; a single response lies at 0."""
    if len(squared) == 1:
        return np.zeros((1, 1))
    return np.ascontiguousarray(leading_coordinates(squared, 1)[0])


def _unit(largest: float) -> Unit:
    """Return the unit of distances that are to be squared."""
    return Unit.of(largest, low=_SMALLEST, high=_LARGEST)

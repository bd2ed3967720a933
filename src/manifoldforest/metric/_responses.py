"""The responses of the training rows, as splits and predictions see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .._inputs import CoreTarget, Target
from ..spaces import Space
from ..spaces._blocks import row_blocks
from ._new_distances import (
    Rows,
    rows_of_matrix,
    rows_of_points,
    smallest_of_matrix,
    smallest_of_points,
)
from ._scaling import Scaling, classical_scaling, leading_coordinates, scaling_of_points

# Squares of distances within these bounds have room in single precision, and so have sums of them.
_SMALLEST, _LARGEST = 2.0**-40, 2.0**40

# Sums in single precision that differ by less than this share are looked at again.
_CLOSE = 1e-4


class TrainingResponses:
    """Responses together with what their space makes of them, made when first needed.

    Either `points`, whose Euclidean distances splits use, or `squared`, the squared distances
    themselves, is there; the other one is None. Both are in units of ``2**exponent``, which is 1
    unless distances are of extreme size.

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
        self.made: dict[Any, Any] = {}  # for predictions, by what it depends on

    def __len__(self) -> int:
        return len(self.values)

    def __getstate__(self) -> dict[str, Any]:
        return {"space": self.space, "values": self.values, "made": {}}

    @cached_property
    def _points(self) -> tuple[NDArray[np.float64], int]:
        points = self.space.embed(self.values)
        points = points - points.mean(axis=0)
        exponent = _exponent(float(np.abs(points).max(initial=0.0)))
        return np.ldexp(points, -exponent), exponent

    @cached_property
    def _squared(self) -> tuple[NDArray[np.float32], int]:
        squared = np.empty((len(self), len(self)), dtype=np.float32)
        largest = self._fill(squared, 0)
        exponent = _exponent(largest)
        if exponent:  # rare, and only now known
            self._fill(squared, exponent)
        self._join_equal(squared)
        return squared, exponent

    def _join_equal(self, squared: NDArray[np.float32]) -> None:
        """Make distances between equal responses zero, whatever rounding has made of them."""
        if isinstance(self.values, list):
            return
        rows = self.values.reshape(len(self), -1)
        group, size = np.unique(rows, axis=0, return_inverse=True, return_counts=True)[1:]
        group = group.reshape(-1)
        order = np.argsort(group, kind="stable")
        for members in np.split(order, np.cumsum(size)[:-1]):
            if len(members) > 1:
                squared[np.ix_(members, members)] = 0.0

    def _fill(self, squared: NDArray[np.float32], exponent: int) -> float:
        """Write squared distances in units of ``2**exponent`` and return the largest distance."""
        largest = 0.0
        with np.errstate(over="ignore", under="ignore"):
            for rows, some in self.space.split_blocks(self.values):
                largest = max(largest, float(some.max()))
                scaled = np.ldexp(some, -exponent) if exponent else some
                np.multiply(scaled, scaled, out=squared[rows], casting="same_kind")
        return largest

    @property
    def points(self) -> NDArray[np.float64] | None:
        """Points that embed the responses, centred, or None."""
        return self._points[0] if self.space.embeds else None

    @property
    def squared(self) -> NDArray[np.float32] | None:
        """Squared distances between the responses, or None."""
        return None if self.space.embeds else self._squared[0]

    @property
    def exponent(self) -> int:
        """Exponent of the unit of points and distances."""
        return self._points[1] if self.space.embeds else self._squared[1]

    @property
    def rows(self) -> Rows:
        """Access to rows of squared distances, in the unit."""
        if self.space.embeds:
            return rows_of_points(self._points[0])
        return rows_of_matrix(self._squared[0])

    @cached_property
    def smallest(self) -> float:
        """Smallest squared distance between two responses, in the unit."""
        if self.space.embeds:
            return smallest_of_points(self._points[0])
        return smallest_of_matrix(self._squared[0])

    def scaling(self, n_dims: int | None) -> Scaling:
        """Return the classical scaling of the responses, in the unit."""
        if self.space.embeds:
            return scaling_of_points(self._points[0], n_dims)
        return classical_scaling(self._squared[0], n_dims)

    def medoids(self, weights: csr_matrix) -> NDArray[np.intp]:
        """Return the training row nearest to all others, for each row of weights.

        That is argmin_j of sum_i w_i D2_ij, the first one on ties.
        """
        found = np.empty(weights.shape[0], dtype=np.intp)
        nearest = self._near_means if self.space.embeds else self._near_all
        for some in row_blocks(len(found), len(self)):
            found[some] = nearest(weights[some])
        return found

    def _near_means(self, weights: csr_matrix) -> NDArray[np.intp]:
        """Of points the medoid is the one that is nearest to their weighted mean."""
        points = self._points[0]
        means = weights @ points
        to_mean = np.sum(points**2, axis=1) - 2 * (means @ points.T)
        return np.asarray(to_mean.argmin(axis=1))

    def _near_all(self, weights: csr_matrix) -> NDArray[np.intp]:
        squared = self._squared[0]
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
        """Return a few of the responses."""
        return TrainingResponses(self.space, self.take(rows))

    def take(self, rows: NDArray[np.intp]) -> Any:
        """Return the responses of some training rows."""
        if isinstance(self.values, list):
            return [self.values[row] for row in rows]
        return self.values[rows]


@dataclass(frozen=True)
class MetricTarget(Target):
    """Responses in a metric space, of which the core sees points or distances."""

    responses: TrainingResponses
    max_rank: int | None

    @classmethod
    def of(cls, responses: TrainingResponses, max_rank: int | None) -> MetricTarget:
        """Return the target that stands for training responses."""
        return cls(np.zeros((len(responses), 1)), [], False, responses, max_rank)

    @property
    def exponent(self) -> int:
        """Exponent of the unit of distances."""
        return self.responses.exponent

    def moderate(self) -> MetricTarget:
        """Return the target itself: what the core gets is in the unit already."""
        return self

    @cached_property
    def truncated(self) -> tuple[NDArray[np.float64], NDArray[np.float64], float] | None:
        """Coordinates of the largest directions, their signs, and the share of what is left out.

        None unless `max_rank` asks for fewer directions than there are.
        """
        if self.max_rank is None or self.responses.squared is None:
            return None
        if self.max_rank >= len(self.responses) - 1:
            return None
        return leading_coordinates(self.responses.squared, self.max_rank)

    def for_core(self, *, reads_node: bool) -> CoreTarget:
        """Return points, or distances, or both where large nodes may use a few directions."""
        points, squared = self.responses.points, self.responses.squared
        if points is not None:
            return CoreTarget(np.ascontiguousarray(points))
        assert squared is not None
        if self.truncated is not None:
            coordinates, signs, _ = self.truncated
            return CoreTarget(np.ascontiguousarray(coordinates), signs, squared)
        if reads_node and len(squared) > 1:
            return CoreTarget(self._first_axis(squared), None, squared)
        return CoreTarget(np.zeros((len(squared), 1)), None, squared)

    def _first_axis(self, squared: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return what data-derived projections divide by."""
        return np.ascontiguousarray(leading_coordinates(squared, 1)[0])


def _exponent(largest: float) -> int:
    """Return the power of two to take out of distances before they are squared."""
    if largest == 0 or _SMALLEST <= largest <= _LARGEST:
        return 0
    return int(np.frexp(largest)[1])

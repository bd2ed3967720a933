"""Unit vectors: directions in space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from manifoldforest.validation._rules import Rule, one_of

from ._base import CurvedSpace, Space, all_euclidean, average, each_query, norms
from ._karcher import Manifold, karcher_means
from ._response_arrays import check_each, read_array
from ._typing import Floats, Responses

# How far the norm of a unit vector may be from 1.
UNIT_TOLERANCE = 1e-6
# Averages of unit vectors that are shorter have no direction that means anything.
_NO_DIRECTION = 1e-8


class Sphere(CurvedSpace):
    """Unit vectors with the length of the arc between them.

    Responses are an array of shape (n, d) with d >= 2; norms may differ from 1 by 1e-6, and are
    made 1 exactly. Distances are angles, pi at most.

    Parameters
    ----------
    split : {"chordal", "geodesic"}, default="chordal"
        The distances that splits use: straight through the sphere, for which no matrix of all
        pairs is needed, or along it.

    Notes
    -----
    The mean is a local minimum of the weighted squared arcs, found by Karcher's iteration from the
    direction of the average or, where that is zero, from the best of the responses. If all
    responses are within pi / 2 of some point, it is the only one.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from manifoldforest.spaces import Sphere
    >>> space = Sphere()
    >>> vectors = space.check([[1, 0, 0], [0, 1, 0], [-1, 0, 0]])
    >>> space.distances(vectors).round(4)
    array([[0.    , 1.5708, 3.1416],
           [1.5708, 0.    , 1.5708],
           [3.1416, 1.5708, 0.    ]])
    >>> space.mean(vectors, csr_matrix([[0.5, 0.5, 0]])).round(4)
    array([[0.7071, 0.7071, 0.    ]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"split": one_of("chordal", "geodesic")}

    def __init__(self, *, split: Literal["chordal", "geodesic"] = "chordal") -> None:
        self.split = split

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check parameters and responses, and return these with norms of exactly 1.

        Parameters
        ----------
        Y : array-like of shape (n, d)
            Unit vectors, within 1e-6, with d >= 2.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of shape (n, d)
            The same directions.

        Examples
        --------
        >>> from manifoldforest.spaces import Sphere
        >>> Sphere().check([[0.6, 0.8], [0, -1]]).tolist()
        [[0.6, 0.8], [0.0, -1.0]]
        """
        self._check_parameters()
        expected = "unit vectors in an array of shape (n, d) with d >= 2"
        vectors = read_array(Y, name, expected, (2,))
        if vectors.shape[1] < 2:
            raise ValueError(f"{name} must be {expected}, got the shape {vectors.shape}")
        return as_units(vectors, name)

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        return all_arcs(A, A if B is None else B)

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        return arcs(norms(A - B), norms(A + B))

    def project(self, values: Any) -> Floats:
        """Return vectors scaled to norm 1; the zero vector becomes the first axis.

        Parameters
        ----------
        values : array-like of shape (n, d)
            Vectors.

        Returns
        -------
        responses : ndarray of shape (n, d)
            Unit vectors.

        Examples
        --------
        >>> from manifoldforest.spaces import Sphere
        >>> Sphere().project([[3.0, 4.0], [0.0, 0.0]]).round(6).tolist()
        [[0.6, 0.8], [1.0, 0.0]]
        """
        return project_to_units(values)

    def _embed(self, Y: Responses) -> Floats:
        return np.asarray(Y)

    def _mean(self, Y: Responses, weights: csr_matrix) -> Floats:
        start = average(Y, weights)
        nowhere = norms(start) < _NO_DIRECTION
        start[nowhere] = Y[medoids(self, Y, weights[nowhere])]
        return karcher_means(SphereManifold(), Y, weights, project_to_units(start))


class SphereManifold(Manifold):
    """The unit sphere; tangents are vectors at a right angle to their base."""

    def log(
        self,
        bases: Floats,
        owners: NDArray[np.intp],
        points: Floats,
    ) -> Floats:
        """Return the tangent at ``bases[owners[k]]`` that leads to ``points[k]``, for every k."""
        return sphere_log(bases[owners], points)

    def exp(self, bases: Floats, tangents: Floats) -> Floats:
        """Return where the tangents lead, one for each base."""
        return sphere_exp(bases, tangents)


def sphere_log(bases: Floats, points: Floats) -> Floats:
    """Return the tangents from every base to its point; towards an antipode, any one of them."""
    cosines = np.einsum("ki,ki->k", bases, points)
    tangents: Floats = points - cosines[:, None] * bases
    # once more, as rounding leaves a part along the base that is not small next to a short tangent
    tangents -= np.einsum("ki,ki->k", bases, tangents)[:, None] * bases
    sines = norms(tangents)
    opposite = (cosines < 0) & (sines < 1e-12)
    if opposite.any():
        tangents[opposite] = _any_tangent(bases[opposite])
        sines[opposite] = 1.0
    angles = np.where(opposite, np.pi, np.arctan2(sines, cosines))
    tangents *= (angles / np.where(sines > 0, sines, 1.0))[:, None]
    return tangents


def sphere_exp(bases: Floats, tangents: Floats) -> Floats:
    """Return the points that the tangents lead to."""
    angles = norms(tangents)[:, None]
    points = np.cos(angles) * bases + np.sinc(angles / np.pi) * tangents
    return points / norms(points)[:, None]


def _any_tangent(bases: Floats) -> Floats:
    """Return a unit tangent at every base, next to the axis that is the farthest from it."""
    rows, axes = np.arange(len(bases)), np.abs(bases).argmin(axis=1)
    tangents: Floats = -bases[rows, axes][:, None] * bases
    tangents[rows, axes] += 1.0
    tangents /= norms(tangents)[:, None]
    return tangents


def arcs(chords: Floats, sums: Floats) -> Floats:
    """Return angles between unit vectors from the norms of their differences and sums.

    Unlike the arc cosine this is exact for vectors that nearly agree or are nearly opposite.
    """
    return 2 * np.arctan2(chords, sums)


def all_arcs(A: Floats, B: Floats) -> Floats:
    """Return all angles between unit vectors."""
    return arcs(all_euclidean(A, B), all_euclidean(A, -B))


def as_units(vectors: Floats, name: str) -> Floats:
    """Return vectors with norms of exactly 1, or raise if one is not a unit vector."""
    lengths = norms(vectors)
    near = np.abs(lengths - 1) <= UNIT_TOLERANCE
    check_each(near, name, "unit vectors", "the norm {}", lengths)
    return vectors / lengths[:, None]


def project_to_units(values: Any) -> Floats:
    """Return vectors scaled to norm 1; the zero vector becomes the first axis."""
    vectors = np.array(values, dtype=np.float64)
    largest = np.abs(vectors).max(axis=1)
    vectors[largest == 0, 0] = 1.0
    # by the largest entry first, whose square may be too small or too large a number
    vectors /= np.where(largest > 0, largest, 1.0)[:, None]
    return vectors / norms(vectors)[:, None]


def medoids(space: Space, Y: Floats, weights: csr_matrix) -> NDArray[np.intp]:
    """Return for each row of weights the best mean among the responses that have weight."""
    found = np.empty(weights.shape[0], dtype=np.intp)
    for i, among, w in each_query(weights):
        squares = space.distances(Y[among]) ** 2
        found[i] = among[np.argmin(squares @ w)]
    return found

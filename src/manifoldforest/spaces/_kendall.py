"""Shapes of landmarks: what is left when place, size and orientation are taken away."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ._base import Space, as_rows, norms
from ._chunks import mirror_upper, row_chunks
from ._karcher import Manifold, karcher_means
from ._response_arrays import check_each, read_array
from ._sphere import arcs, sphere_exp, sphere_log
from ._typing import Floats, Responses

# Landmarks that are spread by less than this share of their coordinates are all in one place.
_ONE_PLACE = 1e-12
# Closer shapes are measured by the difference after rotation: an arc cosine would be all rounding.
_CLOSE = 1e-6


class KendallShape(Space):
    """Shapes of landmarks: configurations of points up to translation, scale and rotation.

    Responses are an array of shape (n, k, d): k >= 2 landmarks in d >= 2 dimensions, in the same
    order in all responses and not all in one place. Their canonical form is centred with norm 1.
    The distance is the Riemannian one of Kendall (1984), an angle of at most pi / 2. A shape and
    its mirror image are different.

    Notes
    -----
    The mean is a local minimum of the weighted squared distances: all responses are rotated
    towards the mean, starting with the heaviest of them, and Karcher's iteration goes to the mean
    of the tangents that lead there, again and again. It is a centred configuration of norm 1, in
    one of its orientations.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.spaces import KendallShape
    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    >>> turned = 3 * square @ [[0, 1], [-1, 0]] + 5
    >>> kite = square + [[0, 0], [0, 0], [1, 1], [0, 0]]
    >>> space = KendallShape()
    >>> round(space.distance(square, turned), 10), round(space.distance(square, kite), 4)
    (0.0, 0.4405)
    """

    @property
    def has_mean(self) -> bool:
        return True

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check responses and return them centred, with norm 1.

        Parameters
        ----------
        Y : array-like of shape (n, k, d)
            At least 2 landmarks each, in at least 2 dimensions, not all in one place.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of shape (n, k, d)
            Configurations around zero whose squared coordinates sum to 1.

        Examples
        --------
        >>> from manifoldforest.spaces import KendallShape
        >>> KendallShape().check([[[0, 0], [2, 0]]]).round(4).tolist()
        [[[-0.7071, 0.0], [0.7071, 0.0]]]
        """
        expected = "landmarks in an array of shape (n, k, d) with k >= 2 and d >= 2"
        landmarks = read_array(Y, name, expected, (3,))
        if min(landmarks.shape[1:]) < 2:
            raise ValueError(f"{name} must be {expected}, got the shape {landmarks.shape}")
        centred, sizes = _centred(landmarks)
        spread = sizes > _ONE_PLACE * np.abs(landmarks).max(axis=(1, 2))
        check_each(
            spread, name, "landmarks that are not all equal", "all of them at {}", landmarks[:, 0]
        )
        return centred / sizes[:, None, None]

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        others = A if B is None else B
        found = np.empty((len(A), len(others)))
        for rows in row_chunks(len(A), len(others) * A.shape[2] ** 2):
            # within one set, the part below the diagonal is a mirror image
            first = rows.start if B is None else 0
            found[rows, first:] = _chunk_distances(A[rows], others[first:])
        if B is None:
            mirror_upper(found)
        return found

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        found = np.empty(len(A))
        for rows in row_chunks(len(A), math.prod(A.shape[1:])):
            turned = as_rows(_turned(B[rows], A[rows]))
            bases = as_rows(A[rows])
            found[rows] = arcs(norms(bases - turned), norms(bases + turned))
        return found

    def project(self, values: Any) -> Floats:
        """Return landmarks centred and scaled to norm 1.

        If all of them are in one place, the first is moved away from the others.

        Parameters
        ----------
        values : array-like of shape (n, k, d)
            Landmarks.

        Returns
        -------
        responses : ndarray of shape (n, k, d)
            Configurations around zero whose squared coordinates sum to 1.

        Examples
        --------
        >>> from manifoldforest.spaces import KendallShape
        >>> KendallShape().project([[[5.0, 5.0], [7.0, 5.0]]]).round(4).tolist()
        [[[-0.7071, 0.0], [0.7071, 0.0]]]
        """
        landmarks = np.array(values, dtype=np.float64)
        nowhere = _centred(landmarks)[1] <= _ONE_PLACE * np.abs(landmarks).max(axis=(1, 2))
        landmarks[nowhere] = 0.0
        landmarks[nowhere, 0, 0] = 1.0
        centred, sizes = _centred(landmarks)
        return centred / sizes[:, None, None]

    def vectors(self, Y: Responses) -> Floats:
        """Return all landmarks, every shape rotated so that it is nearest to the first one.

        Parameters
        ----------
        Y : ndarray of shape (n, k, d)
            Responses in canonical form.

        Returns
        -------
        vectors : ndarray of shape (n, k d)
            Coordinates of the landmarks.

        Examples
        --------
        >>> from manifoldforest.spaces import KendallShape
        >>> space = KendallShape()
        >>> lying, upright = [[0, 0], [2, 0]], [[0, 0], [0, 2]]
        >>> a, b = space.vectors(space.check([lying, upright]))
        >>> a.shape, bool(abs(a - b).max() < 1e-9)
        ((4,), True)
        """
        return as_rows(_turned(Y, np.broadcast_to(Y[:1], Y.shape)))

    def _mean(self, Y: Responses, weights: csr_matrix) -> Floats:
        heaviest = np.asarray(weights.argmax(axis=1)).ravel()
        return karcher_means(_Shapes(), Y, weights, Y[heaviest])


class _Shapes(Manifold):
    """Shapes, each standing in one of its orientations as a point of the unit sphere."""

    def log(self, bases: Floats, owners: NDArray[np.intp], points: Floats) -> Floats:
        """Return the tangent at ``bases[owners[k]]`` that leads to ``points[k]``, for every k."""
        own = bases[owners]
        tangents = sphere_log(as_rows(own), as_rows(_turned(points, own)))
        return tangents.reshape(points.shape)

    def exp(self, bases: Floats, tangents: Floats) -> Floats:
        """Return where the tangents lead, one for each base."""
        return sphere_exp(as_rows(bases), as_rows(tangents)).reshape(bases.shape)


def _centred(landmarks: Floats) -> tuple[Floats, Floats]:
    """Return configurations around zero, and their norms."""
    centred: Floats = landmarks - landmarks.mean(axis=1, keepdims=True)
    return centred, norms(as_rows(centred))


def _turned(points: Floats, bases: Floats) -> Floats:
    """Return every configuration in the orientation in which it is the nearest to its base."""
    left, _, right = np.linalg.svd(points.transpose(0, 2, 1) @ bases)
    # rotations only: where a mirror image would be nearer, turn back the least important axis
    left[:, :, -1] *= np.sign(np.linalg.det(left @ right))[:, None]
    found: Floats = points @ (left @ right)
    return found


def _chunk_distances(A: Floats, B: Floats) -> Floats:
    """Return all distances between two sets of shapes, few enough for one chunk."""
    (n, k, d), m = A.shape, len(B)
    flat = A.transpose(0, 2, 1).reshape(n * d, k) @ B.transpose(1, 0, 2).reshape(k, m * d)
    products = flat.reshape(n, d, m, d).transpose(0, 2, 1, 3)
    cosines = _traces(products)
    distances: Floats = np.arccos(np.minimum(cosines, 1.0))
    rows, columns = np.nonzero(cosines > 1 - _CLOSE)
    for part in row_chunks(len(rows), k * d):
        a, b = A[rows[part]], B[columns[part]]
        chords = norms(as_rows(a - _turned(b, a)))
        distances[rows[part], columns[part]] = 2 * np.arcsin(chords / 2)
    return distances


def _traces(products: Floats) -> Floats:
    """Return the largest trace that each matrix can have after a rotation."""
    if products.shape[-1] == 2:
        return np.hypot(
            products[..., 0, 0] + products[..., 1, 1], products[..., 0, 1] - products[..., 1, 0]
        )
    values = np.linalg.svd(products, compute_uv=False)
    with np.errstate(all="ignore"):  # determinants that underflow; the last value is then 0
        mirrored = np.linalg.det(products) < 0
    values[..., -1] *= np.where(mirrored, -1.0, 1.0)
    traces: Floats = values.sum(axis=-1)
    return traces

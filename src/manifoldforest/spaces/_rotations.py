"""Rotations of space: orientations of rigid bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial.transform import Rotation

from manifoldforest.validation._rules import Rule, one_of

from ._base import CurvedSpace, all_euclidean, as_rows, average, norms
from ._karcher import Manifold, karcher_means
from ._response_arrays import check_each, read_array
from ._sphere import arcs, as_units, medoids, project_to_units, sphere_exp, sphere_log
from ._typing import Floats, Responses

_ORTHOGONALITY = 1e-6
# If the two largest eigenvalues are closer, the chordal mean means nothing.
_NO_DIRECTION = 1e-8


class Rotations(CurvedSpace):
    """Rotations in three dimensions with the angle of the rotation from one to the other.

    Responses are rotation matrices in an array of shape (n, 3, 3), orthogonal within 1e-6, or unit
    quaternions in an array of shape (n, 4). Distances are at most pi.

    Parameters
    ----------
    form : {"matrix", "quaternion"}, default="matrix"
        How rotations are given. Quaternions have their scalar part last, as in SciPy. q and -q are
        the same rotation; the canonical one has a scalar part >= 0.
    split : {"chordal", "geodesic"}, default="chordal"
        The distances that splits use: between matrices (Frobenius, divided by the square root
        of 2), for which no matrix of all pairs is needed, or angles.

    Notes
    -----
    The mean is a local minimum of the weighted squared angles, found by Karcher's iteration from
    the mean for chordal distances (Markley et al. 2007) or, where that is not unique, from the best
    of the responses. If all responses are within pi / 2 of some rotation, it is the only one.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from manifoldforest.spaces import Rotations
    >>> quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    >>> none = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> space = Rotations()
    >>> round(space.distance(none, quarter), 4)
    1.5708
    >>> space.mean(space.check([none, quarter]), csr_matrix([[0.5, 0.5]])).round(4)
    array([[[ 0.7071, -0.7071,  0.    ],
            [ 0.7071,  0.7071,  0.    ],
            [ 0.    ,  0.    ,  1.    ]]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "form": one_of("matrix", "quaternion"),
        "split": one_of("chordal", "geodesic"),
    }

    def __init__(
        self,
        form: Literal["matrix", "quaternion"] = "matrix",
        *,
        split: Literal["chordal", "geodesic"] = "chordal",
    ) -> None:
        self.form = form
        self.split = split

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check parameters and responses; return orthogonal matrices or canonical quaternions.

        Parameters
        ----------
        Y : array-like of shape (n, 3, 3) or (n, 4)
            Rotation matrices or unit quaternions, as `form` says.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of shape (n, 3, 3) or (n, 4)
            The nearest matrices that are exactly orthogonal, or quaternions of norm 1 with a scalar
            part >= 0.

        Examples
        --------
        >>> from manifoldforest.spaces import Rotations
        >>> Rotations("quaternion").check([[0.5, 0.5, 0.5, -0.5]]).tolist()
        [[-0.5, -0.5, -0.5, 0.5]]
        """
        self._check_parameters()
        if self.form == "quaternion":
            expected = "unit quaternions in an array of shape (n, 4)"
            return _canonical(as_units(_read(Y, name, expected, (4,)), name))
        expected = "rotation matrices in an array of shape (n, 3, 3)"
        matrices = _read(Y, name, expected, (3, 3))
        _check_matrices(matrices, name)
        return _nearest_rotations(matrices)

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        a = self._quaternions(A)
        b = a if B is None else self._quaternions(B)
        return _angles(all_euclidean(a, b), all_euclidean(a, -b))

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        a, b = self._quaternions(A), self._quaternions(B)
        return _angles(norms(a - b), norms(a + b))

    def project(self, values: Any) -> Floats:
        """Return the nearest rotations to matrices or quaternions.

        Parameters
        ----------
        values : array-like of shape (n, 3, 3) or (n, 4)
            Matrices or quaternions, as `form` says.

        Returns
        -------
        responses : ndarray of shape (n, 3, 3) or (n, 4)
            Rotations in canonical form; no rotation at all in place of a quaternion of zeros.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Rotations
        >>> Rotations("quaternion").project(np.array([[0.0, 0.0, 3.0, 4.0]])).tolist()
        [[0.0, 0.0, 0.6, 0.8]]
        >>> np.allclose(Rotations().project(5 * np.eye(3)[None]), np.eye(3))
        True
        """
        if self.form == "quaternion":
            # zero has no nearest quaternion; the first axis of project_to_units is a half turn
            zero = ~np.any(values, axis=1)
            return _canonical(project_to_units(np.where(zero[:, None], [0, 0, 0, 1], values)))
        return _nearest_rotations(np.asarray(values, dtype=np.float64))

    def vectors(self, Y: Responses) -> Floats:
        """Return the entries of rotation matrices, divided by the square root of 2.

        Parameters
        ----------
        Y : ndarray of shape (n, 3, 3) or (n, 4)
            Responses in canonical form.

        Returns
        -------
        vectors : ndarray of shape (n, 9)
            Flat matrices, also of quaternions.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Rotations
        >>> Rotations("quaternion").vectors(np.array([[0.0, 0.0, 0.0, 1.0]])).round(3).tolist()
        [[0.707, 0.0, 0.0, 0.0, 0.707, 0.0, 0.0, 0.0, 0.707]]
        """
        return self._embed(Y)

    def from_vectors(self, vectors: Floats, like: Responses) -> Floats:
        """Return the rotations nearest to matrices.

        Parameters
        ----------
        vectors : ndarray of shape (k, 9)
            Flat matrices of any size, which need not be rotations.
        like : ndarray
            Without effect: `form` says whether matrices or quaternions are returned.

        Returns
        -------
        responses : ndarray of shape (k, 3, 3) or (k, 4)
            Rotations in canonical form.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Rotations
        >>> space = Rotations("quaternion")
        >>> found = space.from_vectors(7 * np.eye(3).reshape(1, 9), np.zeros((1, 4)))
        >>> np.allclose(found, [[0, 0, 0, 1]])
        True
        """
        matrices = _nearest_rotations(vectors.reshape(-1, 3, 3))
        if self.form == "matrix":
            return matrices
        return _canonical(Rotation.from_matrix(matrices).as_quat())

    def _quaternions(self, Y: Responses) -> Floats:
        if self.form == "quaternion":
            return np.asarray(Y)
        found: Floats = Rotation.from_matrix(Y).as_quat()
        return found

    def _embed(self, Y: Responses) -> Floats:
        matrices: Floats = Y if self.form == "matrix" else Rotation.from_quat(Y).as_matrix()
        points: Floats = as_rows(matrices) / np.sqrt(2.0)
        return points

    def _mean(self, Y: Responses, weights: csr_matrix) -> Floats:
        quaternions = self._quaternions(Y)
        squares = average(quaternions[:, :, None] * quaternions[:, None, :], weights)
        eigenvalues, vectors = np.linalg.eigh(squares)
        start = _canonical(vectors[:, :, -1])
        nowhere = eigenvalues[:, -1] - eigenvalues[:, -2] < _NO_DIRECTION
        start[nowhere] = quaternions[medoids(self, Y, weights[nowhere])]
        means = _canonical(karcher_means(_Quaternions(), quaternions, weights, start))
        if self.form == "quaternion":
            return means
        found: Floats = Rotation.from_quat(means).as_matrix()
        return found


class _Quaternions(Manifold):
    """Unit quaternions up to their sign; arcs between them are half the angles of rotations."""

    def log(self, bases: Floats, owners: NDArray[np.intp], points: Floats) -> Floats:
        """Return the tangent at ``bases[owners[k]]`` that leads to ``points[k]``, for every k."""
        own = bases[owners]
        far = np.einsum("ki,ki->k", own, points) < 0
        return sphere_log(own, np.where(far[:, None], -points, points))

    def exp(self, bases: Floats, tangents: Floats) -> Floats:
        """Return where the tangents lead, one for each base."""
        return sphere_exp(bases, tangents)


def _read(Y: Any, name: str, expected: str, shape: tuple[int, ...]) -> Floats:
    values = read_array(Y, name, expected, (len(shape) + 1,))
    if values.shape[1:] != shape:
        raise ValueError(f"{name} must be {expected}, got the shape {values.shape}")
    return values


def _check_matrices(matrices: Floats, name: str) -> None:
    products = matrices.transpose(0, 2, 1) @ matrices
    apart = np.abs(products - np.eye(3)).max(axis=(1, 2))
    expected = "rotation matrices"
    check_each(apart <= _ORTHOGONALITY, name, expected, "columns {} from orthonormal", apart)
    determinants = np.linalg.det(matrices)
    check_each(determinants > 0, name, expected, "the determinant {}", determinants)


def _nearest_rotations(matrices: Floats) -> Floats:
    left, _, right = np.linalg.svd(matrices)
    # without a reflection, at the cost of the smallest singular value
    left[:, :, -1] *= np.sign(np.linalg.det(left @ right))[:, None]
    found: Floats = left @ right
    return found


def _canonical(quaternions: Floats) -> Floats:
    """Return quaternions of which the last component that is not zero is positive."""
    nonzero = quaternions[:, ::-1] != 0
    last = 3 - np.argmax(nonzero, axis=1)
    negative = quaternions[np.arange(len(quaternions)), last] < 0
    return np.where(negative[:, None], -quaternions, quaternions)


def _angles(differences: Floats, sums: Floats) -> Floats:
    """Return angles of rotations from the norms of differences and sums of quaternions."""
    return 2 * arcs(np.minimum(differences, sums), np.maximum(differences, sums))

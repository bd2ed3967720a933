"""Symmetric positive definite matrices: covariances, diffusion tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from manifoldforest.validation._rules import Rule, one_of

from ._base import Space, all_euclidean, average, norms
from ._chunks import mirror_upper, row_chunks
from ._karcher import Manifold, karcher_means
from ._response_arrays import check_each, read_array
from ._typing import Floats, Responses

_SYMMETRY = 1e-8
_TINY = np.finfo(np.float64).tiny
# Singular values that are smaller than this share of the largest are found from the inverse too.
_ILL_CONDITIONED = 1e-5


class SPD(Space):
    """Symmetric positive definite matrices.

    Responses are an array of shape (n, d, d), symmetric within 1e-8 of the largest entry, with
    eigenvalues above 0.

    Parameters
    ----------
    metric : {"log-euclidean", "affine-invariant"}, default="log-euclidean"
        ``"log-euclidean"`` is the Frobenius distance between matrix logarithms (Arsigny et al.
        2006): no matrix of all pairs is needed and the mean has a closed form.
        ``"affine-invariant"`` is ``|log(a^-1/2 b a^-1/2)|`` (Pennec et al. 2006), which does not
        change if the variables of covariance matrices are mixed; the mean is found by Karcher's
        iteration from the log-Euclidean one. It is unique.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.spaces import SPD
    >>> a, b = np.eye(2), np.diag([np.e, 1.0])
    >>> round(SPD().distance(a, b), 10)
    1.0
    >>> mix = np.array([[2.0, 1.0], [0.0, 1.0]])
    >>> round(SPD("affine-invariant").distance(mix @ a @ mix.T, mix @ b @ mix.T), 10)
    1.0
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"metric": one_of("log-euclidean", "affine-invariant")}

    def __init__(
        self, metric: Literal["log-euclidean", "affine-invariant"] = "log-euclidean"
    ) -> None:
        self.metric = metric

    @property
    def embeds(self) -> bool:
        return self.metric == "log-euclidean"

    @property
    def has_mean(self) -> bool:
        return True

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check parameters and responses, and return these exactly symmetric.

        Parameters
        ----------
        Y : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of shape (n, d, d)
            The means of the matrices and their transposes.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import SPD
        >>> SPD().check([[[2, 1], [1, 2]]]).shape
        (1, 2, 2)
        >>> try:
        ...     SPD().check([[[1, 2], [2, 1]]])
        ... except ValueError as error:
        ...     print(error)
        Y must hold positive definite matrices, got the smallest eigenvalue -1.0 in response 0
        """
        self._check_parameters()
        expected = "symmetric positive definite matrices in an array of shape (n, d, d)"
        matrices = read_array(Y, name, expected, (3,))
        if matrices.shape[1] != matrices.shape[2]:
            raise ValueError(f"{name} must be {expected}, got the shape {matrices.shape}")
        transposed = matrices.transpose(0, 2, 1)
        apart = np.abs(matrices - transposed).max(axis=(1, 2))
        mirrored = apart <= _SYMMETRY * np.abs(matrices).max(axis=(1, 2))
        check_each(
            mirrored, name, "symmetric matrices", "entries {} apart from their mirror image", apart
        )
        symmetric: Floats = (matrices + transposed) / 2
        smallest = np.linalg.eigh(symmetric)[0][:, 0]
        check_each(
            smallest > _TINY,
            name,
            "positive definite matrices",
            "the smallest eigenvalue {}",
            smallest,
        )
        return symmetric

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        if self.metric == "log-euclidean":
            return all_euclidean(self._embed(A), None if B is None else self._embed(B))
        return _all_affine_invariant(A, B)

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        if self.metric == "log-euclidean":
            return norms(self._embed(A) - self._embed(B))
        found = np.empty(len(A))
        for rows in row_chunks(len(A), math.prod(A.shape[1:])):
            found[rows] = _log_norms(_factors(A[rows]), _factors(B[rows]))
        return found

    def project(self, values: Any) -> Floats:
        """Return the nearest symmetric matrices with eigenvalues that are not too close to 0.

        The limit is 1e-12 of the largest eigenvalue: there is no nearest positive definite matrix.

        Parameters
        ----------
        values : array-like of shape (n, d, d)
            Matrices.

        Returns
        -------
        responses : ndarray of shape (n, d, d)
            Symmetric positive definite matrices.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import SPD
        >>> nearest = SPD().project([[[4.0, 0.0], [0.0, -1.0]]])
        >>> bool((np.linalg.eigvalsh(nearest) > 0).all()), nearest[0].diagonal().round(6).tolist()
        (True, [4.0, 0.0])
        """
        matrices = np.asarray(values, dtype=np.float64)
        eigenvalues, vectors = np.linalg.eigh((matrices + matrices.transpose(0, 2, 1)) / 2)
        floor = np.maximum(1e-12 * eigenvalues[:, -1:], 1e-100)
        return _compose(np.maximum(eigenvalues, floor), vectors)

    def vectors(self, Y: Responses) -> Floats:
        """Return matrix logarithms, flattened: all their linear combinations stand for responses.

        Parameters
        ----------
        Y : ndarray of shape (n, d, d)
            Responses in canonical form.

        Returns
        -------
        vectors : ndarray of shape (n, d (d + 1) / 2)
            Upper triangles of the matrix logarithms. Entries off the diagonal are multiplied by the
            square root of 2, so that distances between vectors are those between matrices.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import SPD
        >>> a, b = SPD().vectors(np.array([np.eye(2), np.diag([1.0, np.e])]))
        >>> a.shape, round(float(np.linalg.norm(a - b)), 6)
        ((3,), 1.0)
        """
        return self._embed(Y)

    def from_vectors(self, vectors: Floats, like: Responses) -> Floats:
        """Return the exponentials of vectors as of :meth:`vectors`.

        Parameters
        ----------
        vectors : ndarray of shape (k, d (d + 1) / 2)
            Upper triangles of matrix logarithms, scaled as :meth:`vectors` does.
        like : ndarray of shape (n, d, d)
            Responses, for their shape.

        Returns
        -------
        responses : ndarray of shape (k, d, d)
            Symmetric positive definite matrices.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import SPD
        >>> space = SPD()
        >>> matrix = np.array([[[2.0, 1.0], [1.0, 3.0]]])
        >>> np.allclose(space.from_vectors(space.vectors(matrix), matrix), matrix)
        True
        """
        d = like.shape[1]
        rows, columns, scale = _upper(d)
        logarithms = np.zeros((len(vectors), d, d))
        logarithms[:, rows, columns] = vectors / scale
        logarithms[:, columns, rows] = vectors / scale
        eigenvalues, axes = np.linalg.eigh(logarithms)
        return _compose(np.exp(eigenvalues), axes)

    def _embed(self, Y: Responses) -> Floats:
        rows, columns, scale = _upper(Y.shape[1])
        points = _logarithms(Y)[:, rows, columns]
        points *= scale
        return points

    def _mean(self, Y: Responses, weights: csr_matrix) -> Floats:
        eigenvalues, vectors = np.linalg.eigh(average(_logarithms(Y), weights))
        means = _compose(np.exp(eigenvalues), vectors)
        if self.metric == "log-euclidean":
            return means
        return karcher_means(_AffineInvariant(), _factors(Y)[1], weights, means)


def _upper(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Return where the upper triangle is, and the scale of its entries.

    An entry off the diagonal stands for two.
    """
    rows, columns = np.triu_indices(d)
    return rows, columns, np.where(rows == columns, 1.0, np.sqrt(2.0))


class _AffineInvariant(Manifold):
    """Positive definite matrices with the affine-invariant metric.

    Tangents are symmetric matrices, seen in coordinates in which their base is the identity. The
    points that tangents lead to are given as their factors.
    """

    def log(
        self,
        bases: Floats,
        owners: NDArray[np.intp],
        points: Floats,
    ) -> Floats:
        """Return the tangent at ``bases[owners[k]]`` that leads to ``points[k]``, for every k."""
        whitening, _ = _factors(bases)
        axes = np.linalg.eigh(bases)[1]
        # singular values of a factor: those of the whole matrix may be rounded to zero or below
        vectors, values, _ = np.linalg.svd(whitening[owners] @ points)
        return _compose(2 * np.log(np.maximum(values, _TINY)), axes[owners] @ vectors)

    def exp(self, bases: Floats, tangents: Floats) -> Floats:
        """Return where the tangents lead, one for each base."""
        axes = np.linalg.eigh(bases)[1]
        eigenvalues, vectors = np.linalg.eigh(tangents)
        turned = axes.transpose(0, 2, 1) @ vectors
        roots: Floats = _factors(bases)[1] @ (turned * np.exp(eigenvalues / 2)[:, None, :])
        points: Floats = roots @ roots.transpose(0, 2, 1)
        return points


def _logarithms(Y: Floats) -> Floats:
    eigenvalues, vectors = np.linalg.eigh(Y)
    return _compose(np.log(np.maximum(eigenvalues, _TINY)), vectors)


def _compose(eigenvalues: Floats, vectors: Floats) -> Floats:
    """Return the symmetric matrices with these eigenvalues and eigenvectors (columns)."""
    products = (vectors * eigenvalues[:, None, :]) @ vectors.transpose(0, 2, 1)
    matrices: Floats = (products + products.transpose(0, 2, 1)) / 2
    return matrices


def _factors(Y: Floats) -> tuple[Floats, Floats]:
    """Return for every matrix y a matrix r with r r' = y, and its inverse first."""
    eigenvalues, vectors = np.linalg.eigh(Y)
    roots = np.sqrt(np.maximum(eigenvalues, _TINY))
    inverses = vectors.transpose(0, 2, 1) / roots[:, :, None]
    return inverses, vectors * roots[:, None, :]


def _log_norms(
    a: tuple[Floats, Floats],
    b: tuple[Floats, Floats],
) -> Floats:
    """Return affine-invariant distances from the factors of two arrays of matrices.

    The squared singular values of r_a^-1 r_b are the eigenvalues of a^-1 b. Small ones are lost in
    the rounding of large ones; they are large ones of r_b^-1 r_a.
    """
    values = np.linalg.svd(a[0] @ b[1], compute_uv=False)
    logs = np.log(np.maximum(values, _TINY))
    ill = values[..., -1] < _ILL_CONDITIONED * values[..., 0]
    if ill.any():
        product = b[0] @ a[1]
        inverse = np.linalg.svd(product[ill], compute_uv=False)[..., ::-1]
        back = -np.log(np.maximum(inverse, _TINY))
        middle = (logs[ill][:, :1] + back[:, -1:]) / 2
        logs[ill] = np.where(logs[ill] >= middle, logs[ill], back)
    return 2 * norms(logs)


def _all_affine_invariant(A: Floats, B: Floats | None) -> Floats:
    a = _factors(A)
    b = a if B is None else _factors(B)
    found = np.empty((len(a[0]), len(b[0])))
    for rows in row_chunks(len(A), len(b[0]) * math.prod(A.shape[1:])):
        left = a[0][rows, None], a[1][rows, None]
        # within one set, the part below the diagonal is a mirror image
        first = rows.start if B is None else 0
        found[rows, first:] = _log_norms(left, (b[0][None, first:], b[1][None, first:]))
    if B is None:
        mirror_upper(found)
    return found

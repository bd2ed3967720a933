"""Classical scaling: responses as points of a Euclidean space, from their distances alone.

[DRF] section 2.3.2. With D2 the squared distances of the n training responses and H the centring
matrix, the eigenpairs of B = -1/2 H D2 H with positive eigenvalues give the coordinates
z_ik = sqrt(lambda_k) u_ik. A new response is placed by its squared distances to the training
responses. ([DRF] is Tsagkrasoulis and Montana, Random Forest regression for manifold-valued
responses.)
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, eigvalsh, svd
from scipy.sparse.linalg import LinearOperator, eigsh

from manifoldforest.validation._rules import check_argument, one_of
from manifoldforest.validation._stack_level import caller_level

from ..spaces._chunks import row_chunks

# Up to so many responses all eigenpairs are computed; they take n^3 time and 8 n^2 bytes. For more
# responses only the largest are, and shares of eigenvalues are those of a sample of this size.
_FULL = 2000

# If more than 1 / _MANY of the eigenpairs are needed, a dense solver is faster than Lanczos.
_MANY = 20

# Share of the positive inertia that the dimensions explain if their number is not given.
_EXPLAINED = 0.95

# Eigenvalues below this share of the largest are rounding errors.
_USABLE = 1e-10

# Share of negative inertia that is worth a warning.
_NOT_EUCLIDEAN = 0.01


@dataclass(frozen=True)
class Scaling:
    """Training responses as points of a Euclidean space.

    Parameters
    ----------
    coordinates : ndarray of shape (n, m)
        The points, centred. Of the largest entries of each column the first is positive.
    eigenvalues : ndarray of shape (m,)
        Positive, descending: the sums of squares of the columns.
    row_means : ndarray of shape (n,)
        Mean squared distance of each training response to all, itself among them.
    negative_share : float
        Share of the negative eigenvalues in the sum of all absolute eigenvalues: 0 for Euclidean
        distances. Above 2000 responses it is that of 2000 of them.
    """

    coordinates: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    row_means: NDArray[np.float64]
    negative_share: float

    @property
    def n_dims(self) -> int:
        """Number of dimensions."""
        return len(self.eigenvalues)


def classical_scaling(
    squared_distances: NDArray[np.floating[Any]], n_dims: int | None = None
) -> Scaling:
    """Place responses in a Euclidean space by their distances.

    Parameters
    ----------
    squared_distances : ndarray of shape (n, n), float32 or float64
        Symmetric, with a zero diagonal.
    n_dims : int or None, default=None
        Number of dimensions; None is the smallest that explains 95 % of the positive inertia
        (above 2000 responses: of that of 2000 of them).

    Returns
    -------
    scaling : Scaling
        The points. There may be fewer dimensions than asked for, with a warning.

    Raises
    ------
    ValueError
        If n responses cannot have so many dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> on_a_line = np.array([0.0, 1.0, 5.0])
    >>> classical_scaling((on_a_line[:, None] - on_a_line) ** 2, 1).coordinates.ravel()
    array([-2., -1.,  3.])
    """
    n = len(squared_distances)
    _check_dims(n_dims, n)
    row_means = np.asarray(np.mean(squared_distances, axis=1, dtype=np.float64))
    threshold = max(_USABLE, float(np.finfo(squared_distances.dtype).eps))
    if n <= _FULL:
        values, vectors = eigh(_doubly_centred(squared_distances), overwrite_a=True)
        values, vectors = values[::-1], vectors[:, ::-1]
        spectrum = values
        m = _wanted(spectrum, n_dims, threshold)
    else:
        spectrum = _spectrum_of_some(squared_distances)
        m = _wanted(spectrum, n_dims, threshold)
        if m > n // _MANY:
            largest = (n - m, n - 1)
            centred = _doubly_centred(squared_distances)
            values, vectors = eigh(centred, overwrite_a=True, subset_by_index=largest)
            values, vectors = values[::-1], vectors[:, ::-1]
        else:
            values, vectors = _largest_eigenpairs(squared_distances, row_means, m)
    negative_share = _negative_share(spectrum)
    if negative_share > _NOT_EUCLIDEAN:
        warnings.warn(
            "the distances between responses are not Euclidean: negative eigenvalues, which are "
            f"dropped, are {100 * negative_share:.1f} % of the inertia of their scaling",
            UserWarning,
            stacklevel=caller_level(),
        )
    m = min(m, _n_usable(values, threshold))
    _warn_if_reduced(n_dims, m)
    coordinates = _with_fixed_signs(vectors[:, :m]) * np.sqrt(values[:m])
    return Scaling(coordinates, values[:m].copy(), row_means, negative_share)


def scaling_of_points(embedding: NDArray[np.float64], n_dims: int | None = None) -> Scaling:
    """Return the classical scaling of the distances between points, without these distances.

    Parameters
    ----------
    embedding : ndarray of shape (n, r)
        Points whose Euclidean distances are those of the responses.
    n_dims : int or None, default=None
        Number of dimensions; None is the smallest that explains 95 % of the inertia.

    Returns
    -------
    scaling : Scaling
        Principal components of the points.

    Examples
    --------
    >>> import numpy as np
    >>> scaling_of_points(np.array([[0.0, 2.0], [1.0, 2.0], [5.0, 2.0]])).coordinates.ravel()
    array([-2., -1.,  3.])
    """
    _check_dims(n_dims, len(embedding))
    centred = embedding - embedding.mean(axis=0)
    inertia = np.sum(centred**2, axis=1)
    vectors, singular, _ = svd(centred, full_matrices=False)
    values = singular**2
    m = min(_wanted(values, n_dims, _USABLE), _n_usable(values, _USABLE))
    _warn_if_reduced(n_dims, m)
    coordinates = _with_fixed_signs(vectors[:, :m]) * singular[:m]
    return Scaling(coordinates, values[:m].copy(), inertia + inertia.mean(), 0.0)


def out_of_sample(
    scaling: Scaling, squared_distances: NDArray[np.floating[Any]], *, formula: str = "gower"
) -> NDArray[np.float64]:
    """Place new responses by their squared distances to the training responses.

    Gower's formula, 1/2 Lambda^{-1/2} U' (row means - squared distances), gives the coordinates of
    a training response back for its own distances. [DRF] equations (2) and (3), with means over
    the training responses and the new one together, come to the same times n / (n + 1): all other
    terms are constant over the training responses, and the columns of U sum to zero.

    Parameters
    ----------
    scaling : Scaling
        The training responses.
    squared_distances : ndarray of shape (q, n)
        Squared distances of q new responses to the n training responses.
    formula : {"gower", "paper"}, default="gower"
        Whether to leave the factor n / (n + 1) out or in.

    Returns
    -------
    points : ndarray of shape (q, m)
        Coordinates of the new responses.
    """
    check_argument("out_of_sample", formula, one_of("gower", "paper"))
    n = len(scaling.row_means)
    factor = 0.5 if formula == "gower" else 0.5 * n / (n + 1)
    directions = factor * scaling.coordinates / scaling.eigenvalues
    return np.asarray((scaling.row_means - squared_distances) @ directions, dtype=np.float64)


def leading_coordinates(
    squared_distances: NDArray[np.floating[Any]], n_dimensions: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return the coordinates of the directions with the largest absolute eigenvalues.

    The space is pseudo-Euclidean: D2_ij = sum_k s_k (z_ik - z_jk)^2 over all directions, with
    the sign s_k of the eigenvalue. Distances that are not Euclidean have negative ones.

    Parameters
    ----------
    squared_distances : ndarray of shape (n, n), float32 or float64
        Symmetric, with a zero diagonal.
    n_dimensions : int
        Number of directions, less than n.

    Returns
    -------
    coordinates : ndarray of shape (n, n_dimensions)
        The points, centred.
    signs : ndarray of shape (n_dimensions,)
        1 or -1.
    neglected : float
        What is left out as a share of the whole: the absolute eigenvalues of all other directions
        in the sum of all. The criterion of no node changes by more than the sum of absolute
        eigenvalues left out (above 2000 responses the share is that of 2000 of them).
    """
    n = len(squared_distances)
    row_means = np.asarray(np.mean(squared_distances, axis=1, dtype=np.float64))
    if not row_means.any():  # all responses are equal
        return np.zeros((n, n_dimensions)), np.ones(n_dimensions), 0.0
    if n <= _FULL:
        values, vectors = eigh(_doubly_centred(squared_distances), overwrite_a=True)
        spectrum = values
        order = np.argsort(-np.abs(values), kind="stable")[:n_dimensions]
        values, vectors = values[order], vectors[:, order]
    else:
        spectrum = _spectrum_of_some(squared_distances)
        values, vectors = _largest_eigenpairs(
            squared_distances, row_means, n_dimensions, which="LM"
        )
        order = np.argsort(-np.abs(values), kind="stable")
        values, vectors = values[order], vectors[:, order]
    coordinates = _with_fixed_signs(vectors) * np.sqrt(np.abs(values))
    sizes = np.sort(np.abs(spectrum))[::-1]
    total = sizes.sum()
    neglected = float(sizes[n_dimensions:].sum() / total) if total > 0 else 0.0
    return coordinates, np.where(values < 0, -1.0, 1.0), neglected


# ------------------------------------------------------------------------------------ dimensions


def _check_dims(n_dims: int | None, n: int) -> None:
    if n_dims is not None and n_dims > n - 1:
        raise ValueError(
            f"embedding_dim must be at most {n - 1} for {n} training responses, got {n_dims}"
        )


def _n_usable(values: NDArray[np.float64], threshold: float) -> int:
    """Return how many of the descending eigenvalues are positive beyond rounding."""
    if len(values) == 0 or values[0] <= 0:
        return 0
    return int(np.count_nonzero(values > threshold * values[0]))


def _wanted(spectrum: NDArray[np.float64], n_dims: int | None, threshold: float) -> int:
    """Return the number of dimensions, by the share of the positive inertia if not given."""
    if n_dims is not None:
        return n_dims
    usable = _n_usable(spectrum, threshold)
    if usable == 0:
        return 0
    explained = np.cumsum(spectrum[:usable])
    return 1 + int(np.argmax(explained >= _EXPLAINED * explained[-1]))


def _warn_if_reduced(n_dims: int | None, m: int) -> None:
    if n_dims is not None and m < n_dims:
        warnings.warn(
            f"embedding_dim is {n_dims}, but the distances between responses only have {m} "
            f"dimensions: {m} are used",
            UserWarning,
            stacklevel=caller_level(),
        )


def _negative_share(spectrum: NDArray[np.float64]) -> float:
    total = np.sum(np.abs(spectrum))
    return float(np.sum(-spectrum[spectrum < 0]) / total) if total > 0 else 0.0


# ------------------------------------------------------------------------------------ eigenpairs


def _doubly_centred(squared_distances: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return -1/2 H D2 H in double precision."""
    centred = squared_distances.astype(np.float64)
    means = centred.mean(axis=1)
    centred -= means[:, None]
    centred -= means[None, :] - means.mean()
    centred *= -0.5
    return centred


def _spectrum_of_some(squared_distances: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return all eigenvalues, descending, of the scaling of responses drawn from many."""
    some = np.random.default_rng(0).choice(len(squared_distances), _FULL, replace=False)
    some.sort()
    values = eigvalsh(_doubly_centred(squared_distances[np.ix_(some, some)]), overwrite_a=True)
    return np.asarray(values[::-1])


def _centred_operator(squared_distances: NDArray[np.floating[Any]], unit: float) -> LinearOperator:
    """Return -1/2 H D2 H in some unit, without a second matrix of that size."""
    n = len(squared_distances)

    def times(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        centred = vector.ravel() - vector.mean()
        result = np.empty(n)
        for rows in row_chunks(n, n):
            result[rows] = squared_distances[rows].astype(np.float64, copy=False) @ centred
        return np.asarray((-0.5 / unit) * (result - result.mean()))

    return LinearOperator((n, n), matvec=times, dtype=np.float64)


def _largest_eigenpairs(
    squared_distances: NDArray[np.floating[Any]],
    row_means: NDArray[np.float64],
    k: int,
    which: str = "LA",
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the k largest eigenvalues of the centred matrix, descending, and their vectors.

    By Lanczos iterations. The matrix is taken in units of its trace, as the iterations stop at an
    absolute error where eigenvalues are zero. `which` is "LA", or "LM" for the largest in size.
    """
    n = len(squared_distances)
    unit = 0.5 * float(np.sum(row_means))
    if k == 0 or unit == 0:
        return np.empty(0), np.empty((n, 0))
    start = np.random.default_rng(0).standard_normal(n)  # fixed, so that results repeat
    operator = _centred_operator(squared_distances, unit)
    values, vectors = eigsh(operator, k=k, which=which, v0=start, tol=1e-12)
    return unit * values[::-1], vectors[:, ::-1]


def _with_fixed_signs(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns with signs such that the first of their largest entries is positive.

    Entries count as equally large up to rounding; otherwise symmetric data would have any sign.
    """
    if vectors.size == 0:
        return vectors
    size = np.abs(vectors)
    first = np.argmax(size >= (1 - 1e-6) * size.max(axis=0), axis=0)
    return np.asarray(vectors * np.sign(vectors[first, np.arange(vectors.shape[1])]))

"""Responses in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ..spaces import Space
from ..spaces._chunks import row_chunks
from ..spaces._response_arrays import read_array, read_rows, read_square

Kernel = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

_TOLERANCE = 1e-6  # of symmetry, relative to the largest value

_TRIED = 10  # responses for which a callable is checked

NAMED_KERNELS = ("rbf", "laplacian", "linear")


class KernelSpace(Space):
    """Distances D2_ij = g_ii + g_jj - 2 g_ij between images under the feature map of a kernel g.

    Parameters
    ----------
    kernel : str, callable or array-like
        A name, a function ``kernel(A, B)`` that returns the matrix of values, or the matrix of
        values for all responses, which are then row indices.
    bandwidth : float
        sigma of ``exp(-|a - b|^2 / (2 sigma^2))`` ("rbf") and of ``exp(-|a - b| / sigma)`` with
        sums of absolute differences ("laplacian").
    """

    def __init__(self, kernel: Any, bandwidth: float) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth

    def __sklearn_clone__(self) -> KernelSpace:
        return KernelSpace(self.kernel, self.bandwidth)  # a large matrix stays the same one

    @property
    def is_matrix(self) -> bool:
        """Whether the values of the kernel were given."""
        return not isinstance(self.kernel, str) and not callable(self.kernel)

    @property
    def embeds(self) -> bool:
        """Whether the feature space is that of the responses themselves."""
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def check(self, Y: Any, *, name: str = "Y") -> NDArray[Any]:
        """Check the kernel and the responses."""
        if not self.is_matrix:
            values = read_array(Y, name, "numbers in an array of shape (n,) or (n, ...)", _ANY_AXES)
            if callable(self.kernel):
                _check_values(_called(self.kernel, values[:_TRIED], values[:_TRIED]))
            return values
        return read_rows(Y, name, len(self._matrix()), "kernel")

    def distances(self, A: Any, B: Any = None) -> NDArray[np.float64]:
        """Return all distances between images of responses."""
        distances = self._distances(A, A if B is None else B)
        if B is None:
            np.fill_diagonal(distances, 0.0)
        return distances

    def paired_distances(self, A: Any, B: Any) -> NDArray[np.float64]:
        """Return the distance of every image to its partner."""
        pairs = zip(np.asarray(A), np.asarray(B), strict=True)
        return np.array([self._distances(a[None], b[None])[0, 0] for a, b in pairs])

    def split_distance_chunks(self, Y: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield distances a few rows at a time."""
        for rows in row_chunks(len(Y), len(Y)):
            distances = self._distances(Y[rows], Y)
            distances[np.arange(len(distances)), np.arange(rows.start, rows.stop)] = 0.0
            yield rows, distances

    def _distances(self, A: Any, B: Any) -> NDArray[np.float64]:
        if isinstance(self.kernel, str) and self.kernel != "linear":
            # 2 - 2 exp(-t), without the cancellation at small t
            return np.asarray(np.sqrt(-2 * np.expm1(-self._exponents(A, B))))
        if self.embeds:
            return np.asarray(cdist(self._embed(A), self._embed(B)))
        squared = self._own(A)[:, None] + self._own(B) - 2 * self._values(A, B)
        return np.asarray(np.sqrt(np.maximum(squared, 0.0)))

    def _exponents(self, A: Any, B: Any) -> NDArray[np.float64]:
        """Return t of kernels exp(-t)."""
        rows, columns = self._embed(A), self._embed(B)
        if self.kernel == "rbf":
            return np.asarray(
                cdist(rows / self.bandwidth, columns / self.bandwidth, "sqeuclidean") / 2
            )
        return np.asarray(cdist(rows, columns, "cityblock") / self.bandwidth)

    def _embed(self, Y: Any) -> NDArray[np.float64]:
        return np.asarray(Y.reshape(len(Y), -1))

    def _own(self, Y: Any) -> NDArray[np.float64]:
        """Return g(y, y) of each response."""
        if self.is_matrix:
            return np.asarray(self._matrix().diagonal()[Y], dtype=np.float64)
        return np.array([_called(self.kernel, y[None], y[None])[0, 0] for y in Y])

    def _values(self, A: Any, B: Any) -> NDArray[np.float64]:
        """Return g(a, b) of all pairs."""
        if self.is_matrix:
            return np.asarray(self._matrix()[np.ix_(A, B)], dtype=np.float64)
        return _called(self.kernel, A, B)

    def _matrix(self) -> NDArray[Any]:
        """Return the matrix, checked unless it is the one that was checked before."""
        given, matrix = getattr(self, "_checked", (None, None))
        if matrix is None or given is not self.kernel:
            matrix = _read_matrix(self.kernel)
            self._checked = self.kernel, matrix
        return matrix

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_checked", None)  # found again when needed
        return state


_ANY_AXES = tuple(range(1, 33))


def _called(kernel: Kernel, A: NDArray[Any], B: NDArray[Any]) -> NDArray[np.float64]:
    try:
        found = np.asarray(kernel(A, B), dtype=np.float64)
    except Exception as error:
        raise ValueError(
            f"kernel must return a matrix for {len(A)} and {len(B)} responses, but raised "
            f"{type(error).__name__}: {error}"
        ) from error
    if found.shape != (len(A), len(B)):
        raise ValueError(
            f"kernel must return a matrix of shape ({len(A)}, {len(B)}), got {found.shape}"
        )
    if not np.isfinite(found).all():
        raise ValueError("kernel must return finite numbers, got NaN or infinity")
    return found


def _read_matrix(kernel: Any) -> NDArray[Any]:
    matrix = read_square(kernel, "kernel", "a square matrix of numbers")
    _check_values(matrix)
    return matrix


def _check_values(matrix: NDArray[Any]) -> None:
    """Raise unless values of a kernel are finite, mirrored, and not negative on the diagonal."""
    largest = 0.0
    for rows in row_chunks(len(matrix), len(matrix)):
        if not np.isfinite(matrix[rows]).all():
            raise ValueError("kernel must hold finite numbers, got NaN or infinity")
        largest = max(largest, float(np.abs(matrix[rows]).max()))
    for rows in row_chunks(len(matrix), len(matrix)):
        apart = float(np.abs(matrix[rows] - matrix[:, rows].T).max())
        if apart > _TOLERANCE * largest:
            raise ValueError(f"kernel must be symmetric, got entries that differ by {apart}")
    own = matrix.diagonal()
    if (own < 0).any():
        raise ValueError(f"kernel must have no negative values on its diagonal, got {own.min()}")

"""Responses in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ..spaces import Space
from ..spaces._blocks import row_blocks
from ..spaces._checks import as_array, read_array

Kernel = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

_TOLERANCE = 1e-6  # of symmetry, relative to the largest value

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
            return read_array(Y, name, "numbers in an array of shape (n,) or (n, ...)", _ANY_AXES)
        n = len(self._matrix())
        expected = f"row indices into kernel, integers from 0 to {n - 1} in an array of shape (n,)"
        indices = as_array(Y, name, expected)
        if indices.ndim != 1 or len(indices) == 0:
            raise ValueError(f"{name} must be {expected}, got the shape {indices.shape}")
        if indices.dtype.kind not in "iu":
            raise TypeError(f"{name} must be {expected}, got entries of type {indices.dtype}")
        wrong = (indices < 0) | (indices >= n)
        if wrong.any():
            raise ValueError(f"{name} must be {expected}, got {indices[wrong][0]}")
        return np.ascontiguousarray(indices, dtype=np.int64)

    def distances(self, A: Any, B: Any = None) -> NDArray[np.float64]:
        """Return all distances between images of responses."""
        B = A if B is None else B
        squared = self._own(A)[:, None] + self._own(B) - 2 * self._values(A, B)
        distances: NDArray[np.float64] = np.sqrt(np.maximum(squared, 0.0))
        if B is A:
            np.fill_diagonal(distances, 0.0)
        return distances

    def paired_distances(self, A: Any, B: Any) -> NDArray[np.float64]:
        """Return the distance of every image to its partner."""
        found = np.empty(len(A))
        for rows in row_blocks(len(A), int(np.sqrt(len(A))) + 1):
            found[rows] = [self._distance(a, b) for a, b in zip(A[rows], B[rows], strict=True)]
        return found

    def split_blocks(self, Y: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield distances a few rows at a time."""
        own = self._own(Y)
        for rows in row_blocks(len(Y), len(Y)):
            squared = own[rows, None] + own - 2 * self._values(Y[rows], Y)
            distances = np.sqrt(np.maximum(squared, 0.0))
            distances[np.arange(len(distances)), np.arange(rows.start, rows.stop)] = 0.0
            yield rows, distances

    def _distance(self, a: Any, b: Any) -> float:
        A, B = np.asarray(a)[None], np.asarray(b)[None]
        squared = self._own(A)[0] + self._own(B)[0] - 2 * self._values(A, B)[0, 0]
        return float(np.sqrt(max(squared, 0.0)))

    def _embed(self, Y: Any) -> NDArray[np.float64]:
        return np.asarray(Y.reshape(len(Y), -1))

    def _own(self, Y: Any) -> NDArray[np.float64]:
        """Return g(y, y) of each response."""
        if self.is_matrix:
            return np.asarray(self._matrix().diagonal()[Y], dtype=np.float64)
        if self.kernel in ("rbf", "laplacian"):
            return np.ones(len(Y))
        if self.kernel == "linear":
            return np.asarray(np.sum(self._embed(Y) ** 2, axis=1))
        return np.array([self._values(y[None], y[None])[0, 0] for y in Y])

    def _values(self, A: Any, B: Any) -> NDArray[np.float64]:
        """Return g(a, b) of all pairs."""
        if self.is_matrix:
            return np.asarray(self._matrix()[np.ix_(A, B)], dtype=np.float64)
        if callable(self.kernel):
            return _called(self.kernel, A, B)
        rows, columns = self._embed(A), self._embed(B)
        if self.kernel == "rbf":
            squared = cdist(rows, columns, "sqeuclidean")
            return np.asarray(np.exp(squared / (-2 * self.bandwidth**2)))
        if self.kernel == "laplacian":
            return np.asarray(np.exp(cdist(rows, columns, "cityblock") / -self.bandwidth))
        return np.asarray(rows @ columns.T)

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
    expected = "a square matrix of numbers"
    matrix = as_array(kernel, "kernel", expected)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
        raise ValueError(f"kernel must be {expected}, got the shape {matrix.shape}")
    if matrix.dtype.kind not in "buif":
        raise TypeError(f"kernel must be {expected}, got entries of type {matrix.dtype}")
    if matrix.dtype != np.float32:
        matrix = np.asarray(matrix, dtype=np.float64)
    largest = 0.0
    for rows in row_blocks(len(matrix), len(matrix)):
        if not np.isfinite(matrix[rows]).all():
            raise ValueError("kernel must hold finite numbers, got NaN or infinity")
        largest = max(largest, float(np.abs(matrix[rows]).max()))
    for rows in row_blocks(len(matrix), len(matrix)):
        apart = float(np.abs(matrix[rows] - matrix[:, rows].T).max())
        if apart > _TOLERANCE * largest:
            raise ValueError(f"kernel must be symmetric, got entries that differ by {apart}")
    own = matrix.diagonal()
    if (own < 0).any():
        raise ValueError(f"kernel must have no negative values on its diagonal, got {own.min()}")
    return matrix

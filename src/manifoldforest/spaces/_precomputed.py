"""Responses of which only the distances are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._base import Space
from ._chunks import row_chunks, take_symmetric
from ._response_arrays import read_rows, read_square
from ._typing import Responses

# Relative to the largest distance.
_TOLERANCE = 1e-6


class Precomputed(Space):
    """Any objects, given by the distances between all of them.

    Responses are row indices into the matrix, an array of integers of shape (n,), and so are
    predictions. Cross-validation then works as usual: it cuts the indices, not the matrix.

    Parameters
    ----------
    D : array-like of shape (N, N)
        Distances: finite, at least 0, symmetric and zero on the diagonal, both within 1e-6 of the
        largest. They need not be Euclidean, nor obey the triangle inequality. float32 stays
        float32. A clone of the space shares the matrix.

    Examples
    --------
    >>> from manifoldforest.spaces import Precomputed
    >>> space = Precomputed([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    >>> space.distances(space.check([2, 0]))
    array([[0., 3.],
           [3., 0.]])
    """

    def __init__(self, D: Any) -> None:
        self.D = D

    def __sklearn_clone__(self) -> Precomputed:
        return Precomputed(self.D)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_checked", None)  # found again when needed
        return state

    def check(self, Y: Any, *, name: str = "Y") -> NDArray[np.int64]:
        """Check the matrix (once) and row indices, and return these as int64.

        Parameters
        ----------
        Y : array-like of int, shape (n,)
            Rows of `D`.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of int64, shape (n,)
            The same row indices.

        Examples
        --------
        >>> from manifoldforest.spaces import Precomputed
        >>> space = Precomputed([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
        >>> space.check([2, 0]).tolist()
        [2, 0]
        """
        return read_rows(Y, name, len(self._matrix()), "D")

    def distances(self, A: Responses, B: Responses | None = None) -> NDArray[Any]:
        """Return the distances between two sets of rows, or within one, in the type of D.

        Parameters
        ----------
        A, B : ndarray of int64
            Row indices. B=None is the same as A.

        Returns
        -------
        distances : ndarray of shape (len(A), len(B))
            Entries of `D`; with B=None symmetric and zero on the diagonal.

        Examples
        --------
        >>> from manifoldforest.spaces import Precomputed
        >>> space = Precomputed([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
        >>> space.distances(space.check([2, 0]), space.check([1])).tolist()
        [[2.0], [1.0]]
        """
        D = self._matrix()
        found: NDArray[Any] = D[np.ix_(A, A if B is None else B)]
        if B is None:
            take_symmetric(found)
        return found

    def paired_distances(self, A: Responses, B: Responses) -> NDArray[Any]:
        return self._matrix()[A, B]

    def split_distance_chunks(self, Y: Responses) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield rows of the matrix a few at a time, as symmetric as all of them together.

        Parameters
        ----------
        Y : ndarray of int64, shape (n,)
            Row indices.

        Yields
        ------
        rows : slice
            Which responses.
        distances : ndarray of shape (n_rows, n)
            Their distances to all.

        Examples
        --------
        >>> from manifoldforest.spaces import Precomputed
        >>> space = Precomputed([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
        >>> for rows, distances in space.split_distance_chunks(space.check([2, 0])):
        ...     print(rows, distances.tolist())
        slice(0, 2, None) [[0.0, 3.0], [3.0, 0.0]]
        """
        D = self._matrix()
        for rows in row_chunks(len(Y), len(Y)):
            chunk = np.minimum(D[np.ix_(Y[rows], Y)], D[np.ix_(Y, Y[rows])].T)
            chunk[np.arange(len(chunk)), np.arange(rows.start, rows.stop)] = 0
            yield rows, chunk

    def _matrix(self) -> NDArray[Any]:
        """Return D as an array of floats, checked unless it is the one that was checked before."""
        given, matrix = getattr(self, "_checked", (None, None))
        if matrix is None or given is not self.D:
            matrix = _read_distances(self.D)
            self._checked = self.D, matrix
        return matrix


def _read_distances(D: Any) -> NDArray[Any]:
    matrix = read_square(D, "Precomputed.D", "a square matrix of distances")
    _check_distances(matrix)
    return matrix


def _check_distances(D: NDArray[Any]) -> None:
    """Raise unless all entries are finite, at least 0 and mirrored, and the diagonal is zero."""
    chunks = list(row_chunks(len(D), len(D)))
    for rows in chunks:
        good = (D[rows] >= 0) & (D[rows] < np.inf)
        _refuse_first(D, good, rows, "finite numbers >= 0")
    tolerance = _TOLERANCE * max(float(D[rows].max()) for rows in chunks)
    own = np.flatnonzero(D.diagonal() > tolerance)
    if len(own):
        i = int(own[0])
        raise ValueError(f"Precomputed.D must have a zero diagonal, got D[{i}, {i}] = {D[i, i]}")
    for rows in chunks:
        apart = np.abs(D[rows] - D[:, rows].T)
        _refuse_first(D, apart <= tolerance, rows, "symmetric")


def _refuse_first(D: NDArray[Any], good: NDArray[np.bool_], rows: slice, expected: str) -> None:
    if good.all():
        return
    i, j = (int(k) for k in np.argwhere(~good)[0])
    i += rows.start
    if expected == "symmetric":
        got = f"D[{i}, {j}] = {D[i, j]} and D[{j}, {i}] = {D[j, i]}"
        raise ValueError(f"Precomputed.D must be symmetric, got {got}")
    raise ValueError(f"Precomputed.D must hold {expected}, got D[{i}, {j}] = {D[i, j]}")

"""Work on a few rows at a time, so that temporary arrays stay small for any number of responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Numbers in one temporary array: 8 MB of float64.
CHUNK = 2**20


def row_chunks(n_rows: int, numbers_per_row: int) -> Iterator[slice]:
    """Cut rows into slices whose temporaries have about :data:`CHUNK` numbers."""
    step = max(1, CHUNK // max(1, numbers_per_row))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def mirror_upper(matrix: NDArray[Any]) -> None:
    """Copy the upper triangle of a square matrix to the lower one; the diagonal becomes zero."""
    n = len(matrix)
    for rows in row_chunks(n, n):
        own = matrix[rows, rows]
        own[...] = np.triu(own, 1) + np.triu(own, 1).T
        matrix[rows.stop :, rows] = matrix[rows, rows.stop :].T


def take_symmetric(matrix: NDArray[Any]) -> None:
    """Replace both of two entries that mirror each other by the smaller; zero the diagonal."""
    n = len(matrix)
    for rows in row_chunks(n, n):
        upper = matrix[rows, rows.start :]
        np.minimum(upper, matrix[rows.start :, rows].T.copy(), out=upper)
    mirror_upper(matrix)

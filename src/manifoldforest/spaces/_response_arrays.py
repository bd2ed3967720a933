"""What spaces accept as responses and weights; errors name the argument and the response."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from manifoldforest.validation._arrays import as_array, as_numbers

from ._typing import Floats

# Squares of larger numbers, and sums of them, would leave the range of floats.
_LARGEST = 1e100


def read_array(Y: Any, name: str, expected: str, n_axes: tuple[int, ...]) -> Floats:
    """Return responses as a C-contiguous float64 array with one of `n_axes` numbers of axes.

    `expected` says in words what an array of the space is.
    """
    array = as_numbers(Y, name, expected)
    if array.ndim not in n_axes or 0 in array.shape:
        raise ValueError(f"{name} must be {expected}, got the shape {array.shape}")
    values = np.ascontiguousarray(array, dtype=np.float64)
    check_finite(values, name)
    return values


def read_rows(Y: Any, name: str, n: int, into: str) -> NDArray[np.int64]:
    """Return row indices into a matrix with `n` rows, the parameter `into`."""
    expected = f"row indices into {into}, integers from 0 to {n - 1} in an array of shape (n,)"
    indices = as_array(Y, name, expected)
    if indices.ndim != 1 or len(indices) == 0:
        raise ValueError(f"{name} must be {expected}, got the shape {indices.shape}")
    if indices.dtype.kind not in "iu":
        raise TypeError(f"{name} must be {expected}, got entries of type {indices.dtype}")
    wrong = (indices < 0) | (indices >= n)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"{name} must be {expected}, got {indices[i]} in response {i}")
    return np.ascontiguousarray(indices, dtype=np.int64)


def read_square(matrix: Any, name: str, expected: str) -> NDArray[Any]:
    """Return a square matrix of floats; single precision stays as it is."""
    square = as_numbers(matrix, name, expected)
    if square.ndim != 2 or square.shape[0] != square.shape[1] or len(square) == 0:
        raise ValueError(f"{name} must be {expected}, got the shape {square.shape}")
    return square if square.dtype == np.float32 else np.asarray(square, dtype=np.float64)


def check_finite(values: Floats, name: str, *, first: int = 0) -> None:
    """Raise unless all numbers are finite and small enough to be squared.

    `first` is the index of the first response among them.
    """
    good = np.abs(values) <= _LARGEST  # NaN is not
    if good.all():
        return
    where = tuple(int(i) for i in np.argwhere(~good)[0])
    raise ValueError(
        f"{name} must hold finite numbers of size {_LARGEST:g} at most, got {values[where]} in "
        f"response {first + where[0]}"
    )


def check_each(good: NDArray[np.bool_], name: str, expected: str, got: str, what: Any) -> None:
    """Raise a ValueError about the first response that is not good.

    `got` says what is wrong with it, with `what[i]` for response i in place of ``{}``.
    """
    if good.all():
        return
    i = int(np.argmin(good))
    raise ValueError(f"{name} must hold {expected}, got {got.format(what[i])} in response {i}")


def read_weights(weights: Any, n: int) -> sparse.csr_matrix:
    """Return the weights of `n` responses, a row for each query, with rows that sum to 1."""
    if not sparse.issparse(weights):
        raise TypeError(
            f"weights must be a sparse matrix, got an object of type {type(weights).__name__}"
        )
    rows = sparse.csr_matrix(weights, dtype=np.float64)
    if rows.shape[1] != n:
        raise ValueError(
            f"weights must have one column for each of the {n} responses, got the shape "
            f"{rows.shape}"
        )
    if not (rows.data >= 0).all():  # NaN is not
        raise ValueError(f"weights must be numbers >= 0, got {rows.data.min()}")
    sums = np.asarray(rows.sum(axis=1)).ravel()
    wrong = ~(np.abs(sums - 1) <= 1e-6)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"weights must have rows that sum to 1, got {sums[i]} in row {i}")
    scaled = sparse.csr_matrix(
        (rows.data / np.repeat(sums, np.diff(rows.indptr)), rows.indices, rows.indptr),
        shape=rows.shape,
        copy=True,
    )
    scaled.eliminate_zeros()
    scaled.sum_duplicates()
    return scaled

"""Distances between all rows of two tables, without overflow and without rounding points together.

Rows are uint8, float32, float64 or, where those would round them, int64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

# Euclidean distances of this size have squares that neither overflow nor vanish.
_SMALLEST_SAFE, _LARGEST_SAFE = 1e-140, 1e150
# Pairs that are measured at a time where they are not.
_PAIRS = 2**12
# From here on 1 - cos has lost digits.
_NEARLY_PARALLEL = 1 - 2.0**-12


Table: TypeAlias = NDArray[Any]
Doubles: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class PairwiseMetric:
    """How one of the core's metrics is measured here.

    Parameters
    ----------
    of_doubles : callable
        Proxies between all rows of two tables of doubles: numbers ordered as the distances are.
    of_bytes : callable or None
        The same for doubles that were bytes; None if it makes no difference.
    of_differences : callable or None
        Distances from the absolute differences of the entries of one row and those of a table;
        None if the metric depends on more than these.
    distances : callable
        From proxies to distances; those are distances already by default.
    """

    of_doubles: Callable[[Doubles, Doubles], Doubles]
    of_bytes: Callable[[Doubles, Doubles], Doubles] | None = None
    of_differences: Callable[[Doubles], Doubles] | None = None
    distances: Callable[[Doubles], Doubles] = lambda proxies: proxies

    def proxies(self, a: Table, b: Table) -> Doubles:
        """Return proxies between all rows of two tables."""
        if self.of_differences is not None and np.int64 in (a.dtype, b.dtype):
            return _of_whole_numbers(self.of_differences, as_int64(a), as_int64(b))
        of_bytes = a.dtype == b.dtype == np.uint8
        measure = self.of_bytes if of_bytes and self.of_bytes is not None else self.of_doubles
        return measure(a.astype(np.float64), b.astype(np.float64))


def as_int64(rows: NDArray[Any], name: str = "X") -> NDArray[np.int64]:
    """Return rows as int64; they must be whole numbers of 64 bits."""
    if rows.dtype.kind == "f":
        fits = (rows == np.trunc(rows)) & (np.abs(rows) < 2.0**63)
        if not fits.all():
            raise ValueError(
                f"{name} must hold whole numbers of 64 bits, as some points of the index do that "
                f"are not exact in double precision, got {rows[~fits][0]}"
            )
    return rows.astype(np.int64)


def _of_whole_numbers(
    of_differences: Callable[[Doubles], Doubles], a: NDArray[np.int64], b: NDArray[np.int64]
) -> Doubles:
    found = np.empty((len(a), len(b)))
    for i, row in enumerate(a):
        # the difference of 64-bit numbers is below 2^64, and exact as an unsigned number
        larger, smaller = np.maximum(row, b), np.minimum(row, b)
        apart = (larger.view(np.uint64) - smaller.view(np.uint64)).astype(np.float64)
        found[i] = of_differences(apart)
    return found


def _by_scipy(name: str) -> Callable[[Doubles, Doubles], Doubles]:
    def distances(a: Doubles, b: Doubles) -> Doubles:
        found: Doubles = cdist(a, b, name)
        return found

    return distances


def _euclidean(a: Doubles, b: Doubles) -> Doubles:
    found: Doubles = cdist(a, b)
    doubtful = ~((found > _SMALLEST_SAFE) & (found < _LARGEST_SAFE))
    rows = np.flatnonzero(doubtful.any(axis=1))
    if len(rows) == 0:
        return found
    largest = np.zeros_like(found)
    largest[rows] = cdist(a[rows], b, "chebyshev")
    found[doubtful & (largest == 0)] = 0
    pairs = np.argwhere(doubtful & (largest > 0))
    for begin in range(0, len(pairs), _PAIRS):
        i, j = pairs[begin : begin + _PAIRS].T
        exponent = np.frexp(largest[i, j])[1]
        scaled = np.ldexp(a[i] - b[j], -exponent[:, None])
        found[i, j] = np.ldexp(np.sqrt((scaled * scaled).sum(axis=1)), exponent)
    return found


def _angles(a: Doubles, b: Doubles) -> Doubles:
    """Return 1 - cos as half the square between unit vectors: it keeps digits of small angles."""
    found: Doubles = cdist(_unit(a), _unit(b), "sqeuclidean") / 2
    return _with_zero_vectors(found, (a == 0).all(axis=1), (b == 0).all(axis=1))


def _unit(rows: Doubles) -> Doubles:
    """Return rows of length 1, and rows of zeros; in units of a power of two nothing overflows."""
    exponents = np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1]
    scaled = np.ldexp(rows, -exponents)
    squares = (scaled * scaled).sum(axis=1, keepdims=True)
    units: Doubles = np.divide(scaled, np.sqrt(squares), out=np.zeros_like(rows), where=squares > 0)
    return units


def _angles_of_bytes(a: Doubles, b: Doubles) -> Doubles:
    """Return 1 - cos, which is exactly 0 for parallel rows only: all sums are whole."""
    squares_a, squares_b = (a * a).sum(axis=1)[:, None], (b * b).sum(axis=1)
    dots = a @ b.T
    products = squares_a * squares_b
    cosine = np.divide(dots, np.sqrt(products), out=np.zeros_like(dots), where=products > 0)
    found = 1 - cosine
    near = cosine > _NEARLY_PARALLEL
    # sin^2 / (1 + cos): the unsigned products may wrap, their difference does not
    n, m, d = (part.astype(np.uint64) for part in (squares_a, squares_b, dots))
    sines = (n * m - d * d)[near].astype(np.float64) / products[near]
    found[near] = sines / (1 + cosine[near])
    return _with_zero_vectors(found, squares_a[:, 0] == 0, squares_b == 0)


def _with_zero_vectors(
    angles: Doubles, zero_a: NDArray[np.bool_], zero_b: NDArray[np.bool_]
) -> Doubles:
    angles[zero_a[:, None] ^ zero_b] = 1
    angles[zero_a[:, None] & zero_b] = 0
    return angles


# by the core's name
PAIRWISE_METRICS = {
    "euclidean": PairwiseMetric(
        _euclidean, of_differences=lambda apart: np.sqrt((apart * apart).sum(axis=1))
    ),
    "manhattan": PairwiseMetric(
        _by_scipy("cityblock"), of_differences=lambda apart: apart.sum(axis=1)
    ),
    "chebyshev": PairwiseMetric(
        _by_scipy("chebyshev"), of_differences=lambda apart: apart.max(axis=1)
    ),
    "cosine": PairwiseMetric(_angles, of_bytes=_angles_of_bytes),
    "hamming": PairwiseMetric(
        _by_scipy("hamming"), of_differences=lambda apart: (apart > 0).mean(axis=1)
    ),
    # the largest product is the nearest; 1 minus it could lose digits
    "inner_product": PairwiseMetric(lambda a, b: -(a @ b.T), distances=lambda proxies: 1 + proxies),
}

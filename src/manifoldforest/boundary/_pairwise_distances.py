"""Distances between all rows of two tables, in double precision.

They do not overflow, and different rows are not at distance 0. Rows are uint8, float32, float64 or,
where these types would round them, int64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

# Squares of Euclidean distances in this range neither overflow nor underflow.
_SMALLEST_SAFE, _LARGEST_SAFE = 1e-140, 1e150
# Number of pairs outside that range that are measured at a time.
_PAIRS_PER_BATCH = 2**12
# For a larger cosine, 1 - cos would lose digits.
_NEARLY_PARALLEL = 1 - 2.0**-12


Table: TypeAlias = NDArray[Any]
Doubles: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class PairwiseMetric:
    """How one of the metrics of the core is measured in NumPy.

    Parameters
    ----------
    of_doubles : callable
        Proxies between all rows of two tables of doubles. A proxy is a number that increases with
        the distance.
    of_bytes : callable or None
        The same for doubles that were bytes; None if `of_doubles` serves them as well.
    of_differences : callable or None
        Proxies from the absolute differences between one row and each row of a table; None if the
        metric does not depend on differences alone.
    distances : callable
        Converts proxies to distances. By default they are distances already.
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
    """Return rows as int64, or raise a ValueError if they do not hold whole numbers of 64 bits."""
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
        # the difference of two int64 is below 2^64, and exact as uint64
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
    unsafe = ~((found > _SMALLEST_SAFE) & (found < _LARGEST_SAFE))
    rows = np.flatnonzero(unsafe.any(axis=1))
    if len(rows) == 0:
        return found
    largest = np.zeros_like(found)
    largest[rows] = cdist(a[rows], b, "chebyshev")
    found[unsafe & (largest == 0)] = 0
    pairs = np.argwhere(unsafe & (largest > 0))
    for begin in range(0, len(pairs), _PAIRS_PER_BATCH):
        i, j = pairs[begin : begin + _PAIRS_PER_BATCH].T
        exponent = np.frexp(largest[i, j])[1]
        scaled = np.ldexp(a[i] - b[j], -exponent[:, None])
        found[i, j] = np.ldexp(np.sqrt((scaled * scaled).sum(axis=1)), exponent)
    return found


def _cosine_distances(a: Doubles, b: Doubles) -> Doubles:
    """Return 1 - cos as half the squared distance of unit vectors.

    For small angles, the difference 1 - cos would lose digits.
    """
    found: Doubles = cdist(_unit(a), _unit(b), "sqeuclidean") / 2
    return _with_zero_vectors(found, (a == 0).all(axis=1), (b == 0).all(axis=1))


def _unit(rows: Doubles) -> Doubles:
    """Return rows of length 1; rows of zeros stay. Scaling by powers of two avoids overflow."""
    exponents = np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1]
    scaled = np.ldexp(rows, -exponents)
    squares = (scaled * scaled).sum(axis=1, keepdims=True)
    units: Doubles = np.divide(scaled, np.sqrt(squares), out=np.zeros_like(rows), where=squares > 0)
    return units


def _cosine_distances_of_bytes(a: Doubles, b: Doubles) -> Doubles:
    """Return 1 - cos, which is 0 for parallel rows only, as all sums are whole numbers."""
    squares_a, squares_b = (a * a).sum(axis=1)[:, None], (b * b).sum(axis=1)
    dots = a @ b.T
    products = squares_a * squares_b
    cosine = np.divide(dots, np.sqrt(products), out=np.zeros_like(dots), where=products > 0)
    found = 1 - cosine
    near = cosine > _NEARLY_PARALLEL
    # 1 - cos = sin^2 / (1 + cos). The products may exceed 2^64; their difference modulo 2^64 is
    # exact, as it is below 2^64.
    n, m, d = (part.astype(np.uint64) for part in (squares_a, squares_b, dots))
    sines = (n * m - d * d)[near].astype(np.float64) / products[near]
    found[near] = sines / (1 + cosine[near])
    return _with_zero_vectors(found, squares_a[:, 0] == 0, squares_b == 0)


def _with_zero_vectors(
    distances: Doubles, zero_a: NDArray[np.bool_], zero_b: NDArray[np.bool_]
) -> Doubles:
    """Set the distance of a zero vector to another to 0, and to all other vectors to 1."""
    distances[zero_a[:, None] ^ zero_b] = 1
    distances[zero_a[:, None] & zero_b] = 0
    return distances


# By the name in the core.
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
    "cosine": PairwiseMetric(_cosine_distances, of_bytes=_cosine_distances_of_bytes),
    "hamming": PairwiseMetric(
        _by_scipy("hamming"), of_differences=lambda apart: (apart > 0).mean(axis=1)
    ),
    # the proxy is minus the product, as 1 minus the product could lose digits
    "inner_product": PairwiseMetric(lambda a, b: -(a @ b.T), distances=lambda proxies: 1 + proxies),
}

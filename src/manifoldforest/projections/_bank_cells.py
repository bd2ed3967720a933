"""What the cells of a bank are, read from the numbers of its views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# In the orders of the bits of cpp/core/views/intervals.hpp and kernels.hpp; the last two
# statistics are quantiles, which may be several of an interval.
STATISTICS = ("mean", "minimum", "maximum", "std", "slope", "position", "quantile")
POOLS = ("maximum", "share", "mean", "position")

_QUANTILE, _CENTRED = STATISTICS.index("quantile"), len(STATISTICS)
_MINUS_MEAN = "quantile minus mean"
_BEFORE_INTERVALS, _BEFORE_KERNELS, _BEFORE_WEIGHTS = 5, 4, 6  # numbers
_DIFFERENCES, _SPECTRUM = 1, 2  # bases of cpp/core/views/series_base.hpp


class BankCells(NamedTuple):
    """The cells of one view of a bank, in their order."""

    source: str  # what they are computed of: "series", "differences", "kernels of the spectrum"
    kinds: tuple[str, ...]  # statistics or pools, those that there are
    is_spectrum: bool  # whether intervals are of frequencies
    order: int  # of differences: one of them takes so many more times
    n_series: int  # of an example
    series: NDArray[np.int64]  # of each cell
    kind: NDArray[np.int64]  # place of its statistic in `kinds`
    begin: NDArray[np.int64]  # interval of the values that it depends on
    end: NDArray[np.int64]


def bank_cells(kind: str, shape: Sequence[int], numbers: Sequence[int]) -> BankCells:
    """Read the cells of a view.

    Parameters
    ----------
    kind : {"intervals", "kernels"}
        Kind of the view.
    shape : sequence of int
        Of an example; time is its last axis.
    numbers : sequence of int
        As in the headers of the core, cpp/core/views/intervals.hpp and kernels.hpp.

    Returns
    -------
    cells : BankCells
        One entry for each cell. Intervals are those of the values of the base: times, differences
        or frequencies.
    """
    base, order, _ = numbers[:3]
    source = {_DIFFERENCES: "differences", _SPECTRUM: "spectrum"}.get(base, "series")
    if base == _DIFFERENCES and order > 1:
        source = f"{order}-fold differences"
    n_series = math.prod(shape[:-1])
    if kind == "kernels":
        source = f"kernels of {'the ' if base != _DIFFERENCES else ''}{source}"
        kinds, columns = _of_kernels(np.asarray(numbers, dtype=np.int64))
    else:
        kinds, columns = _of_intervals(np.asarray(numbers, dtype=np.int64), n_series)
    return BankCells(
        source, kinds, base == _SPECTRUM, order if base == _DIFFERENCES else 0, n_series, *columns
    )


def _of_intervals(
    numbers: NDArray[np.int64], n_series: int
) -> tuple[tuple[str, ...], tuple[NDArray[np.int64], ...]]:
    bits, spacing = int(numbers[3]), int(numbers[4])
    single = [name for bit, name in enumerate(STATISTICS[:_QUANTILE]) if bits >> bit & 1]
    kinds = list(single)
    if bits >> _QUANTILE & 1 or bits >> _CENTRED & 1:
        kinds.append("quantile")
    if bits >> _CENTRED & 1:
        kinds.append(_MINUS_MEAN)
    begin, end = numbers[_BEFORE_INTERVALS:].reshape(-1, 2).T
    of_interval: list[int] = []
    kind: list[int] = []
    for i, size in enumerate((end - begin).tolist()):
        n_quantiles = 1 + (size - 1) // spacing if spacing else 0
        kind += range(len(single))
        centred = bits >> _CENTRED & 1
        kind += [len(single) + (q % 2 if centred else 0) for q in range(n_quantiles)]
        of_interval += [i] * (len(single) + n_quantiles)
    series = np.repeat(np.arange(n_series), len(kind))
    columns = (np.array(kind), begin[of_interval], end[of_interval])
    return tuple(kinds), (series, *(np.tile(column, n_series) for column in columns))


def _of_kernels(
    numbers: NDArray[np.int64],
) -> tuple[tuple[str, ...], tuple[NDArray[np.int64], ...]]:
    kinds = tuple(name for bit, name in enumerate(POOLS) if int(numbers[3]) >> bit & 1)
    kernels, at = [], _BEFORE_KERNELS
    while at < len(numbers):
        series, n_weights, dilation, begin, end = numbers[at : at + 5].tolist()
        kernels.append((series, begin, end + (n_weights - 1) * dilation))
        at += _BEFORE_WEIGHTS + n_weights
    series, begin, end = np.repeat(np.array(kernels, dtype=np.int64), len(kinds), axis=0).T
    kind = np.tile(np.arange(len(kinds)), len(kernels))
    return kinds, (series, kind, begin, end)

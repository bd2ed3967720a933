"""Statistics of intervals of series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from manifoldforest import _core
from manifoldforest.validation._rules import (
    Rule,
    boolean,
    integer,
    none,
    one_of,
    sequence_of,
)
from manifoldforest.views import Difference, Identity, Spectrum, View

from ._bank_cells import STATISTICS
from ._base import Projection
from ._series_base import SERIES_VIEW, base_numbers, n_values

Statistic: TypeAlias = Literal["mean", "minimum", "maximum", "std", "slope", "position", "quantile"]

_CENTRED = len(STATISTICS)  # the bit of centred quantiles

_STATISTIC = one_of(*STATISTICS)

# what QUANT looks at
_VIEWS: tuple[View, ...] = (
    Identity(),
    Difference(),
    Difference(order=2, smoothing=1),
    Spectrum(),
)


class Intervals(Projection):
    """Statistics of intervals of series, along the last axis of an example.

    Every series, and its differences and spectrum, is cut into intervals, and each interval has
    some statistics: its mean, its quantiles, its slope. All of them are computed once for each
    example, each channel for itself, and trees split on single ones of these numbers, the *cells*
    of a bank. `max_features` of a forest counts cells.

    A series may end before the others, if its last values are missing (NaN): its intervals are then
    in proportion to its length. Other missing values make the statistics missing that depend on
    them.

    Parameters
    ----------
    statistics : str or sequence of str, default="quantile"
        Which statistics intervals have, of ``"mean"``, ``"minimum"``, ``"maximum"``, ``"std"`` (the
        standard deviation), ``"slope"`` (of the line of least squares, per point), ``"position"``
        (of the first maximum, from 0 for the first point to 1 for the last) and ``"quantile"``.
    intervals : {"dyadic", "random"}, default="dyadic"
        ``"dyadic"``: the whole series, its halves, quarters, and so on, and the same shifted by
        half an interval, as in QUANT. ``"random"``: `n_intervals` of them, whose size is drawn
        first, between `min_size` and the length of the series on a logarithmic scale, and then
        their place.
    depth : int, default=6
        How many sizes dyadic intervals have, at most.
    n_intervals : int or None, default=None
        Number of random intervals on each view. None is four times the square root of its length.
    min_size : int or None, default=None
        Points of the shortest interval, or all of a shorter series. None is 1 for dyadic and 3 for
        random intervals.
    spacing : int, default=4
        Points of an interval for each of its quantiles: an interval of m points has
        ``1 + (m - 1) // spacing``, evenly spaced from the least to the largest value; the median if
        that is one only.
    centre : bool, default=True
        Whether every second quantile of an interval has the mean of the interval taken off, as in
        QUANT.
    views : sequence of View or None, default=None
        What intervals lie on: `Identity`, `Difference` and `Spectrum` views. None stands for the
        series itself, its first differences after smoothing, its second differences, and its
        spectrum; those for which a series is too short are left out.
    random_state : int, default=0
        Seed of random intervals.

    References
    ----------
    A. Dempster, D. F. Schmidt and G. I. Webb (2024). QUANT: a minimalist interval method for time
    series classification. *Data Mining and Knowledge Discovery* 38, 2377-2402.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> series, labels = rng.normal(size=(60, 32)), np.repeat([0, 1], 30)
    >>> series[30:, 8:16] *= 4  # some values there are larger, but none always
    >>> projection = mf.projections.Intervals("std", views=[mf.views.Identity()])
    >>> forest = mf.ForestClassifier(20, projection=projection, random_state=0)
    >>> forest.fit(series, labels).trees_[0].split_text(0).split(" <= ")[0]
    'standard deviation of times 12-15'
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "statistics": _STATISTIC | sequence_of(_STATISTIC, at_least=1),
        "intervals": one_of("dyadic", "random"),
        "depth": integer(1),
        "n_intervals": integer(1) | none,
        "min_size": integer(1) | none,
        "spacing": integer(1),
        "centre": boolean,
        "views": sequence_of(SERIES_VIEW, at_least=1) | none,
        "random_state": integer(0),
    }

    def __init__(
        self,
        statistics: Statistic | Sequence[Statistic] = "quantile",
        *,
        intervals: Literal["dyadic", "random"] = "dyadic",
        depth: int = 6,
        n_intervals: int | None = None,
        min_size: int | None = None,
        spacing: int = 4,
        centre: bool = True,
        views: Sequence[View] | None = None,
        random_state: int = 0,
    ) -> None:
        self.statistics = statistics
        self.intervals = intervals
        self.depth = depth
        self.n_intervals = n_intervals
        self.min_size = min_size
        self.spacing = spacing
        self.centre = centre
        self.views = views
        self.random_state = random_state

    def _bank(self, feature_shape: tuple[int, ...]) -> list[tuple[str, list[int], list[int]]]:
        self._check_parameters()
        statistics, length = self._bits(), feature_shape[-1]
        # from the length on, each interval has its median alone
        spacing = min(int(self.spacing), length) if "quantile" in self._names() else 0
        rng = np.random.default_rng(int(self.random_state))
        bank = []
        for base, n_cells in self._bases(length):
            places = [int(place) for place in self._places(n_cells, rng).ravel()]
            bank.append(("intervals", list(feature_shape), [*base, statistics, spacing, *places]))
        return bank

    @property
    def _reads_series(self) -> bool:
        return True

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        return _core.axis_sampler(geometry.n_features)

    def _names(self) -> list[str]:
        statistics: Any = self.statistics
        return [statistics] if isinstance(statistics, str) else list(statistics)

    def _bits(self) -> int:
        """Return the statistics as the core knows them."""
        bits = {STATISTICS.index(name) for name in self._names()}
        quantile = STATISTICS.index("quantile")
        if self.centre and quantile in bits:
            bits = (bits - {quantile}) | {_CENTRED}
        return sum(1 << bit for bit in bits)

    def _bases(self, length: int) -> list[tuple[list[int], int]]:
        """Return three numbers for each view, and how many cells it has."""
        views = self.views
        if views is None:
            views = [v for v in _VIEWS if not isinstance(v, Difference) or v.order < length]
        return [(base_numbers(view), n_values(view, length)) for view in views]

    def _places(self, length: int, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return begin and end of all intervals of a series of so many points."""
        dyadic = self.intervals == "dyadic"
        usual = 1 if dyadic else 3
        least = min(usual if self.min_size is None else int(self.min_size), length)
        if dyadic:
            places = dyadic_intervals(length, int(self.depth))
            return places[places[:, 1] - places[:, 0] >= least]
        n = 4 * int(np.sqrt(length)) if self.n_intervals is None else int(self.n_intervals)
        sizes = np.exp(rng.uniform(np.log(least), np.log(length + 1), size=n)).astype(np.int64)
        sizes = np.clip(sizes, least, length)
        begins = rng.integers(0, length - sizes + 1)
        return np.unique(np.stack([begins, begins + sizes], axis=1), axis=0)


def dyadic_intervals(length: int, depth: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return begin and end of the intervals of QUANT.

    Level k has 2^k intervals that cover the series, and between them the same shifted by half an
    interval, rounded up, where intervals have more than one point.
    """
    levels = []
    for k in range(min(depth, length.bit_length())):
        ends = np.arange(2**k + 1) * length // 2**k
        level = np.stack([ends[:-1], ends[1:]], axis=1)
        levels.append(level)
        sizes = np.diff(ends)
        if k > 0 and np.sort(sizes)[(len(sizes) - 1) // 2] > 1:
            levels.append(level[:-1] + ((sizes[:-1] + 1) // 2)[:, None])
    return np.concatenate(levels)

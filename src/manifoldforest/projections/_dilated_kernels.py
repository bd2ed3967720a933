"""Random kernels of series, pooled over intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from manifoldforest import _core
from manifoldforest.validation._rules import Rule, integer, none, one_of, real, sequence_of
from manifoldforest.views import Difference, Identity, View

from ._bank_cells import POOLS
from ._base import Projection
from ._series_base import SERIES_VIEW, base_numbers, n_values

Self = TypeVar("Self", bound="DilatedKernels")

Pool: TypeAlias = Literal["maximum", "share", "mean", "position"]

_POOL = one_of(*POOLS)

_LEAST, _MOST = 3, 9  # weights of a kernel
_SHORTEST = 3  # interval of answers, or all of them


class DilatedKernels(Projection):
    """Random kernels slid along series, whose answers are pooled over intervals.

    A kernel has 3 to 9 weights, drawn from a normal distribution, with mean 0 and length 1, for
    points that are a *dilation* apart: up to the whole series, on a logarithmic scale. It looks at
    one channel. Its answers at all places, or in an interval of them, are pooled to a few numbers,
    computed once for each example, and trees split on single ones of these numbers, the *cells* of
    a bank. `max_features` of a forest counts cells. Kernels of this kind are those of ROCKET.

    Of a series that ends before the others, as its last values are missing (NaN), dilation and
    interval are in proportion. Other missing values make the cells missing that depend on them.

    Parameters
    ----------
    n_kernels : int, default=500
        Number of kernels.
    pool : str or sequence of str, default=("maximum", "share", "mean", "position")
        What answers become: their ``"maximum"``, the ``"share"`` of them above a threshold, which
        is an answer to a training example, their ``"mean"``, and the ``"position"`` of the maximum,
        from 0 to 1.
    whole : float, default=0.5
        Share of the kernels whose answers are pooled over the whole series, not an interval.
    view : View or None, default=None
        What kernels look at: an `Identity`, `Difference` or `Spectrum` view; None is the series.
    random_state : int, default=0
        Seed of kernels, intervals and thresholds.

    Attributes
    ----------
    kernels_ : list of int
        The kernels, as numbers of the core. Only in a fitted forest's ``projection_``.

    References
    ----------
    A. Dempster, F. Petitjean and G. I. Webb (2020). ROCKET: exceptionally fast and accurate time
    series classification using random convolutional kernels. *Data Mining and Knowledge Discovery*
    34, 1454-1495.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> series, labels = rng.normal(size=(80, 40)), np.repeat([0, 1], 40)
    >>> for i, place in enumerate(rng.integers(0, 33, size=40)):
    ...     series[40 + i, place : place + 8] += 3 * np.sin(np.arange(8))  # a wave, anywhere
    >>> projection = mf.projections.DilatedKernels(200, pool="maximum")
    >>> forest = mf.ForestClassifier(100, projection=projection, oob_score=True, random_state=0)
    >>> bool(forest.fit(series, labels).oob_score_ > 0.8)
    True
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "n_kernels": integer(1),
        "pool": _POOL | sequence_of(_POOL, at_least=1),
        "whole": real("[0, 1]"),
        "view": SERIES_VIEW | none,
        "random_state": integer(0),
    }

    kernels_: list[int]

    def __init__(
        self,
        n_kernels: int = 500,
        *,
        pool: Pool | Sequence[Pool] = POOLS,  # type: ignore[assignment]
        whole: float = 0.5,
        view: View | None = None,
        random_state: int = 0,
    ) -> None:
        self.n_kernels = n_kernels
        self.pool = pool
        self.whole = whole
        self.view = view
        self.random_state = random_state

    def _learned(
        self: Self,
        rows: NDArray[np.generic],
        feature_shape: tuple[int, ...],
        weight: NDArray[np.float64],
    ) -> Self:
        self._check_parameters()
        if hasattr(self, "kernels_"):
            return self
        learned: Self = clone(self)
        learned.kernels_ = self._drawn(rows[weight > 0], feature_shape)
        return learned

    def _bank(self, feature_shape: tuple[int, ...]) -> list[tuple[str, list[int], list[int]]]:
        pools: Any = self.pool
        names = [pools] if isinstance(pools, str) else pools
        bits = sum(1 << bit for bit in {POOLS.index(name) for name in names})
        numbers = [*base_numbers(self._base), bits, *self.kernels_]
        return [("kernels", list(feature_shape), numbers)]

    @property
    def _reads_series(self) -> bool:
        return True

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        return _core.axis_sampler(geometry.n_features)

    @property
    def _base(self) -> View:
        return Identity() if self.view is None else self.view

    def _drawn(self, rows: NDArray[np.generic], feature_shape: tuple[int, ...]) -> list[int]:
        """Draw all kernels, each with a threshold from its answers to one of the rows."""
        rng = np.random.default_rng(int(self.random_state))
        length = n_values(self._base, feature_shape[-1])
        n_series = math.prod(feature_shape[:-1])
        asked, of_kernel = np.unique(
            rng.integers(len(rows), size=int(self.n_kernels)), return_inverse=True
        )
        values = self._values(rows[asked].astype(np.float32).reshape(len(asked), n_series, -1))
        numbers: list[int] = []
        for row in of_kernel:
            n_weights = min(int(rng.integers(_LEAST, _MOST + 1)), max(1, (length + 1) // 2))
            dilation = 1
            if n_weights > 1:
                most = max(1.0, (length - 1) / (n_weights - 1))
                dilation = int(2 ** rng.uniform(0, math.log2(most)))
            begin, end = self._interval(length - (n_weights - 1) * dilation, rng)
            weights = _weights(n_weights, rng)
            series = int(rng.integers(n_series))
            answers = _answers(values[row][series], weights, dilation, (begin, end), length)
            threshold = _drawn_answer(answers, rng.uniform())
            floats = np.array([threshold, *weights], dtype=np.float32).view(np.int32)
            numbers += [series, n_weights, dilation, begin, end, *floats.tolist()]
        return numbers

    def _values(self, examples: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Return what kernels look at, series × values of each; fewer if its series end early."""
        if not np.isnan(examples[:, :, -1]).all(axis=1).any():
            return list(self._base.transform(examples))
        return [self._values_of_short(example) for example in examples]

    def _values_of_short(self, example: NDArray[np.float32]) -> NDArray[np.float32]:
        known = np.flatnonzero(~np.isnan(example).all(axis=0))
        length = int(known[-1]) + 1 if len(known) else 0
        if length <= (self._base.order if isinstance(self._base, Difference) else 0):
            return example[:, :0]
        values: NDArray[np.float32] = self._base.transform(example[None, :, :length])[0]
        return values

    def _interval(self, n_answers: int, rng: np.random.Generator) -> tuple[int, int]:
        if rng.uniform() < self.whole or n_answers <= _SHORTEST:
            return 0, n_answers
        size = math.exp(rng.uniform(math.log(_SHORTEST), math.log(n_answers)))
        size = min(max(_SHORTEST, round(size)), n_answers)
        begin = int(rng.integers(0, n_answers - size + 1))
        return begin, begin + int(size)


def _weights(n: int, rng: np.random.Generator) -> NDArray[np.float32]:
    weights = rng.normal(size=n)
    if n > 1:
        weights -= weights.mean()
    return np.asarray(weights / np.sqrt((weights**2).sum()), dtype=np.float32)


def _answers(
    values: NDArray[np.float32],
    weights: NDArray[np.float32],
    dilation: int,
    interval: tuple[int, int],
    longest: int,
) -> NDArray[np.float64]:
    """Return what a kernel answers in its interval, as cpp/core/views/kernels.hpp says.

    Of fewer values than the longest series has, dilation and interval are in proportion.
    """
    begin, end = interval
    n_places = longest - (len(weights) - 1) * dilation
    dilation = max(1, dilation * len(values) // longest)
    reach = (len(weights) - 1) * dilation
    n_left = len(values) - reach
    if n_left < 1:
        return np.array([])
    begin = min(begin * n_left // n_places, n_left - 1)
    end = max(end * n_left // n_places, begin + 1)
    windows = np.lib.stride_tricks.sliding_window_view(values.astype(np.float64), reach + 1)
    answers: NDArray[np.float64] = windows[begin:end, ::dilation] @ weights.astype(np.float64)
    return answers


def _drawn_answer(answers: NDArray[np.float64], uniform: float) -> float:
    """Return the answer at a place in the order of those that are known; 0 if none is."""
    known = np.sort(answers[np.isfinite(answers)])
    return float(known[int(uniform * len(known))]) if len(known) else 0.0

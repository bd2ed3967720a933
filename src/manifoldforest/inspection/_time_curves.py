"""Where in time, and at which frequencies, splits of forests on series look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._fitted_state import snapshot
from ..projections._bank_cells import BankCells, bank_cells
from ..validation._rules import Rule, check_argument, one_of, sequence_of

if TYPE_CHECKING:
    from ..forests._bank import Bank

Over: TypeAlias = Literal["time", "frequency"]

_FOREST = Rule(
    "a fitted forest",
    lambda value: not isinstance(value, type) and hasattr(type(value), "feature_importances_"),
)


@dataclass(frozen=True, eq=False, repr=False)
class TimeCurves:
    """Importances over time or frequency, for each kind of cell and each channel.

    Every cell of a bank depends on an interval, over which its importance is spread evenly. More
    cells depend on some places than on others, such as those in the middle of a series, so that
    `importance` is not even where a forest learned from noise. `relative` is divided by what would
    be expected if all cells were equally important, and is 1 on average.

    Attributes
    ----------
    over : {"time", "frequency"}
        What places are.
    places : ndarray of shape (n_places,)
        Times from 0 on, or frequencies in cycles per point, from 0 to 1/2.
    kinds : list of str
        Kinds of cells, such as ``"quantile of differences"``: a statistic, and what it is computed
        of.
    importance : ndarray of shape (n_kinds, n_channels, n_places)
        Shares of the importance of all cells of the forest, over time and frequency together: the
        sums over both of them are 1. A channel is a series of an example.
    expected : ndarray of shape (n_kinds, n_channels, n_places)
        What `importance` were if all cells were equally important.

    See Also
    --------
    manifoldforest.inspection.time_curves : makes them.
    manifoldforest.plot.time_curves : draws them.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> series, labels = np.random.default_rng(0).normal(size=(60, 32)), np.repeat([0, 1], 30)
    >>> series[30:, 8:16] += 2
    >>> forest = mf.named_forest("QUANT", n_estimators=20, random_state=0).fit(series, labels)
    >>> curves = mf.inspection.time_curves(forest)
    >>> curves
    <TimeCurves of 6 kinds of cells, 1 channel, 32 times>
    >>> curves.kinds[:2], curves.importance.shape
    (['quantile of series', 'quantile minus mean of series'], (6, 1, 32))
    """

    over: Over
    places: NDArray[Any]
    kinds: list[str]
    importance: NDArray[np.float64]
    expected: NDArray[np.float64]

    @property
    def relative(self) -> NDArray[np.float64]:
        """Importance divided by what is expected of equal cells, in the same shape.

        It is 2 where the cells of a kind are twice as important as those of a forest are on
        average, and NaN at places on which no cell of this kind depends.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> import numpy as np
        >>> series, labels = np.random.default_rng(0).normal(size=(60, 32)), np.repeat([0, 1], 30)
        >>> series[30:, 8:16] += 2
        >>> forest = mf.named_forest("QUANT", n_estimators=20, random_state=0).fit(series, labels)
        >>> curves = mf.inspection.time_curves(forest)
        >>> quantiles_of_series = curves.relative[0, 0]
        >>> bool(8 <= quantiles_of_series.argmax() < 16)
        True
        """
        return _ratio(self.importance, self.expected)

    def of_channels(self, kinds: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Return the relative importance of some kinds of cells together.

        Parameters
        ----------
        kinds : sequence of str, optional
            Some of `kinds`; all of them by default.

        Returns
        -------
        relative : ndarray of shape (n_channels, n_places)
            The sum of `importance` over these kinds, divided by that of `expected`.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> import numpy as np
        >>> series = np.random.default_rng(0).normal(size=(60, 2, 32))
        >>> series[30:, 1, 8:16] += 2
        >>> forest = mf.named_forest("QUANT", n_estimators=20, random_state=0)
        >>> forest = forest.fit(series, np.repeat([0, 1], 30))
        >>> relative = mf.inspection.time_curves(forest).of_channels()
        >>> int(relative.max(axis=1).argmax())
        1
        """
        chosen = self._chosen(kinds)
        return _ratio(self.importance[chosen].sum(axis=0), self.expected[chosen].sum(axis=0))

    def _chosen(self, kinds: Sequence[str] | None) -> list[int]:
        if kinds is None:
            return list(range(len(self.kinds)))
        check_argument("kinds", kinds, sequence_of(one_of(*self.kinds), at_least=1))
        return sorted({self.kinds.index(name) for name in kinds})

    def __repr__(self) -> str:
        """Return the sizes in a line; the arrays may be large."""
        n_kinds, n_channels, n_places = self.importance.shape
        places = {"time": "times", "frequency": "frequencies"}[self.over]
        return (
            f"<TimeCurves of {n_kinds} kind{'s' * (n_kinds != 1)} of cells, "
            f"{n_channels} channel{'s' * (n_channels != 1)}, {n_places} {places}>"
        )


def time_curves(forest: Any, over: Over = "time") -> TimeCurves:
    """Return where in time, or at which frequencies, splits of a forest on series gain most.

    Parameters
    ----------
    forest : fitted forest
        With a projection that makes cells of series: `Intervals` or `DilatedKernels`.
    over : {"time", "frequency"}, default="time"
        Cells of spectra have a place among the frequencies, all others in time.

    Returns
    -------
    curves : TimeCurves
        Mean decrease of impurity, for each kind of cell and each channel.

    See Also
    --------
    manifoldforest.plot.time_curves : draws them.

    Notes
    -----
    Of series that end before the others, places are those of a series of full length, to which
    their intervals are in proportion.

    A cell tells no more than its interval: peaks are as wide as the shortest intervals on which
    splits gain, and long intervals around an informative time raise the curve at their other
    times too.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> series, labels = np.random.default_rng(0).normal(size=(60, 32)), np.repeat([0, 1], 30)
    >>> series[30:] += 2 * np.cos(2 * np.pi * np.arange(32) / 4)  # a quarter of a cycle per point
    >>> forest = mf.named_forest("QUANT", n_estimators=20, random_state=0).fit(series, labels)
    >>> curves = mf.inspection.time_curves(forest, "frequency")
    >>> float(curves.places[curves.of_channels()[0].argmax()])
    0.25
    """
    check_argument("forest", forest, _FOREST)
    check_argument("over", over, one_of("time", "frequency"))
    check_is_fitted(forest)
    forest = snapshot(forest)
    bank: Bank | None = forest._model.bank
    if bank is None:
        raise ValueError(
            "forest must have splits on cells of series, which the projections Intervals and "
            f"DilatedKernels make, got a forest with the projection {forest.projection_!r}"
        )
    gains = [np.ravel(part) for part in forest._model.importances[2]]
    total = sum(float(part.sum()) for part in gains)
    n_points = int(forest.feature_shape_[-1])
    n_places = n_points if over == "time" else n_points // 2 + 1
    curves: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    for view, gain in zip(bank.geometry.views, gains, strict=True):
        cells = bank_cells(*view)
        if cells.is_spectrum != (over == "frequency"):
            continue
        for number, name in enumerate(cells.kinds):
            chosen = cells.kind == number
            if not chosen.any():  # all intervals are so short that they have one quantile
                continue
            importance = _spread(cells, gain, chosen, n_places) / (total or 1.0)
            expected = _spread(cells, np.ones_like(gain), chosen, n_places) / bank.n_cells
            before = curves.get(key := f"{name} of {cells.source}", (0.0, 0.0))
            curves[key] = (importance + before[0], expected + before[1])
    if not curves:
        raise ValueError(
            f"over must be {'time' if over == 'frequency' else 'frequency'!r} for a forest whose "
            f"cells are all of {'series' if over == 'frequency' else 'spectra'}, got {over!r}"
        )
    places = np.arange(n_places) if over == "time" else np.arange(n_places) / n_points
    importance, expected = (np.stack(arrays) for arrays in zip(*curves.values(), strict=True))
    return TimeCurves(over, places, list(curves), importance, expected)


def _spread(
    cells: BankCells, amounts: NDArray[Any], chosen: NDArray[np.bool_], n_places: int
) -> NDArray[np.float64]:
    """Return amounts of chosen cells, each in equal parts at its places, series × places."""
    begin, end = cells.begin[chosen], cells.end[chosen] + cells.order
    parts = amounts[chosen] / (end - begin)
    steps = np.zeros((cells.n_series, n_places + 1))
    np.add.at(steps, (cells.series[chosen], begin), parts)
    np.subtract.at(steps, (cells.series[chosen], end), parts)
    spread = np.cumsum(steps, axis=1)[:, :-1]
    covered = np.zeros((cells.n_series, n_places + 1), dtype=np.int64)
    np.add.at(covered, (cells.series[chosen], begin), 1)
    np.subtract.at(covered, (cells.series[chosen], end), 1)
    spread[np.cumsum(covered, axis=1)[:, :-1] == 0] = 0.0  # not what rounding leaves
    return np.maximum(spread, 0.0)


def _ratio(importance: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    ratio = np.full(importance.shape, np.nan)
    np.divide(importance, expected, out=ratio, where=expected > 0)
    return ratio

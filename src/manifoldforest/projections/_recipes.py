"""Projections that are recommended for kinds of data."""

from __future__ import annotations

from manifoldforest.views import Identity

from ._base import Projection
from ._composition import Sum
from ._dilated_kernels import DilatedKernels
from ._intervals import Intervals
from ._random_combinations import Sporf


def table_projection() -> Projection:
    """Return the projection for tables, whose columns may have any units."""
    return Sporf(scale="std")


def series_projection(*, kernels: bool = True) -> Projection:
    """Return the projection for series: statistics of intervals, and pooled kernels.

    Many plain means of the series itself carry problems with few examples; the quantiles of QUANT
    and a few statistics of four views carry the others. Kernels make probabilities better, and
    predictions of numbers worse.
    """
    means = Intervals("mean", intervals="random", n_intervals=300, views=[Identity()])
    statistics = Intervals(("mean", "std", "slope"), min_size=3)
    parts = [("means", means), ("quantiles", Intervals()), ("statistics", statistics)]
    return Sum([*parts, ("kernels", DilatedKernels(300))] if kernels else parts)

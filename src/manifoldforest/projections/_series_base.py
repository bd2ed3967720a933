"""What the statistics and kernels of a bank look at: series, their differences and spectra."""

from __future__ import annotations

from manifoldforest.validation._rules import Rule
from manifoldforest.views import Difference, Identity, Spectrum, View

SERIES_VIEW = Rule(
    "an Identity, Difference or Spectrum view",
    lambda value: isinstance(value, Identity | Difference | Spectrum),
)


def base_numbers(view: View) -> list[int]:
    """Return the numbers of a view for the core: cpp/core/views/series_base.hpp."""
    if isinstance(view, Difference):
        return [1, *view._numbers()]
    return [2, 0, 0] if isinstance(view, Spectrum) else [0, 0, 0]


def n_values(view: View, length: int) -> int:
    """Return how many values a view makes of a series, or raise a ValueError."""
    view._check_parameters()
    if isinstance(view, Difference | Spectrum):
        return view._n_cells(length)
    return length

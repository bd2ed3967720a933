"""Views of series, along the last axis of an example."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from manifoldforest import _core
from manifoldforest.validation._rules import Rule, integer, is_integer

from ._base import CellGrid, View

_ODD = Rule(
    "an odd integer >= 1",
    is_integer,
    lambda value: 1 <= value < 2**31 and value % 2 == 1,
)


class _SeriesView(View):
    """A view of each series along the last axis, whatever the other axes are."""

    def _cell_grid(self, shape: tuple[int, ...], channel_axis: int | None) -> CellGrid:
        if channel_axis is not None and channel_axis == len(shape) - 1:
            raise ValueError(
                f"the view {type(self).__name__} must find time along the last axis, got examples "
                f"of shape {shape} with channel_axis={channel_axis}"
            )
        return CellGrid((*shape[:-1], self._n_cells(shape[-1])), channel_axis)

    @abstractmethod
    def _n_cells(self, length: int) -> int:
        """Return how many cells a series has, or raise a ValueError if it is too short."""

    def _numbers(self) -> list[int]:
        """Return the parameters, for the core."""
        return []

    def _add_to(
        self, geometry: _core.Geometry, shape: tuple[int, ...], channel_axis: int | None
    ) -> int:
        self._cell_grid(shape, channel_axis)
        return geometry.add_view(self._kind, list(shape), self._numbers())


class Difference(_SeriesView):
    """The differences of a series along the last axis, each channel for itself.

    The series is smoothed by a centred moving mean, over those points that exist near its ends, and
    then differenced `order` times. Differences are float32, missing where a point is missing that
    they depend on; there are `order` fewer of them than points.

    Parameters
    ----------
    order : int, default=1
        How often differences are taken: 1 is like the first derivative, 2 the second.
    smoothing : int, default=5
        Number of points of the moving mean, odd; 1 does not smooth.

    Examples
    --------
    >>> from manifoldforest.views import Difference
    >>> Difference(smoothing=1).transform([[0.0, 1.0, 4.0, 9.0]])
    array([[1., 3., 5.]], dtype=float32)
    >>> Difference(order=2, smoothing=1).transform([[0.0, 1.0, 4.0, 9.0]])
    array([[2., 2.]], dtype=float32)
    """

    _kind = "difference"
    _rules: ClassVar[Mapping[str, Rule]] = {"order": integer(1), "smoothing": _ODD}

    def __init__(self, order: int = 1, smoothing: int = 5) -> None:
        self.order = order
        self.smoothing = smoothing

    def _n_cells(self, length: int) -> int:
        if self.order >= length:
            raise ValueError(
                "Difference.order must be less than the number of points along the last axis in "
                f"this view, got {self.order} for {length} feature(s) along it"
            )
        return length - int(self.order)

    def _numbers(self) -> list[int]:
        return [int(self.order), int(self.smoothing)]


class Spectrum(_SeriesView):
    """The magnitudes of the Fourier transform along the last axis, each channel for itself.

    A series of n points has n // 2 + 1 frequencies, from the constant to the fastest change; they
    are float32, and all missing where a point of the series is missing. What splits on frequencies
    gain is given back to all points of the series, as they have no place in time.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.views import Spectrum
    >>> wave = np.cos(2 * np.pi * 3 * np.arange(16) / 16)
    >>> Spectrum().transform(wave[None]).round(3)
    array([[0., 0., 0., 8., 0., 0., 0., 0., 0.]], dtype=float32)
    """

    _kind = "spectrum"

    def _n_cells(self, length: int) -> int:
        return length // 2 + 1

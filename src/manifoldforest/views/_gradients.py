"""Gradients of images, by orientation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from manifoldforest import _core
from manifoldforest.validation._rules import Rule, is_integer

from ._base import CellGrid, View

Self = TypeVar("Self", bound="Gradients")

_ORIENTATIONS = Rule(
    "an even integer in [2, 64]", is_integer, lambda value: 2 <= value <= 64 and value % 2 == 0
)


class Gradients(View):
    """The gradients of an image, one channel for each orientation.

    At each pixel the gradient is the pair of differences between its right and left, and its lower
    and upper neighbour; the border repeats the last pixel. Its direction lies between two of the
    orientations, counted from the right towards the bottom, which share its magnitude in proportion
    to how close they are. Orientations are signed: from dark to bright is another one than from
    bright to dark. Of the channels of a colour image the one with the largest gradient counts, the
    first of equals.

    Cells have the shape (orientations, rows, columns). Of uint8 images they are uint8, rounded and
    cut at 255, and the same on every machine; of other images they are float32, neither rounded nor
    cut, and missing where a neighbour is missing. A forest that was fitted on uint8 images rounds
    and cuts those of all images, so that the same image has the same cells.

    Parameters
    ----------
    orientations : int, default=8
        Number of orientations, even and from 2 to 64.

    Attributes
    ----------
    whole_ : bool
        Whether cells are rounded and cut as those of bytes. Only in a fitted forest's
        ``projection_``.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> images = (15 * digits.images).astype("uint8")
    >>> projection = mf.projections.Patches(
    ...     view=mf.views.Gradients(), max_size=4, placement="interior"
    ... )
    >>> forest = mf.ForestClassifier(20, projection=projection, random_state=0)
    >>> forest = forest.fit(images[:1000], digits.target[:1000])
    >>> forest.score(images[1000:], digits.target[1000:]) > 0.9
    True
    """

    _kind = "gradients"
    _rules: ClassVar[Mapping[str, Rule]] = {"orientations": _ORIENTATIONS}

    whole_: bool

    def __init__(self, orientations: int = 8) -> None:
        self.orientations = orientations

    def _learned(
        self: Self, rows: NDArray[Any], shape: tuple[int, ...], channel_axis: int | None
    ) -> Self:
        if hasattr(self, "whole_"):
            return self
        learned: Self = clone(self)
        learned.whole_ = rows.dtype == np.uint8
        return learned

    def _cell_grid(self, shape: tuple[int, ...], channel_axis: int | None) -> CellGrid:
        places = [side for axis, side in enumerate(shape) if axis != channel_axis]
        if len(places) != 2:
            has = "" if channel_axis is None else f" with channel_axis={channel_axis}"
            raise ValueError(
                "the view Gradients must get images: examples of shape (rows, columns), or with a "
                f"third axis whose number is channel_axis, got examples of shape {shape}{has}"
            )
        return CellGrid((int(self.orientations), *places), 0)

    def _add_to(
        self, geometry: _core.Geometry, shape: tuple[int, ...], channel_axis: int | None
    ) -> int:
        self._cell_grid(shape, channel_axis)
        axis = -1 if channel_axis is None else channel_axis
        return geometry.add_view(
            self._kind, list(shape), [axis, int(self.orientations), int(self.whole_)]
        )

"""Shifts and flips of examples on a grid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..validation._parameter_object import ParameterObject
from ..validation._rules import (
    Rule,
    integer,
    is_boolean,
    is_sequence,
    none,
    one_of,
    real,
    sequence_of,
)
from ._moves import Axis, draw_moves, moved

_FALSE = Rule("False", is_boolean, lambda value: not value)
_MOST_CHANNELS = 4  # in a last axis that counts as that of channels by itself


class Shifts(ParameterObject):
    """Copies of examples that are shifted by a few cells, and perhaps flipped.

    A copy is moved by a whole number of cells along every axis, uniform between ``-max_shift`` and
    ``max_shift``, and flipped along each axis of `flip` with probability 1/2; what would be the
    example itself is drawn again. Copies carry the label and the weight of their example.

    Parameters
    ----------
    max_shift : int or sequence of int, default=1
        Largest shift in cells, for all axes or one for each axis but that of channels. Axes with
        one position are left out.
    copies : int, default=2
        Number of copies of each example. The examples themselves are always there, too. Time and
        memory grow with it.
    flip : False, int or sequence of int, default=False
        Axis or axes of an example along which copies are flipped, negative ones counted from the
        end: 1 swaps left and right of images of shape (height, width) or (height, width, channels).
    fill : {"edge", "wrap"} or float, default="edge"
        What comes in where an example is shifted away: the values at its edge, those that leave at
        the other end (circle, torus), or a number.
    channel_axis : "auto", int or None, default="auto"
        Axis of the channels of an image, along which nothing is shifted. ``"auto"`` is the last of
        three axes if it has at most 4 positions; None means that there is none.
    shape : sequence of int or None, default=None
        Shape of one example, for data given as flat rows. None is the shape of the examples as they
        come; flat rows are then 1-D signals.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> images, y = digits.images, digits.target
    >>> patches = mf.projections.Patches(max_size=3)
    >>> def score(augment):
    ...     forest = mf.ForestClassifier(40, projection=patches, augment=augment, random_state=0)
    ...     return forest.fit(images[:300], y[:300]).score(images[300:], y[300:])
    >>> score(mf.augmentation.Shifts(1)) > score(None)
    True
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "max_shift": integer(0) | sequence_of(integer(0)),
        "copies": integer(1, 1000),
        "flip": _FALSE | integer() | sequence_of(integer()),
        "fill": one_of("edge", "wrap") | real("(-inf, inf)"),
        "channel_axis": one_of("auto") | integer() | none,
        "shape": none | sequence_of(integer(1)),
    }

    def __init__(
        self,
        max_shift: int | Sequence[int] = 1,
        *,
        copies: int = 2,
        flip: bool | int | Sequence[int] = False,
        fill: Literal["edge", "wrap"] | float = "edge",
        channel_axis: int | Literal["auto"] | None = "auto",
        shape: Sequence[int] | None = None,
    ) -> None:
        self.max_shift = max_shift
        self.copies = copies
        self.flip = flip
        self.fill = fill
        self.channel_axis = channel_axis
        self.shape = shape

    def _check(self, feature_shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        """Raise an error unless examples of this shape and type can be copied."""
        self._check_parameters()
        if not any(axis.max_shift or axis.flips for axis in self._axes(feature_shape)):
            raise ValueError(
                "Shifts.max_shift must be above 0 along some axis with several positions, unless "
                f"copies are flipped, got {self.max_shift!r} for examples of shape {feature_shape}"
            )
        if isinstance(self.fill, str):
            return
        fits = dtype != np.uint8 or (float(self.fill).is_integer() and 0 <= self.fill <= 255)
        if not fits or abs(self.fill) > float(np.finfo(np.float32).max):
            raise ValueError(
                f"Shifts.fill must be a number that examples of type {dtype} can hold, got "
                f"{self.fill!r}"
            )

    def _draw(
        self,
        rows: NDArray[Any],
        feature_shape: tuple[int, ...],
        random: np.random.RandomState,
    ) -> NDArray[Any]:
        """Return flat examples (uint8 or float32) and, after them, all their copies.

        Row ``k * n_samples + i`` is copy k of example i, or for k = 0 the example itself.
        """
        self._check(feature_shape, rows.dtype)
        n_rows, axes = len(rows), self._axes(feature_shape)
        shape = (n_rows, *(axis.side for axis in axes))
        drawn = np.empty(((1 + int(self.copies)) * n_rows, rows.shape[1]), dtype=rows.dtype)
        drawn[:n_rows] = rows
        for copy in range(1, 1 + int(self.copies)):
            moves = draw_moves(axes, n_rows, random)
            block = drawn[copy * n_rows : (copy + 1) * n_rows].reshape(shape)
            moved(rows.reshape(shape), axes, moves, self.fill, out=block)
        return drawn

    def _axes(self, feature_shape: tuple[int, ...]) -> list[Axis]:
        """Return what happens along every axis of an example."""
        shape = self._grid_shape(feature_shape)
        channel = self._channel(shape)
        places = [axis for axis in range(len(shape)) if axis != channel]
        flipped = self._flipped(shape, channel)
        axes = [Axis(side, 0, axis in flipped) for axis, side in enumerate(shape)]
        for axis, most in zip(places, self._per_axis(len(places)), strict=True):
            if shape[axis] == 1:
                continue
            if most >= shape[axis]:
                raise ValueError(
                    f"Shifts.max_shift must be below {shape[axis]} along axis {axis} of examples "
                    f"of shape {shape}, got {most}: nothing would be left of them"
                )
            axes[axis] = Axis(shape[axis], most, axis in flipped)
        return axes

    def _grid_shape(self, feature_shape: tuple[int, ...]) -> tuple[int, ...]:
        if self.shape is None:
            return feature_shape
        sides = tuple(map(int, self.shape))
        flat = len(feature_shape) == 1 and math.prod(sides) == feature_shape[0]
        if not flat and sides != feature_shape:
            raise ValueError(
                f"Shifts.shape must be the shape of the examples, {feature_shape}, or if they are "
                f"flat have as many elements, got {sides}"
            )
        return sides

    def _channel(self, shape: tuple[int, ...]) -> int | None:
        if self.channel_axis is None:
            return None
        if isinstance(self.channel_axis, str):
            return 2 if len(shape) == 3 and shape[2] <= _MOST_CHANNELS else None
        return _axis_of("channel_axis", int(self.channel_axis), shape)

    def _flipped(self, shape: tuple[int, ...], channel: int | None) -> set[int]:
        if is_boolean(self.flip):
            return set()
        given: Any = self.flip if is_sequence(self.flip) else [self.flip]
        axes = {_axis_of("flip", int(axis), shape) for axis in given}
        if channel in axes:
            raise ValueError(
                f"Shifts.flip must not name the axis of channels, {channel} of examples of shape "
                f"{shape}, got {self.flip!r}"
            )
        return axes

    def _per_axis(self, n_axes: int) -> list[int]:
        most: Any = self.max_shift
        if not is_sequence(most):
            return [int(most)] * n_axes
        if len(most) != n_axes:
            raise ValueError(
                f"Shifts.max_shift must have {n_axes} entries, one per axis (the channel axis has "
                f"none), got {most!r}"
            )
        return list(map(int, most))


def _axis_of(name: str, axis: int, shape: tuple[int, ...]) -> int:
    if not -len(shape) <= axis < len(shape):
        raise ValueError(
            f"Shifts.{name} must name an axis of examples of shape {shape}, got {axis}"
        )
    return axis % len(shape)

"""Patches: sums over small boxes of features that lie on a grid, the projection of MORF."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from manifoldforest import _core
from manifoldforest.validation._rules import (
    Rule,
    boolean,
    instance_of,
    integer,
    is_sequence,
    none,
    one_of,
    sequence_of,
)
from manifoldforest.views import Identity, View
from manifoldforest.views._base import checked_channel_axis

from ._base import Projection
from ._patch_dims import parameters_by_dim

Self = TypeVar("Self", bound="Patches")

_SIZE = integer(1)


class Patches(Projection):
    """Sums over random patches of an image, a time series or any other grid (MORF).

    Every candidate is the sum over a box of neighbouring features: its size is drawn uniformly
    between `min_size` and `max_size`, one number for each axis, and then its place. Cost does not
    depend on the size.

    Every axis of an example counts as contiguous unless `contiguous` or `channel_axis` says
    otherwise. Parameters given "per axis" have one entry for each axis except the channel axis.

    Parameters
    ----------
    min_size : int or sequence of int, default=1
        Smallest size, for all axes or per axis.
    max_size : int, None or sequence of these, default=None
        Largest size, for all axes or per axis. None is max(2, floor(sqrt(side))) for an axis with
        `side` positions, as in the published programs, but not above `side` nor below `min_size`.
    shape : sequence of int or None, default=None
        Shape of one example, for data given as flat rows. None is the shape of the examples as
        they come; flat rows are then 1-D signals.
    wrap : bool or sequence of bool, default=False
        Whether a patch that leaves one end of an axis goes on at the other (circle, torus), for
        all axes or per axis.
    contiguous : bool or sequence of bool, default=True
        Whether a patch covers neighbouring positions, for all axes or per axis. Along a free axis
        (False) it covers a random subset of positions instead, as the channels of a multivariate
        time series do in section 3.1 of Perry (2020).
    placement : {"uniform", "corner", "interior"}, default="uniform"
        Rule for the place of a patch along contiguous axes without wrapping. ``"uniform"``
        (Perry 2020): patches may reach over the border and are cut there, so that each feature is
        equally likely to be covered. ``"corner"`` (Perry et al. 2019): the first corner is uniform
        and the size is limited by what fits behind it. ``"interior"`` (the published programs):
        uniform over all places where the whole patch fits.
    channel_axis : int, None or "warn", default="warn"
        Axis of the channels of an image, counted from the end if negative: every patch lies in one
        channel, drawn uniformly. None means that there is none. ``"warn"`` means the same, but
        `fit` warns if the shape of the examples looks like that of colour images.
    view : View or None, default=None
        What patches lie on: a view of the examples, such as the gradients of images
        (:class:`~manifoldforest.views.Gradients`), or None for the examples themselves. Sizes and
        all that is given "per axis" are then those of the view's own grid, without its channels;
        `shape` and `channel_axis` stay those of the examples.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> images, y = mf.datasets.make_bars(60, random_state=0)
    >>> projection = mf.projections.Patches(max_size=3)
    >>> forest = mf.ForestClassifier(3, projection=projection, random_state=0).fit(images, y)
    >>> [tree.split_text(0) for tree in forest.trees_][:2]
    ['sum of rows 5-6, columns 2-4 <= 2.5', 'sum of rows 1-2, column 12 <= 0.5']

    Flat rows, a colour image, a series of several channels and a ring:

    >>> flat = mf.projections.Patches(max_size=3, shape=(28, 28))
    >>> colour = mf.projections.Patches(max_size=5, channel_axis=-1)
    >>> series = mf.projections.Patches(max_size=(2, 12), contiguous=(False, True))
    >>> ring = mf.projections.Patches(min_size=3, max_size=12, wrap=True)

    Edges of images, by orientation:

    >>> edges = mf.projections.Patches(
    ...     view=mf.views.Gradients(), min_size=3, max_size=12, placement="interior"
    ... )
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "min_size": _SIZE | sequence_of(_SIZE),
        "max_size": _SIZE | none | sequence_of(_SIZE | none),
        "shape": none | sequence_of(_SIZE),
        "wrap": boolean | sequence_of(boolean),
        "contiguous": boolean | sequence_of(boolean),
        "placement": one_of("uniform", "corner", "interior"),
        "channel_axis": integer() | none | one_of("warn"),
        "view": none | instance_of(View, "a View object"),
    }

    def __init__(
        self,
        *,
        min_size: int | Sequence[int] = 1,
        max_size: int | Sequence[int | None] | None = None,
        shape: Sequence[int] | None = None,
        wrap: bool | Sequence[bool] = False,
        contiguous: bool | Sequence[bool] = True,
        placement: Literal["uniform", "corner", "interior"] = "uniform",
        channel_axis: int | Literal["warn"] | None = "warn",
        view: View | None = None,
    ) -> None:
        self.min_size = min_size
        self.max_size = max_size
        self.shape = shape
        self.wrap = wrap
        self.contiguous = contiguous
        self.placement = placement
        self.channel_axis = channel_axis
        self.view = view

    @classmethod
    def from_xarray(
        cls: type[Self],
        X: Any,
        *,
        channel: str | None = "warn",
        wrap: str | Sequence[str] = (),
        free: str | Sequence[str] = (),
        min_size: int | Mapping[str, int] = 1,
        max_size: int | Mapping[str, int | None] | None = None,
        placement: Literal["uniform", "corner", "interior"] = "uniform",
        view: View | None = None,
    ) -> Self:
        """Return patches for an array of xarray, with axes by their names (dims).

        Nothing is guessed from a name, so that a dim called ``"band"`` is an axis like the others
        unless it is said to be that of the channels.

        Parameters
        ----------
        X : xarray.DataArray
            The examples, whose first dim is that of the examples. Only its dims are used.
        channel : str or None, default="warn"
            The dim of the channels; None and ``"warn"`` as in `channel_axis`.
        wrap : str or sequence of str, default=()
            Dims around which patches go on at the other end, such as longitude.
        free : str or sequence of str, default=()
            Dims along which a patch covers any subset of positions (`contiguous` is False).
        min_size : int or mapping of str to int, default=1
            Smallest size, for all dims or by dim; 1 for dims that are not mentioned.
        max_size : int, None or mapping of str to these, default=None
            Largest size, for all dims or by dim; None for dims that are not mentioned.
        placement : {"uniform", "corner", "interior"}, default="uniform"
            Rule for the place of a patch.
        view : View or None, default=None
            What patches lie on. Dims then name the axes of the view's own grid without its
            channels, which for all views but ``FromTransformer`` are those of the examples.

        Returns
        -------
        patches : Patches
            The projection, which knows numbers of axes and no names.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> import numpy as np
        >>> import xarray as xr
        >>> maps = xr.DataArray(np.zeros((50, 2, 12, 36)), dims=("day", "level", "lat", "lon"))
        >>> mf.projections.Patches.from_xarray(
        ...     maps, channel="level", wrap="lon", max_size={"lon": 9}
        ... )
        Patches(channel_axis=0, max_size=[None, 9], wrap=[False, True])
        """
        size = cls._rules["min_size"], cls._rules["max_size"]
        sizes = {"min_size": (min_size, 1, size[0]), "max_size": (max_size, None, size[1])}
        by_dim = parameters_by_dim(X, channel=channel, wrap=wrap, free=free, sizes=sizes)
        patches = cls(placement=placement, view=view, **by_dim)
        patches._check_parameters()
        return patches

    def _learned(
        self: Self,
        rows: NDArray[np.generic],
        feature_shape: tuple[int, ...],
        weight: NDArray[np.float64],
    ) -> Self:
        self._check_parameters()
        if self.view is None:
            return self
        shape, channel = self._examples(feature_shape)
        view = self.view._learned(rows, shape, channel)
        if view is self.view:
            return self
        learned: Self = clone(self)
        learned.view = view
        return learned

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        axes = self._axes(feature_shape)
        view = self._view._add_to(geometry, *self._examples(feature_shape))
        shape = [axis.side for axis in axes]
        summed = [axis.kind in ("contiguous", "wrap") for axis in axes]
        grid = geometry.add_grid(shape, summed, view)
        return _core.patch_sampler(
            shape,
            grid,
            [axis.kind for axis in axes],
            [axis.min_size for axis in axes],
            [axis.max_size for axis in axes],
            self.placement,
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._view._check_parameters()

    @property
    def _view(self) -> View:
        return Identity() if self.view is None else self.view

    def _examples(self, feature_shape: tuple[int, ...]) -> tuple[tuple[int, ...], int | None]:
        """Return shape and channel axis of an example, on which the view looks."""
        shape = _grid_shape(self.shape, feature_shape)
        return shape, _channel_axis(self.channel_axis, shape)

    def _columns(
        self, rows: NDArray[Any], feature_shape: tuple[int, ...]
    ) -> list[NDArray[np.float32] | None]:
        return [self._view._columns(rows, self._examples(feature_shape)[0])]

    def _advice(self, feature_shape: tuple[int, ...]) -> list[str]:
        per_axis = (self.min_size, self.max_size, self.wrap, self.contiguous)
        if self.channel_axis != "warn" or any(map(is_sequence, per_axis)):
            return []  # the user has set something for each axis
        shape = _grid_shape(self.shape, feature_shape)
        axis = _likely_channel_axis(shape)
        if axis is None:
            return []
        return [
            f"examples of shape {shape} look like images with {shape[axis]} channels, but patches "
            "run across channels: set channel_axis of Patches to "
            f"{axis}, or to None if axis {axis} is an axis like the others"
        ]

    def _grids(self, feature_shape: tuple[int, ...]) -> list[str]:
        axes = self._axes(feature_shape)
        sides = " × ".join(str(axis.side) for axis in axes)
        of_view = "" if self.view is None else f" of {self.view!r}"
        return [f"{sides}{of_view}, patches of {' × '.join(map(str, axes))}"]

    def _axes(self, feature_shape: tuple[int, ...]) -> list[_Axis]:
        """Return what patches do along every axis of what they lie on."""
        shape, channel = self._view._cell_grid(*self._examples(feature_shape))
        places = [axis for axis in range(len(shape)) if axis != channel]

        kinds = _kinds(
            [bool(flag) for flag in _per_axis("contiguous", self.contiguous, len(places))],
            [bool(flag) for flag in _per_axis("wrap", self.wrap, len(places))],
        )
        least = [int(size) for size in _per_axis("min_size", self.min_size, len(places))]
        most = [
            None if size is None else int(size)
            for size in _per_axis("max_size", self.max_size, len(places))
        ]

        axes = [_Axis("channel", side, 1, 1) for side in shape]
        for axis, kind, low, high in zip(places, kinds, least, most, strict=True):
            axes[axis] = _Axis(kind, shape[axis], *_sizes(axis, shape, low, high))
        return axes


@dataclass(frozen=True)
class _Axis:
    """One axis of the grid: what patches do along it, its length, and sizes that fit it."""

    kind: Literal["contiguous", "wrap", "free", "channel"]
    side: int
    min_size: int
    max_size: int

    def __str__(self) -> str:
        if self.kind == "channel":
            return "1 channel"
        sizes = f"{self.min_size}"
        if self.max_size > self.min_size:
            sizes += f" to {self.max_size}"
        return sizes + {"contiguous": "", "wrap": " (around)", "free": " (any)"}[self.kind]


def _grid_shape(shape: Any, feature_shape: tuple[int, ...]) -> tuple[int, ...]:
    if shape is None:
        return feature_shape
    sides = tuple(map(int, shape))
    n_features = math.prod(feature_shape)
    if math.prod(sides) != n_features:
        raise ValueError(
            f"Patches.shape must have {n_features} elements, as the examples have, got {sides} "
            f"with {math.prod(sides)}"
        )
    # Axes in another order are nearly always a mistake.
    if len(feature_shape) > 1 and sides != feature_shape:
        raise ValueError(
            f"Patches.shape must be the shape of the examples, {feature_shape}, unless they are "
            f"flat, got {sides}"
        )
    return sides


def _channel_axis(channel_axis: Any, shape: tuple[int, ...]) -> int | None:
    if channel_axis is None or (isinstance(channel_axis, str) and channel_axis == "warn"):
        return None
    return checked_channel_axis("Patches.channel_axis", channel_axis, shape)


def _likely_channel_axis(shape: tuple[int, ...]) -> int | None:
    """Return the axis that holds 3 or 4 colours if the others look like those of an image."""
    for axis, others in ((-1, shape[:-1]), (0, shape[1:])):
        if len(shape) > 2 and shape[axis] in (3, 4) and min(others) > 4:
            return axis
    return None


def _per_axis(name: str, value: Any, n_axes: int) -> list[Any]:
    """Return one value per axis, from one for all or a sequence."""
    if not is_sequence(value):
        return [value] * n_axes
    if len(value) != n_axes:
        raise ValueError(
            f"Patches.{name} must have {n_axes} entries, one per axis (the channel axis has none), "
            f"got {value!r}"
        )
    return list(value)


def _kinds(
    contiguous: list[bool], wrap: list[bool]
) -> list[Literal["contiguous", "wrap", "free", "channel"]]:
    if any(w and not c for c, w in zip(contiguous, wrap, strict=True)):
        raise ValueError(
            "Patches.wrap must be False along free axes (contiguous=False), where positions have "
            f"no neighbours, got wrap={wrap} and contiguous={contiguous}"
        )
    return [
        "wrap" if w else "contiguous" if c else "free"
        for c, w in zip(contiguous, wrap, strict=True)
    ]


def _sizes(axis: int, shape: tuple[int, ...], low: int, high: int | None) -> tuple[int, int]:
    """Return the smallest and the largest size along an axis; sizes that were asked for must fit.

    The smallest size needs no default of its own: 1 fits every axis.
    """
    side = shape[axis]
    for name, size in (("min_size", low), ("max_size", high)):
        if size is not None and size > side:
            raise ValueError(
                f"Patches.{name} must be at most {side} along axis {axis} of examples of shape "
                f"{shape}, got {size}: a patch larger than the image"
            )
    if high is None:
        high = max(low, min(side, max(2, math.isqrt(side))))
    if low > high:
        raise ValueError(
            f"Patches.min_size must be at most max_size, got {low} and {high} along axis {axis}"
        )
    return low, high

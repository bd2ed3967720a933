"""Importance of features, drawn where the features lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from manifoldforest.projections import Patches
from manifoldforest.validation._arrays import as_list, as_numbers
from manifoldforest.validation._rules import (
    boolean,
    check_argument,
    integer,
    none,
    one_of,
    real,
    sequence_of,
    shown,
)

from ._rules import AXES, COLOR, COLOR_MAP
from ._style import class_colors, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# kind -> attribute of a forest, and label of the scale
_KINDS = {"usage": ("feature_usage_", "usage"), "gain": ("feature_importances_", "importance")}
_COLOUR_CHANNELS = (3, 4)  # of an image with a third axis


class _Grid(NamedTuple):
    """What patches take an example for: its shape and its channel axis, counted from 0."""

    shape: tuple[int, ...]
    channel_axis: int | None


def importance_map(
    importance: Any,
    ax: Axes | None = None,
    *,
    kind: Literal["usage", "gain"] = "usage",
    shape: Sequence[int] | None = None,
    channel_axis: int | None = None,
    channel_names: Sequence[str] | None = None,
    cmap: str | None = None,
    color: str | None = None,
    limit: float | None = None,
    colorbar: bool | None = None,
) -> Axes:
    """Draw the importance of features where the features lie: an image, or curves.

    Examples with one axis give a curve, those with two an image. A series with channels gives one
    curve per channel, an image with channels the sum over its channels.

    Parameters
    ----------
    importance : fitted forest or array-like
        A forest, or numbers in the shape of one example: importances of your own, the mean of a
        class, the difference of two means.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    kind : {"usage", "gain"}, default="usage"
        For a forest: how often splits look at a feature (`feature_usage_`) or what they gain from
        it (`feature_importances_`).
    shape : sequence of int, optional
        Shape of one example, for a forest that was fitted on flat rows. By default that of the
        forest's patches, if they agree on one that can be drawn.
    channel_axis : int, optional
        The axis of an example that counts channels. By default that of the forest's patches, if
        they have one, and the last axis of images of shape (height, width, 3) or
        (height, width, 4).
    channel_names : sequence of str, optional
        Labels of the curves of a series with channels, for which alone they may be given;
        "channel 0", "channel 1" and so on if not given.
    cmap : str, optional
        Colours of an image. By default white to dark for numbers of one sign, and two colours that
        meet in white at zero for numbers of both signs.
    color : str, optional
        Colour of a single curve.
    limit : float, optional
        The number at the end of the scale, the same in pictures that are to be compared. By
        default the largest absolute value.
    colorbar : bool, optional
        Whether an image gets a colour bar. By default it does in a new figure, and not in axes
        that are given.

    Returns
    -------
    ax : matplotlib Axes
        An image is ``ax.images[0]``.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_bars(50, random_state=0)
    >>> forest = mf.ForestClassifier(5, projection="patches", random_state=0).fit(X, y)
    >>> ax = mf.plot.importance_map(forest)
    >>> ax.images[0].get_array().shape
    (28, 28)
    """
    check_argument("ax", ax, AXES)
    check_argument("kind", kind, one_of(*_KINDS))
    check_argument("shape", shape, sequence_of(integer(1)) | none)
    check_argument("channel_axis", channel_axis, integer() | none)
    check_argument("cmap", cmap, COLOR_MAP | none)
    check_argument("color", color, COLOR | none)
    check_argument("limit", limit, real("[0, inf)") | none)
    check_argument("colorbar", colorbar, boolean | none)
    if channel_names is not None:
        channel_names = checked_names(channel_names)
    is_forest = _is_forest(importance)
    values = _feature_values(importance, kind)
    grids = _grids_of(importance, values.shape) if is_forest else []
    values = _in_shape(values, shape, grids, channel_axis)
    if channel_axis is None:
        channel_axis = _common_channel_axis(grids, values.shape)
    if channel_names is not None and (channel_axis is None or values.ndim != 2):
        raise ValueError(
            "channel_names must be given only for a series with channels, got them for importances "
            f"of shape {values.shape} and channel_axis={channel_axis}"
        )
    values = _channels_last(values, channel_axis)
    n_axes = values.ndim - 1
    if n_axes == 2:
        values = values.sum(axis=-1)
    largest = float(np.nanmax(np.abs(values), initial=0.0)) if limit is None else float(limit)
    largest = largest if largest > 0 else 1.0  # all zero: nothing is important
    low = -largest if np.nanmin(values, initial=0.0) < 0 else 0.0

    axes = new_axes() if ax is None else ax
    if n_axes == 1:
        _draw_curves(axes, values, channel_names, color)
        axes.set(xlim=(-0.5, len(values) - 0.5), ylim=(1.05 * low, 1.05 * largest))
        if ax is None:
            axes.set_xlabel("feature" if values.shape[1] == 1 else "place along the series")
            axes.set_ylabel(_KINDS[kind][1] if is_forest else "value")
        return axes
    colors = cmap or ("RdBu_r" if low < 0 else "Greys")
    image = axes.imshow(values, cmap=colors, vmin=low, vmax=largest, interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    if ax is None if colorbar is None else colorbar:
        axes.figure.colorbar(image, ax=axes, label=_KINDS[kind][1] if is_forest else None)
    return axes


def _draw_curves(
    axes: Axes,
    values: NDArray[np.float64],
    names: Sequence[str] | None,
    color: str | None,
) -> None:
    """Draw one filled curve, or a line with a label for each channel."""
    n_places, n_channels = values.shape
    labels = [f"channel {i}" for i in range(n_channels)] if names is None else list(names)
    if len(labels) != n_channels:
        raise ValueError(f"channel_names must have {n_channels} entries, got {len(labels)}")
    places = np.arange(n_places)
    if n_channels == 1:
        axes.fill_between(places, values[:, 0], step="mid", color=color, linewidth=0)
        return
    for curve, label, hue in zip(values.T, labels, class_colors(n_channels), strict=True):
        axes.plot(places, curve, drawstyle="steps-mid", color=tuple(hue), label=label)
    axes.legend(frameon=False)


def checked_names(channel_names: Any) -> list[str]:
    """Return names of channels, or raise a TypeError."""
    names = as_list(channel_names, "channel_names", "a sequence of str")
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"channel_names must be a sequence of str, got {shown(names)}")
    return names


def _is_forest(importance: Any) -> bool:
    """Whether a value is an estimator, which is to be asked for its importances."""
    return hasattr(importance, "fit") and hasattr(importance, "get_params")


def _feature_values(importance: Any, kind: Literal["usage", "gain"]) -> NDArray[np.float64]:
    """Return the importances in the shape in which they come."""
    attribute = _KINDS[kind][0]
    expected = f"a fitted forest with {attribute}, or an array of numbers"
    if isinstance(importance, type):
        raise TypeError(f"importance must be {expected}, got the class {importance.__name__}")
    numbers = importance
    if _is_forest(importance):
        check_is_fitted(importance)
        numbers = getattr(importance, attribute, None)
        if numbers is None:
            raise TypeError(f"importance must be {expected}, got {shown(importance)}")
    values = as_numbers(numbers, "importance", expected).astype(float)
    if np.isinf(values).any():
        raise ValueError("importance must hold finite numbers, or NaN where there is none, got inf")
    return values


def _grids_of(forest: Any, feature_shape: tuple[int, ...]) -> list[_Grid]:
    """Return what each of the forest's patches takes an example for."""
    patches = [value for value in forest.get_params().values() if isinstance(value, Patches)]
    grids = []
    for patch in patches:
        shape = feature_shape if patch.shape is None else tuple(map(int, patch.shape))
        axis = patch.channel_axis
        # axes 0 and -2 of two are the same
        channel = None if axis is None or isinstance(axis, str) else int(axis) % len(shape)
        grids.append(_Grid(shape, channel))
    return grids


def _in_shape(
    values: NDArray[np.float64],
    shape: Sequence[int] | None,
    grids: list[_Grid],
    channel_axis: int | None,
) -> NDArray[np.float64]:
    """Return importances in the shape of one example: the given one, or that of the patches."""
    if shape is not None:
        if values.size != math.prod(shape):
            raise ValueError(f"shape must have {values.size} elements, got {tuple(shape)}")
        return values.reshape(tuple(shape))
    shapes = {grid.shape for grid in grids}
    if values.ndim != 1 or len(shapes) != 1:
        return values
    common = shapes.pop()
    if channel_axis is None:
        channel_axis = _common_channel_axis(grids, common)
    can_be_drawn = len(common) - (channel_axis is not None) in (1, 2)
    # the forest may have got other patches since it was fitted
    return values.reshape(common) if can_be_drawn and math.prod(common) == values.size else values


def _common_channel_axis(grids: list[_Grid], shape: tuple[int, ...]) -> int | None:
    """Return the channel axis of examples of a shape, if there is one.

    It is that of the patches of this shape if all that have one agree, or that of the colours.
    """
    given = {grid.channel_axis for grid in grids if grid.shape == shape} - {None}
    if len(given) == 1:
        return given.pop()
    return len(shape) - 1 if len(shape) == 3 and shape[-1] in _COLOUR_CHANNELS else None


def _channels_last(values: NDArray[np.float64], channel_axis: int | None) -> NDArray[np.float64]:
    """Return importances with one or two axes of places, and a last one of channels."""
    n_axes = values.ndim
    if channel_axis is not None and not -n_axes <= channel_axis < n_axes:
        raise ValueError(
            f"channel_axis must be an axis of importances of shape {values.shape}, "
            f"got {channel_axis}"
        )
    if channel_axis is None:
        values = values[..., np.newaxis]
    else:
        values = np.moveaxis(values, channel_axis, -1)
    if values.ndim not in (2, 3) or not values.size:
        raise ValueError(
            "importance must have one axis (a curve) or two (an image), and one of channels if "
            f"channel_axis names it, got {n_axes} axes with {values.size} numbers"
        )
    return values


def drawable(forest: Any) -> bool:
    """Whether the features of a fitted forest lie on a curve or an image, perhaps with channels."""
    values = _feature_values(forest, "usage")
    grids = _grids_of(forest, values.shape)
    shape = _in_shape(values, None, grids, None).shape
    return len(shape) - (_common_channel_axis(grids, shape) is not None) in (1, 2)

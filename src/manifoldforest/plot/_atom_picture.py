"""Little pictures of atoms: the weights of a split in the place where its features lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.inspection._atoms import Atom

from ._style import COLORS, import_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EMPTY = "#F0F0F0"  # weight zero
_POSITIVE, _NEGATIVE = COLORS["SPORF"], COLORS["MORF"]
_COLOUR_CHANNELS = (3, 4)  # of an image with a third axis
_MAX_TERMS = 8  # of a sum that is written as text
_MAX_RATIO = 3.0  # of the sides of a picture
_MAX_NAMED = 2  # channels


@dataclass(frozen=True)
class AtomPicture:
    """An atom as colours.

    Attributes
    ----------
    weights : ndarray of shape (n_rows, n_columns)
        Weights, the largest of absolute value 1; one row for a series.
    note : str
        Which channels or orientations, if only some count.
    """

    weights: NDArray[np.float64]
    note: str

    @property
    def is_signed(self) -> bool:
        """Whether features count with different weights."""
        return bool((self.weights < 0).any())


def picture_of(atom: Atom, view: str | None) -> AtomPicture | None:
    """Return the picture of an atom, or None for a short sum of columns of a table.

    `view` is the kind of the view on whose cells the atom lies, if it does.
    """
    weights, note = atom.weights, ""
    if weights.ndim == 1 and not atom.is_patch and np.count_nonzero(weights) <= _MAX_TERMS:
        return None
    channels = _channel_axis(atom, view)
    if channels is not None and weights.ndim == 2:
        weights = np.moveaxis(weights, channels, 0)  # a series: one row for each channel
    elif channels is not None:
        by_channel = np.moveaxis(weights, channels, 0)
        note = _note(by_channel, view)
        weights = by_channel.sum(axis=0)
    while weights.ndim > 2:  # a volume, seen along its first axis
        weights = weights.sum(axis=0)
    weights = np.atleast_2d(weights)
    largest = float(np.abs(weights).max())
    return AtomPicture(weights / largest if largest > 0 else weights, note)


def _channel_axis(atom: Atom, view: str | None) -> int | None:
    shape = atom.weights.shape
    if view == "gradients":
        return 0
    if atom.channel_axis is not None:
        return atom.channel_axis
    return len(shape) - 1 if len(shape) == 3 and shape[-1] in _COLOUR_CHANNELS else None


def _note(by_channel: NDArray[np.float64], view: str | None) -> str:
    """Return the names of the channels that count, if they are few."""
    used = np.flatnonzero(by_channel.any(axis=tuple(range(1, by_channel.ndim))))
    n = len(by_channel)
    if len(used) == n:
        return ""
    if view == "gradients":
        names = [f"{360 * k / n:g}°" for k in used]
        return ", ".join(names) if len(used) <= _MAX_NAMED else f"{len(used)} orientations"
    if len(used) == 1:
        return f"channel {used[0]}"
    return f"{len(used)} of {n} channels"


def size_in(picture: AtomPicture, side: float) -> tuple[float, float]:
    """Return width and height of a picture that fits into a square."""
    n_rows, n_columns = picture.weights.shape
    ratio = n_columns / n_rows
    if n_rows == 1:
        return side, side / _MAX_RATIO
    ratio = min(max(ratio, 1 / _MAX_RATIO), _MAX_RATIO)
    return min(side, side * ratio), min(side, side / ratio)


def draw_picture(
    axes: Axes, picture: AtomPicture, x: float, top: float, size: tuple[float, float]
) -> None:
    """Draw a picture into some axes, its middle at x."""
    from matplotlib.patches import Rectangle

    width, height = size
    left, bottom = x - width / 2, top - height
    limits = axes.get_xlim(), axes.get_ylim(), axes.get_aspect()
    axes.imshow(
        _colored(picture.weights),
        extent=(left, left + width, bottom, top),
        interpolation="nearest",
        aspect="auto",
        zorder=2,
    )
    axes.set(xlim=limits[0], ylim=limits[1], aspect=limits[2])  # an image moves them
    frame = Rectangle((left, bottom), width, height, zorder=3)
    frame.set(facecolor="none", edgecolor="0.7", linewidth=0.8)
    axes.add_patch(frame)


def _colored(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return colours from light grey, at zero, to one colour for each sign."""
    to_rgb: Any = import_matplotlib("colors").to_rgb
    empty, positive, negative = (np.array(to_rgb(c)) for c in (_EMPTY, _POSITIVE, _NEGATIVE))
    full = np.where(weights[..., None] >= 0, positive, negative)
    # even the smallest weight is to be seen
    amount = np.where(weights == 0, 0.0, 0.25 + 0.75 * np.abs(weights))[..., None]
    colored: NDArray[np.float64] = empty + amount * (full - empty)
    return colored

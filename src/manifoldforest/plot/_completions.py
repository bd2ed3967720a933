"""Images of which one part was known and the other predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._arrays import as_array
from manifoldforest.validation._rules import (
    Rule,
    any_mapping,
    check_argument,
    integer,
    none,
    one_of,
    sequence_of,
)

from ._panels import Grid, add_legend, argument, checked, grid_axes, named_predictions, numbers
from ._rules import COLOR_MAP

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Side = Literal["below", "above", "right", "left"]

_SIDES = sequence_of(integer(1))
_SHAPE = Rule(
    "(height, width) of a whole image, two integers >= 1",
    _SIDES.admits,
    lambda value: len(value) == 2 and _SIDES.accepts(value),
)

_SEAM = "#56B4E9"
_MARK = "#D55E00"
_GAP = 0.12  # between images, as a share of their size


def draw_images(
    truth: ArrayLike,
    predicted: Any,
    ax: Any,
    *,
    known: ArrayLike | None = None,
    side: Side = "below",
    shape: Sequence[int] | None = None,
    marked: Mapping[str, ArrayLike] | None = None,
    columns: int = 16,
    cmap: str = "gray",
    legend: bool,
) -> Any:
    """Draw completed images in a grid: the truth and the methods by rows, examples by columns."""
    if known is None:
        raise ValueError("known must be given for kind='images': the parts that were not predicted")
    check_argument("side", side, one_of(*get_args(Side)))
    check_argument("shape", shape, _SHAPE | none)
    check_argument("marked", marked, any_mapping | none)
    check_argument("cmap", cmap, COLOR_MAP)
    halves = _images("known", known, shape, side)
    parts = {"truth": _images("truth", truth, shape, side)}
    _check_fit(halves, parts["truth"], side)
    for name, values in named_predictions(predicted).items():
        label = argument(predicted, name)
        parts[name] = checked(label, _images(label, values, shape, side), parts["truth"].shape)
    rows = [_joined(halves, values, side) for values in parts.values()]
    grid = Grid(list(parts), len(halves), columns)
    marks = _marks(marked, parts, len(halves))

    height, width = rows[0].shape[1:]
    step = height * (1 + _GAP), width * (1 + _GAP)
    n_pixels = step[1] * grid.n_across, step[0] * grid.height
    inches = min(1.2, 12 / grid.n_across) * grid.n_across
    size = (inches + 0.9, inches * n_pixels[1] / n_pixels[0] + 0.3)
    axes = grid_axes(ax, size)
    low = min(halves.min(), parts["truth"].min())
    high = max(halves.max(), parts["truth"].max())
    for row, images in enumerate(rows):
        for (column, top), image in zip(grid.places(row), images, strict=True):
            left, upper = column * step[1], top * step[0]
            axes.imshow(
                image,
                cmap=cmap,
                vmin=low,
                vmax=high,
                extent=(left, left + width, upper + height, upper),
                interpolation="nearest",
            )
    corners = np.concatenate([grid.places(row) for row in range(len(rows))]) * (step[1], step[0])
    _draw_frames(axes, corners, (width, height))
    _draw_seams(axes, corners, (width, height), halves.shape[1:], side)
    _draw_marks(axes, corners[marks.ravel()], (width, height))
    grid.label(axes, step[0])
    axes.set_xlim(-0.5 * _GAP * width, n_pixels[0] - 0.5 * _GAP * width)
    axes.set_ylim(n_pixels[1] - 0.5 * _GAP * height, -0.5 * _GAP * height)
    axes.set_aspect("equal")
    if legend:
        add_legend(axes, _handles(side, bool(marks.any())), new=ax is None)
    return axes


def _images(
    name: str, values: ArrayLike, shape: Sequence[int] | None, side: Side
) -> NDArray[np.float64]:
    """Return images (n, height, width); flat rows are parts of images of the given shape."""
    array = numbers(name, values)
    if array.ndim != 2:
        return checked(name, array, ("n", "height", "width"))
    if shape is None:
        raise ValueError(f"shape must be given where {name} holds flat rows, got {array.shape}")
    height, width = shape
    kept = width if side in ("below", "above") else height
    if array.shape[1] % kept:
        raise ValueError(
            f"{name} must hold rows of a part of images of the shape {tuple(shape)}: a multiple of "
            f"{kept} numbers, got {array.shape[1]}"
        )
    part = (-1, width) if side in ("below", "above") else (height, -1)
    return checked(name, array.reshape(len(array), *part), ("n", "height", "width"))


def _check_fit(known: NDArray[np.float64], truth: NDArray[np.float64], side: Side) -> None:
    axis = 2 if side in ("below", "above") else 1
    if len(known) != len(truth) or known.shape[axis] != truth.shape[axis]:
        edge = "width" if axis == 2 else "height"
        raise ValueError(
            f"known must have as many images as truth and their {edge}, got {known.shape} for "
            f"{truth.shape}"
        )


def _joined(
    known: NDArray[np.float64], predicted: NDArray[np.float64], side: Side
) -> NDArray[np.float64]:
    parts = [known, predicted] if side in ("below", "right") else [predicted, known]
    return np.concatenate(parts, axis=1 if side in ("below", "above") else 2)


def _marks(
    marked: Mapping[str, ArrayLike] | None, rows: Mapping[str, Any], n: int
) -> NDArray[np.bool_]:
    """Return for every row which images have a frame, (n_rows, n)."""
    marks = np.zeros((len(rows), n), dtype=bool)
    for name, values in (marked or {}).items():
        if name not in rows:
            raise ValueError(f"marked must name the methods {list(rows)}, got {name!r}")
        expected = f"{n} booleans, one for each image"
        mask = as_array(values, f"marked[{name!r}]", expected)
        if mask.dtype != np.bool_:
            raise TypeError(f"marked[{name!r}] must be {expected}, got {mask.dtype}")
        if mask.shape != (n,):
            raise ValueError(f"marked[{name!r}] must be {expected}, got the shape {mask.shape}")
        marks[list(rows).index(name)] = mask
    return marks


def _draw_frames(axes: Axes, corners: NDArray[np.float64], size: tuple[int, int]) -> None:
    """Draw the edges of images, whose background may be as white as the paper."""
    from matplotlib.collections import PolyCollection

    frames = PolyCollection(
        list(_rectangles(corners, size)), facecolors="none", edgecolors="0.8", linewidths=0.6
    )
    frames.set_gid("frames")
    axes.add_collection(frames, autolim=False)


def _draw_seams(
    axes: Axes,
    corners: NDArray[np.float64],
    size: tuple[int, int],
    known: tuple[int, ...],
    side: Side,
) -> None:
    """Draw thin lines where the known part ends and the predicted one begins."""
    from matplotlib.collections import LineCollection

    width, height = size
    place = {
        "below": ((0, known[0]), (width, known[0])),
        "above": ((0, height - known[0]), (width, height - known[0])),
        "right": ((known[1], 0), (known[1], height)),
        "left": ((width - known[1], 0), (width - known[1], height)),
    }[side]
    segments = corners[:, None, :] + np.array(place, dtype=np.float64)
    seams = LineCollection(list(segments), colors=_SEAM, linewidths=0.9)
    seams.set_gid("seams")
    axes.add_collection(seams, autolim=False)


def _draw_marks(axes: Axes, corners: NDArray[np.float64], size: tuple[int, int]) -> None:
    from matplotlib.collections import PolyCollection

    if not len(corners):
        return
    marks = PolyCollection(
        list(_rectangles(corners, size)), facecolors="none", edgecolors=_MARK, linewidths=1.8
    )
    marks.set_gid("marked")
    axes.add_collection(marks, autolim=False)


def _rectangles(corners: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float64]:
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=np.float64)
    return corners[:, None, :] + unit * size


def _handles(side: Side, any_marked: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    opposite = {"below": "above", "above": "below", "right": "left of", "left": "right of"}[side]
    of = " of" if side in ("right", "left") else ""
    label = f"{opposite} the line: known, {side}{of} it: predicted"
    handles: list[Any] = [Line2D([], [], color=_SEAM, linewidth=0.9, label=label)]
    if any_marked:
        handles.append(Patch(facecolor="none", edgecolor=_MARK, linewidth=1.8, label="marked"))
    return handles

"""What pictures of trees have in common: edges, the size of fonts, the legend of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._style import class_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Places = NDArray[np.floating[Any]]

MAX_LEGEND = 12  # classes
_MAX_NAME = 24  # letters of the name of a class


def points_per_unit(axes: Axes) -> float:
    """Return the size at which a unit of the layout is drawn, about: in points, as fonts."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    pixels = min(axes.bbox.width / (right - left), axes.bbox.height / (top - bottom))
    return 72 * float(pixels) / axes.figure.dpi


def draw_edges(
    axes: Axes,
    x: Places,
    y: Places,
    parent: NDArray[np.int64],
    turn: Places,
    *,
    top: Places | None = None,
    bottom: Places | None = None,
) -> None:
    """Draw edges that go down, across and down again, so that they cross no node.

    `turn` is the height at which the edge to each node goes across. Edges end at the `top` of a
    node and begin at the `bottom` of its parent, or in their middles.
    """
    from matplotlib.collections import LineCollection

    child = np.flatnonzero(parent >= 0)
    above = parent[child]
    across = turn[child]
    start = y[above] if bottom is None else bottom[above]
    end = y[child] if top is None else top[child]
    corners = [(x[above], start), (x[above], across), (x[child], across), (x[child], end)]
    lines = np.stack([np.stack(corner, axis=1) for corner in corners], axis=1)
    axes.add_collection(LineCollection(list(lines), colors="0.7", linewidths=1, zorder=1))


def draw_class_legend(axes: Axes, classes: NDArray[Any]) -> None:
    """Add a legend of the colours of classes below the axes."""
    from matplotlib.patches import Patch

    colors = class_colors(len(classes))
    names = [short(str(name), _MAX_NAME) for name in classes]
    legend = axes.legend(
        handles=[Patch(color=color, label=name) for name, color in zip(names, colors, strict=True)],
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=max(1, min(len(names), 60 // (4 + max(map(len, names))))),
        frameon=False,
        fontsize="small",
        handlelength=1.0,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # a dollar sign is a dollar sign


def short(text: str, length: int) -> str:
    """Return a text of at most that many letters, on one line."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"

"""Dot plots of tables: one panel for a data set or a quantity, one line for each method."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.plot._style import COLORS, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METHOD_COLORS = {
    "BF": "#009E73",
    "OBF": "#CC79A7",
    "1-NN": COLORS["1NN"],
    "3-NN": COLORS["5NN"],
    "RF": COLORS["RF"],
    "R-kd": "#56B4E9",
    "CT": "#000000",
}


@dataclass(frozen=True)
class Panel:
    """Values of methods: of ours one for each seed, of the published ones one."""

    title: str
    label: str  # of the axis of values
    ours: Mapping[str, NDArray[np.float64]]
    published: Mapping[str, float] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()  # methods whose published value gets a question mark
    log: bool = False
    from_zero: bool = False


def draw_dots(panels: Sequence[Panel], methods: Sequence[str], columns: int = 2) -> Figure:
    """Draw the panels in rows; every method has the same place in each."""
    columns = min(columns, len(panels))
    n_rows = -(-len(panels) // columns)
    size = (7.8 if columns > 1 else 6.0, 0.6 + n_rows * (0.9 + 0.25 * len(methods)))
    figure: Figure
    figure, grid = pyplot().subplots(
        n_rows, columns, figsize=size, squeeze=False, layout="constrained"
    )
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw_panel(axes, panel, methods)
    _add_legend(figure, panels)
    return figure


def _draw_panel(axes: Axes, panel: Panel, methods: Sequence[str]) -> None:
    for place, method in enumerate(methods):
        color = METHOD_COLORS[method]
        if method in panel.published:
            axes.plot(panel.published[method], place, color=color, **_HOLLOW)
            if method in panel.doubtful:
                where = panel.published[method], place
                axes.annotate("?", where, (8, 0), textcoords="offset points", va="center")
        values = panel.ours.get(method, np.empty(0))
        if panel.log:
            values = values[values > 0]  # a coarse clock may have found no time at all
        if len(values):
            axes.plot([values.min(), values.max()], [place, place], color=color, linewidth=1.8)
            axes.plot(values.mean(), place, color=color, **_FILLED)
    axes.set_yticks(range(len(methods)), methods)
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.set_xlabel(panel.label)
    axes.set_title(panel.title, fontsize=10)
    axes.margins(x=0.08)
    if panel.log and axes.lines:
        _whole_decades(axes)
    elif panel.from_zero:
        axes.set_xlim(left=0)
    axes.grid(color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _whole_decades(axes: Axes) -> None:
    """Let a log scale begin and end at powers of ten, and write these as plain numbers."""
    low, high = axes.dataLim.intervalx
    first, last = math.floor(math.log10(low) - 0.1), math.ceil(math.log10(high) + 0.1)
    step = 1 + (last - first) // 5  # no more than six numbers
    decades = [10.0**power for power in range(first, last + 1)]
    axes.set_xscale("log")
    axes.set_xlim(decades[0], decades[-1])
    axes.set_xticks(decades[::step], [f"{value:g}" for value in decades[::step]])
    axes.set_xticks([], minor=True)


_FILLED: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 6}
_HOLLOW: dict[str, Any] = {
    "marker": "o",
    "linestyle": "none",
    "markersize": 9,
    "markerfacecolor": "none",
    "markeredgewidth": 1.2,
}


def _add_legend(figure: Figure, panels: Sequence[Panel]) -> None:
    from matplotlib.lines import Line2D

    kinds = [("ours", _FILLED)] if any(panel.ours for panel in panels) else []
    kinds += [("published", _HOLLOW)] if any(panel.published for panel in panels) else []
    handles = [Line2D([], [], color="0.2", label=label, **style) for label, style in kinds]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)

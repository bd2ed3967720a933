"""Panels of curves over the number of features, ours and the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manifoldforest.plot._style import method_colors, pyplot

from .._means import Mean
from ._oob_study import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NARROWEST = 0.12  # distance of two labels of an axis, as a share of its length
COLORS = method_colors(METHODS)
MARKERS = dict(zip(METHODS, "so^DP", strict=True))


def panels(n: int, *, across: int = 3, share: bool = False) -> tuple[Figure, list[Axes]]:
    """Return a figure of n panels in rows; `share` gives them the same scale of errors."""
    down = -(-n // across)
    height = 8.4 / across * down + 0.5
    figure, grid = pyplot().subplots(
        down, across, figsize=(9.6, height), sharey=share, squeeze=False, layout="constrained"
    )
    figure.get_layout_engine().set(wspace=0.06, hspace=0.06)
    axes = list(grid.ravel())
    for unused in axes[n:]:
        unused.set_axis_off()
    return figure, axes[:n]


def draw_curve(
    axes: Axes,
    ours: Mapping[int, Mean],
    published: Mapping[int, float],
    *,
    color: str,
    marker: str,
) -> None:
    """Draw means in bands of one standard error, and published values as a thin dashed line."""
    if published:
        p, values = zip(*sorted(published.items()), strict=True)
        axes.plot(p, values, color=color, linewidth=1, linestyle="--", alpha=0.9)
    if ours:
        sizes = sorted(ours)
        mean = np.array([ours[p].value for p in sizes])
        spread = np.nan_to_num([ours[p].error for p in sizes])
        axes.fill_between(sizes, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
        axes.plot(sizes, mean, color=color, linewidth=1.8, marker=marker, markersize=4.5)


def finish(axes: Axes, sizes: Sequence[int], title: str, ylabel: str) -> None:
    """Add the scale of p, a title and a grid."""
    axes.set_xscale("log")
    axes.set_xticks(sizes, _labels(sizes))
    axes.set_xticks([], minor=True)
    axes.set(xlabel="number of features p")
    if ylabel:
        axes.set(ylabel=ylabel)
    axes.set_title(title, fontsize="medium")
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _labels(sizes: Sequence[int]) -> list[str]:
    """Write numbers below the axis, but none that would touch the next one on its right."""
    width = np.log(max(sizes) / min(sizes))
    labels: list[str] = []
    right = np.inf
    for p in reversed(sizes):
        fits = not labels or np.log(right / p) > NARROWEST * width
        labels.append(f"{p:g}" if fits else "")
        right = p if fits else right
    return labels[::-1]


def add_legend(figure: Figure, styles: Mapping[str, tuple[str, str]], *, published: bool) -> None:
    """Add a legend below all panels: names with colour and marker, and what is dashed."""
    from matplotlib.lines import Line2D

    handles: list[Any] = [
        Line2D([], [], color=color, marker=marker, linewidth=1.8, markersize=4.5, label=name)
        for name, (color, marker) in styles.items()
    ]
    if published:
        handles.append(Line2D([], [], color="0.3", linewidth=1, linestyle="--", label="published"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)

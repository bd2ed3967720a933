"""Figures of the excess error of forests, and of the cells of their trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from manifoldforest.plot._style import pyplot

from .._datasets import Array
from .._results import Results
from ._honest_forests import BAYES_ERROR, ExcessCurves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = {"MORF": "#D55E00", "honest MORF": "#882255", "honest SPORF": "#0072B2"}
MARKERS = {"MORF": "o", "honest MORF": "D", "honest SPORF": "^"}
STYLE = {"font.size": 10, "axes.titlesize": 11, "legend.fontsize": 9.5}


def draw_excess(rows: Results, curves: ExcessCurves) -> Figure:
    """Draw errors over the training size, and how much they are above the Bayes error."""
    plt = pyplot()
    sizes = sorted({n for curve in curves.values() for n in curve})
    with plt.rc_context(STYLE):
        figure: Figure
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
        figure.suptitle("Impulse: honest forests", fontsize=13, fontweight="bold")
        for ax, base in ((left, BAYES_ERROR), (right, 0.0)):
            for method, curve in curves.items():
                _draw_curve(ax, rows.where(method=method), method, curve, base)
            ax.set_xscale("log")
            ax.set_xticks(sizes, [f"{n / 1000:g}k" if n >= 1000 else str(n) for n in sizes])
            ax.set_xticks([], minor=True)
            ax.set_xlabel("training examples n")
            ax.grid(color="0.9", linewidth=0.8)
            ax.spines[["top", "right"]].set_visible(False)
        left.axhline(BAYES_ERROR, color="0.2", linestyle=":", linewidth=1.4)
        left.annotate(
            f"Bayes error {BAYES_ERROR:.4f}",
            (0.02, BAYES_ERROR),
            xytext=(0, -4),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="top",
        )
        left.set_ylim(bottom=0.1)
        left.set(title="error", ylabel="test error")
        right.set(title="error above the Bayes error", yscale="log", ylabel="excess error")
        ticks = [tick for tick in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if _in(right, tick)]
        right.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        right.set_yticks([], minor=True)
        left.legend(frameon=False)
    return figure


def _in(ax: Axes, value: float) -> bool:
    low, high = ax.get_ylim()
    return bool(low <= value <= high)


def _draw_curve(
    ax: Axes, rows: Results, method: str, curve: Mapping[int, float], base: float
) -> None:
    sizes = list(curve)
    spread = [rows.where(n=n).values("excess") + base for n in sizes]
    low, high = [float(v.min()) for v in spread], [float(v.max()) for v in spread]
    ax.fill_between(sizes, low, high, color=COLORS[method], alpha=0.15, linewidth=0)
    ax.plot(
        sizes,
        [curve[n] + base for n in sizes],
        color=COLORS[method],
        marker=MARKERS[method],
        linewidth=2,
        markersize=5.5,
        label=method,
    )


def draw_planes(planes: Mapping[str, Array]) -> Figure:
    """Draw the cells of one tree of each forest in a plane."""
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure: Figure
        figure, axes = plt.subplots(
            1, len(planes), figsize=(3.2 * len(planes), 3.9), layout="constrained", squeeze=False
        )
        figure.suptitle("Cells of one tree in a plane", fontsize=13, fontweight="bold")
        for ax, (method, leaves) in zip(axes[0], planes.items(), strict=True):
            cells = np.unique(leaves, return_inverse=True)[1].reshape(leaves.shape)
            ax.imshow(cells % 20, cmap="tab20", vmin=0, vmax=19, interpolation="nearest")
            edges = np.zeros(cells.shape)
            edges[:, 1:] += cells[:, 1:] != cells[:, :-1]
            edges[1:] += cells[1:] != cells[:-1]
            ax.imshow(np.zeros(cells.shape), cmap="Greys_r", alpha=(edges > 0).astype(float))
            ax.set(xticks=[], yticks=[], title=method)
    return figure

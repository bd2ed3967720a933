"""Drawings of performance profiles, and of the errors behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from manifoldforest.plot._style import method_colors, pyplot

from .._results import Results
from ._log_axes import plain_numbers
from ._profile import area, interval, profile, ratios, resampled_areas
from ._profile_panel import METHODS, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = {"RF": "--", "RerF": "-", "RotRF": "-."}
MARKS = {"RerF": "o", "RotRF": "x"}
SHORT_SCALE = (1, 1.1, 1.2, 1.5, 2, 3, 4)
LONG_SCALE = (1, 1.5, 2, 3, 4, 6, 10, 20, 33)


def draw_profiles(panels: Sequence[Panel], results: Results) -> Figure:
    """Draw errors in the left column and training times in the right one, like the paper."""
    kinds = list(dict.fromkeys(panel.transformation for panel in panels))
    figure, axes = pyplot().subplots(
        len(kinds), 2, figsize=(8, 0.6 + 2.5 * len(kinds)), squeeze=False, layout="constrained"
    )
    for ax in axes.flat:
        ax.set_visible(False)
    for panel in panels:
        column = 0 if panel.metric == "error" else 1
        ax = axes[kinds.index(panel.transformation), column]
        ax.set_visible(True)
        _draw_profile(ax, panel, results)
    figure.supylabel("share of data sets", fontsize=10)
    return figure  # type: ignore[no-any-return]


def _draw_profile(ax: Axes, panel: Panel, results: Results) -> None:
    ratio = ratios(panel.costs(results))
    areas, draws = area(ratio, panel.end), resampled_areas(ratio, panel.end)
    colors = method_colors(METHODS)
    for i, method in enumerate(METHODS):
        at, share = profile(ratio[:, i])
        low, high = interval(draws[:, i])
        label = f"{method} {areas[i]:.2f} [{low:.2f}, {high:.2f}]"
        if results.preset == "full":
            label += f", published {panel.areas[i]:.2f}"
        ax.step(
            [1, *at, max(panel.end, at[-1])],
            [0, *share, 1],
            where="post",
            color=colors[method],
            linestyle=LINES[method],
            linewidth=1.6,
            label=label,
        )
    scale = SHORT_SCALE if panel.end <= SHORT_SCALE[-1] else LONG_SCALE
    ticks = [tick for tick in scale if tick <= panel.end]
    ax.set_xscale("log")
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlim(1, panel.end)
    ax.set_ylim(0, 1.03)
    ax.grid(alpha=0.25)
    ax.tick_params(labelsize=8)
    ax.set_title(f"{panel.title} ({len(ratio)} sets)", fontsize=10)
    ax.set_xlabel("ratio to the best method", fontsize=9)
    ax.legend(title="area under the curve", fontsize=8, title_fontsize=8, loc="lower right")


def draw_errors(panels: Sequence[Panel], results: Results) -> Figure:
    """Draw the errors of the oblique forests against those of RF, a panel per transformation."""
    n_rows = (len(panels) + 1) // 2
    figure, axes = pyplot().subplots(
        n_rows, 2, figsize=(8, 0.4 + 3.6 * n_rows), squeeze=False, layout="constrained"
    )
    colors = method_colors(METHODS)
    tables = [panel.costs(results) for panel in panels]
    low = 0.7 * min(float(table.min()) for table in tables)
    high = max(1.0, 1.4 * max(float(table.max()) for table in tables))
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for ax, panel, costs in zip(axes.flat, panels, tables, strict=False):
        ax.plot([low, high], [low, high], color="0.6", linewidth=1)
        for method, mark in MARKS.items():
            ours = costs[:, METHODS.index(method)]
            ax.plot(
                *(costs[:, 0], ours, mark),
                color=colors[method],
                markersize=4.5,
                alpha=0.8,
                label=f"{method} (below RF on {np.mean(ours < costs[:, 0]):.0%})",
            )
        ax.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), aspect="equal")
        plain_numbers(ax.xaxis)
        plain_numbers(ax.yaxis)
        ax.grid(alpha=0.25)
        ax.tick_params(labelsize=8)
        ax.set_title(f"{panel.transformation} ({len(costs)} sets)", fontsize=10)
        ax.set_xlabel("out-of-bag error of RF", fontsize=9)
        ax.set_ylabel("out-of-bag error of RerF, RotRF", fontsize=9)
        ax.legend(fontsize=8, loc="upper left")
    return figure  # type: ignore[no-any-return]

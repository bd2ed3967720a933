"""The figure of seconds over the training size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manifoldforest.plot._style import pyplot

from ._methods import COLORS, FORESTS, MARKERS, METHODS
from ._seconds import PHASES, Measured, PublishedSeconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE = {"font.size": 10, "axes.titlesize": 11, "legend.fontsize": 9.5}


def draw_times(times: Measured) -> Figure:
    """Draw training above testing, one column for each problem."""
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure: Figure
        figure, grid = plt.subplots(
            2, len(times.names), figsize=(10, 7.6), sharex="col", sharey="row", layout="constrained"
        )
        figure.suptitle("Seconds over training size", fontsize=13, fontweight="bold")
        for axes, phase in zip(grid, PHASES, strict=True):
            for ax, problem in zip(axes, times.names, strict=True):
                _draw_panel(ax, times, problem, phase)
            axes[0].set_ylabel(f"{PHASES[phase]}, CPU seconds")
        for ax, problem in zip(grid[0], times.names, strict=True):
            ax.set_title(problem)
        for ax in grid[-1]:
            ax.set_xlabel("training examples n")
        _legend(figure, grid)
    return figure


def _draw_panel(ax: Axes, times: Measured, problem: str, phase: str) -> None:
    ax.set(xscale="log", yscale="log")
    ax.grid(color="0.9", linewidth=0.8)
    ax.spines[["top", "right"]].set_visible(False)
    for method in reversed(METHODS):  # forests on top
        curve = times.seconds(problem, method, phase)
        if not curve:
            continue
        main = method in FORESTS or method == "CNN"
        ax.plot(
            list(curve),
            list(curve.values()),
            color=COLORS[method],
            marker=MARKERS[method],
            linewidth=2.2 if main else 1.0,
            markersize=5.5 if main else 4,
            alpha=1 if main else 0.75,
            label=method,
        )
    if phase == "train_seconds" and times.comparable:
        _draw_published(ax, times.published, problem)


def _draw_published(ax: Axes, published: PublishedSeconds, problem: str) -> None:
    """Draw seconds on all cores, and a line up to the most that they may be on a single one."""
    # A little to the right of our own markers, and beside each other.
    for place, (method, seconds) in enumerate(published.training[problem].items()):
        n = published.n * 1.25 * 1.12**place
        style: dict[str, Any] = {"color": COLORS[method], "linewidth": 1.0, "zorder": 4}
        ax.plot([n, n], [seconds, published.cores * seconds], linestyle=(0, (4, 2.5)), **style)
        ax.plot(n, seconds, marker=MARKERS[method], markerfacecolor="white", markersize=6, **style)
        ax.plot(n, published.cores * seconds, marker="_", markersize=8, **style)
    dashed: dict[str, Any] = {"color": "0.3", "linewidth": 1.0, "linestyle": (0, (4, 2.5))}
    label = f"published, {published.cores} cores"
    ax.plot([], [], marker="o", markerfacecolor="white", label=label, **dashed)


def _legend(figure: Figure, grid: Any) -> None:
    handles: dict[str, Any] = {}
    for ax in grid.flat:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles[label] = handle
    published = [label for label in handles if label not in METHODS]
    order = [*(method for method in METHODS if method in handles), *published]
    figure.legend(
        [handles[label] for label in order],
        order,
        loc="outside lower center",
        ncols=min(6, max(1, len(order))),
        frameon=False,
    )

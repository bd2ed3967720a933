"""The picture of ``manifoldforest demo``: examples, error curves and importance maps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plot import COLORS, error_curves, importance_map
from ._demo import METHODS, PROBLEMS, Array, Problem, Results, Usage

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.gridspec import SubplotSpec


def draw(results: Results) -> Figure:
    """Draw examples, error curves and importance maps in one figure."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(13, 11.4), layout="constrained", facecolor="white")
        parts: Any = figure.subfigures(3, 1, height_ratios=(6.0, 3.2, 2.2), hspace=0.03)
        _draw_problems(parts[0], results)
        _draw_maps(parts[1], results.usage["digits"])
        _draw_profiles(parts[2], results.usage["impulse"])
    return figure


STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.edgecolor": "0.5",
    "axes.linewidth": 0.8,
    "axes.labelcolor": "0.25",
    "xtick.color": "0.5",
    "ytick.color": "0.5",
    "xtick.labelcolor": "0.25",
    "ytick.labelcolor": "0.25",
}
TITLE_SIZE, HEADING_SIZE = 17, 13


def _draw_problems(figure: SubFigure, results: Results) -> None:
    """Draw one column for each problem: an example of two classes, and the error curves below."""
    figure.suptitle(
        "A forest that knows which features are neighbours learns from fewer examples",
        fontsize=TITLE_SIZE,
        fontweight="bold",
    )
    grid = figure.add_gridspec(2, len(PROBLEMS), height_ratios=(1.0, 2.1), hspace=0.06)
    for column, problem in enumerate(PROBLEMS):
        _draw_examples(figure, grid[0, column], problem)
        ax = figure.add_subplot(grid[1, column])
        rows = results.of(problem.name)
        published = [math.nan if row.published is None else row.published for row in rows["MORF"]]
        error_curves(
            problem.sizes,
            {method: [row.errors for row in rows[method]] for method in METHODS},
            published={"MORF": published},
            bayes_error=problem.bayes_error,
            legend=False,
            ax=ax,
        )
        if column > 0:
            ax.set_ylabel("")
    handles, labels = ax.get_legend_handles_labels()
    words = {
        "RF": "RF: single features",
        "SPORF": "SPORF: random sums of features",
        "MORF": "MORF: sums over patches of neighbours",
        "MORF, published": "MORF, published (500 trees)",
    }
    figure.legend(
        handles,
        [words[label] for label in labels],
        loc="outside lower center",
        ncols=len(labels),
        frameon=False,
        fontsize=10.5,
    )


def _draw_examples(figure: SubFigure, place: SubplotSpec, problem: Problem) -> None:
    """Draw one example of each of two classes side by side."""
    heading = figure.add_subplot(place)
    heading.set_axis_off()
    heading.set_title(problem.name, fontsize=HEADING_SIZE, fontweight="bold", pad=20)
    middle: dict[str, Any] = {"transform": heading.transAxes, "ha": "center", "va": "bottom"}
    heading.text(0.5, 1.03, problem.question, color="0.25", **middle)
    X, y, _, _ = problem.draw(200, 1, 3)
    classes = (3, 5) if problem.name == "digits" else (0, 1)
    for side, label in enumerate(classes):
        ax = heading.inset_axes((0.03 + 0.5 * side, 0.0, 0.44, 1.0))
        example = X[y == label][0]
        if problem.name == "circle":
            _draw_ring(ax, example)
        elif example.ndim == 2:
            ax.imshow(example, cmap="Greys", interpolation="nearest")
            ax.set(xticks=[], yticks=[])
        else:
            ax.plot(example, color="0.45", linewidth=0.8)
            ax.plot(label * _impulse(len(example)), color="black", linewidth=1.8)
            ax.set(xticks=[], yticks=[], ylim=(-3.2, 3.2))
            ax.set_box_aspect(1)


def _impulse(n_times: int) -> Array:
    """Return what `make_impulse` adds to the noise."""
    since = np.arange(n_times) - 20
    return np.where(since >= 0, np.exp(-0.1 * np.maximum(since, 0)), 0.0)


def _draw_ring(ax: Axes, example: Array) -> None:
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(example)) / len(example)
    x, y = np.cos(angles), np.sin(angles)
    on = example > 0
    ax.scatter(x[~on], y[~on], s=3, color="0.75", linewidths=0)
    ax.scatter(x[on], y[on], s=22, color="black", linewidths=0)
    ax.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
    ax.set_axis_off()


def _draw_maps(figure: SubFigure, usage: Usage) -> None:
    """Draw the importance of pixels for telling a 3 from a 5."""
    figure.suptitle(
        "Where the splits look, telling 3 from 5: share of each pixel",
        fontsize=HEADING_SIZE,
        fontweight="bold",
    )
    axes = figure.subplots(1, 1 + len(METHODS))
    importance_map(usage.difference, axes[0])
    axes[0].set_title("mean 5 minus mean 3")
    limit = max(float(shares.max()) for shares in usage.shares.values())
    for ax, method in zip(axes[1:], METHODS, strict=True):
        importance_map(usage.shares[method], ax, limit=limit)
        ax.set_title(method, color=COLORS[method], fontweight="bold")
    figure.colorbar(axes[-1].images[0], ax=axes, shrink=0.8, aspect=16, pad=0.01, format=_percent())


def _draw_profiles(figure: SubFigure, usage: Usage) -> None:
    """Draw the importance of times for telling an impulse from noise."""
    figure.suptitle(
        "Where the splits look, telling an impulse from noise: share of each time",
        fontsize=HEADING_SIZE,
        fontweight="bold",
    )
    axes = figure.subplots(1, 1 + len(METHODS))
    axes[0].plot(_impulse(usage.difference.size), color="black", linewidth=1.8)
    axes[0].set_title("the impulse")
    limit = max(float(shares.max()) for shares in usage.shares.values())
    for ax, method in zip(axes[1:], METHODS, strict=True):
        importance_map(usage.shares[method], ax, color=COLORS[method], limit=limit)
        ax.set_title(method, color=COLORS[method], fontweight="bold")
        ax.yaxis.set_major_formatter(_percent())
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlim(0, 99)


def _percent() -> Any:
    from matplotlib.ticker import PercentFormatter

    return PercentFormatter(1.0, decimals=0)

"""The figure of a learning curve: examples of the classes on top, errors below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from manifoldforest.plot._style import pyplot

from ._errors import Errors
from ._examples import Array, Show
from ._methods import BASELINES, COLORS, FORESTS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Ten methods, twice with the published ones, are too many for one panel. MORF is in both.
PANELS = ((*FORESTS, "CNN", "XGB"), ("MORF", *BASELINES))
STYLE = {"font.size": 11, "axes.titlesize": 12, "legend.fontsize": 10.5}
WIDTH, CURVES_HEIGHT = 8.0, 5.4


def draw_curves(
    errors: Errors,
    *,
    title: str,
    examples: Mapping[str, Array] | None,
    show: Show,
    class_names: Sequence[str],
    bayes_error: float | None,
    log_error: bool,
) -> Figure:
    """Draw the errors of all methods, and examples if there are any."""
    plt = pyplot()
    with plt.rc_context(STYLE):
        top = min(1.7, WIDTH / len(examples["labels"])) + 0.4 if examples else 0.0
        figure: Figure = plt.figure(figsize=(WIDTH, top + CURVES_HEIGHT), layout="constrained")
        figure.suptitle(title, fontsize=14, fontweight="bold")
        below: Any = figure
        if examples:
            ratios = (top, CURVES_HEIGHT)
            parts: Any = figure.subfigures(2, 1, height_ratios=ratios, hspace=0.02)
            above, below = parts
            _draw_examples(above, examples, show, class_names)
        panels = below.subplots(1, len(PANELS), sharey=True)
        for ax, methods in zip(panels, PANELS, strict=True):
            _draw_panel(ax, errors, methods)
        for ax in panels:  # after all are drawn, for they share an axis
            _finish(ax, errors.sizes(), bayes_error, log_error)
        panels[0].set_ylabel("test error")
    return figure


def _draw_examples(
    figure: SubFigure, examples: Mapping[str, Array], show: Show, class_names: Sequence[str]
) -> None:
    labels = examples["labels"]
    axes = figure.subplots(1, len(labels), squeeze=False)[0]
    for ax, example, label in zip(axes, examples["examples"], labels, strict=True):
        show(ax, example, int(label))
        ax.set_title(class_names[int(label)], fontsize=11)


def _draw_panel(ax: Axes, errors: Errors, methods: Sequence[str]) -> None:
    for method in methods:
        # MORF is what the figure is about: its line is the thickest and on top.
        weight = 2.6 if method == "MORF" else 1.5
        order = 4 if method == "MORF" else 3
        style: dict[str, Any] = {
            "color": COLORS[method],
            "marker": MARKERS[method],
            "clip_on": False,  # markers of errors near 0 are drawn whole
        }
        sizes = errors.sizes_of(method)
        if sizes:
            values = [errors.ours[method][n] for n in sizes]
            means = [float(v.mean()) for v in values]
            low, high = [float(v.min()) for v in values], [float(v.max()) for v in values]
            ax.fill_between(sizes, low, high, color=style["color"], alpha=0.13, linewidth=0)
            ax.plot(
                sizes, means, label=method, linewidth=weight, markersize=5, zorder=order, **style
            )
        published = errors.published.get(method, {})
        published_sizes = [n for n in errors.sizes() if n in published]
        if published_sizes:
            ax.plot(
                published_sizes,
                [published[n] for n in published_sizes],
                label=None if sizes else f"{method}, published",
                linewidth=0.9,
                linestyle=(0, (4, 2.5)),
                markersize=6.5,
                markerfacecolor="none",
                zorder=order - 1.5,
                **style,
            )
    if errors.published:
        dashed: dict[str, Any] = {"color": "0.3", "linewidth": 0.9, "linestyle": (0, (4, 2.5))}
        ax.plot([], [], marker="o", markerfacecolor="none", label="published", **dashed)


def _finish(ax: Axes, sizes: Sequence[int], bayes_error: float | None, log_error: bool) -> None:
    """Set scales, ticks and the legend, and draw the lowest error that is possible."""
    if bayes_error is not None:
        ax.axhline(bayes_error, color="0.2", linewidth=1.2, linestyle=":", zorder=1)
        ax.annotate(
            f"Bayes error {bayes_error:.3f}",
            (0.02, bayes_error),
            xytext=(0, -3),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="top",
            fontsize=10,
        )
    ax.set_xscale("log")
    ax.set_xticks(list(sizes), [_short(n) for n in sizes])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("training examples n")
    if log_error:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")
        ax.set_yticks([0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
        ax.set_yticks([], minor=True)
    else:
        ax.set_ylim(bottom=0)
    ax.grid(axis="y", color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelleft=True)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)


def _short(n: int) -> str:
    return f"{n / 1000:g}k" if n >= 1000 else str(n)

"""Performance profiles (Dolan and Moré): how often a method comes how close to the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from manifoldforest.plot import method_colors

from ..drawing import panels, panels_in_rows, plain_numbers
from ..experiment import Finding, Sheet
from ..results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

METHODS = ("RF", "RerF", "RotRF")
PAIRS = ((1, 0), (2, 0), (1, 2))  # of methods that are compared
RESAMPLES = 2000
COLORS = method_colors(METHODS)
LINES = {"RF": "--", "RerF": "-", "RotRF": "-."}
MARKS = {"RerF": "o", "RotRF": "x"}
SHORT_SCALE = (1, 1.1, 1.2, 1.5, 2, 3, 4)
LONG_SCALE = (1, 1.5, 2, 3, 4, 6, 10, 20, 33)


def ratios(costs: Array) -> Array:
    """Divide the costs of each problem, a row, by those of its best method; all are positive."""
    return np.asarray(costs / costs.min(axis=1, keepdims=True))


def profile(ratio: Array) -> tuple[Array, Array]:
    """Return distinct ratios of one method in increasing order, and the share of problems up to."""
    at, count = np.unique(ratio, return_counts=True)
    return at, np.cumsum(count) / len(ratio)


def area(ratio: Array, end: float) -> Array:
    """Return the area under each method's profile for ratios (..., problems, methods) 1 to `end`.

    A problem adds the length of the axis on which its ratio is already reached, so the area is
    ``end`` minus the mean ratio, with ratios beyond the axis cut to its end.
    """
    return np.asarray(end - np.minimum(ratio, end).mean(axis=-2))


def resampled_areas(ratio: Array, end: float) -> Array:
    """Return areas (resamples, methods) for problems drawn with replacement, for all methods."""
    chosen = np.random.default_rng(0).integers(len(ratio), size=(RESAMPLES, len(ratio)))
    return area(ratio[chosen], end)


def interval(draws: Array) -> tuple[float, float]:
    """Return the middle 95 % of the draws."""
    low, high = np.percentile(draws, [2.5, 97.5])
    return float(low), float(high)


@dataclass(frozen=True)
class Panel:
    """A cost of all methods under one transformation, and what is published."""

    metric: Literal["error", "train_seconds"]
    transformation: str
    end: float  # of the axis of ratios
    areas: tuple[float, ...]  # published, for each method

    @property
    def title(self) -> str:
        """What is compared, for a reader."""
        return f"{'error' if self.metric == 'error' else 'training time'}, {self.transformation}"

    def costs(self, results: Results) -> Array:
        """Return a row for each data set that all methods have finished, a column per method.

        An error of zero counts as half a row, so that ratios are finite.
        """
        cells: dict[str, dict[str, float]] = {}
        for row in results.where(transformation=self.transformation):
            least = 0.5 / row.metrics["rows"] if self.metric == "error" else 0.0
            cost = max(row.metrics[self.metric], least)
            cells.setdefault(str(row.get("data")), {})[str(row.get("method"))] = cost
        complete = [
            [of_set[method] for method in METHODS]
            for of_set in cells.values()
            if all(method in of_set for method in METHODS)
        ]
        return np.array(complete, dtype=np.float64).reshape(-1, len(METHODS))

    def area_texts(self, results: Results) -> list[str]:
        """Write the area of each method with its 95 % interval over data sets."""
        ratio = ratios(self.costs(results))
        areas = zip(area(ratio, self.end), resampled_areas(ratio, self.end).T, strict=True)
        return ["{:.2f} [{:.2f}, {:.2f}]".format(ours, *interval(draws)) for ours, draws in areas]


def order_finding(panel: Panel, results: Results) -> Finding:
    """Compare the order of the areas; a pair contradicts if its interval excludes a tie."""
    ratio = ratios(panel.costs(results))
    ours, draws = area(ratio, panel.end), resampled_areas(ratio, panel.end)
    verdicts: list[bool | None] = []
    texts = []
    for i, j in PAIRS:
        low, high = interval(draws[:, i] - draws[:, j])
        difference, published = ours[i] - ours[j], panel.areas[i] - panel.areas[j]
        text = f"{METHODS[i]} − {METHODS[j]} {difference:+.2f} [{low:+.2f}, {high:+.2f}]"
        texts.append(f"{text}, published {published:+.2f}")
        if sign := np.sign(published):
            contradicts = max(sign * low, sign * high) < 0
            same = sign * difference >= 0
            verdicts.append(False if contradicts else True if same else None)
    # any contradiction decides; without one all pairs must agree for a yes
    joint = False if False in verdicts else None if None in verdicts else True
    judged = results.preset == "full"
    return Finding(
        f"{panel.title}: order of the areas under the profiles",
        _ranking(ours),
        _ranking(np.array(panel.areas)) if judged else "-",
        joint if judged else None,
        f"{len(ratio)} data sets (paper: 115); differences with 95 % intervals over data sets: "
        + "; ".join(texts),
    )


def _ranking(areas: Array) -> str:
    text, before = "", math.nan
    for i in sorted(range(len(METHODS)), key=lambda i: -areas[i]):
        sign = "" if not text else " = " if areas[i] == before else " > "
        text, before = f"{text}{sign}{METHODS[i]} {areas[i]:.2f}", areas[i]
    return text


def areas_sheet(panels: Sequence[Panel], results: Results) -> Sheet:
    """Return the areas under all profiles."""
    rows = []
    for panel in panels:
        areas = zip(panel.area_texts(results), panel.areas, strict=True)
        n_sets = str(len(panel.costs(results)))
        cells = (f"{ours} ({published:.2f})" for ours, published in areas)
        rows.append((panel.title, f"1 to {panel.end:g}", n_sets, *cells))
    title = "Areas under the performance profiles [95 % interval over data sets] (published)"
    return Sheet(title, ("panel", "ratios", "data sets", *METHODS), tuple(rows))


def wins_sheet(panels: Sequence[Panel], results: Results) -> Sheet:
    """Return how often each method has a smaller error than each other one."""
    rows = []
    for panel, (i, j) in product(panels, PAIRS):
        difference = panel.costs(results)[:, i] - panel.costs(results)[:, j]
        counts = (str(np.sum(np.sign(difference) == sign)) for sign in (-1, 0, 1))
        pair = f"{METHODS[i]} against {METHODS[j]}"
        rows.append((panel.transformation, pair, *counts, f"{difference.mean():+.4f}"))
    heads = ("data", "methods", "smaller", "equal", "larger", "mean difference")
    return Sheet("On how many data sets one method has the smaller error", heads, tuple(rows))


def draw_profiles(shown: Sequence[Panel], results: Results) -> Figure:
    """Draw errors in the left column and training times in the right one, like the paper."""
    kinds = list(dict.fromkeys(panel.transformation for panel in shown))
    figure, table = panels(len(kinds), 2, (8, 0.6 + 2.5 * len(kinds)))
    for ax in table.flat:
        ax.set_visible(False)
    for panel in shown:
        ax = table[kinds.index(panel.transformation), 0 if panel.metric == "error" else 1]
        ax.set_visible(True)
        _draw_profile(ax, panel, results)
    figure.supylabel("share of data sets", fontsize=10)
    return figure


def _draw_profile(ax: Axes, panel: Panel, results: Results) -> None:
    ratio, texts = ratios(panel.costs(results)), panel.area_texts(results)
    for i, method in enumerate(METHODS):
        at, share = profile(ratio[:, i])
        published = f", published {panel.areas[i]:.2f}" if results.preset == "full" else ""
        x, label = [1, *at, max(panel.end, at[-1])], f"{method} {texts[i]}{published}"
        (line,) = ax.step(x, [0, *share, 1], LINES[method], where="post", label=label)
        line.set(color=COLORS[method], linewidth=1.6)
    scale = SHORT_SCALE if panel.end <= SHORT_SCALE[-1] else LONG_SCALE
    ticks = [tick for tick in scale if tick <= panel.end]
    ax.set(xscale="log", xlim=(1, panel.end), ylim=(0, 1.03))
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
    _finish(ax, f"{panel.title} ({len(ratio)} sets)", "ratio to the best method")
    ax.legend(title="area under the curve", fontsize=8, title_fontsize=8, loc="lower right")


def draw_errors(shown: Sequence[Panel], results: Results) -> Figure:
    """Draw the errors of the oblique forests against those of RF, a panel per transformation."""
    figure, axes = panels_in_rows(len(shown), 2, (8, 0.4 + 3.6 * ((len(shown) + 1) // 2)))
    tables = [panel.costs(results) for panel in shown]
    low = 0.7 * min(float(table.min()) for table in tables)
    high = max(1.0, 1.4 * max(float(table.max()) for table in tables))
    for ax, panel, costs in zip(axes, shown, tables, strict=True):
        ax.plot([low, high], [low, high], color="0.6", linewidth=1)
        for method, mark in MARKS.items():
            ours = costs[:, METHODS.index(method)]
            label = f"{method} (below RF on {np.mean(ours < costs[:, 0]):.0%})"
            (marks,) = ax.plot(costs[:, 0], ours, mark, color=COLORS[method], label=label)
            marks.set(markersize=4.5, alpha=0.8)
        ax.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), aspect="equal")
        plain_numbers(ax.xaxis)
        plain_numbers(ax.yaxis)
        _finish(ax, f"{panel.transformation} ({len(costs)} sets)", "out-of-bag error of RF")
        ax.set_ylabel("out-of-bag error of RerF, RotRF", fontsize=9)
        ax.legend(fontsize=8, loc="upper left")
    return figure


def _finish(ax: Axes, title: str, xlabel: str) -> None:
    ax.grid(alpha=0.25)
    ax.tick_params(labelsize=8)
    ax.set_title(title, fontsize=10)
    ax.set_xlabel(xlabel, fontsize=9)

"""Findings, tables and drawings of growing costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manifoldforest.plot._style import method_colors, pyplot

from .._experiment import Finding, Sheet
from .._results import Results
from ._growth import EXTRA, METHODS, METRICS, THOUSANDTH, Sweep, costs_of, slope_of
from ._log_axes import plain_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS = {"RF": "s", "RerF": "o", "RotRF": "x", EXTRA: ""}
LINES = {"RF": "--", "RerF": "-", "RotRF": "-.", EXTRA: ":"}
NOTES = {
    "rows": "n log n has an exponent of about 1.1 here",
    "features": "trees on noise have fewer nodes the more candidates they choose from",
}
SAME = 0.1  # exponents that differ by less are the same


def same_slope(sweep: Sweep, metric: str, published: str, results: Results) -> Finding | None:
    """Compare the exponents of RF and RerF."""
    rf, rerf = (slope_of(sweep, metric, method, results) for method in ("RF", "RerF"))
    if rf is None or rerf is None:
        return None
    what = "training time" if metric == "train_seconds" else "model size"
    return Finding(
        f"{what} grows with {sweep.over} alike for RF and RerF",
        f"exponents RF {rf}, RerF {rerf}",
        published,
        abs(rf.value - rerf.value) < SAME,
        f"{sweep.over} from {sweep.slope_from}; exponents that differ by less than {SAME} count as "
        "alike; " + NOTES[sweep.over],
    )


def extra_time(sweep: Sweep, results: Results) -> Finding | None:
    """Compare the time that rotations take."""
    extra = slope_of(sweep, "train_seconds", EXTRA, results)
    if extra is None:
        return None
    return Finding(
        "rotations cost RotRF extra training time that grows with p² to p³",
        f"exponent of the time beyond that of RF: {extra}",
        "O(p³) to draw a rotation, O(np²) to apply it",
        2 - SAME <= extra.value <= 3 + SAME,
        f"p from {sweep.slope_from}, n = {sweep.sizes[0].rows}; the part in np² should lead while "
        "p is well below n",
    )


def extra_bytes(sweep: Sweep, results: Results) -> Finding | None:
    """Compare the room that rotations take."""
    extra = slope_of(sweep, "model_bytes", EXTRA, results)
    if extra is None:
        return None
    sizes, costs = costs_of(sweep, "model_bytes", EXTRA, results)
    last = sizes == sizes.max()
    return Finding(
        "RotRF stores a rotation of p² numbers with each tree",
        f"exponent of the size beyond that of RF: {extra}; at p = {sizes.max():.0f} "
        f"{costs[last].mean() / sizes.max() ** 2:.2f} bytes × p²",
        "O(p²)",
        abs(extra.value - 2) < SAME,
        "our numbers have 4 bytes",
    )


def slope_sheet(sweeps: tuple[Sweep, ...], results: Results) -> Sheet:
    """Return all exponents."""
    rows = []
    for metric, label in METRICS.items():
        for sweep in sweeps:
            slopes = [slope_of(sweep, metric, method, results) for method in (*METHODS, EXTRA)]
            if sweep.over == "rows":
                slopes[-1] = None  # a rotation does not depend on the rows: nothing grows
            cells = ("-" if slope is None else str(slope) for slope in slopes)
            rows.append((f"{label} over {sweep.label}", f"{sweep.slope_from}", *cells))
    return Sheet("Exponents ± standard errors", ("cost", "from", *METHODS, EXTRA), tuple(rows))


def cost_sheet(sweep: Sweep, metric: str, results: Results) -> Sheet:
    """Return one cost of all methods at all sizes."""
    rows = []
    for size in sweep.sizes:
        at = results.where(over=sweep.over, **size._asdict())
        if len(at):
            means = (at.where(method=method).mean(metric) for method in METHODS)
            cells = (_short(THOUSANDTH[metric] * mean) for mean in means)
            rows.append((str(getattr(size, sweep.over)), *cells))
    return Sheet(f"{METRICS[metric]} over {sweep.label}", (sweep.over, *METHODS), tuple(rows))


def _short(cost: float) -> str:
    if np.isnan(cost):
        return "-"
    return f"{cost:.3g}" if cost < 100 else f"{cost:.0f}"


def draw_growth(sweeps: tuple[Sweep, ...], results: Results) -> Figure:
    """Draw time above and file size below, a column for each sweep."""
    metrics = ("train_seconds", "model_bytes")
    figure, axes = pyplot().subplots(
        len(metrics), len(sweeps), figsize=(8, 7), squeeze=False, layout="constrained"
    )
    for column, sweep in zip(axes.T, sweeps, strict=True):
        for ax, metric in zip(column, metrics, strict=True):
            ax.set_visible(len(results.where(over=sweep.over)) > 0)
            if ax.get_visible():
                _draw(ax, sweep, metric, results)
    return figure  # type: ignore[no-any-return]


def _draw(ax: Axes, sweep: Sweep, metric: str, results: Results) -> None:
    colors = method_colors(METHODS)
    methods = (*METHODS, EXTRA) if sweep.over == "features" else METHODS
    for method in methods:
        sizes, costs = costs_of(sweep, metric, method, results)
        at = np.unique(sizes)
        groups = [THOUSANDTH[metric] * costs[sizes == size] for size in at]
        mean = np.array([group.mean() for group in groups])
        slope = slope_of(sweep, metric, method, results)
        color = colors["RotRF" if method == EXTRA else method]
        shown = mean > 0  # the extra time of a few features may be none
        ax.plot(
            *(at[shown], mean[shown]),
            color=color,
            linestyle=LINES[method],
            marker=MARKS[method],
            markersize=5,
            linewidth=1.5,
            label=method if slope is None else f"{method}: {slope}",
        )
        if method != EXTRA and len(at):
            ends = [g.min() for g in groups], [g.max() for g in groups]
            ax.fill_between(at, *ends, color=color, alpha=0.18, linewidth=0)
    ax.axvline(sweep.slope_from, color="0.7", linewidth=0.8)
    ax.set(xscale="log", yscale="log")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.3)  # room for the legend
    plain_numbers(ax.xaxis)
    plain_numbers(ax.yaxis)
    ax.set_xlabel(sweep.label, fontsize=9)
    ax.set_ylabel(METRICS[metric], fontsize=9)
    ax.tick_params(labelsize=8)
    ax.grid(alpha=0.25)
    ax.legend(title="exponents", fontsize=8, title_fontsize=8, loc="upper left")

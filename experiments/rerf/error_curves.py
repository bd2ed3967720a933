"""Errors over the number of features p: the two families of figures, and how they are drawn.

`RelativeErrors` (Figure 2: R2, R3) shows errors minus those of RF and training times, `Transformed`
(Figures 3 and 5: R4, R5, R7) errors on transformed training sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from manifoldforest.plot import method_colors

from .. import drawing
from ..experiment import Finding, Picture, Sheet
from ..results import Mean, Results, beside
from .comparisons import RERF_RAW, RF_RAW, Curve, Order, Published, Trials, by_size, judged
from .oob_study import RAW, OobStudy, training_set

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Style = Mapping[str, Any]  # parameters of a line
Curves = Mapping[str, Mapping[int, float]]  # by method and p
Means = Mapping[str, Mapping[int, Mean]]
CurveOf = Callable[[str, str], Curve]  # takes the names of a panel and of a style

METHODS = ("RF", "RerF", "RotRF", "RerF(d)", "RerF(d+r)")
PUBLISHED_LINE: Style = {"color": "0.3", "linewidth": 1, "linestyle": "--"}


def line_style(color: str, marker: str) -> Style:
    """Return how one of our curves is drawn."""
    return {"color": color, "marker": marker, "linewidth": 1.8, "markersize": 4.5}


# every method has its colour in all figures
METHOD_STYLES = {
    method: line_style(method_colors(METHODS)[method], marker)
    for method, marker in zip(METHODS, "so^DP", strict=True)
}


def _panels(n: int, *, across: int = 3, share: bool = False) -> tuple[Figure, list[Axes]]:
    """Return a figure of n panels in rows; `share` gives them the same scale of errors."""
    size = (9.6, 8.4 / across * -(-n // across) + 0.5)
    figure, axes = drawing.panels_in_rows(n, across, size, sharey=share)
    figure.get_layout_engine().set(wspace=0.06, hspace=0.06)  # type: ignore[union-attr,call-arg]
    return figure, axes


def _draw_curve(
    axes: Axes, ours: Mapping[int, Mean], published: Mapping[int, float], style: Style
) -> None:
    if published:
        p, values = zip(*sorted(published.items()), strict=True)
        axes.plot(p, values, **{**PUBLISHED_LINE, "color": style["color"], "alpha": 0.9})
    if ours:
        sizes = sorted(ours)
        mean = np.array([ours[p].value for p in sizes])
        spread = np.nan_to_num([ours[p].error for p in sizes])
        drawing.band(axes, sizes, mean - spread, mean, mean + spread, **style)


def _finish_panel(axes: Axes, sizes: Sequence[int], title: str, ylabel: str) -> None:
    drawing.log_ticks(axes, "x", sizes)
    axes.set(xlabel="number of features p", ylabel=ylabel)
    axes.set_title(title, fontsize="medium")
    drawing.light_grid(axes, "y")


def sheet_by_size(
    title: str, cells: Mapping[Any, Mapping[int, str]], sizes: Sequence[int]
) -> list[Sheet]:
    """Return a table with a column for each p, and none if there is nothing to show."""
    rows = tuple((*name, *(texts.get(p, "") for p in sizes)) for name, texts in cells.items())
    if not rows:
        return []
    heads = ("",) * len(next(iter(cells)))
    return [Sheet(title, (*heads, *(f"p={p}" for p in sizes)), rows)]


# ------------------------------------------------------------------------ relative to RF (R2, R3)

METRICS = ("error", "train_seconds", "error_pruned", "best_d")
SCATTER_P = 10  # features of the sample whose first two are drawn
CLASS_COLORS = ("#0072B2", "#D55E00")
SAME_TIME = 1.5  # ratio of two training times that are "comparable"
PRUNED = "The order of RerF and RF is the same in forests of pruned trees"
PRUNED_NOTE = (
    "the paper says that trees were pruned, not how; here by cost and complexity, the price of a "
    "leaf chosen by out-of-bag error like d"
)


@dataclass(frozen=True, kw_only=True)
class RelativeErrors(OobStudy):
    """Scatter plot, errors minus those of RF, and training times."""

    claims: tuple[Order, ...]
    published: Published  # errors, where another figure has them
    published_differences: Curves  # to RF, which is not among them
    published_seconds: Curves
    slow_rotations_at: int | None = None  # where RotRF takes much longer than RF

    def findings(self, results: Results) -> list[Finding]:
        """Judge the order of errors and of training times, then that of pruned forests."""
        relative = {(method, RAW): curve for method, curve in self.published_differences.items()}
        relative[RF_RAW] = dict.fromkeys(self.published_seconds["RF"], 0.0)
        return [
            *judged(self.claims, Trials(results), relative),
            *self._time_findings(_means(results, "train_seconds")),
            *_pruning_findings(results, relative),
        ]

    def _time_findings(self, means: Means) -> Iterator[Finding]:
        seconds = {m: {p: mean.value for p, mean in curve.items()} for m, curve in means.items()}
        theirs = _ratios(self.published_seconds, "RerF")
        if ours := _ratios(seconds, "RerF"):
            yield Finding(
                "Training times of RerF are comparable to those of RF",
                by_size(ours, "{:.2f}"),
                by_size({p: theirs[p] for p in ours if p in theirs}, "{:.2f}") or "-",
                max(ours.values()) < SAME_TIME,
                f"seconds of RerF over those of RF; agreement is a ratio below {SAME_TIME}",
            )
        p, rotations = self.slow_rotations_at, _ratios(seconds, "RotRF")
        if ours and p in rotations:
            yield Finding(
                f"Training time of RotRF is significantly longer at p = {p}",
                f"{rotations[p]:.1f} times that of RF",
                f"{_ratios(self.published_seconds, 'RotRF')[p]:.1f} times",
                rotations[p] > SAME_TIME,
                "every tree draws a rotation in p³ operations, which faster splits of our forests "
                "do not hide",
            )

    def sheets(self, results: Results) -> list[Sheet]:
        """Return errors, differences to RF and seconds, each beside the published value."""
        errors = {method: curve for (method, t), curve in self.published.items() if t == RAW}
        means, trials = {name: _means(results, name) for name in METRICS}, Trials(results)
        ours, of_pruned = (_differences(results, name) for name in ("error", "error_pruned"))
        counts = {
            (method,): {p: f"{mean.freedom + 1:.0f}" for p, mean in curve.items()}
            for method, curve in means["error"].items()
        }
        return [
            *_sheet("Out-of-bag error", means["error"], errors, "{:.3f}"),
            *_sheet("Error minus that of RF", ours, self.published_differences),
            *_sheet("Training seconds", means["train_seconds"], self.published_seconds, "{:.3g}"),
            *_sheet("Error of pruned trees", means["error_pruned"], errors, "{:.3f}"),
            *_sheet("Pruned, minus RF", of_pruned, self.published_differences),
            *_sheet("Best d, mean over trials", means["best_d"], {}, "{:.1f}"),
            *sheet_by_size("Number of trials", counts, trials.sizes),
        ]

    def figures(self, results: Results) -> list[Picture]:
        """Draw the panels of the paper, and the middle one again for pruned trees."""
        pruned = _differences(results, "error_pruned")
        ticks = sorted({p for curve in self.published_seconds.values() for p in curve})
        figure, axes = _panels(4, across=2) if pruned else _panels(3)
        X, y = training_set(self.make, self.full.n, SCATTER_P, RAW, seed=0)
        for label, color in enumerate(CLASS_COLORS):
            x_1, x_2 = X[y == label, 0], X[y == label, 1]
            axes[0].scatter(x_1, x_2, s=7, color=color, alpha=0.6, linewidths=0)
        axes[0].set(xlabel="$x_1$", ylabel="$x_2$")
        axes[0].set_title("a sample of the two classes", fontsize="medium")
        relative = {"error minus that of RF": _differences(results, "error")}
        relative |= {"error minus that of RF, trees pruned": pruned} if pruned else {}
        for ax, (title, differences) in zip(axes[1::2], relative.items(), strict=False):
            ax.axhline(0, color=METHOD_STYLES["RF"]["color"], linewidth=1.8)
            _draw(ax, differences, self.published_differences)
            _finish_panel(ax, ticks, title, "difference of errors")
        _draw(axes[2], _means(results, "train_seconds"), self.published_seconds)
        axes[2].set_yscale("log")
        _finish_panel(axes[2], ticks, "training time", "CPU seconds, mean over d")
        styles = {method: METHOD_STYLES[method] for method in Trials(results).methods}
        drawing.add_legend(figure, {**styles, "published": PUBLISHED_LINE})
        caption = (
            "First two features of a sample; out-of-bag error relative to RF with bands of one "
            "standard error; training time. Dashed: the paper's curves"
        )
        caption += ", whose trees were pruned in a way that it does not say." if pruned else "."
        return [Picture(figure, caption)]


def _pruning_findings(results: Results, relative: Published) -> Iterator[Finding]:
    grown, pruned = _means(results, "error"), _means(results, "error_pruned")
    sizes = tuple(p for p in pruned.get("RF", {}) if p in pruned.get("RerF", {}))
    if sizes:
        judged_sizes = tuple(p for p in sizes if 5 <= p <= 25) or sizes
        order = Order(PRUNED, RERF_RAW, RF_RAW, judged_sizes, note=PRUNED_NOTE)
        yield from judged((order,), Trials(results, "error_pruned"), relative)
        effects = [
            mean.value - grown[method][p].value
            for method, curve in pruned.items()
            for p, mean in curve.items()
        ]
        yield Finding(
            "In all methods, trees were pruned",
            f"pruning changes mean errors by {min(effects):+.3f} to {max(effects):+.3f}",
            "-",
            None,
            "best price of a leaf against trees as grown, over all methods and p",
        )


def _means(results: Results, metric: str) -> dict[str, dict[int, Mean]]:
    trials = Trials(results, metric)
    return {method: trials.curve((method, RAW)) for method in trials.methods}


def _differences(results: Results, metric: str) -> dict[str, dict[int, Mean]]:
    trials = Trials(results, metric)
    others = (method for method in trials.methods if method != "RF")
    found = {method: trials.differences((method, RAW), RF_RAW) for method in others}
    return {method: curve for method, curve in found.items() if curve}


def _ratios(seconds: Curves, method: str) -> dict[int, float]:
    """Return the times of a method over those of RF, by p."""
    mine, of_rf = seconds.get(method, {}), seconds.get("RF", {})
    return {p: taken / of_rf[p] for p, taken in mine.items() if p in of_rf}


def _draw(axes: Axes, ours: Means, published: Curves) -> None:
    for method, curve in ours.items():
        _draw_curve(axes, curve, published.get(method, {}), METHOD_STYLES[method])


def _sheet(title: str, ours: Means, published: Curves, form: str = "") -> list[Sheet]:
    """Return a table of methods × p; without a form, means are written with standard errors."""
    cells = {}
    for method, curve in ours.items():
        texts = {p: form.format(mean.value) if form else str(mean) for p, mean in curve.items()}
        theirs, written = published.get(method, {}), form or "{:+.3f}"
        cells[method,] = {p: beside(text, theirs.get(p), written) for p, text in texts.items()}
    return sheet_by_size(title, cells, sorted({p for curve in ours.values() for p in curve}))


# ---------------------------------------------------------- transformed training sets (R4, R5, R7)

# Of the rows of other experiments only so many trials are read: as many as the paper has here.
TRIALS = 10
SAME_LEVEL = 0.02  # mean distance of errors that agree: reading of curves, and two sets of trials


@dataclass(frozen=True, kw_only=True)
class Transformed(OobStudy):
    """One panel for each transformation, with a curve for each method.

    The training sets as drawn are those of another experiment of `rows_of`.
    """

    claims: tuple[Order, ...]
    published: Published

    def trials(self, results: Results) -> Trials:
        """Return the errors, those on untransformed training sets of other experiments too."""
        rows = tuple(row for row in results if row.seed < TRIALS)
        return Trials(Results(rows, results.preset))

    def shown_sizes(self, results: Results) -> list[int]:
        """Return the numbers of features that this experiment has; others may have more."""
        known = set(self.size(results).p)
        return [p for p in self.trials(results).sizes if p in known]

    def findings(self, results: Results) -> list[Finding]:
        """Judge the order of errors, and their level."""
        trials = self.trials(results)
        return [*judged(self.claims, trials, self.published), *self._level(trials)]

    def _level(self, trials: Trials) -> Iterator[Finding]:
        differences = {
            (*curve, p): mean.value - theirs[p]
            for curve, theirs in self.published.items()
            for p, mean in trials.curve(curve).items()
            if p in theirs
        }
        if differences:
            values = np.array(list(differences.values()))
            farthest = max(differences, key=lambda cell: abs(differences[cell]))
            distance = float(np.abs(values).mean())
            yield Finding(
                "All errors are those of the figure",
                f"mean difference {values.mean():+.3f}, mean distance {distance:.3f}",
                "read from curves to ±0.002",
                distance <= SAME_LEVEL,
                f"ours minus published in {len(values)} points; the largest is "
                f"{differences[farthest]:+.3f} ({farthest[0]}, {farthest[1]}, p={farthest[2]}); "
                f"agreement is a mean distance of at most {SAME_LEVEL}",
            )

    def sheets(self, results: Results) -> list[Sheet]:
        """Return the errors of all methods on all transformations, and from how many trials."""
        trials, sizes = self.trials(results), self.shown_sizes(results)
        methods, transformations = trials.methods, trials.transformations
        errors = {}
        for curve in ((method, t) for t in transformations for method in methods):
            ours, theirs = trials.curve(curve), self.published.get(curve, {})
            if shown := [p for p in sizes if p in ours]:
                texts = {p: beside(f"{ours[p].value:.3f}", theirs.get(p), "{:.3f}") for p in shown}
                errors[curve[::-1]] = texts
        counts = {}
        for method in methods:
            curves = [trials.curve((method, t)) for t in transformations]
            found = {p: {f"{c[p].freedom + 1:.0f}" for c in curves if p in c} for p in sizes}
            counts[method,] = {p: "/".join(sorted(n, key=int)) for p, n in found.items()}
        return [
            *sheet_by_size("Out-of-bag error", errors, sizes),
            *sheet_by_size("Number of trials", counts, sizes),
        ]

    def figures(self, results: Results) -> list[Picture]:
        """Draw the panels of the paper."""
        trials = self.trials(results)
        shown = [t for t in (RAW, *self.transformations) if t in trials.transformations]
        styles = {method: METHOD_STYLES[method] for method in trials.methods}
        figure = self.draw_panels(results, shown, styles, lambda panel, method: (method, panel))
        caption = "Out-of-bag error with bands of one standard error. Dashed: the paper's curves."
        return [Picture(figure, caption)] if figure else []

    def draw_panels(
        self, results: Results, names: list[str], styles: Mapping[str, Style], curve_of: CurveOf
    ) -> Figure | None:
        """Draw named panels, each with a curve for each style; None without any size to show."""
        trials, sizes = self.trials(results), self.shown_sizes(results)
        if not sizes:
            return None
        figure, axes = _panels(len(names), share=True)
        for i, (ax, name) in enumerate(zip(axes, names, strict=True)):
            for of_curve, style in styles.items():
                curve = curve_of(name, of_curve)
                ours = {p: mean for p, mean in trials.curve(curve).items() if p in sizes}
                _draw_curve(ax, ours, self.published.get(curve, {}), style)
            _finish_panel(ax, self.full.p, name, "" if i % 3 else "out-of-bag error")
        axes[0].set_ylim(bottom=0)
        drawing.add_legend(figure, {**styles, "published": PUBLISHED_LINE})
        return figure

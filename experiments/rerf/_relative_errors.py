"""Errors relative to RF and training times over p (Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._experiment import Finding, Picture, Sheet
from .._means import Mean
from .._results import Results
from ._claims import Order, by_size, judged
from ._drawing import COLORS, MARKERS, add_legend, draw_curve, finish, panels
from ._oob_study import OobStudy, draw
from ._published import Published
from ._trials import Trials

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curves = Mapping[str, Mapping[int, float]]  # by method and p

RAW = "raw"
SCATTER_P = 10  # features of the sample whose first two are drawn
CLASS_COLORS = ("#0072B2", "#D55E00")
SAME_TIME = 1.5  # ratio of two training times that are "comparable"


@dataclass(frozen=True, kw_only=True)
class RelativeErrors(OobStudy):
    """Scatter plot, errors minus those of RF, and training times."""

    claims: tuple[Order, ...]
    published: Published  # errors, where another figure has them
    published_differences: Curves
    published_seconds: Curves
    slow_rotations_at: int | None = None  # where RotRF takes much longer than RF

    def findings(self, results: Results) -> list[Finding]:
        """Judge the order of errors and of training times, then that of pruned forests."""
        found = judged(self.claims, Trials(results), self.published)
        found += self._time_findings(results)
        pruned = Trials(results, "error_pruned")
        return found + self._pruning_findings(Trials(results), pruned)

    def _time_findings(self, results: Results) -> list[Finding]:
        seconds = Trials(results, "train_seconds")
        ours = _ratios(seconds, "RerF")
        if not ours:
            return []
        theirs = self._published_ratios("RerF")
        found = [
            Finding(
                claim="Training times of RerF are comparable to those of RF",
                ours=by_size({p: f"{ratio:.2f}" for p, ratio in ours.items()}),
                published=by_size({p: f"{theirs[p]:.2f}" for p in ours if p in theirs}) or "-",
                agrees=max(ours.values()) < SAME_TIME,
                note=f"seconds of RerF over those of RF; agreement is a ratio below {SAME_TIME}",
            )
        ]
        p = self.slow_rotations_at
        rotations = _ratios(seconds, "RotRF")
        if p in rotations:
            found.append(
                Finding(
                    claim=f"Training time of RotRF is significantly longer at p = {p}",
                    ours=f"{rotations[p]:.1f} times that of RF",
                    published=f"{self._published_ratios('RotRF')[p]:.1f} times",
                    agrees=rotations[p] > SAME_TIME,
                    note="every tree draws a rotation in p³ operations, which faster splits of our "
                    "forests do not hide",
                )
            )
        return found

    def _published_ratios(self, method: str) -> dict[int, float]:
        seconds = self.published_seconds
        return {p: taken / seconds["RF"][p] for p, taken in seconds[method].items()}

    def _pruning_findings(self, trials: Trials, pruned: Trials) -> list[Finding]:
        sizes = [p for p in pruned.sizes("RF", RAW) if ("RerF", RAW, p) in pruned]
        if not sizes:
            return []
        order = Order(
            claim="The order of RerF and RF is the same in forests of pruned trees",
            curve=("RerF", RAW),
            other=("RF", RAW),
            sizes=tuple(p for p in sizes if 5 <= p <= 25) or tuple(sizes),
            published=self.published_differences["RerF"],
            note="the paper says that trees were pruned, not how; here by cost and complexity, the "
            "price of a leaf chosen by out-of-bag error like d",
        )
        effect = {
            (method, p): mean.value - trials.mean((method, RAW, p)).value
            for method in pruned.methods()
            for p in pruned.sizes(method)
            for mean in (pruned.mean((method, RAW, p)),)
        }
        low, high = min(effect.values()), max(effect.values())
        return [
            *judged((order,), pruned, self.published),
            Finding(
                claim="In all methods, trees were pruned",
                ours=f"pruning changes mean errors by {low:+.3f} to {high:+.3f}",
                published="-",
                agrees=None,
                note="best price of a leaf against trees as grown, over all methods and p",
            ),
        ]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return errors, differences to RF and seconds, each beside the published value."""
        trials, seconds = Trials(results), Trials(results, "train_seconds")
        pruned = Trials(results, "error_pruned")
        sheets = [
            _sheet("Out-of-bag error", _means(trials), self._published_errors(), "{:.3f}"),
            _sheet("Error minus that of RF", _differences(trials), self.published_differences),
            _sheet("Training seconds", _means(seconds), self.published_seconds, "{:.3g}"),
            _sheet("Error of pruned trees", _means(pruned), self._published_errors(), "{:.3f}"),
            _sheet("Pruned, minus RF", _differences(pruned), self.published_differences),
            _sheet("Best d, mean over trials", _means(Trials(results, "best_d")), {}, "{:.1f}"),
            _sheet("Number of trials", _counts(trials), {}, "{:.0f}"),
        ]
        return [sheet for sheet in sheets if sheet.rows]

    def _published_errors(self) -> Curves:
        return {method: curve for (method, t), curve in self.published.items() if t == RAW}

    def figures(self, results: Results) -> list[Picture]:
        """Draw the panels of the paper, and the middle one again for pruned trees."""
        trials, seconds = Trials(results), Trials(results, "train_seconds")
        pruned = _differences(Trials(results, "error_pruned"))
        figure, axes = panels(4, across=2) if pruned else panels(3)
        self._scatter(axes[0])
        self._differences_panel(axes[1], _differences(trials), "error minus that of RF")
        for method, curve in _means(seconds).items():
            style = {"color": COLORS[method], "marker": MARKERS[method]}
            draw_curve(axes[2], curve, self.published_seconds.get(method, {}), **style)
        axes[2].set_yscale("log")
        finish(axes[2], self._ticks(), "training time", "CPU seconds, mean over d")
        if pruned:
            self._differences_panel(axes[3], pruned, "error minus that of RF, trees pruned")
        styles = {method: (COLORS[method], MARKERS[method]) for method in trials.methods()}
        add_legend(figure, styles, published=True)
        return [
            Picture(
                figure,
                "First two features of a sample; out-of-bag error relative to RF with bands of one "
                "standard error; training time. Dashed: the paper's curves"
                + (", whose trees were pruned in a way that it does not say." if pruned else "."),
            )
        ]

    def _scatter(self, axes: Axes) -> None:
        X, y = draw(self.make, self.full.n, SCATTER_P, RAW, seed=0)
        for label, color in enumerate(CLASS_COLORS):
            axes.scatter(
                X[y == label, 0], X[y == label, 1], s=7, color=color, alpha=0.6, linewidths=0
            )
        axes.set(xlabel="$x_1$", ylabel="$x_2$")
        axes.set_title("a sample of the two classes", fontsize="medium")

    def _differences_panel(
        self, axes: Axes, ours: Mapping[str, Mapping[int, Mean]], title: str
    ) -> None:
        axes.axhline(0, color=COLORS["RF"], linewidth=1.8)
        for method, curve in ours.items():
            style = {"color": COLORS[method], "marker": MARKERS[method]}
            draw_curve(axes, curve, self.published_differences.get(method, {}), **style)
        finish(axes, self._ticks(), title, "difference of errors")

    def _ticks(self) -> list[int]:
        return sorted({p for curve in self.published_seconds.values() for p in curve})


def _means(trials: Trials) -> dict[str, dict[int, Mean]]:
    return {
        method: {p: trials.mean((method, RAW, p)) for p in trials.sizes(method, RAW)}
        for method in trials.methods()
    }


def _differences(trials: Trials) -> dict[str, dict[int, Mean]]:
    found = {
        method: {
            p: difference
            for p in trials.sizes(method, RAW)
            if (difference := trials.difference((method, RAW, p), ("RF", RAW, p))) is not None
        }
        for method in trials.methods()
        if method != "RF"
    }
    return {method: curve for method, curve in found.items() if curve}


def _counts(trials: Trials) -> dict[str, dict[int, Mean]]:
    return {
        method: {
            p: Mean(trials.n_trials((method, RAW, p)), float("nan")) for p in trials.sizes(method)
        }
        for method in trials.methods()
    }


def _ratios(seconds: Trials, method: str) -> dict[int, float]:
    return {
        p: seconds.mean((method, RAW, p)).value / seconds.mean(("RF", RAW, p)).value
        for p in seconds.sizes(method, RAW)
        if ("RF", RAW, p) in seconds
    }


def _sheet(
    title: str,
    ours: Mapping[str, Mapping[int, Mean]],
    published: Curves,
    form: str = "",
) -> Sheet:
    """Return a table of methods × p; without a form, means are written with standard errors."""
    sizes = sorted({p for curve in ours.values() for p in curve})

    def cell(method: str, p: int) -> str:
        if p not in ours[method]:
            return ""
        mean = ours[method][p]
        text = form.format(mean.value) if form else str(mean)
        theirs = published.get(method, {}).get(p)
        return text if theirs is None else f"{text} ({(form or '{:+.3f}').format(theirs)})"

    rows = tuple((method, *(cell(method, p) for p in sizes)) for method in ours if ours[method])
    return Sheet(title, ("", *(f"p={p}" for p in sizes)), rows)

"""Errors over p on transformed training sets (Figures 3 and 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._experiment import Finding, Picture, Sheet
from .._results import Results
from ._claims import Order, judged
from ._drawing import COLORS, MARKERS, add_legend, draw_curve, finish, panels
from ._oob_study import OobStudy
from ._published import Published
from ._trials import Trials

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

    def findings(self, results: Results) -> list[Finding]:
        """Judge the order of errors, and their level."""
        trials = self.trials(results)
        return [*judged(self.claims, trials, self.published), *level(trials, self.published)]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return the errors of all methods on all transformations, and from how many trials."""
        return [
            sheet
            for sheet in (
                error_sheet(self.trials(results), self.published, self.shown_sizes(results)),
                count_sheet(self.trials(results), self.shown_sizes(results)),
            )
            if sheet.rows
        ]

    def shown_sizes(self, results: Results) -> list[int]:
        """Return the numbers of features that this experiment has; others may have more."""
        known = set(self.size(results).p)
        return [p for p in self.trials(results).sizes() if p in known]

    def figures(self, results: Results) -> list[Picture]:
        """Draw the panels of the paper."""
        trials, sizes = self.trials(results), self.shown_sizes(results)
        shown = [t for t in ("raw", *self.transformations) if t in trials.transformations()]
        if not sizes:
            return []
        figure, axes = panels(len(shown), share=True)
        for i, (ax, transformation) in enumerate(zip(axes, shown, strict=True)):
            for method in trials.methods():
                curve = {
                    p: trials.mean(cell)
                    for p in sizes
                    if (cell := (method, transformation, p)) in trials
                }
                theirs = self.published.get((method, transformation), {})
                style = {"color": COLORS[method], "marker": MARKERS[method]}
                draw_curve(ax, curve, theirs, **style)
            finish(ax, self.full.p, transformation, "" if i % 3 else "out-of-bag error")
        axes[0].set_ylim(bottom=0)
        styles = {method: (COLORS[method], MARKERS[method]) for method in trials.methods()}
        add_legend(figure, styles, published=True)
        caption = "Out-of-bag error with bands of one standard error. Dashed: the paper's curves."
        return [Picture(figure, caption)]


def level(trials: Trials, published: Published) -> list[Finding]:
    """Compare all errors with the published ones."""
    differences = {
        (method, transformation, p): trials.mean((method, transformation, p)).value - theirs
        for (method, transformation), curve in published.items()
        for p, theirs in curve.items()
        if (method, transformation, p) in trials
    }
    if not differences:
        return []
    values = np.array(list(differences.values()))
    method, transformation, p = max(differences, key=lambda cell: abs(differences[cell]))
    distance = float(np.abs(values).mean())
    return [
        Finding(
            claim="All errors are those of the figure",
            ours=f"mean difference {values.mean():+.3f}, mean distance {distance:.3f}",
            published="read from curves to ±0.002",
            agrees=distance <= SAME_LEVEL,
            note=f"ours minus published in {len(values)} points; the largest is "
            f"{differences[method, transformation, p]:+.3f} ({method}, {transformation}, p={p}); "
            f"agreement is a mean distance of at most {SAME_LEVEL}",
        )
    ]


def error_sheet(trials: Trials, published: Published, sizes: list[int]) -> Sheet:
    """Return a table of errors, one row for each transformation and method."""

    def cell(method: str, transformation: str, p: int) -> str:
        if (method, transformation, p) not in trials:
            return ""
        ours = f"{trials.mean((method, transformation, p)).value:.3f}"
        theirs = published.get((method, transformation), {}).get(p)
        return ours if theirs is None else f"{ours} ({theirs:.3f})"

    rows = tuple(
        (transformation, method, *(cell(method, transformation, p) for p in sizes))
        for transformation in trials.transformations()
        for method in trials.methods()
        if any((method, transformation, p) in trials for p in sizes)
    )
    return Sheet("Out-of-bag error", ("", "", *(f"p={p}" for p in sizes)), rows)


def count_sheet(trials: Trials, sizes: list[int]) -> Sheet:
    """Return a table of the numbers of trials on transformed sets."""
    rows = []
    for method in trials.methods():
        counts = [
            {trials.n_trials((method, t, p)) for t in trials.transformations()} - {0} for p in sizes
        ]
        rows.append((method, *("/".join(map(str, sorted(n))) for n in counts)))
    return Sheet("Number of trials", ("", *(f"p={p}" for p in sizes)), tuple(rows))

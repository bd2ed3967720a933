"""R7: mean differences and ranks on Trunk's problem under transformations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.datasets import make_trunk

from ..experiment import Finding, Picture, Sheet
from ..registry import RERF
from ..results import Mean, Results, average, beside, mean_of
from .comparisons import RERF_RAW, Order, Trials
from .error_curves import TRIALS, Transformed, line_style, sheet_by_size
from .oob_study import LINEAR, RAW, Sizes
from .r5_trunk_transformed import TRUNK, P

# Okabe and Ito's colours once more, for transformations
STYLES = {
    RAW: line_style("#000000", "o"),
    "rotated": line_style("#0072B2", "s"),
    "scaled": line_style("#D55E00", "^"),
    "affine": line_style("#E69F00", "D"),
}
SHOWN = ("RF", "RerF", "RerF(d)", "RerF(d+r)", "RotRF")
FLATTEST = "RerF(d+r)"  # should depend least on the transformation
MEANS = ("RerF(d)", RAW)
OTHERS = ("RF", "RerF", "RotRF", "RerF(d)")
AS_GOOD = "RerF(d+r) is as good on {} as on untransformed data"
LOWER = "RerF(d+r) has a lower error than {} on affine transformed data"


def spread(errors: NDArray[Any]) -> Mean:
    """Return the largest minus the smallest mean of columns, which are transformations."""
    means = errors.mean(axis=0)
    return mean_of(errors[:, means.argmax()] - errors[:, means.argmin()])


@dataclass(frozen=True, kw_only=True)
class Flatness(Transformed):
    """How much errors depend on the transformation: a panel for each method."""

    def trials(self, results: Results) -> Trials:
        """Return the errors without those under outliers, which the figure does not have."""
        rows = tuple(row for row in results if row.get("transformation") in STYLES)
        return super().trials(Results(rows, results.preset))

    def spreads(self, results: Results) -> dict[str, dict[int, Mean]]:
        """Return the spread over transformations of each method at each p."""
        trials = self.trials(results)
        found: dict[str, dict[int, Mean]] = {}
        for method in SHOWN:
            for p in self.shown_sizes(results):
                errors = trials.common([(method, t, p) for t in STYLES])
                if len(errors):
                    found.setdefault(method, {})[p] = spread(errors)
        return found

    def published_spread(self, method: str, sizes: list[int]) -> float | None:
        """Return the published spread averaged over p, if the paper has all curves there."""
        curves = [self.published.get((method, t), {}) for t in STYLES]
        if not all(p in curve for curve in curves for p in sizes):
            return None
        errors = np.array([[curve[p] for p in sizes] for curve in curves])
        return float((errors.max(axis=0) - errors.min(axis=0)).mean())

    def findings(self, results: Results) -> list[Finding]:
        """Judge which method is flattest, then the order of errors."""
        return [*self._flattest(self.spreads(results)), *super().findings(results)]

    def _flattest(self, spreads: dict[str, dict[int, Mean]]) -> Iterator[Finding]:
        sizes = list(set.intersection(*map(set, spreads.values()))) if spreads else []
        if FLATTEST in spreads and len(spreads) > 1 and sizes:
            ours = {method: average([spreads[method][p] for p in sizes]) for method in spreads}
            theirs = {method: self.published_spread(method, sizes) for method in spreads}
            others = [mean.value for method, mean in ours.items() if method != FLATTEST]
            published = ", ".join(f"{m} {s:.3f}" for m, s in theirs.items() if s is not None)
            yield Finding(
                f"{FLATTEST} is flat under all transformations, more than any other method",
                ", ".join(f"{method} {str(mean)[1:]}" for method, mean in ours.items()),
                published or "-",
                ours[FLATTEST].value < min(others),
                "largest minus smallest mean error over raw, rotated, scaled and affine, averaged "
                "over p; it is above zero for any method, by chance alone",
            )

    def sheets(self, results: Results) -> list[Sheet]:
        """Add the spreads to the errors."""
        cells = {}
        for method, curve in self.spreads(results).items():
            theirs = {p: self.published_spread(method, [p]) for p in curve}
            cells[method,] = {p: beside(str(curve[p])[1:], theirs[p], "{:.3f}") for p in curve}
        title = "Largest minus smallest error over the transformations"
        return [*super().sheets(results), *sheet_by_size(title, cells, self.shown_sizes(results))]

    def figures(self, results: Results) -> list[Picture]:
        """Draw the panels of the paper."""
        shown = [method for method in SHOWN if method in self.trials(results).methods]
        figure = self.draw_panels(results, shown, STYLES, lambda method, t: (method, t))
        caption = (
            "Out-of-bag error of each method on transformed training sets, with bands of one "
            "standard error. Dashed: the paper's curves."
        )
        return [Picture(figure, caption)] if figure else []


R7 = Flatness(
    id="R7",
    title="RerF with mean differences and ranks",
    paper=RERF,
    source="Figure 5",
    question="Do differences of class means, RerF(d), and ranks with them, RerF(d+r), make RerF "
    "robust to rotation and scale on Trunk's problem?",
    rows_of=("R3", "R5"),  # RF, RerF and RotRF on the same training sets
    make=make_trunk,
    methods=("RerF(d)", "RerF(d+r)"),
    transformations=(RAW, *LINEAR),
    full=Sizes(100, 1000, P, TRIALS),
    quick=Sizes(100, 50, (2, 10, 50), 3),
    published=TRUNK,
    claims=(
        Order("RerF(d) has a lower error than RerF on untransformed data", MEANS, RERF_RAW, P),
        Order("RerF(d) is not sensitive to rotation", ("RerF(d)", "rotated"), MEANS, P, "same"),
        Order("RerF(d) is sensitive to scale", ("RerF(d)", "scaled"), MEANS, P[1:], "higher"),
        *(Order(AS_GOOD.format(t), (FLATTEST, t), (FLATTEST, RAW), P, "no higher") for t in LINEAR),
        *(Order(LOWER.format(m), (FLATTEST, "affine"), (m, "affine"), P[1:]) for m in OTHERS),
    ),
)

"""How much each method's error depends on the transformation (Figure 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._experiment import Finding, Picture, Sheet
from .._means import Mean, average, mean_of
from .._results import Results
from ._drawing import add_legend, draw_curve, finish, panels
from ._published import Published
from ._transformed import Transformed
from ._trials import Trials

# Okabe and Ito's colours once more, for transformations
STYLES = {
    "raw": ("#000000", "o"),
    "rotated": ("#0072B2", "s"),
    "scaled": ("#D55E00", "^"),
    "affine": ("#E69F00", "D"),
}


def spread(errors: NDArray[np.float64]) -> Mean:
    """Return the largest minus the smallest mean of columns, with the error of that difference.

    Parameters
    ----------
    errors : ndarray of shape (n_trials, n_transformations)
        Errors on the same training sets, transformed.
    """
    means = errors.mean(axis=0)
    return mean_of(errors[:, means.argmax()] - errors[:, means.argmin()])


@dataclass(frozen=True, kw_only=True)
class Flatness(Transformed):
    """One panel for each method, with a curve for each transformation."""

    flattest: str  # the method that should depend least on the transformation
    shown_methods: tuple[str, ...]

    def spreads(self, trials: Trials, sizes: list[int]) -> dict[str, dict[int, Mean]]:
        """Return the spread over transformations of each method at each p."""
        found: dict[str, dict[int, Mean]] = {}
        for method in self.shown_methods:
            for p in sizes:
                errors = trials.common([(method, t, p) for t in STYLES])
                if len(errors):
                    found.setdefault(method, {})[p] = spread(errors)
        return found

    def findings(self, results: Results) -> list[Finding]:
        """Judge which method is flattest, then the order of errors."""
        spreads = self.spreads(self.trials(results), self.shown_sizes(results))
        flat = []
        if self.flattest in spreads and len(spreads) > 1:
            sizes = list(set.intersection(*(set(curve) for curve in spreads.values())))
            if sizes:
                flat = [self._flat_finding(spreads, sizes)]
        return flat + super().findings(results)

    def _flat_finding(self, spreads: dict[str, dict[int, Mean]], sizes: list[int]) -> Finding:
        ours = {method: average([spreads[method][p] for p in sizes]) for method in spreads}
        theirs = {method: published_spread(self.published, method, sizes) for method in spreads}
        others = [mean.value for method, mean in ours.items() if method != self.flattest]
        return Finding(
            claim=f"{self.flattest} is flat under all transformations, more than any other method",
            ours=", ".join(f"{method} {str(mean)[1:]}" for method, mean in ours.items()),
            published=", ".join(f"{m} {s:.3f}" for m, s in theirs.items() if s is not None) or "-",
            agrees=ours[self.flattest].value < min(others),
            note="largest minus smallest mean error over raw, rotated, scaled and affine, averaged "
            "over p; it is above zero for any method, by chance alone",
        )

    def sheets(self, results: Results) -> list[Sheet]:
        """Add the spreads to the errors."""
        sizes = self.shown_sizes(results)
        spreads = self.spreads(self.trials(results), sizes)
        rows = []
        for method, curve in spreads.items():
            cells = []
            for p in sizes:
                theirs = published_spread(self.published, method, [p])
                published = "" if theirs is None else f" ({theirs:.3f})"
                cells.append(f"{str(curve[p])[1:]}{published}" if p in curve else "")
            rows.append((method, *cells))
        columns = ("", *(f"p={p}" for p in sizes))
        title = "Largest minus smallest error over the transformations"
        return [*super().sheets(results), *([Sheet(title, columns, tuple(rows))] if rows else [])]

    def trials(self, results: Results) -> Trials:
        """Return the errors without those under outliers, which the figure does not have."""
        rows = tuple(row for row in results if row.get("transformation") in STYLES)
        return super().trials(Results(rows, results.preset))

    def figures(self, results: Results) -> list[Picture]:
        """Draw the panels of the paper."""
        trials, sizes = self.trials(results), self.shown_sizes(results)
        shown = [method for method in self.shown_methods if method in trials.methods()]
        if not sizes:
            return []
        figure, axes = panels(len(shown), share=True)
        for i, (ax, method) in enumerate(zip(axes, shown, strict=True)):
            for transformation, (color, marker) in STYLES.items():
                cells = {p: (method, transformation, p) for p in sizes}
                curve = {p: trials.mean(cell) for p, cell in cells.items() if cell in trials}
                theirs = self.published.get((method, transformation), {})
                draw_curve(ax, curve, theirs, color=color, marker=marker)
            finish(ax, self.full.p, method, "" if i % 3 else "out-of-bag error")
        axes[0].set_ylim(bottom=0)
        add_legend(figure, STYLES, published=True)
        return [
            Picture(
                figure,
                "Out-of-bag error of each method on transformed training sets, with bands of one "
                "standard error. Dashed: the paper's curves.",
            )
        ]


def published_spread(published: Published, method: str, sizes: list[int]) -> float | None:
    """Return the published spread averaged over p, if the paper has all curves there."""
    curves = [published.get((method, t), {}) for t in STYLES]
    if not all(p in curve for curve in curves for p in sizes):
        return None
    errors = np.array([[curve[p] for p in sizes] for curve in curves])
    return float((errors.max(axis=0) - errors.min(axis=0)).mean())

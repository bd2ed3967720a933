"""Errors of honest forests over the training size, and a test of the cells' shape."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from manifoldforest.datasets import make_impulse

from .._experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized, Value
from .._results import Results
from ._consistency_figures import draw_excess, draw_planes
from ._consistency_findings import consistency, convexity, price_of_honesty
from ._convex_cells import plane_of_cells, share_of_convex
from ._honest_forests import BAYES_ERROR, ExcessCurves, excess_error, forest_of
from ._learning_curve import Simulated

ERROR, CELLS = "error", "cells"  # parts of the experiment

# Where cells are looked at.
CELLS_SIZE, CELLS_TREES = 400, 10
N_PAIRS = 20_000


@dataclass(frozen=True, kw_only=True)
class ConsistencySize:
    """How much a preset does."""

    sizes: tuple[int, ...]
    n_test: int
    trees: int
    repetitions: int


@dataclass(frozen=True, kw_only=True)
class Consistency(Sized[ConsistencySize]):
    """Errors of honest forests over the training size, and a test of the cells' shape."""

    methods: tuple[str, ...]
    convex: tuple[str, ...]  # forests whose cells are looked at

    def runs(self, setting: Setting) -> list[Run]:
        """Return one run for each forest and size, and one for each forest's cells."""
        size = self.size(setting)
        cells = [_parameters(CELLS, method, CELLS_SIZE, CELLS_TREES) for method in self.convex]
        curves = [
            _parameters(ERROR, method, n, size.trees)
            for n, method in product(size.sizes, self.methods)
        ]
        return [Run(seed, p) for seed in range(size.repetitions) for p in (*cells, *curves)]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Grow one forest and look at its errors, or at its cells."""
        n, trees = int(run.parameters["n"] or 0), int(run.parameters["trees"] or 0)
        draw = Simulated(make_impulse, self.size(setting).n_test)
        X, y, X_test, y_test = draw(n, run.seed, setting)
        forest = forest_of(str(run.parameters["method"]), n, trees, run.seed).fit(X, y)
        if run.parameters["part"] == CELLS:
            share, tried = share_of_convex(forest.apply, X_test, N_PAIRS, run.seed)
            metrics = {"convex": share, "pairs": float(tried)}
            return Outcome(metrics, {} if run.seed else {"plane": plane_of_cells(forest, X_test)})
        predicted = forest.predict(X_test)
        excess = excess_error(predicted, X_test)
        error = float(np.mean(predicted != y_test))
        return Outcome({"error": error, "excess": excess})

    # ------------------------------------------------------------------------------- the report

    def excess_curves(self, results: Results) -> ExcessCurves:
        """Return the mean excess error by method and training size."""
        rows = results.where(part=ERROR)
        curves = {}
        for method in self.methods:
            sizes = rows.where(method=method).by("n")
            if sizes:
                curves[method] = {int(n): sizes[n].mean("excess") for n in sorted(sizes)}
        return curves

    def findings(self, results: Results) -> list[Finding]:
        """Judge Theorem 2, its corollary and Theorem 1."""
        curves = self.excess_curves(results)
        return [
            consistency("honest MORF", "Theorem 2", curves),
            consistency("honest SPORF", "Corollary 1", curves),
            price_of_honesty(curves),
            convexity(results.where(part=CELLS)),
        ]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return excess errors, and the test of the cells."""
        sheets = (
            _excess_sheet(self.excess_curves(results)),
            _cells_sheet(results.where(part=CELLS)),
        )
        return [sheet for sheet in sheets if sheet.rows]

    def figures(self, results: Results) -> list[Picture]:
        """Draw errors over the training size, and cells of single trees in a plane."""
        curves = self.excess_curves(results)
        planes = {
            str(row.get("method")): row.arrays["plane"] for row in results if "plane" in row.arrays
        }
        pictures = []
        if curves:
            caption = (
                "Left: error over training size; the Bayes error is what no classifier is below. "
                "Right: the distance to it, both axes logarithmic. Means over training sets; bands "
                "from the lowest to the highest. Errors are computed from the known probabilities "
                "of the classes at the test examples, so the labels add no noise."
            )
            pictures.append(Picture(draw_excess(results.where(part=ERROR), curves), caption))
        if planes:
            caption = (
                "Cells of the first tree of each forest in a plane through three test examples: "
                "each area is one leaf. Cells of straight cuts are convex polygons."
            )
            pictures.append(Picture(draw_planes(planes), caption))
        return pictures


def _parameters(part: str, method: str, n: int, trees: int) -> dict[str, Value]:
    return {"part": part, "method": method, "n": n, "trees": trees}


def _excess_sheet(curves: ExcessCurves) -> Sheet:
    sizes = sorted({n for curve in curves.values() for n in curve})
    rows = tuple(
        (method, *(f"{curve[n]:.4f}" if n in curve else "–" for n in sizes))
        for method, curve in curves.items()
    )
    title = f"Error above the Bayes error {BAYES_ERROR:.4f}"
    return Sheet(title, ("forest", *(f"n = {n}" for n in sizes)), rows)


def _cells_sheet(cells: Results) -> Sheet:
    return Sheet(
        "Points between two points of one cell",
        ("forest", "tried", "in the same cell"),
        tuple(
            (method, f"{some.values('pairs').sum():.0f}", f"{some.mean('convex'):.6f}")
            for method, some in cells.by("method").items()
        ),
    )

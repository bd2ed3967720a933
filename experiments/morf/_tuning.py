"""How the error of MORF depends on its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manifoldforest.forests._presets import named_forest

from .._experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized
from .._results import Results
from .._timing import timed
from ._errors import beside
from ._tuning_figure import draw_grids
from ._tuning_findings import rerun, robustness
from ._tuning_grid import Grid, errors_of


@dataclass(frozen=True, kw_only=True)
class TuningPlan:
    """What a preset runs."""

    grids: tuple[Grid, ...]
    trees: int
    repetitions: int
    chosen_by: str  # what the frames in the figure mark


@dataclass(frozen=True, kw_only=True)
class Tuning(Sized[TuningPlan]):
    """Errors of MORF over ranges of patch sizes × candidates per node."""

    def runs(self, setting: Setting) -> list[Run]:
        """Return one run for each cell of each grid and each training set."""
        plan = self.size(setting)
        return [
            Run(
                seed,
                {"data": grid.name, "n": grid.n, "setting": name, "d": d, "trees": plan.trees},
                grid.needs,
            )
            for seed in range(plan.repetitions)
            for grid in plan.grids
            for name in grid.settings
            for d in grid.candidates
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Train one forest and count its errors."""
        grid = next(g for g in self.size(setting).grids if g.name == run.parameters["data"])
        name = str(run.parameters["setting"])
        params: dict[str, Any] = {
            "n_estimators": run.parameters["trees"],
            "max_features": run.parameters["d"],
            "n_jobs": 1,
            "random_state": run.seed,
        }
        if name in grid.patches:
            forest = named_forest("MORF", projection=grid.patches[name], **params)
        else:
            forest = named_forest(name, **params)
        X, y, X_test, y_test = grid.draw(grid.n, run.seed, setting)
        _, seconds = timed(lambda: forest.fit(X, y))
        error = float(np.mean(forest.predict(X_test) != y_test))
        return Outcome({"error": error, "train_seconds": seconds})

    def findings(self, results: Results) -> list[Finding]:
        """Judge the robustness on each data set, and compare with the authors' rerun."""
        grids = self.size(results).grids
        found = [
            robustness(grid, errors_of(results, grid))
            for grid in grids
            if results.where(data=grid.name).rows
        ]
        reruns = (rerun(grid, errors_of(results, grid)) for grid in grids if grid.published)
        return found + [finding for finding in reruns if finding]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return the errors of each grid."""
        sheets = (_sheet(results, grid) for grid in self.size(results).grids)
        return [sheet for sheet in sheets if sheet.rows]

    def figures(self, results: Results) -> list[Picture]:
        """Draw one heat map for each data set."""
        plan, n_sets = self.size(results), len(results.distinct("seed"))
        caption = (
            f"Test error of forests of {plan.trees} trees, means over {n_sets} training sets. "
            "Rows: ranges of patch sizes of MORF, and SPORF and RF below the line. Columns: "
            f"candidates per node. The frame marks {plan.chosen_by}. Colours: error relative to "
            "the lowest of the panel."
        )
        tables = [(grid, errors_of(results, grid)) for grid in plan.grids]
        return [Picture(draw_grids([(grid, table) for grid, table in tables if table]), caption)]


def _sheet(results: Results, grid: Grid) -> Sheet:
    rows = tuple(
        (name, *(beside(row.get(d), grid.published.get((name, d))) for d in grid.candidates))
        for name, row in errors_of(results, grid).items()
    )
    title = f"{grid.name}, n = {grid.n}: test error over patch sizes and d"
    return Sheet(title, ("patch sizes", *(f"d = {d}" for d in grid.candidates)), rows)

"""Errors of all methods on all data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .._experiment import Experiment, Finding, Outcome, Picture, Preset, Run, Setting, Sheet
from .._results import Results
from ._cells import percent
from ._dots import Panel, draw_dots
from ._error_findings import ErrorFindings
from ._methods import METHODS, classify
from ._sets import data_sets
from ._tables import by_columns, by_data, panel_title, table_sheet


@dataclass(frozen=True, kw_only=True)
class ErrorTable(Experiment):
    """Every method on every data set; seconds are measured, too, for the other table."""

    columns: tuple[str, ...]  # methods of the published table
    lines: Mapping[str, tuple[float, ...]]  # its errors by data set
    ties: str  # what the order of equally near points makes
    seeds: Mapping[Preset, int]

    @property
    def published(self) -> dict[str, dict[str, float]]:
        """Errors in per cent by data set and method."""
        return by_columns(self.columns, self.lines)

    def runs(self, setting: Setting) -> list[Run]:
        """One run for each data set, method and seed."""
        return [
            Run(seed, {"data": each.name, "method": name, **method.parameters}, needs=each.needs)
            for each in data_sets(setting).values()
            for name, method in METHODS.items()
            for seed in range(self.seeds[setting.preset] if method.random else 1)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Train and test in the order of the file."""
        data = data_sets(setting)[str(run.parameters["data"])].load(setting)
        return classify(str(run.parameters["method"]), data, run.seed)

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Errors of the forest, and its order among the others."""
        return ErrorFindings(results, self.published, self.ties).all()

    def sheets(self, results: Results) -> list[Sheet]:
        """Table 2, and how many examples boundary trees keep."""
        title = "Test error in per cent, ours (published)"
        errors = table_sheet(title, self._methods(results), results, self.published, percent)
        return [errors, _kept_sheet(results)]

    def _methods(self, results: Results) -> tuple[str, ...]:
        return self.columns if results.preset == "full" else tuple(METHODS)

    def figures(self, results: Results) -> list[Picture]:
        """One panel for each data set."""
        panels = [
            Panel(
                panel_title(name, rows),
                "test error (%)",
                {method: 100 * of.values("error") for method, of in rows.by("method").items()},
                self.published.get(name, {}),
                from_zero=True,
            )
            for name, rows in by_data(results, self.published).items()
        ]
        return [
            Picture(
                draw_dots(panels, self._methods(results)),
                "Test errors. Filled dots are means over seeds, with a line from the least to the "
                "largest; hollow ones are published. Randomised kd-trees (R-kd) and cover trees "
                "(CT) are drawn as published only; the published RF is Weka's.",
            )
        ]


def _kept_sheet(results: Results) -> Sheet:
    lines = [
        (
            name,
            percent(rows.where(method="BF"), "kept", 1),
            percent(rows.where(method="OBF"), "kept", 1),
            f"{rows.where(method='OBF').mean('passes'):.1f}",
        )
        for name, rows in results.by("data").items()
        if {"BF", "OBF"} <= set(rows.distinct("method"))
    ]
    columns = ("data", "BF", "OBF", "passes of OBF")
    return Sheet("Examples that a tree keeps, in per cent", columns, tuple(lines))

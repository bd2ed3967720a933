"""Seconds of all methods on all data sets, from rows of the table of errors."""

from __future__ import annotations

from dataclasses import dataclass

from .._experiment import Finding, Picture, Reading, Sheet
from .._results import Results
from ._cells import seconds
from ._dots import Panel, draw_dots
from ._methods import METHODS
from ._seconds import Part
from ._seconds_findings import SecondsFindings
from ._tables import by_data, panel_title, table_sheet


@dataclass(frozen=True, kw_only=True)
class SecondsTable(Reading):
    """The seconds of the runs whose errors are in the other table."""

    training: Part
    test: Part
    copied: tuple[str, ...]  # data sets with the same published seconds of training and test
    order: tuple[str, ...]  # of the methods, as in the other table

    def findings(self, results: Results) -> list[Finding]:
        """Seconds of the forest, factors between methods, and entries that cannot be right."""
        return SecondsFindings(results, self.training, self.test, self.copied).all()

    def sheets(self, results: Results) -> list[Sheet]:
        """Table 1, both halves."""
        return [self._sheet(results, part) for part in (self.training, self.test)]

    def _sheet(self, results: Results, part: Part) -> Sheet:
        return table_sheet(
            f"Seconds of {part.word} on one core (BF-4: four), ours (published)",
            self._methods(part, results),
            results,
            part.published,
            lambda rows: seconds(rows.mean(part.metric)),
        )

    def _methods(self, part: Part, results: Results) -> list[str]:
        """Return the methods of the paper and ours."""
        known = {*METHODS, *(part.columns if results.preset == "full" else ())}
        return [name for name in self.order if name in known]

    def figures(self, results: Results) -> list[Picture]:
        """One figure for training and one for test, a panel for each data set."""
        return [self._picture(results, part) for part in (self.training, self.test)]

    def _picture(self, results: Results, part: Part) -> Picture:
        panels = [
            Panel(
                panel_title(name, rows),
                f"{part.word} time (s)",
                {method: of.values(part.metric) for method, of in rows.by("method").items()},
                part.published.get(name, {}),
                part.doubtful.get(name, frozenset()),
                log=True,
            )
            for name, rows in by_data(results, part.published).items()
        ]
        methods = [name for name in self._methods(part, results) if name != "BF-4"]
        return Picture(
            draw_dots(panels, methods),
            f"CPU seconds of {part.word} on one core. Filled dots are means over seeds, with a "
            "line from the least to the largest; hollow ones are published. Randomised kd-trees "
            "(R-kd) and cover trees (CT) are drawn as published only; published RF and nearest "
            "neighbours are Weka's. A question mark: hardly right in the paper.",
        )

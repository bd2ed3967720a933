"""Accuracy on handwritten digits: what B3 and B4 share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..datasets import Split
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from ..results import Results, beside
from .classification import MNIST, classify, runs_of
from .tables import Panel, Table, draw_dots, percent, seconds

SEEDS = {"full": 5, "quick": 3}
ROUNDED = 0.1  # points by which accuracies may differ in any case: the slides have one digit
QUANTITIES = {"train_seconds": "training", "test_seconds": "test"}


@dataclass(frozen=True, kw_only=True)
class DigitAccuracy(Experiment):
    """A boundary forest beside the nearest neighbours, with one kind of features."""

    load: Callable[[Setting], Split]
    accuracy: Mapping[str, float]  # published, in per cent, by method
    seconds: Table = field(default_factory=dict)  # published, by quantity and method
    cores: str = ""  # on what the published seconds were measured
    notes: Mapping[str, str] = field(default_factory=dict)  # on the accuracy of a method

    def runs(self, setting: Setting) -> list[Run]:
        return runs_of(self.accuracy, SEEDS[setting.preset], MNIST[setting.preset])

    def measure(self, run: Run, setting: Setting) -> Outcome:
        return classify(str(run.parameters["method"]), self.load(setting), run.seed)

    def findings(self, results: Results) -> list[Finding]:
        """Both accuracies, their order, and the seconds."""
        found = [*self._accuracies(results), *self._seconds(results)]
        if results.preset == "full":
            return found
        return [replace(each, published="-", agrees=None) for each in found]  # on other data

    def _accuracies(self, results: Results) -> Iterator[Finding]:
        ours = {name: 100 * (1 - rows.mean("error")) for name, rows in results.by("method").items()}
        for name, accuracy in ours.items():
            std = 100 * results.where(method=name).std("error")
            tolerance = ROUNDED if math.isnan(std) else max(ROUNDED, 2 * std)
            yield Finding(
                f"accuracy of {name}",
                f"{accuracy:.2f}" + ("" if math.isnan(std) else f" ± {std:.2f}") + " %",
                f"{self.accuracy[name]} %",
                bool(abs(accuracy - self.accuracy[name]) <= tolerance),
                self.notes.get(name, "") if results.preset == "full" else "",
            )
        if {"BF", "3-NN"} <= ours.keys():
            ahead = ours["BF"] - ours["3-NN"]
            published = f"by {self.accuracy['BF'] - self.accuracy['3-NN']:.1f} points"
            ours_text = f"by {ahead:.2f} points"
            yield Finding("BF is more accurate than 3-NN", ours_text, published, bool(ahead > 0))

    def _seconds(self, results: Results) -> Iterator[Finding]:
        for quantity, published in self.seconds.items():
            ours = {name: rows.mean(quantity) for name, rows in results.by("method").items()}
            if "BF" in ours:
                yield Finding(
                    f"{QUANTITIES[quantity]} of BF takes no longer than published",
                    f"{seconds(ours['BF'])} s on one core",
                    f"{published['BF']:g} s {self.cores}",
                    bool(ours["BF"] <= published["BF"]),
                    "other machine, other language",
                )
            if "3-NN" in published and {"BF", "3-NN"} <= ours.keys() and ours["BF"] > 0:
                factor, expected = ours["3-NN"] / ours["BF"], published["3-NN"] / published["BF"]
                note = "our neighbours come from products of matrices"
                slow = results.where(method="3-NN").mean("one_by_one_seconds")
                if not math.isnan(slow):
                    note += f"; with distances measured one by one they would take {seconds(slow)}"
                    note += f" s, {slow / ours['BF']:.0f} times as long as BF"
                yield Finding(
                    "how many times faster the test of BF is than that of 3-NN",
                    f"{factor:.0f} times ({seconds(ours['BF'])} s and {seconds(ours['3-NN'])} s)",
                    f"{expected:.0f} times ({published['BF']:g} s and an hour)",
                    bool(factor >= expected),
                    note,
                )

    def sheets(self, results: Results) -> list[Sheet]:
        """All numbers, one line for each method."""
        full = results.preset == "full"
        lines = []
        for name, rows in results.by("method").items():
            accuracy = f"{100 * (1 - rows.mean('error')):.2f}"
            line = [name, beside(accuracy, self.accuracy[name] if full else None), percent(rows)]
            for quantity in QUANTITIES:
                published = self.seconds.get(quantity, {}).get(name) if full else None
                line.append(beside(seconds(rows.mean(quantity)), published))
            lines.append((*line, percent(rows, "kept", 1), str(len(rows))))
        numbers = ("accuracy, %", "error, %", "training, s", "test, s")
        columns = ("method", *numbers, "examples kept by a tree, %", "seeds")
        return [Sheet("Accuracy and CPU seconds, ours (published)", columns, tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Dots for accuracy and seconds."""
        full = results.preset == "full"
        rows = results.by("method")
        accuracy = {name: 100 * (1 - of.values("error")) for name, of in rows.items()}
        panels = [Panel("accuracy", "test accuracy (%)", accuracy, self.accuracy if full else {})]
        for quantity, word in QUANTITIES.items():
            ours = {name: of.values(quantity) for name, of in rows.items()}
            published = self.seconds.get(quantity, {}) if full else {}
            panels.append(Panel(f"{word} time", "CPU time (s)", ours, published, log=True))
        caption = "Filled dots are means over seeds, with a line from the least to the largest"
        caption += ", of CPU seconds on one core"
        if full and self.seconds:
            caption += f"; hollow ones are published, seconds {self.cores}"
        return [Picture(draw_dots(panels, list(self.accuracy), columns=1), caption + ".")]

"""Accuracy on handwritten digits: what B3 and B4 share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .._datasets import Split
from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from .._results import Results
from ._cells import beside, percent, seconds
from ._dots import Panel, draw_dots
from ._methods import METHODS, classify

SEEDS = {"full": 5, "quick": 3}
ROUNDED = 0.1  # points by which accuracies may differ in any case: the slides have one digit
QUANTITIES = {"train_seconds": "training", "test_seconds": "test"}


@dataclass(frozen=True, kw_only=True)
class DigitAccuracy(Experiment):
    """A boundary forest beside the nearest neighbours, with one kind of features."""

    load: Callable[[Setting], Split]
    accuracy: Mapping[str, float]  # published, in per cent, by method
    # published seconds by quantity and method
    seconds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cores: str = ""  # on what the published seconds were measured
    notes: Mapping[str, str] = field(default_factory=dict)  # on the accuracy of a method

    def runs(self, setting: Setting) -> list[Run]:
        """One run for each seed of a forest; neighbours do not depend on it."""
        full = setting.preset == "full"
        return [
            Run(
                seed,
                {"method": name, **METHODS[name].parameters},
                needs="mnist.npz" if full else None,
            )
            for name in self.accuracy
            for seed in range(SEEDS[setting.preset] if METHODS[name].random else 1)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Train and test on all digits, in the order of the file."""
        return classify(str(run.parameters["method"]), self.load(setting), run.seed)

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Both accuracies, their order, and the seconds."""
        full = results.preset == "full"
        found = [
            self._accuracy_finding(name, rows, full) for name, rows in results.by("method").items()
        ]
        errors = {name: rows.mean("error") for name, rows in results.by("method").items()}
        if {"BF", "3-NN"} <= errors.keys():
            found.append(self._order_finding(errors, full))
        return found + self._seconds_findings(results, full)

    def _accuracy_finding(self, name: str, rows: Results, full: bool) -> Finding:
        published, ours = self.accuracy[name], 100 * (1 - rows.mean("error"))
        std = 100 * rows.std("error")
        tolerance = ROUNDED if math.isnan(std) else max(ROUNDED, 2 * std)
        return Finding(
            f"accuracy of {name}",
            f"{ours:.2f}" + ("" if math.isnan(std) else f" ± {std:.2f}") + " %",
            f"{published} %" if full else "-",
            bool(abs(ours - published) <= tolerance) if full else None,
            self.notes.get(name, "") if full else "",
        )

    def _order_finding(self, errors: Mapping[str, float], full: bool) -> Finding:
        published = self.accuracy["BF"] - self.accuracy["3-NN"]
        ours = 100 * (errors["3-NN"] - errors["BF"])
        return Finding(
            "BF is more accurate than 3-NN",
            f"by {ours:.2f} points",
            f"by {published:.1f} points" if full else "-",
            bool(ours > 0) if full else None,
        )

    def _seconds_findings(self, results: Results, full: bool) -> list[Finding]:
        found = []
        for quantity, published in self.seconds.items():
            ours = {name: rows.mean(quantity) for name, rows in results.by("method").items()}
            if "BF" in ours:
                found.append(
                    Finding(
                        f"{QUANTITIES[quantity]} of BF takes no longer than published",
                        f"{seconds(ours['BF'])} s on one core",
                        f"{published['BF']:g} s {self.cores}" if full else "-",
                        bool(ours["BF"] <= published["BF"]) if full else None,
                        "other machine, other language",
                    )
                )
            if "3-NN" in published and {"BF", "3-NN"} <= ours.keys() and ours["BF"] > 0:
                slow = results.where(method="3-NN").mean("one_by_one_seconds")
                found.append(_factor_finding(ours, published, slow, full))
        return found

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
        panels = [
            Panel(
                "accuracy",
                "test accuracy (%)",
                {name: 100 * (1 - of.values("error")) for name, of in rows.items()},
                self.accuracy if full else {},
            )
        ]
        for quantity, word in QUANTITIES.items():
            ours = {name: of.values(quantity) for name, of in rows.items()}
            published = self.seconds.get(quantity, {}) if full else {}
            panels.append(Panel(f"{word} time", "CPU time (s)", ours, published, log=True))
        caption = "Filled dots are means over seeds, with a line from the least to the largest"
        caption += ", of CPU seconds on one core"
        if full and self.seconds:
            caption += f"; hollow ones are published, seconds {self.cores}"
        return [Picture(draw_dots(panels, list(self.accuracy), columns=1), caption + ".")]


def _factor_finding(
    ours: Mapping[str, float], published: Mapping[str, float], one_by_one: float, full: bool
) -> Finding:
    factor, expected = ours["3-NN"] / ours["BF"], published["3-NN"] / published["BF"]
    note = "our neighbours come from products of matrices"
    if not math.isnan(one_by_one):
        note += (
            f"; with distances measured one by one they would take {seconds(one_by_one)} s, "
            f"{one_by_one / ours['BF']:.0f} times as long as BF"
        )
    return Finding(
        "how many times faster the test of BF is than that of 3-NN",
        f"{factor:.0f} times ({seconds(ours['BF'])} s and {seconds(ours['3-NN'])} s)",
        f"{expected:.0f} times ({published['BF']:g} s and an hour)" if full else "-",
        bool(factor >= expected) if full else None,
        note,
    )

"""Experiments that compare methods on several data sets, paired by training set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..datasets import Split
from ..drawing import add_legend, light_grid, panels
from ..experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized
from ..morf.errors import sheet
from ..morf.methods import fit_predict
from ..results import Mean, Results, mean_of
from .methods import PACKAGES, STYLES, classifier


@dataclass(frozen=True)
class Task:
    """A data set: training and test examples of a seed, and the file that it needs."""

    draw: Callable[[int, Setting], Split]
    needs: str | None = None


@dataclass(frozen=True)
class Sizes:
    """What a preset runs."""

    tasks: Callable[[Setting], Mapping[str, Task]]
    methods: tuple[str, ...]
    repetitions: int
    rounds: int | None = None  # of boosted forests; None is their default
    trees: int | None = None  # of the other forests


@dataclass(frozen=True, kw_only=True)
class Comparison(Sized[Sizes]):
    """Errors of methods on several data sets."""

    def runs(self, setting: Setting) -> list[Run]:
        size = self.size(setting)
        return [
            Run(seed, {"data": name, "method": method}, task.needs, PACKAGES.get(method))
            for seed in range(size.repetitions)
            for name, task in size.tasks(setting).items()
            for method in size.methods
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        size, method = self.size(setting), str(run.parameters["method"])
        task = size.tasks(setting)[str(run.parameters["data"])]
        X, y, X_test, y_test = task.draw(run.seed, setting)
        n_estimators = size.rounds if method.startswith("boosted") else size.trees
        ours = method not in PACKAGES and method != "HistGB"
        params: dict[str, Any] = {}
        if ours and n_estimators is not None:
            params["n_estimators"] = n_estimators
        if method == "MORF" and X.ndim == 4:  # images in colour
            params["projection__channel_axis"] = -1
        predicted, seconds = fit_predict(classifier(method, run.seed, **params), X, y, X_test)
        return Outcome({"error": float(np.mean(predicted != y_test)), **seconds})

    def sheets(self, results: Results) -> list[Sheet]:
        methods = {method: method for method in results.distinct("method")}
        rows: dict[str, dict[str, str]] = {}
        seconds: dict[str, dict[str, str]] = {}
        for name, of_task in results.by("data").items():
            by_method = of_task.by("method")
            rows[name] = {m: f"{at.mean('error'):.4f}" for m, at in by_method.items()}
            seconds[name] = {m: f"{at.mean('train_seconds'):.2f}" for m, at in by_method.items()}
        return [
            sheet("Test error, mean over training sets", "data", methods, rows),
            sheet("CPU seconds of training on one thread", "data", methods, seconds),
        ]

    def figures(self, results: Results) -> list[Picture]:
        names = results.distinct("data")
        figure, axes = panels(1, 1, (8.5, 1.2 + 0.32 * len(names)), self.title)
        ax = axes[0, 0]
        for method, rows in results.by("method").items():
            errors = [rows.where(data=name).mean("error") for name in names]
            style = STYLES[method]
            ax.plot(
                errors, range(len(names)), linestyle="none", markersize=7, clip_on=False, **style
            )
        ax.set_yticks(range(len(names)), names)
        ax.set(xlabel="test error", xlim=(0, None), ylim=(len(names) - 0.5, -0.5))
        light_grid(ax)
        present = {m: {**STYLES[m], "linestyle": "none"} for m in results.distinct("method")}
        add_legend(figure, present)
        return [Picture(figure, "Test error of each method, mean over training sets.")]


def difference(results: Results, method: str, other: str) -> Mean | None:
    """Return the mean difference of two methods over the training sets that both have."""
    errors = [
        {(row.get("data"), row.seed): row.metrics["error"] for row in results.where(method=name)}
        for name in (method, other)
    ]
    common = sorted(set(errors[0]) & set(errors[1]), key=str)
    return mean_of([errors[0][key] - errors[1][key] for key in common]) if common else None


def mean_over_data(results: Results, method: str, other: str) -> Mean | None:
    """Return the mean over data sets of the differences of two methods, each set counting once."""
    by_set = [difference(rows, method, other) for rows in results.by("data").values()]
    values = [mean.value for mean in by_set if mean is not None]
    return mean_of(values) if values else None


def not_worse(claim: str, found: Mean | None) -> Finding:
    """Judge that a difference is not above zero by more than noise."""
    if found is None or not found.freedom:
        return Finding(claim, "–" if found is None else str(found), "–", None)
    noise = f"noise {found.noise:.4f}"
    return Finding(claim, f"{found.value:+.4f}", noise, not found.clearly_positive)

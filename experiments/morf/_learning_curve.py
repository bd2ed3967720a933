"""Experiments that show how the test error falls with the number of training examples."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._datasets import Array, Split
from .._experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized, Value
from .._results import Results
from .._timing import timed
from ._claims import Claim
from ._curve_figure import draw_curves
from ._errors import NOTHING, Errors, Published, beside, errors_in
from ._examples import Show, first_of_each_class
from ._methods import FORESTS, LINEAR_SVM_ROUNDS, METHODS, PACKAGES, Problem, classifier

# ------------------------------------------------------------------------------------- the data


class Draw(Protocol):
    """A source of data that depends on the seed and on nothing else."""

    def __call__(self, n: int, seed: int, setting: Setting) -> Split:
        """Return n training examples and the test examples."""
        ...


class Generator(Hashable, Protocol):
    """A simulation of manifoldforest.datasets."""

    def __call__(self, n_samples: int, *, random_state: int) -> tuple[Array, Array]:
        """Return X and y."""
        ...


@dataclass(frozen=True)
class Simulated:
    """Training sets that are the beginnings of one pool for each seed, and a test set."""

    generate: Generator
    n_test: int

    def __call__(self, n: int, seed: int, setting: Setting) -> Split:
        """Return n training examples and the test examples."""
        train, test = np.random.SeedSequence(seed).generate_state(2).tolist()
        # The generators give the same first examples whatever their number is.
        X, y = self.generate(n, random_state=train)
        return X, y, *_test_set(self.generate, self.n_test, test)


@lru_cache(maxsize=4)
def _test_set(generate: Generator, n_test: int, seed: int) -> tuple[Array, Array]:
    return generate(n_test, random_state=seed)


# ------------------------------------------------------------------------------- the experiment


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a preset runs."""

    problem: Problem
    draw: Draw
    sizes: tuple[int, ...]
    trees: int
    repetitions: Callable[[str, int], int]  # of a method at a size
    methods: tuple[str, ...] = METHODS
    published: Published = field(default_factory=dict)
    needs: str | None = None


@dataclass(frozen=True, kw_only=True)
class LearningCurve(Sized[Setup]):
    """Errors of several methods over the number of training examples, with examples on top."""

    claims: tuple[Claim, ...]
    show: Show
    class_names: tuple[str, ...]
    bayes_error: float | None = None
    log_error: bool = False
    published_as: str  # what the published numbers are means over

    def runs(self, setting: Setting) -> list[Run]:
        """Return one run for each method, size and repetition."""
        setup = self.size(setting)
        methods = setup.methods
        most = max(setup.repetitions(method, n) for method in methods for n in setup.sizes)
        return [
            Run(seed, self._parameters(setup, method, n), setup.needs, PACKAGES.get(method))
            for seed in range(most)
            for n in setup.sizes
            for method in methods
            if seed < setup.repetitions(method, n)
        ]

    def _parameters(self, setup: Setup, method: str, n: int) -> Mapping[str, Value]:
        parameters: dict[str, Value] = {"data": setup.problem.name, "method": method, "n": n}
        return {**parameters, "trees": setup.trees} if method in FORESTS else parameters

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Train one method on one training set and count its errors on the test set."""
        setup = self.size(setting)
        method, n = str(run.parameters["method"]), int(run.parameters["n"] or 0)
        X, y, X_test, y_test = setup.draw(n, run.seed, setting)
        model = classifier(method, setup.problem, trees=setup.trees, seed=run.seed)
        with warnings.catch_warnings():
            # Methods stop where they were told to, converged or not (see _methods).
            warnings.simplefilter("ignore", ConvergenceWarning)
            _, train_seconds = timed(lambda: model.fit(X, y))
        predicted, test_seconds = timed(lambda: model.predict(X_test))
        metrics = {
            "error": float(np.mean(predicted != y_test)),
            "train_seconds": train_seconds,
            "test_seconds": test_seconds,
        }
        first = (run.seed, method, n) == (0, setup.methods[0], setup.sizes[0])
        return Outcome(metrics, first_of_each_class(X_test, y_test) if first else {})

    def findings(self, results: Results) -> list[Finding]:
        """Judge what the paper says."""
        errors = self._errors(results)
        return [claim.judge(errors) for claim in self.claims]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return errors and seconds of all methods at all sizes."""
        errors = self._errors(results)
        return [_error_sheet(errors), _seconds_sheet(results)]

    def figures(self, results: Results) -> list[Picture]:
        """Draw examples of the classes, and the curves below."""
        examples = next((row.arrays for row in results if "examples" in row.arrays), None)
        figure = draw_curves(
            self._errors(results),
            title=self._heading(results),
            examples=examples,
            show=self.show,
            class_names=self.class_names,
            bayes_error=self.bayes_error,
            log_error=self.log_error,
        )
        return [Picture(figure, self._caption(results))]

    def _errors(self, results: Results) -> Errors:
        return errors_in(results.of(self.id), self.size(results).published)

    def _heading(self, results: Results) -> str:
        if results.preset == "quick" and self.stand_in:
            return f"{self.title}\n({self.stand_in})"
        return self.title

    def _caption(self, results: Results) -> str:
        errors = self._errors(results)
        n_sets = max(len(values) for curve in errors.ours.values() for values in curve.values())
        caption = (
            f"Test error, mean over training sets (up to {n_sets}); the bands reach from the "
            "lowest to the highest."
        )
        if errors.published:
            caption += f" Dashed, with hollow markers: published ({self.published_as})."
        if "LinSVM" in errors.ours:
            caption += f" LinSVM is stopped after {LINEAR_SVM_ROUNDS} rounds, converged or not."
        return caption


# -------------------------------------------------------------------------------------- tables


def _error_sheet(errors: Errors) -> Sheet:
    sizes = errors.sizes()
    means = errors.means()
    rows = []
    for method in _in_order(errors.ours, errors.published):
        ours, published = means.get(method, {}), errors.published.get(method, {})
        rows.append((method, *(beside(ours.get(n), published.get(n)) for n in sizes)))
    title = "Test error" + (", ours (published)" if errors.published else "")
    return Sheet(title, ("method", *(f"n = {n}" for n in sizes)), tuple(rows))


def _seconds_sheet(results: Results) -> Sheet:
    sizes = sorted(results.distinct("n"))
    rows = []
    for method in _in_order(results.by("method")):
        cells = []
        for n in sizes:
            at_size = results.where(method=method, n=n)
            train, test = at_size.mean("train_seconds"), at_size.mean("test_seconds")
            cells.append(f"{train:.2f} + {test:.2f}" if len(at_size) else NOTHING)
        rows.append((method, *cells))
    title = "CPU seconds on one thread: training + all test examples"
    return Sheet(title, ("method", *(f"n = {n}" for n in sizes)), tuple(rows))


def _in_order(*mappings: Mapping[str, Any]) -> list[str]:
    """Return the methods that occur, in the order of legends and tables."""
    return [method for method in METHODS if any(method in mapping for mapping in mappings)]

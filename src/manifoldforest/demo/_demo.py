"""The experiment of ``manifoldforest demo``: RF, SPORF and MORF on four small problems.

Three simulations of the MORF papers with the parameters of the thesis, and the digits that come
with scikit-learn. Nothing here prints or draws.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from ..datasets import bayes_error, make_bars, make_circle, make_impulse
from ..forests import ForestClassifier
from ..projections import Patches

Array = NDArray[Any]

METHODS = ("RF", "SPORF", "MORF")


# ---------------------------------------------------------------------------------- the problems


class Draw(Protocol):
    """A source of data."""

    def __call__(self, n_train: int, n_test: int, seed: int) -> tuple[Array, Array, Array, Array]:
        """Return X_train, y_train, X_test, y_test; any prefix of the training rows is fair."""
        ...


class Generator(Protocol):
    """A simulation of manifoldforest.datasets."""

    def __call__(self, n_samples: int, *, random_state: int) -> tuple[Array, Array]:
        """Return X and y."""
        ...


def simulated(generate: Generator) -> Draw:
    """Draw training and test points independently."""

    def draw(n_train: int, n_test: int, seed: int) -> tuple[Array, Array, Array, Array]:
        train, test = np.random.SeedSequence(seed).generate_state(2).tolist()
        return *generate(n_train, random_state=train), *generate(n_test, random_state=test)

    return draw


def digits(n_train: int, n_test: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """Split the 1797 images of scikit-learn at random."""
    data = load_digits()
    images, y = data.images.astype(np.uint8), data.target
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:n_train], order[n_train:][:n_test]
    return images[train], y[train], images[test], y[test]


@dataclass(frozen=True)
class Problem:
    """One panel of the picture: data, training sizes, and the patches of MORF."""

    name: str
    question: str
    draw: Draw
    sizes: tuple[int, ...]
    patches: Patches
    max_features: int  # of MORF; the others take the square root of the number of features
    # errors by training size, as stored by the authors: 500 trees, one training set, 5 seeds
    published: Mapping[str, Mapping[int, float]]
    bayes_error: float | None = None

    def forest(self, method: str, **params: Any) -> ForestClassifier:
        """Return the forest that goes by the name of a method."""
        if method == "MORF":
            return ForestClassifier(
                projection=self.patches, max_features=self.max_features, **params
            )
        projection = {"RF": "axis", "SPORF": "sporf"}[method]
        return ForestClassifier(projection=projection, max_features="sqrt", **params)


PROBLEMS = (
    Problem(
        name="circle",
        question="two arcs on a ring: 5 + 5 or 4 + 6?",
        draw=simulated(make_circle),
        sizes=(50, 100, 200, 400, 1000),
        patches=Patches(min_size=3, max_size=12, wrap=True),
        max_features=50,
        published={
            "RF": {50: 0.485, 100: 0.494, 200: 0.492, 400: 0.488, 1000: 0.443},
            "SPORF": {50: 0.488, 100: 0.494, 200: 0.495, 400: 0.488, 1000: 0.446},
            "MORF": {50: 0.417, 100: 0.304, 200: 0.126, 400: 0.073, 1000: 0.051},
        },
    ),
    Problem(
        name="bars",
        question="bars across or down?",
        draw=simulated(make_bars),
        sizes=(10, 50, 100, 200),
        patches=Patches(min_size=(2, 2), max_size=(2, 9)),
        max_features=28,
        published={
            "RF": {10: 0.472, 50: 0.035, 100: 0.002, 200: 0.001},
            "SPORF": {10: 0.458, 50: 0.120, 100: 0.006, 200: 0.003},
            "MORF": {10: 0.182, 50: 0.012, 100: 0.013, 200: 0.001},
        },
    ),
    Problem(
        name="impulse",
        question="noise, or an impulse in noise?",
        draw=simulated(make_impulse),
        sizes=(10, 50, 100, 200, 400, 1000),
        patches=Patches(min_size=2, max_size=12),
        max_features=30,
        published={
            "RF": {10: 0.389, 50: 0.242, 100: 0.214, 200: 0.188, 400: 0.166, 1000: 0.147},
            "SPORF": {10: 0.342, 50: 0.232, 100: 0.210, 200: 0.180, 400: 0.149, 1000: 0.142},
            "MORF": {10: 0.187, 50: 0.142, 100: 0.151, 200: 0.142, 400: 0.139, 1000: 0.133},
        },
        bayes_error=bayes_error("impulse"),
    ),
    Problem(
        name="digits",
        question="which of the ten digits?",
        draw=digits,
        sizes=(50, 100, 200, 400, 1000),
        # The defaults. Of the images' eight pixels a side, larger patches blur too much.
        patches=Patches(),
        max_features=8,
        published={},
    ),
)


# ----------------------------------------------------------------------------------- measuring


@dataclass(frozen=True)
class Settings:
    """What is the same for the whole run."""

    n_trees: int = 500
    n_jobs: int | None = -1
    seed: int = 0
    n_repetitions: int = 5
    n_test: int = 2000  # drawn anew with each training set: 10 000 in all


@dataclass(frozen=True)
class Row:
    """Errors of one method at one training size, one for each training set."""

    problem: str
    method: str
    n_samples: int
    errors: tuple[float, ...]
    fit_seconds: float  # mean
    published: float | None

    @property
    def error(self) -> float:
        """Mean over the training sets."""
        return float(np.mean(self.errors))

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean, None for a single training set."""
        if len(self.errors) < 2:
            return None
        return float(np.std(self.errors, ddof=1) / math.sqrt(len(self.errors)))


@dataclass(frozen=True)
class Usage:
    """How often the splits of each method look at each feature, as shares of one."""

    difference: Array  # of the class means, for comparison
    shares: dict[str, Array]


@dataclass(frozen=True)
class Results:
    """All that the table and the picture show."""

    rows: list[Row]
    usage: dict[str, Usage]
    settings: Settings

    def of(self, problem: str) -> dict[str, list[Row]]:
        """Return the rows of a problem by method, in the order of the training sizes."""
        return {
            method: [r for r in self.rows if (r.problem, r.method) == (problem, method)]
            for method in METHODS
        }


def n_steps(settings: Settings) -> int:
    """Return how often :func:`run` reports."""
    n_fits = sum(len(problem.sizes) for problem in PROBLEMS) * settings.n_repetitions
    return (n_fits + len(USAGE_PROBLEMS)) * len(METHODS)


def run(settings: Settings, report: Callable[[str], None] = lambda step: None) -> Results:
    """Fit all forests; `report` is told what comes next, before each fit."""
    rows = [row for problem in PROBLEMS for row in _rows(problem, settings, report)]
    usage = {name: _usage(name, settings, report) for name in USAGE_PROBLEMS}
    return Results(rows, usage, settings)


def _rows(problem: Problem, settings: Settings, report: Callable[[str], None]) -> Iterator[Row]:
    draws = [
        problem.draw(problem.sizes[-1], settings.n_test, _seed(settings, problem.name, repetition))
        for repetition in range(settings.n_repetitions)
    ]
    for n in problem.sizes:
        for method in METHODS:
            errors, seconds = [], []
            for repetition, (X, y, X_test, y_test) in enumerate(draws):
                report(f"{problem.name}, {n} examples, {method}")
                forest = problem.forest(
                    method,
                    n_estimators=settings.n_trees,
                    n_jobs=settings.n_jobs,
                    random_state=_seed(settings, method, repetition),
                )
                start = time.perf_counter()
                forest.fit(X[:n], y[:n])
                seconds.append(time.perf_counter() - start)
                errors.append(float(np.mean(forest.predict(X_test) != y_test)))
            yield Row(
                problem=problem.name,
                method=method,
                n_samples=n,
                errors=tuple(errors),
                fit_seconds=float(np.mean(seconds)),
                published=problem.published.get(method, {}).get(n),
            )


def _seed(settings: Settings, name: str, repetition: int) -> int:
    """Return the seed of a draw or a forest, which no other choice of settings shares."""
    words = [settings.seed, repetition, *name.encode()]
    return int(np.random.SeedSequence(words).generate_state(1)[0])


def impulses() -> tuple[Array, Array]:
    """Return 400 time series."""
    return make_impulse(400, random_state=0)


def threes_and_fives() -> tuple[Array, Array]:
    """Return all images of the digits 3 and 5."""
    data = load_digits()
    chosen = np.isin(data.target, (3, 5))
    return data.images[chosen].astype(np.uint8), data.target[chosen]


USAGE_PROBLEMS: dict[str, Callable[[], tuple[Array, Array]]] = {
    "impulse": impulses,
    "digits": threes_and_fives,
}


def _usage(name: str, settings: Settings, report: Callable[[str], None]) -> Usage:
    problem = next(problem for problem in PROBLEMS if problem.name == name)
    X, y = USAGE_PROBLEMS[name]()
    shares = {}
    for method in METHODS:
        report(f"{name}, importance, {method}")
        forest = problem.forest(
            method,
            n_estimators=settings.n_trees,
            n_jobs=settings.n_jobs,
            random_state=settings.seed,
        )
        usage = np.asarray(forest.fit(X, y).feature_usage_, dtype=float)
        shares[method] = usage / usage.sum()
    first, second = np.unique(y)
    difference = X[y == second].mean(axis=0) - X[y == first].mean(axis=0)
    return Usage(difference, shares)


# ----------------------------------------------------------------------------------- in words


def in_words(results: Results) -> str:
    """Say in plain words what the errors show, where they favour MORF and where they do not."""
    at_sizes = {p.name: list(zip(*results.of(p.name).values(), strict=True)) for p in PROBLEMS}
    cases = [rows for of_problem in at_sizes.values() for rows in of_problem]
    n_better = sum(morf.error < min(rf.error, sporf.error) for rf, sporf, morf in cases)
    rf, sporf, morf = max(cases, key=lambda rows: rows[0].error - rows[2].error)

    means = {
        name: np.mean([[row.error for row in rows] for rows in of_problem], axis=0)
        for name, of_problem in at_sizes.items()
    }
    closest = min(means, key=lambda name: float(np.ptp(means[name])))
    close = ", ".join(f"{m} {e:.3f}" for m, e in zip(METHODS, means[closest], strict=True))
    return (
        "MORF, whose splits look at patches of neighbouring features, has the lowest error in "
        f"{n_better} of {len(cases)} cases. The gap is widest on the {rf.problem} with "
        f"{rf.n_samples} training examples: the test error of RF is {rf.error:.3f}, that of SPORF "
        f"{sporf.error:.3f} and that of MORF {morf.error:.3f}. The three are closest on the "
        f"{closest} (on average over the sizes: {close})."
    )

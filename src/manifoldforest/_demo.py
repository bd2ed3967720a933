"""The experiment of ``manifoldforest demo``: RF, SPORF and MORF on four small problems.

Three simulations of the MORF papers with the parameters of the thesis, and the digits that come
with scikit-learn. Nothing here prints; :func:`run` gives the errors, :func:`draw` the picture.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from ._classifier import ForestClassifier
from .datasets import bayes_error, make_bars, make_circle, make_impulse
from .datasets._impulse import impulse_curve
from .plot import COLORS, error_curves, importance_map
from .projections import Patches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.gridspec import SubplotSpec

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
    published: dict[str, dict[int, float]]
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
    close = ", ".join(f"{m} {e:.1%}" for m, e in zip(METHODS, means[closest], strict=True))
    return (
        "MORF, whose splits look at patches of neighbouring features, has the lowest error in "
        f"{n_better} of {len(cases)} cases. The gap is widest on the {rf.problem} with "
        f"{rf.n_samples} training examples: RF errs on {rf.error:.1%} of new examples, SPORF on "
        f"{sporf.error:.1%}, MORF on {morf.error:.1%}. The three are closest on the {closest} "
        f"(on average over the sizes: {close})."
    )


# --------------------------------------------------------------------------------- the picture


def draw(results: Results) -> Figure:
    """Draw examples, error curves and importance maps in one figure."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(13, 11.4), layout="constrained", facecolor="white")
        parts: Any = figure.subfigures(3, 1, height_ratios=(6.0, 3.2, 2.2), hspace=0.03)
        _draw_problems(parts[0], results)
        _draw_maps(parts[1], results.usage["digits"])
        _draw_profiles(parts[2], results.usage["impulse"])
    return figure


STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.edgecolor": "0.5",
    "axes.linewidth": 0.8,
    "axes.labelcolor": "0.25",
    "xtick.color": "0.5",
    "ytick.color": "0.5",
    "xtick.labelcolor": "0.25",
    "ytick.labelcolor": "0.25",
}
TITLE_SIZE, HEADING_SIZE = 17, 13


def _draw_problems(figure: SubFigure, results: Results) -> None:
    """Draw one column for each problem: an example of two classes, and the error curves below."""
    figure.suptitle(
        "A forest that knows which features are neighbours learns from fewer examples",
        fontsize=TITLE_SIZE,
        fontweight="bold",
    )
    grid = figure.add_gridspec(2, len(PROBLEMS), height_ratios=(1.0, 2.1), hspace=0.06)
    for column, problem in enumerate(PROBLEMS):
        _draw_examples(figure, grid[0, column], problem)
        ax = figure.add_subplot(grid[1, column])
        rows = results.of(problem.name)
        published = [math.nan if row.published is None else row.published for row in rows["MORF"]]
        error_curves(
            problem.sizes,
            {method: [row.errors for row in rows[method]] for method in METHODS},
            published={"MORF": published},
            bayes_error=problem.bayes_error,
            legend=False,
            ax=ax,
        )
        if column > 0:
            ax.set_ylabel("")
    handles, labels = ax.get_legend_handles_labels()
    words = {
        "RF": "RF: single features",
        "SPORF": "SPORF: random sums of features",
        "MORF": "MORF: sums over patches of neighbours",
        "MORF, published": "MORF, published (500 trees)",
    }
    figure.legend(
        handles,
        [words[label] for label in labels],
        loc="outside lower center",
        ncols=len(labels),
        frameon=False,
        fontsize=10.5,
    )


def _draw_examples(figure: SubFigure, place: SubplotSpec, problem: Problem) -> None:
    """Draw one example of each of two classes side by side."""
    heading = figure.add_subplot(place)
    heading.set_axis_off()
    heading.set_title(problem.name, fontsize=HEADING_SIZE, fontweight="bold", pad=20)
    middle: dict[str, Any] = {"transform": heading.transAxes, "ha": "center", "va": "bottom"}
    heading.text(0.5, 1.03, problem.question, color="0.25", **middle)
    X, y, _, _ = problem.draw(200, 1, 3)
    classes = (3, 5) if problem.name == "digits" else (0, 1)
    for side, label in enumerate(classes):
        ax = heading.inset_axes((0.03 + 0.5 * side, 0.0, 0.44, 1.0))
        example = X[y == label][0]
        if problem.name == "circle":
            _draw_ring(ax, example)
        elif example.ndim == 2:
            ax.imshow(example, cmap="Greys", interpolation="nearest")
            ax.set(xticks=[], yticks=[])
        else:
            ax.plot(example, color="0.45", linewidth=0.8)
            ax.plot(label * impulse_curve(), color="black", linewidth=1.8)
            ax.set(xticks=[], yticks=[], ylim=(-3.2, 3.2))
            ax.set_box_aspect(1)


def _draw_ring(ax: Axes, example: Array) -> None:
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(example)) / len(example)
    x, y = np.cos(angles), np.sin(angles)
    on = example > 0
    ax.scatter(x[~on], y[~on], s=3, color="0.75", linewidths=0)
    ax.scatter(x[on], y[on], s=22, color="black", linewidths=0)
    ax.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
    ax.set_axis_off()


def _draw_maps(figure: SubFigure, usage: Usage) -> None:
    """Draw the importance of pixels for telling a 3 from a 5."""
    figure.suptitle(
        "Where the splits look, telling 3 from 5: share of each pixel",
        fontsize=HEADING_SIZE,
        fontweight="bold",
    )
    axes = figure.subplots(1, 1 + len(METHODS))
    importance_map(usage.difference, axes[0])
    axes[0].set_title("mean 5 minus mean 3")
    limit = max(float(shares.max()) for shares in usage.shares.values())
    for ax, method in zip(axes[1:], METHODS, strict=True):
        importance_map(usage.shares[method], ax, limit=limit)
        ax.set_title(method, color=COLORS[method], fontweight="bold")
    figure.colorbar(axes[-1].images[0], ax=axes, shrink=0.8, aspect=16, pad=0.01, format="{x:.0%}")


def _draw_profiles(figure: SubFigure, usage: Usage) -> None:
    """Draw the importance of times for telling an impulse from noise."""
    figure.suptitle(
        "Where the splits look, telling an impulse from noise: share of each time",
        fontsize=HEADING_SIZE,
        fontweight="bold",
    )
    axes = figure.subplots(1, 1 + len(METHODS))
    axes[0].plot(impulse_curve(), color="black", linewidth=1.8)
    axes[0].set_title("the impulse")
    limit = max(float(shares.max()) for shares in usage.shares.values())
    for ax, method in zip(axes[1:], METHODS, strict=True):
        importance_map(usage.shares[method], ax, color=COLORS[method], limit=limit)
        ax.set_title(method, color=COLORS[method], fontweight="bold")
        ax.yaxis.set_major_formatter("{x:.0%}")
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlim(0, 99)

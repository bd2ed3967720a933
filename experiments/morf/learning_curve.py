"""Experiments that show how the test error falls with the number of training examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._datasets import Array
from .._drawing import PUBLISHED, band, light_grid, pyplot, short_number
from .._experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized, Value
from .._results import Results
from .claims import Claim
from .data import IMPULSE_CURVE, Draw, Generator, simulated
from .errors import Errors, Published, beside, errors_in, sheet, size_columns
from .methods import (
    BASELINES,
    FORESTS,
    LINEAR_SVM_ROUNDS,
    METHODS,
    PACKAGES,
    STYLES,
    Problem,
    classifier,
    train_and_test,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Show = Callable[["Axes", Array, int], None]  # draws one example, given its label


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

    def parameters(self, method: str, n: int) -> Mapping[str, Value]:
        """Return the parameters of a run."""
        parameters: dict[str, Value] = {"data": self.problem.name, "method": method, "n": n}
        return {**parameters, "trees": self.trees} if method in FORESTS else parameters


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
        cells = [(n, method) for n in setup.sizes for method in setup.methods]
        most = max(setup.repetitions(method, n) for n, method in cells)
        return [
            Run(seed, setup.parameters(method, n), setup.needs, PACKAGES.get(method))
            for seed in range(most)
            for n, method in cells
            if seed < setup.repetitions(method, n)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Train one method on one training set and count its errors on the test set."""
        setup = self.size(setting)
        method, n = str(run.parameters["method"]), int(run.parameters["n"] or 0)
        X, y, X_test, y_test = setup.draw(n, run.seed, setting)
        model = classifier(method, setup.problem, trees=setup.trees, seed=run.seed)
        predicted, seconds = train_and_test(model, X, y, X_test)
        first = (run.seed, method, n) == (0, setup.methods[0], setup.sizes[0])
        return Outcome(
            {"error": float(np.mean(predicted != y_test)), **seconds},
            first_of_each_class(X_test, y_test) if first else {},
        )

    def errors(self, results: Results) -> Errors:
        """Return our errors and the published ones."""
        return errors_in(results.of(self.id), self.size(results).published)

    def findings(self, results: Results) -> list[Finding]:
        """Judge what the paper says."""
        errors = self.errors(results)
        return [claim(errors) for claim in self.claims]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return errors and seconds of all methods at all sizes."""
        return [_error_sheet(self.errors(results)), _seconds_sheet(results)]

    def figures(self, results: Results) -> list[Picture]:
        """Draw examples of the classes, and the curves below."""
        errors = self.errors(results)
        n_sets = max(len(values) for curve in errors.ours.values() for values in curve.values())
        caption = (
            f"Test error, mean over training sets (up to {n_sets}); the bands reach from the "
            "lowest to the highest."
        )
        if errors.published:
            caption += f" Dashed, with hollow markers: published ({self.published_as})."
        if "LinSVM" in errors.ours:
            caption += f" LinSVM is stopped after {LINEAR_SVM_ROUNDS} rounds, converged or not."
        examples = next((row.arrays for row in results if "examples" in row.arrays), None)
        replaced = results.preset == "quick" and self.stand_in
        title = f"{self.title}\n({self.stand_in})" if replaced else self.title
        return [Picture(_draw(self, errors, examples, title), caption)]


SIZES = (10, 50, 100, 200, 400, 1000, 2000)
PUBLISHED_AS = "one training set, 2000 test examples, mean of 5 runs"


def full_setup(problem: Problem, generate: Generator, published: Published) -> Setup:
    """Return the sizes of the papers: 500 trees as in the authors' runs, 20 training sets."""
    return Setup(
        problem=problem,
        draw=simulated(generate, n_test=10_000),
        sizes=SIZES,
        trees=500,
        repetitions=lambda method, n: 5 if method in ("CNN", "XGB") else 20,
        published=published,
    )


def quick_setup(problem: Problem, generate: Generator, published: Published) -> Setup:
    """Return sizes for a try-out of seconds, with nothing but scikit-learn."""
    return Setup(
        problem=problem,
        draw=simulated(generate, n_test=2000),
        sizes=SIZES[:-1],
        trees=100,
        repetitions=lambda method, n: 3,
        methods=(*FORESTS, *BASELINES),
        published=published,
    )


def _error_sheet(errors: Errors) -> Sheet:
    sizes, ours = errors.sizes(), errors.means()
    title = "Test error" + (", ours (published)" if errors.published else "")
    rows = {}
    for method in METHODS:
        if method in errors.ours or method in errors.published:
            own, published = ours.get(method, {}), errors.published.get(method, {})
            rows[method] = {n: beside(own.get(n), published.get(n)) for n in sizes}
    return sheet(title, "method", size_columns(sizes), rows)


def _seconds_sheet(results: Results) -> Sheet:
    methods = results.by("method")
    rows = {
        method: {
            n: f"{at_size.mean('train_seconds'):.2f} + {at_size.mean('test_seconds'):.2f}"
            for n, at_size in methods[method].by("n").items()
        }
        for method in METHODS
        if method in methods
    }
    title = "CPU seconds on one thread: training + all test examples"
    return sheet(title, "method", size_columns(sorted(results.distinct("n"))), rows)


N_EXAMPLES = 4  # of two classes, two of each


def first_of_each_class(X: Array, y: Array) -> dict[str, Array]:
    """Return the first examples of each class, one or two, with their labels."""
    classes = np.unique(y)
    each = max(1, N_EXAMPLES // len(classes))
    rows = np.concatenate([np.flatnonzero(y == label)[:each] for label in classes])
    return {"examples": X[rows], "labels": y[rows]}


def show_ring(ax: Axes, example: Array, label: int) -> None:
    """Draw the positions of a ring: black if on."""
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(example)) / len(example)
    x, y = np.cos(angles), np.sin(angles)
    on = example > 0
    ax.scatter(x[~on], y[~on], s=4, color="0.75", linewidths=0)
    ax.scatter(x[on], y[on], s=26, color="black", linewidths=0)
    ax.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
    ax.set_axis_off()


def show_image(ax: Axes, example: Array, label: int) -> None:
    """Draw an image, dark where its values are large."""
    ax.imshow(example, cmap="Greys", interpolation="nearest")
    ax.set(xticks=[], yticks=[])


def show_series(ax: Axes, example: Array, label: int) -> None:
    """Draw a time series, and the impulse that is in those of class 1."""
    ax.plot(example, color="0.45", linewidth=0.9)
    ax.plot(label * IMPULSE_CURVE, color="black", linewidth=2)
    ax.set(xticks=[0, 50, 100], yticks=[-3, 0, 3], xlim=(0, 100), ylim=(-3.5, 3.5))
    ax.set_xlabel("time", labelpad=1)
    ax.tick_params(length=2)


# Ten methods, twice with the published ones, are too many for one panel. MORF is in both.
PANELS = ((*FORESTS, "CNN", "XGB"), ("MORF", *BASELINES))
FONTS = {"font.size": 11, "axes.titlesize": 12, "legend.fontsize": 10.5}
WIDTH, CURVES_HEIGHT = 8.0, 5.4


def _draw(
    curve: LearningCurve, errors: Errors, examples: Mapping[str, Array] | None, title: str
) -> Figure:
    plt = pyplot()
    with plt.rc_context(FONTS):
        top = min(1.7, WIDTH / len(examples["labels"])) + 0.4 if examples else 0.0
        figure: Figure = plt.figure(figsize=(WIDTH, top + CURVES_HEIGHT), layout="constrained")
        figure.suptitle(title, fontsize=14, fontweight="bold")
        below: Any = figure
        if examples:
            parts: Any = figure.subfigures(2, 1, height_ratios=(top, CURVES_HEIGHT), hspace=0.02)
            above, below = parts
            labels = [int(label) for label in examples["labels"]]
            axes = above.subplots(1, len(labels), squeeze=False)[0]
            for ax, example, label in zip(axes, examples["examples"], labels, strict=True):
                curve.show(ax, example, label)
                ax.set_title(curve.class_names[label], fontsize=11)
        panels = below.subplots(1, len(PANELS), sharey=True)
        for ax, methods in zip(panels, PANELS, strict=True):
            _draw_panel(ax, errors, methods)
        for ax in panels:  # after all are drawn, for they share an axis
            _finish(ax, curve, errors.sizes())
        panels[0].set_ylabel("test error")
    return figure


def _draw_panel(ax: Axes, errors: Errors, methods: Iterable[str]) -> None:
    for method in methods:
        # MORF is what the figure is about: its line is the thickest and on top.
        width, order = (2.6, 4) if method == "MORF" else (1.5, 3)
        # Markers of errors near 0 are drawn whole.
        style: dict[str, Any] = {**STYLES[method], "clip_on": False}
        ours, published = errors.ours.get(method, {}), errors.published.get(method, {})
        if ours:
            draw_curve(ax, ours, label=method, linewidth=width, zorder=order, **style)
        sizes = [n for n in errors.sizes() if n in published]
        if sizes:
            style |= {**PUBLISHED, "markersize": 6.5, "zorder": order - 1.5}
            label = None if ours else f"{method}, published"
            ax.plot(sizes, [published[n] for n in sizes], label=label, **style)
    if errors.published:
        ax.plot([], [], color="0.3", marker="o", label="published", **PUBLISHED)


def draw_curve(ax: Axes, values: Mapping[int, Array], **line: Any) -> None:
    """Draw means over the training size, in a band from the lowest value to the highest."""
    sizes = sorted(values)
    low, mean, high = ([f(values[n]) for n in sizes] for f in (np.min, np.mean, np.max))
    band(ax, sizes, low, mean, high, **{"markersize": 5, **line})


def _finish(ax: Axes, curve: LearningCurve, sizes: Sequence[int]) -> None:
    """Set scales, ticks and the legend, and draw the lowest error that is possible."""
    if curve.bayes_error is not None:
        mark_bayes_error(ax, curve.bayes_error, f"Bayes error {curve.bayes_error:.3f}")
    size_axis(ax, sizes)
    if curve.log_error:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")
        ax.set_yticks([0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
        ax.set_yticks([], minor=True)
    else:
        ax.set_ylim(bottom=0)
    light_grid(ax, "y")
    ax.tick_params(labelleft=True)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)


def mark_bayes_error(ax: Axes, error: float, text: str) -> None:
    """Draw the lowest error that is possible, and write a text below it."""
    ax.axhline(error, color="0.2", linewidth=1.2, linestyle=":", zorder=1)
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "top", "fontsize": 10}
    ax.annotate(text, (0.02, error), xytext=(0, -3), textcoords="offset points", **place)


def size_axis(ax: Axes, sizes: Sequence[int]) -> None:
    """Give training sizes a logarithmic axis with a tick at each."""
    ax.set_xscale("log")
    ax.set_xticks(list(sizes), [short_number(n) for n in sizes])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("training examples n")

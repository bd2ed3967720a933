"""Experiments that show how the test error falls with the number of training examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..datasets import Array
from ..drawing import PUBLISHED, band, light_grid, log_ticks, pyplot, short_number
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet, Value
from ..results import Results
from .data import IMPULSE_CURVE, Draw, Generator, simulated
from .errors import Claim, Errors, Published, beside, errors_in, sheet
from .methods import BASELINES, FORESTS, METHODS, PACKAGES, STYLES, SVM_ROUNDS, Problem, fit_predict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Ten methods, twice with the published ones, are too many for one panel. MORF is in both.
PANELS = ((*FORESTS, "CNN", "XGB"), ("MORF", *BASELINES))
WIDTH, HEIGHT = 8.0, 5.4  # of the curves


@dataclass(frozen=True)
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
class LearningCurve(Experiment):
    """Errors of several methods over the number of training examples, with examples on top."""

    setups: Mapping[str, Setup]  # by preset
    claims: tuple[Claim, ...]
    show: Callable[[Axes, Array, int], None]  # draws one example, given its label
    class_names: tuple[str, ...]
    bayes_error: float | None = None
    log_error: bool = False
    published_as: str = "one training set, 2000 test examples, mean of 5 runs"

    def runs(self, setting: Setting) -> list[Run]:
        setup, runs = self.setups[setting.preset], []
        for n, method in product(setup.sizes, setup.methods):
            parameters: dict[str, Value] = {"data": setup.problem.name, "method": method, "n": n}
            parameters |= {"trees": setup.trees} if method in FORESTS else {}
            for seed in range(setup.repetitions(method, n)):
                runs.append(Run(seed, parameters, setup.needs, PACKAGES.get(method)))
        return sorted(runs, key=lambda run: run.seed)

    def measure(self, run: Run, setting: Setting) -> Outcome:
        setup = self.setups[setting.preset]
        method, n = str(run.parameters["method"]), int(run.parameters["n"] or 0)
        X, y, X_test, y_test = setup.draw(n, run.seed, setting)
        model = setup.problem.classifier(method, trees=setup.trees, seed=run.seed)
        predicted, seconds = fit_predict(model, X, y, X_test)
        first = (run.seed, method, n) == (0, setup.methods[0], setup.sizes[0])
        return Outcome(
            {"error": float(np.mean(predicted != y_test)), **seconds},
            first_of_each_class(X_test, y_test) if first else {},
        )

    def errors(self, results: Results) -> Errors:
        """Return our errors and the published ones."""
        return errors_in(results.of(self.id), self.setups[results.preset].published)

    def findings(self, results: Results) -> list[Finding]:
        """Judge what the paper says."""
        errors = self.errors(results)
        return [claim(errors) for claim in self.claims]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return errors and seconds of all methods at all sizes."""
        errors, methods = self.errors(results), results.by("method")
        sizes, means = {n: f"n = {n}" for n in errors.sizes()}, errors.means()
        rows, seconds = {}, {}
        for method in METHODS:
            if method in errors.ours or method in errors.published:
                ours, published = means.get(method, {}), errors.published.get(method, {})
                rows[method] = {n: beside(ours.get(n), published.get(n)) for n in sizes}
            if method in methods:
                seconds[method] = {
                    n: f"{at_size.mean('train_seconds'):.2f} + {at_size.mean('test_seconds'):.2f}"
                    for n, at_size in methods[method].by("n").items()
                }
        title = "Test error" + (", ours (published)" if errors.published else "")
        of_seconds = "CPU seconds on one thread: training + all test examples"
        return [sheet(title, "method", sizes, rows), sheet(of_seconds, "method", sizes, seconds)]

    def figures(self, results: Results) -> list[Picture]:
        """Draw examples of the classes, and the curves below."""
        errors = self.errors(results)
        examples = next((row.arrays for row in results if "examples" in row.arrays), None)
        top = min(1.7, WIDTH / len(examples["labels"])) + 0.4 if examples else 0.0
        below = figure = pyplot().figure(figsize=(WIDTH, top + HEIGHT), layout="constrained")
        replaced = results.preset == "quick" and self.stand_in
        title = f"{self.title}\n({self.stand_in})" if replaced else self.title
        figure.suptitle(title, fontsize=14, fontweight="bold")
        if examples:
            above, below = figure.subfigures(2, 1, height_ratios=(top, HEIGHT), hspace=0.02)
            axes = above.subplots(1, len(examples["labels"]), squeeze=False)[0]
            for i, (ax, label) in enumerate(zip(axes, examples["labels"], strict=True)):
                self.show(ax, examples["examples"][i], label)
                ax.set_title(self.class_names[label], fontsize=11)
        axes = below.subplots(1, len(PANELS), sharey=True)
        for ax, methods in zip(axes, PANELS, strict=True):
            _draw_panel(ax, errors, methods)
        for ax in axes:  # after all are drawn, for they share an axis
            self._finish(ax, errors.sizes())
        axes[0].set_ylabel("test error")
        n_sets = max(len(values) for curve in errors.ours.values() for values in curve.values())
        caption = (
            f"Test error, mean over training sets (up to {n_sets}); the bands reach from the "
            "lowest to the highest."
        )
        if errors.published:
            caption += f" Dashed, with hollow markers: published ({self.published_as})."
        if "LinSVM" in errors.ours:
            caption += f" LinSVM is stopped after {SVM_ROUNDS} rounds, converged or not."
        return [Picture(figure, caption)]

    def _finish(self, ax: Axes, sizes: Sequence[int]) -> None:
        """Set scales, ticks and the legend, and draw the lowest error that is possible."""
        if self.bayes_error is not None:
            mark_bayes_error(ax, self.bayes_error, f"Bayes error {self.bayes_error:.3f}")
        size_axis(ax, sizes)
        if self.log_error:
            log_ticks(ax, "y", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
        else:
            ax.set_ylim(bottom=0)
        light_grid(ax, "y")
        ax.tick_params(labelleft=True)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)


SIZES = (10, 50, 100, 200, 400, 1000, 2000)  # of the simulations: M1, M2, M3


def simulation(problem: Problem, generate: Generator, published: Published) -> dict[str, Setup]:
    """Return a try-out with scikit-learn alone, and sizes and trees as in the authors' runs."""
    quick, full = simulated(generate, n_test=2000), simulated(generate, n_test=10_000)
    methods = (*FORESTS, *BASELINES)
    repetitions = lambda method, n: 5 if method in ("CNN", "XGB") else 20
    return {
        "quick": Setup(problem, quick, SIZES[:-1], 100, lambda m, n: 3, methods, published),
        "full": Setup(problem, full, SIZES, 500, repetitions, METHODS, published),
    }


def first_of_each_class(X: Array, y: Array) -> dict[str, Array]:
    """Return the first examples of each class, one or two, with their labels."""
    classes = np.unique(y)
    each = max(1, 4 // len(classes))  # of two classes, two of each
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

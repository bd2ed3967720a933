"""Completion of images: the lower half is predicted from the upper one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from manifoldforest import plot
from manifoldforest.plot._style import pyplot

from .._experiment import Outcome, Picture, Run, Setting, Sheet, Sized
from .._results import Results
from .._timing import timed
from ._images import completed, halves, mse, rmse, seam, sharpness
from ._methods import Array, Forests, is_forest, predict


@dataclass(frozen=True)
class CompletionSize:
    """How much a preset does."""

    n_train: int
    n_test: int
    n_trees: int
    repetitions: int
    images: tuple[str, ...]  # the sets of images, the one of the paper first
    needs: str | None = None


@dataclass(frozen=True)
class Cell:
    """What a method is tried with."""

    method: str
    grey_values: str
    leaf: int  # rows of a leaf, which the paper does not state


@dataclass(frozen=True)
class CompletionParameters(Cell):
    """The parameters of a run."""

    images: str
    n_train: int
    n_test: int
    n_trees: int


@dataclass(frozen=True)
class Problem:
    """Whole images (n, height, width) and whose they are, or which digit."""

    train: Array
    train_labels: Array
    test: Array
    test_labels: Array
    examples: Array  # rows of the test images that are drawn


@dataclass(frozen=True, kw_only=True)
class Completion(Sized[CompletionSize]):
    """Predict lower halves of images."""

    methods: tuple[str, ...]  # of the paper
    cells: tuple[Cell, ...]  # the first of a method is compared with the paper
    columns: Mapping[str, str]  # measures of the sheets and their heads
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # measure -> method
    units: Mapping[str, float]  # grey values -> what responses are divided by
    forests: Forests

    @abstractmethod
    def problem(self, given: CompletionParameters, seed: int, setting: Setting) -> Problem:
        """Choose images and divide them."""

    def judge(
        self, problem: Problem, predicted: Array, whole: Array
    ) -> tuple[Mapping[str, float], Array]:
        """Return further measures of predicted halves, and which of the whole images are bad."""
        return {}, np.zeros(len(whole), dtype=bool)

    def runs(self, setting: Setting) -> list[Run]:
        """All cells with all sets of images."""
        size = self.size(setting)
        common = (size.n_train, size.n_test, size.n_trees)
        given = [
            CompletionParameters(cell.method, cell.grey_values, cell.leaf, images, *common)
            for images in size.images
            for cell in self.cells
        ]
        return [
            Run(seed, asdict(one), size.needs) for seed in range(size.repetitions) for one in given
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Fit one method to one training set; some predictions of the first set are kept."""
        values: dict[str, Any] = dict(run.parameters)
        given = CompletionParameters(**values)
        problem = self.problem(given, run.seed, setting)
        forests = replace(self.forests, n_trees=given.n_trees)
        unit = self.units[given.grey_values]
        (X_train, Y_train), (X_test, Y_test) = halves(problem.train), halves(problem.test)
        train = X_train, Y_train / unit
        predicted, seconds = timed(
            lambda: unit * predict(given.method, forests, given.leaf, train, X_test, run.seed)
        )
        whole = completed(X_test, predicted, problem.test.shape[2])
        more, bad = self.judge(problem, predicted, whole)
        metrics = {
            "rmse": rmse(predicted, Y_test),
            "mse": mse(predicted, Y_test),
            "sharpness": sharpness(whole, problem.test),
            "seam": seam(whole),
            "real_seam": seam(problem.test),
            "brightness": float(predicted.mean() / Y_test.mean()),
            **more,
            "seconds": seconds,
        }
        if run.seed > 0:
            return Outcome(metrics)
        drawn = problem.examples
        arrays = {"whole": whole[drawn], "truth": problem.test[drawn]}
        small = {name: array.astype(np.float16) for name, array in arrays.items()}
        return Outcome(metrics, {**small, "bad": bad[drawn]})

    # ------------------------------------------------------------------------------- the report

    def main_cell(self, method: str) -> Cell:
        """Return what a method is compared with the paper by."""
        return next(cell for cell in self.cells if cell.method == method)

    def main_rows(self, results: Results) -> Results:
        """Return the rows that are compared with the paper."""
        chosen = [asdict(cell) for cell in self.cells if cell == self.main_cell(cell.method)]
        of_paper = results.where(images=self.main_images(results))
        rows = (r for r in of_paper if {name: r.get(name) for name in chosen[0]} in chosen)
        return Results(tuple(rows), results.preset)

    def main_images(self, results: Results) -> str:
        """Return the set of images that is compared with the paper."""
        size = self.size(results)
        return size.images[0]

    def sheets(self, results: Results) -> list[Sheet]:
        """All measures, one table for each set of images."""
        found = []
        for images, some in results.by("images").items():
            rows = []
            for cell in self.cells:
                here = some.where(**asdict(cell))
                if len(here):
                    cells = (self._text(here, name, cell) for name in self.columns)
                    leaf = str(cell.leaf) if is_forest(cell.method) else ""
                    rows.append((cell.method, cell.grey_values, leaf, *cells))
            heads = ("method", "grey values", "leaf", *self.columns.values())
            title = f"{images[0].upper()}{images[1:]}, {some.rows[0].get('n_train')} for training"
            found.append(Sheet(title, heads, tuple(rows)))
        return found

    def _text(self, some: Results, name: str, cell: Cell) -> str:
        if not len(some.values(name)):
            return ""
        text = f"{some.mean(name):.3f}" if name != "mse" else f"{some.mean(name):.3g}"
        published = self.published.get(name, {}).get(cell.method)
        if published is None or cell.leaf != self.main_cell(cell.method).leaf:
            return text
        return f"{text} ({published:g})"

    def draw(
        self, results: Results, methods: list[str], *, columns: int, inches: float, caption: str
    ) -> Picture | None:
        """Draw completed images of the first repetition, each so large; bad ones are framed."""
        rows = [row for row in self.main_rows(results).where(seed=0) if row.arrays]
        found = {str(row.get("method")): row.arrays for row in rows}
        found = {method: found[method] for method in methods if method in found}
        if not found:
            return None
        truth = next(iter(found.values()))["truth"].astype(np.float64)
        middle = truth.shape[1] // 2
        n_rows = -(-len(truth) // columns) * (len(found) + 1)
        size = (inches * columns + 1, inches * n_rows + 0.4)
        figure, axes = pyplot().subplots(figsize=size, layout="constrained")
        plot.responses(
            truth[:, middle:],
            {name: a["whole"][:, middle:].astype(np.float64) for name, a in found.items()},
            known=truth[:, :middle],
            marked={name: arrays["bad"] for name, arrays in found.items()},
            columns=columns,
            legend=False,
            ax=axes,
        )
        return Picture(figure, caption)

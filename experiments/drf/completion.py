"""Completion of images: the lower half is predicted from the upper one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from manifoldforest import plot

from ..drawing import panels
from ..experiment import Outcome, Picture, Run, Setting, Sheet, Sized, timed
from ..results import Results
from .methods import BARYCENTRE, Array, Forests, fit_predict, is_forest

Metrics = Mapping[str, float]


class CompletionSize(NamedTuple):
    """How much a preset does."""

    n_train: int
    n_test: int
    n_trees: int
    repetitions: int
    images: tuple[str, ...]  # the sets of images, the one of the paper first
    needs: str | None = None


class Cell(NamedTuple):
    """What a method is tried with."""

    method: str
    grey_values: str
    leaf: int  # rows of a leaf, which the paper does not state


class Problem(NamedTuple):
    """Whole images (n, height, width) and whose they are, or which digit."""

    train: Array
    test: Array
    train_labels: Array
    test_labels: Array
    examples: Array  # rows of the test images that are drawn


def halves(images: Array) -> tuple[Array, Array]:
    """Return the upper and the lower halves of images (n, height, width), flat."""
    middle = images.shape[1] // 2
    return images[:, :middle].reshape(len(images), -1), images[:, middle:].reshape(len(images), -1)


def gradient_energies(images: Array) -> Array:
    """Return the sum of squared differences of neighbouring pixels in each lower half."""
    lower = images[:, images.shape[1] // 2 :]
    down, across = np.diff(lower, axis=1), np.diff(lower, axis=2)
    return np.asarray(np.sum(down**2, axis=(1, 2)) + np.sum(across**2, axis=(1, 2)))


def jumps(images: Array) -> Array:
    """Return the mean absolute jump from the last row of the upper half to the next."""
    middle = images.shape[1] // 2
    return np.asarray(np.mean(np.abs(images[:, middle] - images[:, middle - 1]), axis=1))


def suspicious(images: Array, training: Array) -> Array:
    """Return which images are more blurred, or less smooth at the seam, than 95 % of real ones."""
    blurred = gradient_energies(images) < np.quantile(gradient_energies(training), 0.05)
    return np.asarray(blurred | (jumps(images) > np.quantile(jumps(training), 0.95)))


def image_metrics(images: Array, real: Array) -> dict[str, float]:
    """Compare completed images with real ones; a sharpness below 1 is blurred."""
    (_, predicted), (_, truth) = halves(images), halves(real)
    squared = (predicted - truth) ** 2
    return {
        "rmse": float(np.mean(np.sqrt(np.mean(squared, axis=1)))),  # of an image, then the mean
        "mse": float(np.mean(squared)),  # of a pixel
        "sharpness": float(np.mean(gradient_energies(images)) / np.mean(gradient_energies(real))),
        "seam": float(np.mean(jumps(images))),
        "real_seam": float(np.mean(jumps(real))),
        "brightness": float(predicted.mean() / truth.mean()),
    }


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
    def problem(self, images: str, n_train: int, n_test: int, seed: int, of: Setting) -> Problem:
        """Choose images and divide them."""

    def judge(self, problem: Problem, predicted: Array, whole: Array) -> tuple[Metrics, Array]:
        """Return further measures of predicted halves, and which of the whole images are bad."""
        return {}, np.zeros(len(whole), dtype=bool)

    def runs(self, setting: Setting) -> list[Run]:
        size = self.size(setting)
        common = {"n_train": size.n_train, "n_test": size.n_test, "n_trees": size.n_trees}
        return [
            Run(seed, {**cell._asdict(), "images": images, **common}, size.needs)
            for seed in range(size.repetitions)
            for images in size.images
            for cell in self.cells
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        given: dict[str, Any] = dict(run.parameters)
        which, n_train, n_test = given["images"], given["n_train"], given["n_test"]
        problem = self.problem(which, n_train, n_test, run.seed, setting)
        model = self.forests.model(given["method"], given["n_trees"], given["leaf"], run.seed)
        unit = self.units[given["grey_values"]]
        (X_train, Y_train), (X_test, _) = halves(problem.train), halves(problem.test)
        train = X_train, Y_train / unit
        predicted, seconds = timed(lambda: unit * fit_predict(model, train, X_test))
        whole = np.concatenate([X_test, predicted], axis=1).reshape(problem.test.shape)
        more, bad = self.judge(problem, predicted, whole)
        metrics = {**image_metrics(whole, problem.test), **more, "seconds": seconds}
        arrays = {"whole": whole.astype(np.float16), "truth": problem.test.astype(np.float16)}
        drawn = {name: a[problem.examples] for name, a in {**arrays, "bad": bad}.items()}
        return Outcome(metrics, drawn if run.seed == 0 else {})

    def main_cell(self, method: str) -> Cell:
        """Return what a method is compared with the paper by."""
        return next(cell for cell in self.cells if cell.method == method)

    def main_rows(self, results: Results) -> Results:
        """Return the rows that are compared with the paper."""
        chosen = {self.main_cell(cell.method) for cell in self.cells}
        of_paper = results.where(images=self.size(results).images[0])
        rows = (row for row in of_paper if tuple(map(row.get, Cell._fields)) in chosen)
        return Results(tuple(rows), results.preset)

    def sheets(self, results: Results) -> list[Sheet]:
        """All measures, one table for each set of images."""
        found = []
        for images, some in results.by("images").items():
            rows = []
            for cell in self.cells:
                here = some.where(**cell._asdict())
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
        is_papers = published is not None and cell.leaf == self.main_cell(cell.method).leaf
        return f"{text} ({published:g})" if is_papers else text

    def draw(self, results: Results, columns: int, inches: float, caption: str) -> list[Picture]:
        """Draw completed images of the first repetition, each so large; bad ones are framed."""
        rows = [row for row in self.main_rows(results).where(seed=0) if row.arrays]
        arrays = {str(row.get("method")): row.arrays for row in rows}
        shown = {m: arrays[m] for m in (*self.methods, BARYCENTRE) if m in arrays}
        if not shown:
            return []
        truth = next(iter(shown.values()))["truth"].astype(np.float64)
        middle = truth.shape[1] // 2
        n_rows = -(-len(truth) // columns) * (len(shown) + 1)
        figure, table = panels(1, 1, (inches * columns + 1, inches * n_rows + 0.4))
        lower = {m: a["whole"][:, middle:].astype(np.float64) for m, a in shown.items()}
        style: dict[str, Any] = {"columns": columns, "legend": False, "ax": table[0, 0]}
        style["marked"] = {method: a["bad"] for method, a in shown.items()}
        plot.responses(truth[:, middle:], lower, known=truth[:, :middle], **style)
        return [Picture(figure, caption)]

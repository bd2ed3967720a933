"""Lower halves of handwritten digits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np

from .._datasets import digits
from .._experiment import Finding, Picture, Setting
from .._results import Results
from ._completion import Completion, CompletionParameters, Problem
from ._digits_findings import DigitsFindings
from ._images import halves, misread, of_other_digits, suspicious
from ._methods import BARYCENTRE, Array

FIRST, RANDOM = "first images of each class", "random images of each class"


@dataclass(frozen=True, kw_only=True)
class Digits(Completion):
    """Predict lower halves of digits, equally many of each class."""

    def problem(self, given: CompletionParameters, seed: int, setting: Setting) -> Problem:
        """Choose the first or any images of each class, and divide them at random."""
        images, classes = digits()
        images = images.astype(np.float64)
        rng = np.random.default_rng(seed)
        per_class = (given.n_train + given.n_test) // 10
        of_class = [np.flatnonzero(classes == digit) for digit in range(10)]
        if given.images == RANDOM:
            of_class = [rng.permutation(rows) for rows in of_class]
        rows = rng.permutation(np.concatenate([rows[:per_class] for rows in of_class]))
        train, test = rows[: given.n_train], rows[given.n_train :]
        examples = [np.flatnonzero(classes[test] == digit)[:2] for digit in range(10)]
        by_turns = [some[place] for place in range(2) for some in examples if len(some) > place]
        return Problem(
            *(images[train], classes[train], images[test], classes[test]), np.array(by_turns)
        )

    def judge(
        self, problem: Problem, predicted: Array, whole: Array
    ) -> tuple[Mapping[str, float], Array]:
        """Return the measures that need to know the digits, and which images are bad."""
        wrong = misread(whole, problem.test_labels, problem.train, problem.train_labels)
        bad = wrong | suspicious(whole, problem.train)
        metrics = {"misread": float(wrong.mean()), "bad": float(bad.mean())}
        _, lower = halves(problem.train)
        retrieved = of_other_digits(predicted, problem.test_labels, lower, problem.train_labels)
        if retrieved is not None:
            metrics["class_error"] = retrieved
        return metrics, bad

    def figures(self, results: Results) -> list[Picture]:
        """Completed digits, as Figure 3."""
        caption = (
            "Completed digits of the first repetition (Figure 3 of the paper): two test images of "
            "each class. Above the line is what was given; frames are around images that a "
            "nearest-neighbour classifier misreads, or that are more blurred or less smooth at "
            "the line than 95 % of real ones."
        )
        picture = self.draw(
            results, [*self.methods, BARYCENTRE], columns=10, inches=0.75, caption=caption
        )
        return [] if picture is None else [picture]

    def findings(self, results: Results) -> list[Finding]:
        """Compare with Table 1."""
        return DigitsFindings(
            rows=self.main_rows(results),
            methods=list(self.methods),
            published=self.published,
            otherwise=lambda metric, method: self._otherwise(results, metric, method),
        ).all()

    def _otherwise(self, results: Results, metric: str, method: str) -> str:
        """Tell a metric of a method with other images, grey values or leaves, one at a time."""
        main_images, main = self.main_images(results), self.main_cell(method)
        parts = []
        for images, cell in product(results.distinct("images"), self.cells):
            differs = {
                images: images != main_images,
                f"grey values {cell.grey_values}": cell.grey_values != main.grey_values,
                f"leaves of {cell.leaf}": cell.leaf != main.leaf,
            }
            differences = [name for name, is_other in differs.items() if is_other]
            here = results.where(images=images, **asdict(cell))
            if cell.method == method and len(differences) == 1 and len(here.values(metric)):
                parts.append(f"{differences[0]}: {here.mean(metric):.3f}")
        return f"With {', '.join(parts)}." if parts else ""

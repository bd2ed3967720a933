"""Regression on a swiss roll: how close to it predictions are, and what noise does to them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from .._experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized
from .._results import Results
from .._timing import timed
from ._methods import BARYCENTRE, INCREASING, Forests, is_forest, predict
from ._roll import count_shortcuts, distance_to_roll, draw_split, roll_metrics
from ._roll_figures import draw_error_vectors, draw_noise, draw_steps
from ._roll_findings import RollFindings
from ._roll_steps import follow_steps

PREDICTIONS, STEPS = "predictions", "steps"

COLUMNS = {
    "to_roll": "distance to the roll",
    "rmse": "RMSE",
    "to_truth": "RMSE without noise",
    "radius_error": "error of the radius",
    "seconds": "CPU s",
}


@dataclass(frozen=True)
class RollSize:
    """How much a preset does."""

    n_train: int
    n_test: int
    n_trees: int
    noise_variances: tuple[float, ...]
    repetitions: int


@dataclass(frozen=True)
class RollParameters:
    """The parameters of a run."""

    part: str
    method: str
    noise_variance: float
    leaf: int
    n_train: int
    n_test: int
    n_trees: int


@dataclass(frozen=True, kw_only=True)
class SwissRoll(Sized[RollSize]):
    """Predict responses near a swiss roll."""

    methods: tuple[str, ...]  # of the paper
    noise_variance: float  # of the paper
    leaf: int  # rows of a leaf, which the paper does not state
    other_leaves: tuple[int, ...]  # to see whether they matter
    forests: Forests

    def runs(self, setting: Setting) -> list[Run]:
        """All methods at every noise; with other leaves and in other ways at that of the paper."""
        size = self.size(setting)
        variances, leaf = size.noise_variances, self.leaf
        forests = [m for m in (*self.methods, BARYCENTRE) if is_forest(m)]
        cells = [
            *product((*self.methods, BARYCENTRE), variances, [leaf]),
            *product(forests, [self.noise_variance], self.other_leaves),
            (INCREASING, self.noise_variance, leaf),
        ]
        common = (size.n_train, size.n_test, size.n_trees)
        repeated = [RollParameters(PREDICTIONS, *cell, *common) for cell in cells]
        steps = RollParameters(STEPS, "dRF", self.noise_variance, leaf, *common)
        return [
            Run(0, asdict(steps)),
            *(Run(seed, asdict(p)) for seed in range(size.repetitions) for p in repeated),
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Fit one method to one training set; predictions of the first set are kept."""
        values: dict[str, Any] = dict(run.parameters)
        given = RollParameters(**values)
        split = draw_split(given.n_train, given.n_test, given.noise_variance, run.seed)
        forests = replace(self.forests, n_trees=given.n_trees)
        if given.part == STEPS:
            return follow_steps(split, forests, given.leaf, run.seed)
        train = split.X_train, split.Y_train
        predicted, seconds = timed(
            lambda: predict(given.method, forests, given.leaf, train, split.X_test, run.seed)
        )
        metrics = {
            **roll_metrics(predicted, split),
            "responses_to_roll": float(distance_to_roll(split.Y_test).mean()),
            "seconds": seconds,
        }
        if given.method == "dRF":
            metrics["shortcuts"] = float(count_shortcuts(split, forests.n_neighbors))
        is_papers = given.noise_variance == self.noise_variance and given.leaf == self.leaf
        is_drawn = is_papers and run.seed == 0
        arrays = {"predicted": predicted, "truth": split.Y_test} if is_drawn else {}
        return Outcome(metrics, {name: a.astype(np.float32) for name, a in arrays.items()})

    # ------------------------------------------------------------------------------- the report

    def findings(self, results: Results) -> list[Finding]:
        """Compare with what the paper says of Figure 2."""
        return RollFindings(
            predictions=results.where(part=PREDICTIONS),
            steps=results.where(part=STEPS),
            methods=list(self.methods),
            noise_variance=self.noise_variance,
            leaf=self.leaf,
        ).all()

    def sheets(self, results: Results) -> list[Sheet]:
        """All measures at the noise of the paper, and the distance to the roll over the noise."""
        predictions = results.where(part=PREDICTIONS)
        sheets = []
        for leaf, some in predictions.where(noise_variance=self.noise_variance).by("leaf").items():
            rows = tuple(
                (method, *(f"{of_method.mean(name):.3f}" for name in COLUMNS))
                for method, of_method in some.by("method").items()
            )
            title = f"Noise of variance {self.noise_variance}, leaves of at least {leaf} rows"
            sheets.append(Sheet(title, ("method", *COLUMNS.values()), rows))
        over_noise = predictions.where(leaf=self.leaf).by("noise_variance")
        if over_noise:
            sheets.append(_noise_sheet(over_noise, [*self.methods, BARYCENTRE]))
        return sheets

    def figures(self, results: Results) -> list[Picture]:
        """Draw the steps of the method, the error vectors of Figure 2, and the sweep over noise."""
        predictions = results.where(part=PREDICTIONS, leaf=self.leaf)
        methods = [*self.methods, BARYCENTRE]
        pictures = [
            draw_steps(results.where(part=STEPS)),
            draw_error_vectors(predictions.where(noise_variance=self.noise_variance), methods),
            draw_noise(predictions, methods, self.noise_variance),
        ]
        return [picture for picture in pictures if picture is not None]


def _noise_sheet(over_noise: dict[float, Results], methods: list[str]) -> Sheet:
    def cell(some: Results) -> str:
        return f"{some.mean('to_roll'):.3f}" if len(some) else ""

    rows = [
        (f"{variance:g}", *(cell(some.where(method=method)) for method in methods))
        for variance, some in sorted(over_noise.items())
    ]
    title = "Mean distance of predictions to the roll"
    return Sheet(title, ("variance of the noise", *methods), tuple(rows))

"""R8: how training time and model size grow with the numbers of rows and of features."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import manifoldforest as mf

from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from .._papers import RERF
from .._results import Results
from .._timing import timed
from ._growth import METHODS, METRICS, Array, Size, Sweep
from ._growth_report import (
    cost_sheet,
    draw_growth,
    extra_bytes,
    extra_time,
    same_slope,
    slope_sheet,
)

# As section 4.2 counts: fully grown trees, and as many candidates per node as features.
COMMON: Mapping[str, Any] = {"max_features": None, "keep_samples": False, "n_jobs": 1}
OWN: Mapping[str, Mapping[str, Any]] = {"RerF": {"projection__variant": "2016"}}


def _sweeps(rows: tuple[int, ...], features: tuple[int, ...], fixed: Size) -> tuple[Sweep, ...]:
    over_rows = tuple(Size(n, fixed.features) for n in rows)
    over_features = tuple(Size(fixed.rows, p) for p in features)
    return (
        Sweep("rows", over_rows, rows[len(rows) // 3]),
        Sweep("features", over_features, features[len(features) // 3]),
    )


SWEEPS = {
    "quick": _sweeps((250, 500, 1000, 2000), (10, 30, 100, 200), Size(200, 20)),
    "full": _sweeps(
        (250, 500, 1000, 2000, 4000, 8000, 16_000), (10, 20, 50, 100, 200, 500, 1000), Size(500, 20)
    ),
}
TREES = {"quick": 10, "full": 20}
SEEDS = {"quick": 2, "full": 3}


def noise(size: Size, seed: int) -> tuple[Array, Array]:
    """Draw normal features and classes by fair coins, so that trees have O(n) nodes at any size."""
    rng = np.random.default_rng([seed, *size])
    X = rng.standard_normal(size, dtype=np.float32)
    return X, rng.integers(2, size=size.rows)


def file_size(forest: mf.ForestClassifier) -> int:
    """Return the number of bytes of the model file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "forest.mf")
        forest.save(path)
        return path.stat().st_size


def memory(forest: mf.ForestClassifier) -> int:
    """Return the number of bytes of the trees' arrays in memory."""
    return sum(array.nbytes for tree in forest.trees_ for array in tree.arrays.values())


@dataclass(frozen=True, kw_only=True)
class Complexity(Experiment):
    """Costs over sizes, and their exponents."""

    def runs(self, setting: Setting) -> list[Run]:
        """Return a run for each seed, size and method."""
        return [
            Run(
                seed,
                {
                    "over": sweep.over,
                    "method": method,
                    "rows": size.rows,
                    "features": size.features,
                    "trees": TREES[setting.preset],
                },
            )
            for seed in range(SEEDS[setting.preset])
            for sweep in SWEEPS[setting.preset]
            for size in sweep.sizes
            for method in METHODS
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Grow a forest and store it; costs are per tree."""
        rows, features, trees = (run.parameters[name] for name in ("rows", "features", "trees"))
        method = str(run.parameters["method"])
        X, y = noise(Size(int(rows or 0), int(features or 0)), run.seed)
        forest = mf.named_forest(
            method, n_estimators=trees, random_state=run.seed, **COMMON, **OWN.get(method, {})
        )
        _, seconds = timed(lambda: forest.fit(X, y))
        per_tree = 1 / int(trees or 1)
        return Outcome(
            {
                "train_seconds": seconds * per_tree,
                "model_bytes": file_size(forest) * per_tree,
                "memory_bytes": memory(forest) * per_tree,
            }
        )

    def findings(self, results: Results) -> list[Finding]:
        """Compare the exponents with those of section 4.2."""
        rows, features = SWEEPS[results.preset]
        found = (
            same_slope(rows, "train_seconds", "O(n log n) in practice, for both", results),
            same_slope(features, "train_seconds", "O(p), for both", results),
            same_slope(rows, "model_bytes", "O(n log n), for both", results),
            same_slope(features, "model_bytes", "does not depend on p, for both", results),
            extra_time(features, results),
            extra_bytes(features, results),
        )
        return [finding for finding in found if finding is not None]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return all exponents, and all costs."""
        sweeps = SWEEPS[results.preset]
        costs = (cost_sheet(sweep, metric, results) for sweep in sweeps for metric in METRICS)
        return [slope_sheet(sweeps, results), *(sheet for sheet in costs if sheet.rows)]

    def figures(self, results: Results) -> list[Picture]:
        """Draw costs over sizes on logarithmic scales."""
        return [
            Picture(
                draw_growth(SWEEPS[results.preset], results),
                "Training time and size of the model file of fully grown trees on noise; means and "
                "ranges over training sets. In the legends: exponents of the growth with their "
                "standard errors, fitted to the sizes from the thin vertical line on.",
            )
        ]


R8 = Complexity(
    id="R8",
    title="Complexity of training and storing",
    paper=RERF,
    source="Section 4.2",
    question=(
        "Do training time and model size of RerF grow with rows and features like those of RF, and "
        "how much more do the rotations of RotRF cost?"
    ),
)

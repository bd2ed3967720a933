"""Out-of-bag errors of forests over the number of features, on simulated problems.

The protocol of sections 4.1, 4.3 and 4.5: a forest is grown for each number d of candidates in a
grid, and the lowest out-of-bag error is reported. Since d is chosen by the error that is reported,
it is a little lower than that of a forest with a d chosen beforehand, for all methods alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.datasets import add_outliers, transform
from manifoldforest.datasets._outliers import WideningGenerator
from manifoldforest.forests._classifier import ForestClassifier
from manifoldforest.forests._presets import named_forest

from .._experiment import Outcome, Run, Setting, Sized
from .._timing import timed
from . import _wide_rotations
from ._pruning import pruned_oob_errors

Examples = tuple[NDArray[Any], NDArray[Any]]

# All methods, so that each has its colour in every figure.
METHODS = ("RF", "RerF", "RotRF", "RerF(d)", "RerF(d+r)")
MIN_PARENT = 10  # rows of a node that is split, section 4.1
TREES_PER_TIMED = 500  # of so many trees of a slow forest one is timed

_LINEAR = {"rotated": "rotate", "scaled": "scale", "affine": "affine"}
# "outliers" are those of the text of section 4.3, "far outliers" those of the authors' program
_OUTLIERS = {
    "outliers": {"fraction": 0.2, "covariance_factor": 4.0},
    "far outliers": {"fraction": 0.05, "covariance_factor": 16.0},
}
# The program of the paper makes up for the columns of RerF's matrix that come out empty.
_VARIANT = {
    "RerF": {"projection__variant": "2016"},
    "RerF(d)": {"projection__rerf__variant": "2016"},
    "RerF(d+r)": {"projection__rerf__variant": "2016"},
}


def candidate_grid(p: int) -> list[int]:
    """Return the values of d that are tried, section 4.1."""
    if p <= 5:
        return list(range(1, p + 1))
    # rounded: a power that is a whole number must not come out a little larger
    return sorted({math.ceil(round(p**power, 9)) for power in (0, 1 / 4, 1 / 2, 3 / 4, 1)})


def make_forest(method: str, d: int, trees: int, seed: int, **params: Any) -> ForestClassifier:
    """Return a forest of the paper that is not grown yet."""
    forest: ForestClassifier = named_forest(
        method,
        "classification",
        n_estimators=trees,
        max_features=d,
        criterion="gini",
        min_samples_split=MIN_PARENT,
        n_jobs=1,
        random_state=seed,
        **params,
    )
    forest.set_params(**_VARIANT.get(method, {}))
    return forest


def draw(make: WideningGenerator, n: int, p: int, transformation: str, seed: int) -> Examples:
    """Draw a training set; transformations of the same p and seed begin with the same rows."""
    stream = 10_000 * seed + p
    X, y = make(n, n_features=p, covariance_factor=1.0, random_state=stream)
    if transformation in _LINEAR:
        return transform(X, _LINEAR[transformation], random_state=stream), y  # type: ignore[arg-type]
    if transformation in _OUTLIERS:
        return add_outliers(X, y, make, random_state=stream, **_OUTLIERS[transformation])
    return X, y


@dataclass(frozen=True)
class Sizes:
    """How large an experiment is."""

    n: int
    trees: int
    p: tuple[int, ...]
    trials: int
    # trials where all would take too long, by method and p; 0 where the paper has none, too
    fewer: Mapping[tuple[str, int], int] = field(default_factory=dict)

    def trials_of(self, method: str, p: int) -> int:
        """Return the number of trials of a method."""
        return min(self.fewer.get((method, p), self.trials), self.trials)


@dataclass(frozen=True, kw_only=True)
class OobStudy(Sized[Sizes]):
    """Out-of-bag errors of several methods over p, on transformed training sets."""

    make: WideningGenerator
    methods: tuple[str, ...]
    transformations: tuple[str, ...]
    prices: tuple[float, ...] = ()  # of a leaf in rows, if forests are also pruned

    def runs(self, setting: Setting) -> list[Run]:
        """One run is one method on one training set, for all values of d."""
        sizes = self.size(setting)
        return [
            Run(
                seed,
                {
                    "method": method,
                    "p": p,
                    "transformation": transformation,
                    "n": sizes.n,
                    "trees": sizes.trees,
                },
            )
            for seed in range(sizes.trials)
            for p in sizes.p
            for transformation in self.transformations
            for method in self.methods
            if seed < sizes.trials_of(method, p)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Grow a forest for each d."""
        parameters: dict[str, Any] = dict(run.parameters)
        method, p, n, trees = (parameters[name] for name in ("method", "p", "n", "trees"))
        X, y = draw(self.make, n, p, parameters["transformation"], run.seed)
        if method == "RotRF" and _wide_rotations.applies(X):
            return Outcome(_wide_metrics(X, y, trees, run.seed))
        return Outcome(_grid_metrics(method, X, y, trees, run.seed, self.prices))


def _grid_metrics(
    method: str, X: Any, y: Any, trees: int, seed: int, prices: tuple[float, ...]
) -> dict[str, float]:
    errors, seconds, pruned = {}, [], {}
    for d in candidate_grid(X.shape[1]):
        forest = make_forest(method, d, trees, seed, oob_score=True, keep_samples=True)
        seconds.append(_fit_seconds(forest, X, y))
        errors[d] = 1.0 - forest.oob_score_
        if prices:
            pruned[d] = pruned_oob_errors(forest, prices)
    return _metrics(errors, seconds) | _pruned_metrics(pruned)


def _fit_seconds(forest: ForestClassifier, X: Any, y: Any) -> float:
    return timed(lambda: forest.fit(X, y))[1]


def _wide_metrics(X: Any, y: Any, trees: int, seed: int) -> dict[str, float]:
    """Return the metrics of RotRF on fewer rows than features.

    The time is that of RotRF as it is, for a few trees, times the ratio of trees.
    """
    grid = candidate_grid(X.shape[1])
    errors = _wide_rotations.oob_errors(
        X, y, grid, trees, lambda d, tree: make_forest("RF", d, 1, tree, keep_samples=True), seed
    )
    few = max(trees // TREES_PER_TIMED, 1)
    seconds = [_fit_seconds(make_forest("RotRF", d, few, seed), X, y) for d in grid]
    return _metrics(dict(zip(grid, errors, strict=True)), np.array(seconds) * (trees / few))


def _metrics(errors: Mapping[int, float], seconds: Any) -> dict[str, float]:
    best = min(errors, key=lambda d: errors[d])
    return {
        "error": errors[best],
        "best_d": best,
        "train_seconds": float(np.mean(seconds)),
        **{f"error_d{d}": error for d, error in errors.items()},
    }


def _pruned_metrics(
    pruned: Mapping[int, Mapping[float, tuple[float, float]]],
) -> dict[str, float]:
    """Return the lowest error over d at each price, and over both with the leaves left there."""
    if not pruned:
        return {}
    cells = [(*cell, price) for by_price in pruned.values() for price, cell in by_price.items()]
    error, left, price = min(cells)
    at_price = {p: min(e for e, _, q in cells if q == p) for _, _, p in cells}
    return {
        "error_pruned": error,
        "best_price": price,
        "leaves_left": left,
        **{f"error_pruned_{price:g}": lowest for price, lowest in at_price.items()},
    }

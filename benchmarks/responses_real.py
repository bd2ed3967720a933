"""Predict real responses on known manifolds, with forests that know the manifold and without.

The question: does it pay to tell a forest where its responses live?

Mean squared distances along the manifold, cross-validated in five folds, of

metric      MetricForestRegressor of the space,
intrinsic   the same with means along the manifold (prediction="frechet"), where splits and means of
            the first one use chords,
Euclidean   ForestRegressor of the same trees on coordinates, with its means brought back to the
            manifold (see responses/charts.py),
5-NN        the Frechet mean of the five nearest training points on standardised features, with
            weights in inverse proportion to the distance,
mean        the Frechet mean of all training responses.

"metric / Euclidean" is the relative difference of these two with a 95 % interval from a paired
bootstrap. Sets with groups (weeks, cubes of voxels, spells of time, animals) are tested with
random folds and with folds that keep groups together, where the bootstrap draws groups.

    python benchmarks/responses_real.py
    python benchmarks/responses_real.py --only rats,apes --trees 500
    python benchmarks/responses_real.py --only wind,camera --geodesic

Sets: wind (circle), tensors_log and tensors_affine (symmetric positive definite matrices), camera
(rotations), rats, apes, brains, cortical and hands (shapes). Set MANIFOLDFOREST_DATA to the folder
that holds them in ``manifold``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.neighbors import NearestNeighbors

import manifoldforest as mf
from harness.command_line import add_json, add_n_jobs, add_names, save_line, script_parser
from responses.charts import chart_of
from responses.manifolds import PROBLEMS, Problem
from responses.validation import folds, relative_difference

Array = NDArray[Any]

METRIC, INTRINSIC, GEODESIC, EUCLIDEAN = "metric", "intrinsic", "geodesic", "Euclidean"
COLUMNS = (METRIC, INTRINSIC, EUCLIDEAN, "5-NN", "mean")


@dataclass(frozen=True)
class Settings:
    """What is the same for all sets of a run."""

    trees: int
    leaf: int
    n_folds: int
    seed: int
    geodesic: bool
    n_jobs: int | None


@dataclass(frozen=True)
class Row:
    """One set with one kind of folds: mean squared distances, and seconds by method."""

    problem: str
    folds: str
    n: int
    errors: dict[str, float]
    seconds: dict[str, float]
    differences: dict[str, tuple[float, float, float]]  # to the Euclidean forest


@dataclass(frozen=True)
class Part:
    """One fold; responses are in canonical form."""

    X_train: Array
    Y_train: Array
    X_test: Array


# ------------------------------------------------------------------------------------- methods


def forest_parameters(problem: Problem, settings: Settings) -> dict[str, Any]:
    """Return what the forests have in common."""
    return {
        "n_estimators": settings.trees,
        "projection": "axis",
        # where only distances are known there are no bins
        "splitter": "exact" if settings.geodesic else "auto",
        "max_features": problem.max_features,
        "min_samples_leaf": settings.leaf,
        "n_jobs": settings.n_jobs,
        "random_state": settings.seed,
    }


def metric_forest(
    part: Part, problem: Problem, settings: Settings, *, prediction: str = "auto", **of_space: Any
) -> Array:
    """Predict means of the space."""
    space = type(problem.space)(**problem.space.get_params() | of_space)
    parameters = forest_parameters(problem, settings)
    model = mf.MetricForestRegressor(space=space, prediction=prediction, **parameters)
    return model.fit(part.X_train, part.Y_train).predict(part.X_test)


def euclidean_forest(part: Part, problem: Problem, settings: Settings) -> Array:
    """Predict means of coordinates, brought back to the manifold."""
    chart = chart_of(problem.space, part.Y_train)
    model = mf.ForestRegressor(**forest_parameters(problem, settings))
    return chart.back(model.fit(part.X_train, chart.rows).predict(part.X_test))


def nearest_mean(part: Part, problem: Problem, k: int = 5) -> Array:
    """Predict the mean of the k nearest, nearer ones with more weight."""
    X_train, X_test = standardised(part.X_train, part.X_test)
    distance, index = NearestNeighbors(n_neighbors=k).fit(X_train).kneighbors(X_test)
    exact = (distance == 0).any(axis=1, keepdims=True)
    weight = np.where(exact, distance == 0, 1 / np.where(distance == 0, 1, distance))
    weight = weight / weight.sum(axis=1, keepdims=True)
    starts = np.arange(0, weight.size + 1, k)
    shape = (len(X_test), len(X_train))
    weights = csr_matrix((weight.ravel(), index.ravel(), starts), shape=shape)
    return problem.space.mean(part.Y_train, weights)


def constant_mean(part: Part, problem: Problem) -> Array:
    """Predict the mean of all training responses."""
    n = len(part.Y_train)
    mean = problem.space.mean(part.Y_train, csr_matrix(np.full((1, n), 1 / n)))
    return np.repeat(mean, len(part.X_test), axis=0)


def standardised(train: Array, test: Array) -> tuple[Array, Array]:
    """Return features in units of their standard deviation, missing values as medians."""
    median = np.nanmedian(train, axis=0)
    train, test = (np.where(np.isnan(X), median, X) for X in (train, test))
    scale = train.std(axis=0)
    scale[scale == 0] = 1
    return train / scale, test / scale


def predictions(part: Part, problem: Problem, settings: Settings) -> Iterator[tuple[str, Array]]:
    """Yield what each method predicts for a fold."""
    yield METRIC, metric_forest(part, problem, settings)
    if problem.space.splits_by_chords:
        yield INTRINSIC, metric_forest(part, problem, settings, prediction="frechet")
    yield EUCLIDEAN, euclidean_forest(part, problem, settings)
    yield "5-NN", nearest_mean(part, problem)
    yield "mean", constant_mean(part, problem)
    if settings.geodesic and "split" in problem.space.get_params():
        yield GEODESIC, metric_forest(part, problem, settings, split="geodesic")


# ----------------------------------------------------------------------------------- measuring


def measure(name: str, problem: Problem, groups: Array | None, settings: Settings) -> Row:
    """Cross-validate all methods on one set."""
    space, Y = problem.space, problem.space.check(problem.Y)
    squared: dict[str, Array] = {}
    seconds: dict[str, float] = {}
    for train, test in folds(len(Y), groups, settings.n_folds, settings.seed):
        part = Part(problem.X[train], Y[train], problem.X[test])
        start = time.perf_counter()
        for method, predicted in predictions(part, problem, settings):
            seconds[method] = seconds.get(method, 0.0) + time.perf_counter() - start
            here = space.paired_distances(space.check(predicted), Y[test]) ** 2
            squared.setdefault(method, np.full(len(Y), np.nan))[test] = here
            start = time.perf_counter()
    row = Row(
        problem=name,
        folds="random" if groups is None else "groups",
        n=len(Y),
        errors={method: float(np.mean(values)) for method, values in squared.items()},
        seconds=seconds,
        differences={
            method: relative_difference(squared[method], squared[EUCLIDEAN], groups)
            for method in (METRIC, INTRINSIC, GEODESIC)
            if method in squared
        },
    )
    done = f"{name}, {row.folds} folds: {row.errors} in {row.seconds} s"
    print(done, file=sys.stderr, flush=True)  # apart from the table
    return row


def rows_of(name: str, settings: Settings) -> Iterator[Row]:
    """Yield the results of one set, with both kinds of folds where there are groups."""
    problem = PROBLEMS[name]()
    yield measure(name, problem, None, settings)
    if problem.groups is not None:
        yield measure(name, problem, problem.groups, settings)


# ---------------------------------------------------------------------------------- the report


def interval(difference: tuple[float, float, float] | None) -> str:
    """Write a relative difference in per cent with its interval."""
    if difference is None:
        return ""
    middle, low, high = (100 * value for value in difference)
    return f"{middle:+.1f} [{low:+.1f}, {high:+.1f}]"


def print_table(rows: list[Row]) -> None:
    """Print one line per row: errors, and how much they are above the Euclidean forest's."""
    compared = [m for m in (METRIC, INTRINSIC, GEODESIC) if any(m in r.differences for r in rows)]
    print(
        f"{'set':<16}{'folds':<8}{'n':>6}"
        + "".join(f"{name:>11}" for name in COLUMNS)
        + "".join(f"{name + ' / Euclidean, %':>28}" for name in compared)
    )
    for row in rows:
        errors = "".join(
            f"{row.errors[name]:>11.5f}" if name in row.errors else f"{'':>11}" for name in COLUMNS
        )
        differences = "".join(f"{interval(row.differences.get(name)):>28}" for name in compared)
        print(f"{row.problem:<16}{row.folds:<8}{row.n:>6}{errors}{differences}")


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    add_names(parser, "--only", PROBLEMS, "sets")
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--leaf", type=int, default=5, help="min_samples_leaf of both forests")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--geodesic", action="store_true", help="also split by distances along the manifold"
    )
    add_n_jobs(parser)
    add_json(parser, "the rows")
    return parser.parse_args()


def main() -> None:
    """Run the sets."""
    options = parse_options()
    settings = Settings(
        options.trees,
        options.leaf,
        options.folds,
        options.seed,
        options.geodesic,
        options.n_jobs,
    )
    rows = []
    for name in options.only:
        for row in rows_of(name, settings):
            rows.append(row)
            save_line(options.json, asdict(row))
    print_table(rows)


if __name__ == "__main__":
    main()

"""Speed and memory of forests for responses in metric spaces, on one core.

    python benchmarks/responses_speed.py [--only numpy,large,growth] [--repeats 3]

numpy    one tree on 1000 responses with 10 candidates per node, by their distances, against the
         same exact search written in NumPy (`responses/numpy_tree.py`), in double and in single
         precision, in turns; medians.
large    10 000 precomputed distances, 100 trees: seconds and peak memory of the whole process,
         the matrix of distances included.
growth   seconds per tree over the number of rows, by distances, by 20 coordinates of them
         (max_rank) and by points, with the exponents of the growth from one size to the next.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf
from harness.command_line import add_core, add_names, script_parser
from harness.memory import forget_peak, peak_bytes, resident_bytes
from manifoldforest import _core, spaces
from responses.numpy_tree import grow_tree

N_FEATURES = 10
LEAF = 5


def problem(n_rows: int, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return features and three responses that depend on four of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    signal = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 1]), X[:, 2] * X[:, 3]])
    return X, signal + 0.1 * rng.normal(size=signal.shape)


def distances(Y: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return all distances in single precision, made in chunks."""
    D = np.empty((len(Y), len(Y)), dtype=np.float32)
    for first in range(0, len(Y), 500):
        gaps = Y[first : first + 500, None] - Y
        D[first : first + 500] = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
    return D


def forest(n_trees: int, **params: Any) -> mf.MetricForestRegressor:
    """Return a forest on one thread."""
    return mf.MetricForestRegressor(
        n_trees, min_samples_leaf=LEAF, n_jobs=1, random_state=0, **params
    )


def seconds(call: Callable[[], Any]) -> float:
    """Return the processor time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


@contextmanager
def clock_of_growing() -> Iterator[list[float]]:
    """Note the processor time of the core, without what is done once before trees are grown."""
    grow, taken = _core.Trainer.grow, []

    def timed(trainer: _core.Trainer, *arguments: Any) -> Any:
        start = time.process_time()
        arrays = grow(trainer, *arguments)
        taken.append(time.process_time() - start)
        return arrays

    _core.Trainer.grow = timed
    try:
        yield taken
    finally:
        _core.Trainer.grow = grow


def against_numpy(repeats: int) -> None:
    """Compare one tree with the search in NumPy, in double precision and in single."""
    X, Y = problem(1000)
    D = distances(Y)
    squared = {"float64": D.astype(np.float64) ** 2, "float32": D**2}
    for leaf in (1, LEAF):
        compare_trees(X, D, squared, leaf, repeats)


def compare_trees(
    X: NDArray[np.float32],
    D: NDArray[np.float32],
    squared: dict[str, NDArray[Any]],
    leaf: int,
    repeats: int,
) -> None:
    """Print seconds per tree and ratios for one size of leaves."""
    n_trees = 100
    rng = np.random.default_rng(0)
    params = {"n_candidates": N_FEATURES, "min_samples_leaf": leaf, "rng": rng}
    ours = forest(n_trees, space=spaces.Precomputed(D)).set_params(min_samples_leaf=leaf)
    taken: dict[str, list[float]] = {name: [] for name in (*squared, "ours")}
    for _ in range(repeats):
        for name, matrix in squared.items():
            taken[name].append(seconds(lambda matrix=matrix: grow_tree(X, matrix, **params)))
        with clock_of_growing() as clock:
            ours.fit(X, np.arange(len(X)))
        taken["ours"].append(clock[0] / n_trees)
    print(
        f"1000 rows, {N_FEATURES} candidates, leaves of {leaf} or more: "
        f"{1000 * median(taken['ours']):.2f} ms a tree"
    )
    for name in squared:
        ratios = [a / b for a, b in zip(taken[name], taken["ours"], strict=True)]
        print(
            f"  NumPy in {name} {1000 * median(taken[name]):.0f} ms, {median(ratios):.0f}x "
            f"({min(ratios):.0f} to {max(ratios):.0f})"
        )


def large(repeats: int) -> None:
    """Measure 100 trees on 10 000 precomputed distances."""
    X, Y = problem(10_000)
    D = distances(Y)
    held = resident_bytes()
    forget_peak()
    space = spaces.Precomputed(D)
    taken = [seconds(lambda: forest(100, space=space).fit(X, np.arange(10_000)))]
    peak = peak_bytes()
    taken += [
        seconds(lambda: forest(100, space=space).fit(X, np.arange(10_000)))
        for _ in range(repeats - 1)
    ]
    print(
        f"10 000 rows by distances, 100 trees: {median(taken):.1f} s "
        f"({min(taken):.1f} to {max(taken):.1f}), peak {peak / 1e9:.2f} GB with the matrix "
        f"({held / 1e9:.2f} GB before)"
    )


def cost_of_tree(n_rows: int, way: dict[str, Any], repeats: int) -> float:
    """Return the least seconds per tree of a few fits."""
    X, Y = problem(n_rows)
    n_trees = max(3, 40_000 // n_rows)
    given = {"space": spaces.Precomputed(distances(Y))} | way
    y = Y if given["space"] == "euclidean" else np.arange(n_rows)
    with clock_of_growing() as taken:
        for _ in range(repeats):
            forest(n_trees, **given).fit(X, y)
    return min(taken) / n_trees


def growth(repeats: int) -> None:
    """Measure trees of more and more rows."""
    ways: dict[str, dict[str, Any]] = {
        "distances": {},
        "20 coordinates": {"max_rank": 20},
        "points": {"space": "euclidean", "splitter": "exact"},
    }
    print(f"{'rows':>7}" + "".join(f"{name + ', ms':>20}{'exponent':>10}" for name in ways))
    before: dict[str, float] = {}
    sizes = (500, 1000, 2000, 4000, 8000)
    for n_rows, last in zip(sizes, (0, *sizes), strict=False):
        line = f"{n_rows:7}"
        for name, way in ways.items():
            cost = cost_of_tree(n_rows, way, repeats)
            exponent = np.log(cost / before[name]) / np.log(n_rows / last) if last else np.nan
            line += f"{1000 * cost:20.2f}" + (f"{exponent:10.2f}" if last else " " * 10)
            before[name] = cost
        print(line)


TABLES = {"numpy": against_numpy, "large": large, "growth": growth}


def main() -> None:
    """Print the tables that are asked for."""
    parser = script_parser(__doc__)
    add_names(parser, "--only", TABLES, "tables")
    parser.add_argument("--repeats", type=int, default=3)
    add_core(parser)
    options = parser.parse_args()
    os.sched_setaffinity(0, {options.core})
    for name in options.only:
        TABLES[name](options.repeats)


if __name__ == "__main__":
    main()

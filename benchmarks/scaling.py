"""How the cost of our forests grows with rows, features, candidates, patch area and threads.

    python benchmarks/scaling.py [--only rows,patches] [--repeats 3] [--ours JSON]

Each table changes one number and keeps the rest; the data are noise and the trees are held to a
common shape by ``min_balance``, so that only the cost per node changes. Times are the best of the
repeats. The process is pinned to one core except for the table of threads.

Expected: rows a little more than linear, features flat at a fixed number of candidates, candidates
linear, patch area flat, threads ideally 1 / n of the time at the same CPU time.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.command_line import add_core, add_names, add_ours, script_parser
from manifoldforest import ForestClassifier
from manifoldforest.projections import Patches

N_CLASSES = 10


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock and of all cores together."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Row:
    """One line of a table: the number that changes, the work and its cost."""

    value: str
    work: str
    cost: Cost


@dataclass(frozen=True)
class Settings:
    """What all tables share."""

    repeats: int
    parameters: dict[str, Any]

    def forest(self, trees: int, **parameters: Any) -> ForestClassifier:
        """Return a forest of a common shape, with the parameters of the command line."""
        common = {"min_balance": 0.25, "n_jobs": 1, "random_state": 0}
        return ForestClassifier(trees, **(common | parameters | self.parameters))

    def best(self, call: Callable[..., Any], *arguments: Any) -> Cost:
        """Return the least cost of a few calls."""
        costs = (cost_of(call, *arguments) for _ in range(self.repeats))
        return min(costs, key=lambda cost: cost.wall)


def cost_of(call: Callable[..., Any], *arguments: Any) -> Cost:
    """Return the cost of a call."""
    start, cpu_start = time.perf_counter(), time.process_time()
    call(*arguments)
    return Cost(time.perf_counter() - start, time.process_time() - cpu_start)


def floats(n_rows: int, n_features: int) -> tuple[Any, Any]:
    """Draw normal features and classes that do not depend on them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    return X, rng.integers(N_CLASSES, size=n_rows)


def images(n_rows: int, side: int) -> tuple[Any, Any]:
    """Draw uint8 images and classes that do not depend on them."""
    rng = np.random.default_rng(0)
    X = rng.integers(256, size=(n_rows, side, side), dtype=np.uint8)
    return X, rng.integers(N_CLASSES, size=n_rows)


# ------------------------------------------------------------------------- the tables, one each


def rows(settings: Settings) -> Iterator[Row]:
    """Change the number of rows; 20 floats, 4 candidates, 2 trees."""
    for n_rows in (10_000, 40_000, 160_000, 640_000):
        X, y = floats(n_rows, 20)
        for projection in ("axis", "sporf"):
            forest = settings.forest(2, projection=projection, max_features=4)
            yield Row(str(n_rows), projection, settings.best(forest.fit, X, y))


def features(settings: Settings) -> Iterator[Row]:
    """Change the number of features; 1000 rows, 32 candidates, 20 trees."""
    for n_features in (100, 1000, 10_000, 100_000):
        X, y = floats(1000, n_features)
        for projection in ("axis", "sporf"):
            forest = settings.forest(20, projection=projection, max_features=32)
            yield Row(str(n_features), projection, settings.best(forest.fit, X, y))


def candidates(settings: Settings) -> Iterator[Row]:
    """Change the number of candidates per node; 10 000 images of 28 x 28, 2 trees."""
    X, y = images(10_000, 28)
    for d in (7, 28, 112, 448):
        for projection in ("axis", "sporf", Patches(min_size=2, max_size=5)):
            forest = settings.forest(2, projection=projection, max_features=d)
            yield Row(str(d), str(projection), settings.best(forest.fit, X, y))


def patches(settings: Settings) -> Iterator[Row]:
    """Change the area of the patches; 20 000 images of 28 x 28, 28 candidates, 4 trees."""
    X, y = images(20_000, 28)
    test = X[:10_000]
    for size in (1, 2, 3, 5, 8, 11, 15):
        forest = settings.forest(
            4, projection=Patches(min_size=size, max_size=size), max_features=28
        )
        yield Row(f"{size} x {size}", "fit", settings.best(forest.fit, X, y))
        yield Row(f"{size} x {size}", "predict", settings.best(forest.predict, test))


def threads(settings: Settings) -> Iterator[Row]:
    """Change the number of threads; 20 000 images of 28 x 28, 28 candidates, 20 trees."""
    X, y = images(20_000, 28)
    for n_jobs in [n for n in (1, 2, 4, 8) if n <= len(ALL_CORES)]:
        for projection in ("axis", "sporf", Patches(min_size=2, max_size=5)):
            forest = settings.forest(20, projection=projection, max_features=28, n_jobs=n_jobs)
            fit = settings.best(forest.fit, X, y)
            yield Row(str(n_jobs), f"{projection} fit", fit)
            predict = settings.best(forest.predict, X)
            yield Row(str(n_jobs), f"{projection} predict", predict)


TABLES: dict[str, Callable[[Settings], Iterator[Row]]] = {
    table.__name__: table for table in (rows, features, candidates, patches, threads)
}
ALL_CORES = os.sched_getaffinity(0)


def print_table(name: str, lines: Iterator[Row]) -> None:
    """Print a table as it comes; growth is against the line before of the same work."""
    print(f"\n{TABLES[name].__doc__}")
    print(f"{name:<12}{'work':<34}{'wall s':>10}{'cpu s':>10}{'x before':>10}{'x first':>10}")
    first: dict[str, float] = {}
    before: dict[str, float] = {}
    for row in lines:
        wall = row.cost.wall
        growth = wall / before.get(row.work, wall)
        total = wall / first.setdefault(row.work, wall)
        before[row.work] = wall
        print(
            f"{row.value:<12}{row.work:<34}{wall:>10.4f}{row.cost.cpu:>10.4f}"
            f"{growth:>10.2f}{total:>10.2f}",
            flush=True,
        )


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    add_names(parser, "--only", TABLES, "tables")
    parser.add_argument("--repeats", type=int, default=3)
    add_core(parser)
    add_ours(parser, {"splitter": "exact"})
    return parser.parse_args()


def main() -> None:
    """Print the tables that were asked for."""
    options = parse_options()
    settings = Settings(options.repeats, options.ours)
    for name in options.only:
        os.sched_setaffinity(0, ALL_CORES if name == "threads" else {options.core})
        print_table(name, TABLES[name](settings))


if __name__ == "__main__":
    main()

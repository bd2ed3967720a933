"""How boundary forests grow with the number of rows N: stored nodes and comparisons per query.

The question: are stored nodes fewer than linear in N, and comparisons per query like log N?

    python benchmarks/boundary_growth.py [--only toy,toy-forest,mnist,mnist-retrieval] [--plain]

toy: points of the unit square, class [y > 0.5 + 0.25 sin 6x], one tree. The boundary is a line, so
nodes should grow like the square root of N; "expected" are nodes counted independently for one
or two samples, which our mean should meet within 15 %. toy-forest: the same with 50 trees. mnist:
50 trees, the first rows of the file. mnist-retrieval: every row becomes a node.

A comparison is one distance; they are counted by the yardstick (boundary/plain_loop.cpp), which
walks every tree by itself: a forest that shares work between its trees computes fewer distances.
It starts its trees in the order of ours; on bytes, where distances are exact, it must grow the same
trees, and the script stops if it does not. With ``--plain`` the nodes come from the yardstick too.

"x rows" is the factor between two lines, "exponent" the slope of log nodes against log N over the
whole column. MNIST comes from ``manifoldforest.datasets.load_mnist`` (set MANIFOLDFOREST_DATA to
the folder that holds mnist.npz).
The exit status is 1 when the nodes of the toy are not as expected.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundary.plain_loop import PlainLoop
from harness.command_line import add_n_jobs, add_names, script_parser
from manifoldforest.datasets import load_mnist

TOY_ROWS = (2500, 10_000, 40_000)
# Nodes of one sample for 2 children, of two for more: hardly a node gets ten, so all limits from
# 10 on give the same tree. They vary by 6 to 11 % from sample to sample (standard deviation).
TOY_NODES = {2: (103, 212, 466), 10: (72, 152, 326), 50: (72, 152, 326)}
TOY_SEEDS = 30
MNIST_ROWS = (1000, 4000, 16_000, 60_000)
TOLERANCE = 0.15  # of the mean over samples
N_QUERIES = 1000

Array = NDArray[Any]


@dataclass(frozen=True)
class Line:
    """One forest: rows seen, mean nodes and depth of its trees, distances per query and tree."""

    n_rows: int
    n_nodes: float
    depth: float | None
    comparisons: float
    expected: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the nodes are as expected, if anything is."""
        return (
            self.expected is None or abs(self.n_nodes - self.expected) <= TOLERANCE * self.expected
        )


@dataclass(frozen=True)
class Settings:
    """What all tables share."""

    plain: bool
    n_jobs: int | None

    def grow(self, X: Array, y: Array, queries: Array, n_trees: int, max_children: int) -> Line:
        """Grow a forest and count what queries cost."""
        orders = nodes = depth = None
        if not self.plain:
            from manifoldforest import BoundaryForestClassifier
            from manifoldforest._core import boundary_order

            forest = BoundaryForestClassifier(
                n_trees, max_children=max_children, n_jobs=self.n_jobs, random_state=0
            ).fit(X, y)
            nodes, depth = forest.n_nodes_, float(forest.depth_.mean())
            orders = [boundary_order(forest._seed, tree, n_trees) for tree in range(n_trees)]
        plain = PlainLoop(n_trees, max_children, orders=orders).partial_fit(X, y)
        if nodes is not None and X.dtype == np.uint8 and not np.array_equal(nodes, plain.n_nodes):
            raise RuntimeError(
                f"our trees have {nodes} nodes, those of the yardstick {plain.n_nodes}"
            )
        learned = plain.comparisons
        plain.predict(queries)
        comparisons = (plain.comparisons - learned) / (len(queries) * n_trees)
        n_nodes = float((plain.n_nodes if nodes is None else nodes).mean())
        return Line(len(X), n_nodes, depth, comparisons)


def toy_sample(n: int, seed: int) -> tuple[Array, Array]:
    """Draw points of the unit square with their classes."""
    X = np.random.default_rng(seed).random((n, 2), dtype=np.float32)
    return X, (X[:, 1] > 0.5 + 0.25 * np.sin(6 * X[:, 0])).astype(np.int64)


# ------------------------------------------------------------------------------------- the tables


def toy(settings: Settings) -> Iterator[tuple[str, list[Line]]]:
    """One tree in the plane, means over samples."""
    queries, _ = toy_sample(N_QUERIES, 1_000_000)
    for k, expected in TOY_NODES.items():
        lines = []
        for n, nodes in zip(TOY_ROWS, expected, strict=True):
            runs = [settings.grow(*toy_sample(n, seed), queries, 1, k) for seed in range(TOY_SEEDS)]
            lines.append(mean_line(runs, nodes))
        yield f"toy, one tree, at most {k} children, mean of {TOY_SEEDS} samples", lines


def mean_line(runs: list[Line], expected: int) -> Line:
    """Average over samples."""
    depths = [run.depth for run in runs if run.depth is not None]
    return Line(
        runs[0].n_rows,
        float(np.mean([run.n_nodes for run in runs])),
        float(np.mean(depths)) if depths else None,
        float(np.mean([run.comparisons for run in runs])),
        expected,
    )


def toy_forest(settings: Settings) -> Iterator[tuple[str, list[Line]]]:
    """Fifty trees in the plane."""
    queries, _ = toy_sample(N_QUERIES, 1_000_000)
    lines = [
        settings.grow(*toy_sample(n, 0), queries, 50, 50) for n in (*TOY_ROWS, 160_000, 640_000)
    ]
    yield "toy, 50 trees, at most 50 children", lines


def mnist(settings: Settings) -> Iterator[tuple[str, list[Line]]]:
    """Fifty trees on the first rows of MNIST."""
    X, y, X_test, _ = load_mnist()
    queries = X_test[:N_QUERIES]
    lines = [settings.grow(X[:n], y[:n], queries, 50, 50) for n in MNIST_ROWS]
    yield "mnist, 50 trees, at most 50 children", lines


def mnist_retrieval(settings: Settings) -> Iterator[tuple[str, list[Line]]]:
    """Five trees that keep every row: each has a class of its own."""
    X, _, X_test, _ = load_mnist()
    queries = X_test[: N_QUERIES // 10]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # there are as many classes as rows
        lines = [settings.grow(X[:n], np.arange(n), queries, 5, 50) for n in MNIST_ROWS]
    yield "mnist-retrieval, 5 trees, at most 50 children", lines


TABLES: dict[str, Callable[[Settings], Iterator[tuple[str, list[Line]]]]] = {
    "toy": toy,
    "toy-forest": toy_forest,
    "mnist": mnist,
    "mnist-retrieval": mnist_retrieval,
}


# ------------------------------------------------------------------------------------- the report


def exponent(lines: list[Line]) -> float:
    """Return the slope of log nodes against log rows."""
    rows = [math.log(line.n_rows) for line in lines]
    return float(np.polyfit(rows, [math.log(line.n_nodes) for line in lines], 1)[0])


def print_table(title: str, lines: list[Line]) -> None:
    """Print one line per number of rows."""
    print(f"\n{title}; exponent {exponent(lines):.2f}")
    print(
        f"{'rows':>9}{'x rows':>8}{'nodes':>10}{'x nodes':>9}{'depth':>8}"
        f"{'comparisons':>13}{'/ ln rows':>11}{'expected':>10}  verdict"
    )
    for before, line in zip([None, *lines], lines, strict=False):
        rows = nodes = "-"
        if before is not None:
            rows = f"{line.n_rows / before.n_rows:.2f}"
            nodes = f"{line.n_nodes / before.n_nodes:.2f}"
        depth = "-" if line.depth is None else f"{line.depth:.1f}"
        expected = "-" if line.expected is None else str(line.expected)
        verdict = "" if line.expected is None else "ok" if line.ok else "NOT"
        print(
            f"{line.n_rows:>9}{rows:>8}{line.n_nodes:>10.1f}{nodes:>9}{depth:>8}"
            f"{line.comparisons:>13.1f}{line.comparisons / math.log(line.n_rows):>11.2f}"
            f"{expected:>10}  {verdict}",
            flush=True,
        )


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    add_names(parser, "--only", TABLES, "tables")
    add_n_jobs(parser)
    parser.add_argument("--plain", action="store_true", help="the yardstick only")
    return parser.parse_args()


def main() -> int:
    """Print the tables; the exit status tells whether the toy is as expected."""
    options = parse_options()
    settings = Settings(options.plain, options.n_jobs)
    as_expected = True
    for name in options.only:
        for title, lines in TABLES[name](settings):
            print_table(title, lines)
            as_expected &= all(line.ok for line in lines)
    return 0 if as_expected else 1


if __name__ == "__main__":
    sys.exit(main())

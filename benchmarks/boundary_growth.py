"""How boundary forests grow with the number of rows N: stored nodes and comparisons per query.

The question: are stored nodes fewer than linear in N, and comparisons per query like log N?

    python benchmarks/boundary_growth.py [--only mnist,mnist-retrieval] [--plain]

mnist: 50 trees, the first rows of the file. mnist-retrieval: every row becomes a node. The examples
in the plane and in cubes are ``python -m experiments B1 B8``.

A comparison is one distance; they are counted by the yardstick (boundary/plain_loop.cpp), which
walks every tree by itself: a forest that shares work between its trees computes fewer distances.
It starts its trees in the order of ours; on bytes, where distances are exact, it must grow the same
trees, and the script stops if it does not. With ``--plain`` the nodes come from the yardstick too.

"x rows" is the factor between two lines, "exponent" the slope of log nodes against log N over the
whole column. MNIST comes from ``manifoldforest.datasets.load_mnist`` (set MANIFOLDFOREST_DATA to
the folder that holds mnist.npz).
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundary.plain_loop import PlainLoop
from harness.command_line import add_n_jobs, add_names, script_parser
from manifoldforest.datasets import load_mnist

MNIST_ROWS = (1000, 4000, 16_000, 60_000)
N_QUERIES = 1000

Array = NDArray[Any]


@dataclass(frozen=True)
class Line:
    """One forest: rows seen, mean nodes and depth of its trees, distances per query and tree."""

    n_rows: int
    n_nodes: float
    depth: float | None
    comparisons: float


@dataclass(frozen=True)
class Settings:
    """What all tables share."""

    plain: bool
    n_jobs: int | None

    def grow(self, X: Array, y: Array, queries: Array, n_trees: int, max_children: int) -> Line:
        """Grow a forest and count what queries cost."""
        orders = nodes = depth = None
        if not self.plain:
            from manifoldforest._testing import boundary_order

            from manifoldforest import BoundaryForestClassifier

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


# ------------------------------------------------------------------------------------- the tables


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
        f"{'comparisons':>13}{'/ ln rows':>11}"
    )
    for before, line in zip([None, *lines], lines, strict=False):
        rows = nodes = "-"
        if before is not None:
            rows = f"{line.n_rows / before.n_rows:.2f}"
            nodes = f"{line.n_nodes / before.n_nodes:.2f}"
        depth = "-" if line.depth is None else f"{line.depth:.1f}"
        print(
            f"{line.n_rows:>9}{rows:>8}{line.n_nodes:>10.1f}{nodes:>9}{depth:>8}"
            f"{line.comparisons:>13.1f}{line.comparisons / math.log(line.n_rows):>11.2f}",
            flush=True,
        )


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    add_names(parser, "--only", TABLES, "tables")
    add_n_jobs(parser)
    parser.add_argument("--plain", action="store_true", help="the yardstick only")
    return parser.parse_args()


def main() -> None:
    """Print the tables."""
    options = parse_options()
    settings = Settings(options.plain, options.n_jobs)
    for name in options.only:
        for title, lines in TABLES[name](settings):
            print_table(title, lines)


if __name__ == "__main__":
    main()

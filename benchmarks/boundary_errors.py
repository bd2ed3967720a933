"""Compare the test errors of boundary forests with those published.

The question: do the boundary forests here reach the accuracy of the paper (Mathy et al. 2015)?

Each forest has 50 trees of at most 50 children and sees the training rows once, in the order of the
file and as they are stored, without any scaling; errors are means over seeds, which only change the
order in which the trees see their first 50 rows. "published" is the error of the paper for the same
parameters (none for histograms of oriented gradients), "1-NN" that of the nearest neighbour there.
"target" is what we hold ourselves to.

    python benchmarks/boundary_errors.py
    python benchmarks/boundary_errors.py --only letter,pendigits,dna
    python benchmarks/boundary_errors.py --plain         the yardstick of boundary/plain_loop.cpp

Sets: mnist, letter, pendigits, dna, hog (MNIST again, needs scikit-image). The data come from
``manifoldforest.datasets`` (set MANIFOLDFOREST_DATA to their folder). The exit status is 1 when a
target is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundary.hog import hog_features
from boundary.plain_loop import PlainLoop
from harness.command_line import add_json, add_n_jobs, add_names, save_line, script_parser
from manifoldforest.datasets import load_dna, load_letter, load_mnist, load_pendigits

Array = NDArray[Any]
Split = tuple[Array, Array, Array, Array]  # X_train, y_train, X_test, y_test


@dataclass(frozen=True)
class Case:
    """A set with the errors of the paper, in per cent, and the bound for ours."""

    load: Callable[[], Split]
    target: float
    published: float | None = None
    nearest: float | None = None


@dataclass(frozen=True)
class Run:
    """One forest: error in per cent, mean nodes of its trees, seconds."""

    error: float
    n_nodes: float
    fit: float
    predict: float


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    error: float
    standard_error: float | None
    n_seeds: int
    target: float
    published: float | None
    nearest: float | None
    nodes_per_row: float
    fit: float
    predict: float

    @property
    def ok(self) -> bool:
        """Whether the target is met."""
        return self.error <= self.target


def hog_mnist() -> Split:
    """MNIST by histograms of oriented gradients."""
    X_train, y_train, X_test, y_test = load_mnist()
    return hog_features(X_train), y_train, hog_features(X_test), y_test


CASES = {
    "mnist": Case(load_mnist, 2.4, published=2.24, nearest=3.08),
    "letter": Case(load_letter, 5.2, published=5.4, nearest=5.5),
    "pendigits": Case(load_pendigits, 2.75, published=2.62, nearest=2.26),
    "dna": Case(load_dna, 15.5, published=14.3, nearest=25.0),
    "hog": Case(hog_mnist, 1.2),
}


# ----------------------------------------------------------------------------------- measuring


def run_ours(data: Split, seed: int, n_jobs: int | None) -> Run:
    """Train and test one forest."""
    from manifoldforest import BoundaryForestClassifier

    X_train, y_train, X_test, y_test = data
    forest = BoundaryForestClassifier(50, max_children=50, n_jobs=n_jobs, random_state=seed)
    start = time.perf_counter()
    forest.fit(X_train, y_train)
    fitted = time.perf_counter()
    predicted = forest.predict(X_test)
    seconds = fitted - start, time.perf_counter() - fitted
    return Run(percentage(predicted != y_test), float(forest.n_nodes_.mean()), *seconds)


def run_plain(data: Split, seed: int, n_jobs: int | None) -> Run:
    """Train and test the yardstick, on one core."""
    X_train, y_train, X_test, y_test = data
    forest = PlainLoop(50, 50, seed=seed)
    start = time.perf_counter()
    forest.partial_fit(X_train, y_train)
    fitted = time.perf_counter()
    predicted = forest.predict(X_test)
    seconds = fitted - start, time.perf_counter() - fitted
    return Run(percentage(predicted != y_test), float(forest.n_nodes.mean()), *seconds)


def percentage(wrong: Array) -> float:
    """Return the share of true values in per cent."""
    return 100 * float(np.mean(wrong))


def measure(name: str, options: argparse.Namespace) -> Row:
    """Run all seeds on a set, with a progress line for each."""
    case = CASES[name]
    data = case.load()
    run = run_plain if options.plain else run_ours
    runs = []
    for seed in range(options.seeds):
        runs.append(run(data, seed, options.n_jobs))
        print(f"{name} seed {seed}: {runs[-1]}", file=sys.stderr, flush=True)
    errors = np.array([r.error for r in runs])
    return Row(
        name=name,
        error=float(errors.mean()),
        standard_error=float(errors.std(ddof=1) / math.sqrt(len(runs))) if len(runs) > 1 else None,
        n_seeds=len(runs),
        target=case.target,
        published=case.published,
        nearest=case.nearest,
        nodes_per_row=float(np.mean([r.n_nodes for r in runs])) / len(data[0]),
        fit=float(np.median([r.fit for r in runs])),
        predict=float(np.median([r.predict for r in runs])),
    )


# ---------------------------------------------------------------------------------- the report


def print_table(rows: list[Row]) -> None:
    """Print one line per set; errors in per cent."""
    print(
        f"{'set':<12}{'error %':>9}{'s.e.':>7}{'seeds':>7}{'target':>9}{'published':>11}{'1-NN':>7}"
        f"{'nodes':>9}{'fit':>10}{'predict':>10}  verdict"
    )
    for row in rows:
        print(
            f"{row.name:<12}{row.error:>9.2f}{number(row.standard_error):>7}{row.n_seeds:>7}"
            f"{f'<= {row.target}':>9}{number(row.published):>11}{number(row.nearest):>7}"
            f"{100 * row.nodes_per_row:>7.1f} %{row.fit:>8.2f} s{row.predict:>8.2f} s"
            f"  {'ok' if row.ok else 'NOT'}"
        )
    print("nodes: share of the training rows that a tree keeps")


def number(value: float | None) -> str:
    """Write a percentage, a dash where there is none."""
    return "-" if value is None else f"{value:.2f}"


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    add_names(parser, "--only", CASES, "sets")
    parser.add_argument("--seeds", type=int, default=3, help="other than 3: only a try-out")
    add_n_jobs(parser)
    parser.add_argument("--plain", action="store_true", help="the yardstick instead of our forest")
    add_json(parser, "the rows")
    return parser.parse_args()


def main() -> int:
    """Run the sets; the exit status tells whether all targets were met."""
    options = parse_options()
    rows = []
    for name in options.only:
        rows.append(measure(name, options))
        save_line(options.json, asdict(rows[-1]))
    print_table(rows)
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

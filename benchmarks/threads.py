"""How much faster two threads are than one, on float tables.

    python benchmarks/threads.py [--rows 200000] [--trees 10] [--rounds 20] [--repeats 3]

Seconds by the clock, so nothing else should run; fits of one and of two threads take turns, and the
least of the repeats counts. Free memory is used once before each fit, as in run.py. The forests are
the same ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import manifoldforest as mf
from harness.command_line import script_parser
from harness.memory import touch_free_memory
from tasks._friedman import friedman
from tasks._mixed_boundaries import mixed_boundaries

Fit = Callable[[int], Any]
RANDOM = {"splitter": "random", "bootstrap": False}


def fits(n_rows: int, trees: int, rounds: int) -> dict[str, tuple[int, Fit]]:
    """Return what fits with so many threads, by name, and how many trees it grows."""
    X, labels = mixed_boundaries(n_rows, 1)[:2]
    Z, numbers = friedman(n_rows, 1, n_features=20)[:2]

    def classes(d: int, **options: Any) -> tuple[int, Fit]:
        return trees, lambda n_jobs: mf.ForestClassifier(
            trees, max_features=d, n_jobs=n_jobs, random_state=0, **options
        ).fit(X, labels)

    def regression(**options: Any) -> tuple[int, Fit]:
        return trees, lambda n_jobs: mf.ForestRegressor(
            trees, projection="axis", max_features=6, n_jobs=n_jobs, random_state=0, **options
        ).fit(Z, numbers)

    def boosting(n_jobs: int) -> Any:
        return mf.BoostedForestClassifier(
            rounds,
            projection="axis",
            max_features=None,
            max_depth=6,
            early_stopping=False,
            n_jobs=n_jobs,
            random_state=0,
        ).fit(X, labels)

    return {
        "RF, classes": classes(4, projection="axis"),
        "Extra-Trees, classes": classes(4, projection="axis", **RANDOM),
        "SPORF, classes": classes(8, projection="sporf"),
        "RF, numbers": regression(),
        "Extra-Trees, numbers": regression(**RANDOM),
        "boosting, classes": (rounds, boosting),
    }


def seconds(fit: Fit, n_jobs: int) -> float:
    """Return what a fit takes by the clock."""
    touch_free_memory()
    start = time.perf_counter()
    fit(n_jobs)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print a line for each forest."""
    parser = script_parser(__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{'':24}{'one':>10}{'two':>10}   times")
    for name, (n_trees, fit) in fits(options.rows, options.trees, options.rounds).items():
        pairs = [(seconds(fit, 1), seconds(fit, 2)) for _ in range(options.repeats)]
        one, two = (min(times) for times in zip(*pairs, strict=True))
        print(
            f"{name:24}{one / n_trees * 1e3:7.1f} ms{two / n_trees * 1e3:7.1f} ms{one / two:8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

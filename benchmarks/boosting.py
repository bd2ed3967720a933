"""Seconds per round of boosting, beside other programs, on one thread.

*floats*: rows of 20 normal features with a label (or a number), trees of depth 6, all features as
candidates; LightGBM and HistGradientBoosting at equal depth. *digits*: MNIST, patches on its edges,
20 candidates, depth 6, half of the rows. A time per round is the difference of two fits, of some
rounds and of twice as many, divided by the rounds: what a fit does once does not count. Programs
take turns, and the smallest of the repetitions is printed. Floats are timed in CPU seconds, which a
busy machine changes least, digits by the clock, as two threads take part. OMP_NUM_THREADS=1 keeps
HistGradientBoosting to one thread::

    OMP_NUM_THREADS=1 MANIFOLDFOREST_DATA=... python benchmarks/boosting.py floats digits
    ... floats --rows 100000 --rounds 10 --repeats 3 --instructions avx2
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf
from manifoldforest import _core

Fit = Callable[[int], Any]


def seconds_per_round(
    fits: dict[str, Fit], rounds: int, repeats: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Return the smallest time per round of each program."""
    best: dict[str, tuple[float, float]] = {name: (np.inf, np.inf) for name in fits}
    for _ in range(repeats):
        for name, fit in fits.items():
            times = []
            for n in (rounds, 2 * rounds):
                start = clock()
                fit(n)
                times.append(clock() - start)
            best[name] = (min(best[name][0], times[0]), min(best[name][1], times[1]))
    return {name: (twice - once) / rounds for name, (once, twice) in best.items()}


def float_rows(n: int, n_classes: int, n_features: int = 20) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return rows of normal features and labels that depend on some of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_features)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(3 * X[:, 3]) + rng.normal(size=n)
    edges = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.digitize(signal, edges)


def floats(n: int, n_classes: int) -> dict[str, Fit]:
    """Return what fits so many rounds on rows of floats, by program."""
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier

    X, y = float_rows(n, n_classes)

    def ours(subsample: float) -> Fit:
        return lambda rounds: mf.BoostedForestClassifier(
            rounds,
            projection="axis",
            max_features=None,
            max_depth=6,
            subsample=subsample,
            early_stopping=False,
            random_state=0,
        ).fit(X, y)

    return {
        "manifoldforest, all rows": ours(1.0),
        "manifoldforest, half of the rows": ours(0.5),
        "LightGBM": lambda rounds: LGBMClassifier(
            n_estimators=rounds, num_leaves=64, max_depth=6, n_jobs=1, verbose=-1
        ).fit(X, y),
        "HistGradientBoosting": lambda rounds: HistGradientBoostingClassifier(
            max_iter=rounds, max_leaf_nodes=64, max_depth=6, early_stopping=False
        ).fit(X, y),
    }


def digits(n: int) -> dict[str, Fit]:
    """Return what fits so many rounds on MNIST."""
    X, y, _, _ = mf.datasets.load_mnist()
    X, y = X.reshape(-1, 28, 28)[:n], y[:n]

    def ours(n_jobs: int) -> Fit:
        return lambda rounds: mf.BoostedForestClassifier(
            rounds,
            projection=mf.projections.ImagePatches(raw=False),  # without a trial
            max_features=20,
            max_depth=6,
            subsample=0.5,
            random_state=0,
            n_jobs=n_jobs,
        ).fit(X, y)

    return {"manifoldforest": ours(1), "manifoldforest, n_jobs=2": ours(2)}


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="+", choices=["floats", "digits"])
    parser.add_argument("--rows", type=int, default=500_000, help="of floats")
    parser.add_argument("--classes", type=int, default=2, help="of floats")
    parser.add_argument("--digits", type=int, default=60_000, help="rows of MNIST")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--instructions", choices=_core.supported_kernels())
    arguments = parser.parse_args()
    if arguments.instructions:
        _core.use_kernels(arguments.instructions)
    for task in arguments.tasks:
        clock = time.process_time if task == "floats" else time.perf_counter
        fits = (
            floats(arguments.rows, arguments.classes)
            if task == "floats"
            else digits(arguments.digits)
        )
        times = seconds_per_round(fits, arguments.rounds, arguments.repeats, clock)
        for name, seconds in times.items():
            print(f"{task}: {seconds:.4f} s per round  {name}", flush=True)


if __name__ == "__main__":
    main()

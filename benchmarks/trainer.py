"""What a trainer saves, and what a second thread brings to one tree.

Boosting grows one tree at a time, hundreds of times, on the same examples. Two questions:

1. How much longer do 100 calls that grow one tree each take than one call that grows 100, on MNIST,
   with one thread, for trees of depth 6 and for fully grown ones?
2. How much faster is a tree of depth 6 on 500 000 rows of 20 features, with 20 candidates at each
   node, with two threads than with one? It must be the same tree, byte for byte.

Times are wall-clock times, of ways that take turns; ratios are of medians. On a machine that is
busy with other work, `--clock cpu` answers the first question; nothing answers the second.

    python benchmarks/trainer.py [--data DIR] [--repeats 5] [--clock wall]

DIR holds ``mnist.npz`` with `X_train` and `y_train`; else scikit-learn's digits are repeated.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from manifoldforest import _core
from manifoldforest.forests._forest_model import make_sampler
from manifoldforest.projections import Axis

CLOCKS: Mapping[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}


def images(folder: Path | None) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return MNIST's training images as rows, and their labels."""
    if folder is not None:
        with np.load(folder / "mnist.npz") as file:
            X, y = file["X_train"], file["y_train"]
    else:
        digits = load_digits()
        X = np.kron(np.tile(digits.images, (33, 1, 1)), np.ones((3, 3))) * 15
        y = np.tile(digits.target, 33)
    rows = np.ascontiguousarray(X.reshape(len(X), -1), dtype=np.uint8)
    return rows, np.ascontiguousarray(y, dtype=np.int32)[:, None]


def options(criterion: str = "gini", **settings: Any) -> _core.GrowOptions:
    """Return options of the core; the criterion is the name of the objective."""
    made = _core.GrowOptions()
    made.objective = _core.objective(criterion)
    for name, value in ({"splitter": "auto"} | settings).items():
        setattr(made, name, value)
    return made


class Problem:
    """A trainer and what it learns."""

    def __init__(self, X: NDArray[Any], y: NDArray[Any], n_threads: int) -> None:
        n, p = X.shape
        self.trainer = _core.Trainer(X, *make_sampler(Axis(), (p,)), n_threads)
        strata = np.zeros(n, np.int32)
        self.learned = (y, strata, np.ones(n), np.ones(n), np.ones(n, np.int64))

    def grow(self, settings: _core.GrowOptions) -> dict[str, Any]:
        """Grow a forest."""
        return self.trainer.grow(*self.learned, settings)


def in_turns(
    ways: Mapping[str, Callable[[], Any]], repeats: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Return the median time of each way."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(repeats + 1):
        for name in sorted(ways, reverse=turn % 2 == 1):
            start = clock()
            ways[name]()
            if turn > 0:  # the first is for caches and pages
                taken[name].append(clock() - start)
    return {name: float(np.median(times)) for name, times in taken.items()}


def many_calls(folder: Path | None, repeats: int, clock: Callable[[], float]) -> None:
    """Compare 100 calls that grow a tree with a call that grows 100."""
    X, y = images(folder)
    problem = Problem(X, y, n_threads=1)
    common = {"n_classes": [10], "n_candidates": 28}
    for name, depth in (("depth 6", 6), ("fully grown", -1)):
        settings = options(n_trees=1, max_depth=depth, **common)

        def one_by_one(settings: _core.GrowOptions = settings) -> None:
            for tree in range(100):
                settings.first_tree = tree
                problem.grow(settings)

        together = options(n_trees=100, max_depth=depth, **common)
        times = in_turns(
            {"one by one": one_by_one, "together": lambda t=together: problem.grow(t)},  # type: ignore[misc]
            repeats,
            clock,
        )
        ratio = times["one by one"] / times["together"]
        print(
            f"MNIST {len(X)} rows, 100 trees, {name}: one call {times['together']:.2f} s, "
            f"100 calls {times['one by one']:.2f} s, ratio {ratio:.3f}",
            flush=True,
        )


def fingerprint(arrays: Mapping[str, Any]) -> str:
    """Return a hash of all arrays of a forest."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def two_threads(repeats: int) -> None:
    """Compare one tree on 500 000 rows by one thread and by two."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500_000, 20)).astype(np.float32)
    signal = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X))
    tasks: dict[str, tuple[NDArray[Any], dict[str, Any]]] = {
        "regression": (signal[:, None].copy(), {"criterion": "squared_error"}),
        "two classes": ((signal > 0).astype(np.int32)[:, None], {"n_classes": [2]}),
    }
    for task, (y, what) in tasks.items():
        for bootstrap in (False, True):
            problems = {n: Problem(X, y, n_threads=n) for n in (1, 2)}
            settings = options(
                n_trees=1,
                max_depth=6,
                n_candidates=20,
                bootstrap=bootstrap,
                keep_samples=False,
                **what,
            )
            prints = {n: fingerprint(p.grow(settings)) for n, p in problems.items()}
            times = in_turns(
                {str(n): lambda p=p, s=settings: p.grow(s) for n, p in problems.items()},  # type: ignore[misc]
                repeats,
                time.perf_counter,
            )
            same = "same bytes" if prints[1] == prints[2] else "DIFFERENT BYTES"
            print(
                f"500000 x 20, depth 6, {task}, bootstrap={bootstrap}: 1 thread "
                f"{times['1'] * 1e3:.0f} ms, 2 threads {times['2'] * 1e3:.0f} ms, "
                f"{times['1'] / times['2']:.2f} times as fast, {same}",
                flush=True,
            )


def main() -> None:
    """Answer both questions."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with mnist.npz")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each way")
    parser.add_argument("--clock", choices=tuple(CLOCKS), default="wall")
    arguments = parser.parse_args()
    two_threads(arguments.repeats)
    many_calls(arguments.data, arguments.repeats, CLOCKS[arguments.clock])


if __name__ == "__main__":
    main()

"""What an index costs and finds, and what the order of examples does to boundary forests.

    python benchmarks/boundary_limits.py

The figures in the docstrings of ``BoundaryIndex`` and ``BoundaryForestClassifier``: 20 000 points
of 100 clusters, recall against an exact search, bytes per point, CPU seconds to remove; sorted
numbers against shuffled ones; scikit-learn's digits sorted by class against shuffled ones. It needs
no download and takes about two minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

import manifoldforest as mf
from manifoldforest.boundary import BruteForceIndex

N_POINTS, N_QUERIES = 20_000, 500

Array = NDArray[Any]


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of some work."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def recall(index: mf.BoundaryIndex, exact: BruteForceIndex, queries: Array, k: int) -> float:
    """Return the share of the k nearest points that an index finds."""
    found, nearest = index.query(queries, k)[1], exact.query(queries, k)[1]
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(nearest, found, strict=True)]))


def cost_of_an_index(n_features: int, metric: str) -> None:
    """Print recall, memory and the cost of removals."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.normal(size=(100, n_features))
    drawn = centres[rng.integers(0, 100, N_POINTS + N_QUERIES)]
    points = (drawn + rng.normal(size=drawn.shape)).astype(np.float32)
    points, queries = points[:N_POINTS], points[N_POINTS:]
    index = mf.BoundaryIndex(metric=metric, random_state=0, n_jobs=1)
    exact = BruteForceIndex(metric=metric)
    exact.add(points)
    build = seconds(lambda: index.add(points))
    per_query = seconds(lambda: index.query(queries, 10)) / N_QUERIES
    assert index._storage is not None
    n_bytes = index._storage.core.n_bytes() / N_POINTS
    print(
        f"{metric}, {n_features} features: built in {build:.1f} s,"
        f" {1e6 * per_query:.0f} us a query, {n_bytes:.0f} bytes a point,"
        f" recall of 1 {recall(index, exact, queries, 1):.3f},"
        f" of 10 {recall(index, exact, queries, 10):.3f}"
    )
    oldest = seconds(lambda: index.remove(index.ids[:1000]))
    newest = seconds(lambda: [index.remove([i]) for i in index.ids[-20:]]) / 20
    exact.remove([i for i in exact.ids if i not in index])
    print(
        f"    the 1000 oldest removed in {oldest:.2f} s,"
        f" one of the newest in {1e3 * newest:.1f} ms,"
        f" recall of 10 then {recall(index, exact, queries, 10):.3f}"
    )


def order_of_numbers() -> None:
    """Print what sorted numbers cost."""
    numbers = np.sort(np.random.default_rng(0).random(4000).astype(np.float32))[:, None]
    shuffled = np.random.default_rng(1).permutation(numbers)
    for name, X in (("sorted", numbers), ("shuffled", shuffled)):
        index = mf.BoundaryIndex(random_state=0)
        spent = seconds(lambda index=index, X=X: index.add(X))  # type: ignore[misc]
        print(f"4000 {name} numbers: {spent:.1f} s, trees up to {index.depth_.max()} deep")


def order_of_classes() -> None:
    """Print what examples sorted by class cost."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    by_class = np.argsort(y[:1200], kind="stable")
    for name, rows, passes in (
        ("shuffled", np.arange(1200), 1),
        ("sorted by class", by_class, 1),
        ("sorted by class, passes=None", by_class, None),
    ):
        scores = [
            mf.BoundaryForestClassifier(passes=passes, random_state=seed)
            .fit(X[rows], y[rows])
            .score(X[1200:], y[1200:])
            for seed in range(3)
        ]
        print(f"1200 digits {name}: accuracy {np.mean(scores):.3f}")


if __name__ == "__main__":
    for metric in ("euclidean", "inner_product"):
        for n_features in (16, 64):
            cost_of_an_index(n_features, metric)
    order_of_numbers()
    order_of_classes()

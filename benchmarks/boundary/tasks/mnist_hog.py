"""MNIST by histograms of oriented gradients."""

from __future__ import annotations

import sys
from pathlib import Path

from boundary.task import Arrays, Task

ROOT = str(Path(__file__).parents[3])


def hog_digits(n_train: int, n_test: int) -> Arrays:
    """Return the features of the first rows of both parts."""
    if ROOT not in sys.path:
        sys.path.append(ROOT)  # tasks run in the folder of the benchmarks
    from experiments.boundary.b4_mnist_hog import hog_features
    from manifoldforest.datasets import load_mnist

    X_train, y_train, X_test, y_test = load_mnist()
    return (
        hog_features(X_train[:n_train]),
        y_train[:n_train],
        hog_features(X_test[:n_test]),
        y_test[:n_test],
    )


TASK = Task(
    name="mnist-hog",
    about="handwritten digits as histograms of oriented gradients, float32",
    n_features=7 * 7 * 9,  # cells and directions
    n_train=60_000,
    n_test=10_000,
    data=hog_digits,
)

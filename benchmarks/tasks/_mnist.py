"""MNIST and the forests of the papers on it."""

from __future__ import annotations

from harness.task import Arrays, Forest, Patch

SHAPE = (28, 28)
FORESTS = (
    Forest("RF", 28),
    Forest("SPORF", 28),
    Forest("MORF", 28, Patch((2, 2), (5, 5))),
    Forest("ET", 28),
)


def digits(n_train: int, n_test: int) -> Arrays:
    """Return the first rows of both parts of MNIST, uint8."""
    from manifoldforest.datasets import load_mnist

    X_train, y_train, X_test, y_test = load_mnist()
    return X_train[:n_train], y_train[:n_train], X_test[:n_test], y_test[:n_test]

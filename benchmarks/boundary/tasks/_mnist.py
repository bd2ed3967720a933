"""MNIST as rows of bytes."""

from __future__ import annotations

from boundary.task import Arrays


def digits(n_train: int, n_test: int) -> Arrays:
    """Return the first rows of both parts of MNIST, flat, uint8."""
    from manifoldforest.datasets import load_mnist

    X_train, y_train, X_test, y_test = load_mnist()
    X_train, X_test = (X.reshape(len(X), -1) for X in (X_train, X_test))
    return X_train[:n_train], y_train[:n_train], X_test[:n_test], y_test[:n_test]

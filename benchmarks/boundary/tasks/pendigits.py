"""The set pendigits of the Boundary Forest paper."""

from __future__ import annotations

from boundary.task import Arrays, Task


def rows(n_train: int, n_test: int) -> Arrays:
    """Return the first rows of both parts."""
    from manifoldforest.datasets import load_pendigits

    X_train, y_train, X_test, y_test = load_pendigits()
    return X_train[:n_train], y_train[:n_train], X_test[:n_test], y_test[:n_test]


TASK = Task(
    name="pendigits",
    about="digits written with a pen, uint8",
    n_features=16,
    n_train=7494,
    n_test=3498,
    data=rows,
)

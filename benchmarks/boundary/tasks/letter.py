"""The set letter of the Boundary Forest paper."""

from __future__ import annotations

from boundary.task import Arrays, Task


def rows(n_train: int, n_test: int) -> Arrays:
    """Return the first rows of both parts."""
    from manifoldforest.datasets import load_letter

    X_train, y_train, X_test, y_test = load_letter()
    return X_train[:n_train], y_train[:n_train], X_test[:n_test], y_test[:n_test]


TASK = Task(
    name="letter",
    about="letters by 16 numbers, uint8",
    n_features=16,
    n_train=15_000,
    n_test=5000,
    data=rows,
    quick=15_000,
)

"""The set dna of the Boundary Forest paper."""

from __future__ import annotations

from boundary.task import Arrays, Task


def rows(n_train: int, n_test: int) -> Arrays:
    """Return the first rows of both parts."""
    from manifoldforest.datasets import load_dna

    X_train, y_train, X_test, y_test = load_dna()
    return X_train[:n_train], y_train[:n_train], X_test[:n_test], y_test[:n_test]


TASK = Task(
    name="dna",
    about="splice junctions by 180 bits, uint8",
    n_features=180,
    n_train=2000,
    n_test=1186,
    data=rows,
)

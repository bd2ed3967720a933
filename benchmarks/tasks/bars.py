"""Horizontal and vertical bars."""

from __future__ import annotations

from harness.task import Arrays, Forest, Patch, Task, split


def bars(n_train: int, n_test: int) -> Arrays:
    """Draw images."""
    from manifoldforest.datasets import make_bars

    X, y = make_bars(n_train + n_test, random_state=0)
    return split(X, y, n_train)


TASK = Task(
    name="bars",
    about="horizontal or vertical bars",
    shape=(28, 28),
    n_train=2000,
    n_test=10_000,
    n_classes=2,
    trees=100,
    forests=(Forest("RF", 28), Forest("SPORF", 28), Forest("MORF", 28, Patch((2, 2), (2, 9)))),
    data=bars,
)

"""A decaying impulse in noise."""

from __future__ import annotations

from harness.task import Arrays, Forest, Patch, Task, split


def impulse(n_train: int, n_test: int) -> Arrays:
    """Draw series."""
    from manifoldforest.datasets import make_impulse

    X, y = make_impulse(n_train + n_test, random_state=0)
    return split(X, y, n_train)


TASK = Task(
    name="impulse",
    about="a decaying impulse in noise",
    shape=(100,),
    n_train=2000,
    n_test=10_000,
    n_classes=2,
    trees=100,
    forests=(Forest("RF", 30), Forest("SPORF", 30), Forest("MORF", 30, Patch((2,), (12,)))),
    data=impulse,
)

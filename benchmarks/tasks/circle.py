"""Two segments on a ring."""

from __future__ import annotations

from harness.task import Arrays, Forest, Patch, Task, split


def circle(n_train: int, n_test: int) -> Arrays:
    """Draw rings."""
    from manifoldforest.datasets import make_circle

    X, y = make_circle(n_train + n_test, random_state=0)
    return split(X, y, n_train)


TASK = Task(
    name="circle",
    about="lengths of two segments on a ring",
    shape=(100,),
    n_train=2000,
    n_test=10_000,
    n_classes=2,
    trees=100,
    forests=(
        Forest("RF", 50),
        Forest("SPORF", 50),
        Forest("MORF", 50, Patch((3,), (12,), wrap=True)),
    ),
    data=circle,
)

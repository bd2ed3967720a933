"""As many features as rows."""

from __future__ import annotations

from harness.task import Arrays, Forest, Task, split


def trunk(n_train: int, n_test: int) -> Arrays:
    """Draw Trunk's problem: two normal classes, feature i tells ever less about which."""
    from manifoldforest.datasets import make_trunk

    X, y = make_trunk(n_train + n_test, n_features=TASK.n_features, random_state=0)
    return split(X, y, n_train)


TASK = Task(
    name="trunk",
    about="Trunk's two normal classes",
    shape=(1000,),
    n_train=1000,
    n_test=10_000,
    n_classes=2,
    trees=100,
    forests=(Forest("RF", 31), Forest("SPORF", 31), Forest("ET", 31)),  # d = sqrt(p)
    data=trunk,
)

"""20 000 rows of 20 floats, a number, all features as candidates."""

from __future__ import annotations

from functools import partial

from harness.task import Forest, Task
from tasks._friedman import friedman

TASK = Task(
    name="regression-20k",
    about="a number, all features",
    shape=(20,),
    n_train=20_000,
    n_test=10_000,
    n_classes=0,
    n_outputs=1,
    trees=20,
    forests=(Forest("RF", 20), Forest("ET", 20)),
    data=partial(friedman, n_features=20),
    quick=5_000,
)

"""200 000 rows of 20 floats, a number, a third of the features as candidates."""

from __future__ import annotations

from functools import partial

from harness.task import Forest, Task
from tasks._friedman import friedman

TASK = Task(
    name="regression-200k",
    about="a number, a third of the features",
    shape=(20,),
    n_train=200_000,
    n_test=10_000,
    n_classes=0,
    n_outputs=1,
    trees=5,
    forests=(Forest("RF", 6), Forest("ET", 6)),
    data=partial(friedman, n_features=20),
    quick=0,
)

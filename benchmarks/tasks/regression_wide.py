"""20 000 rows of 100 floats, a number, a third of the features as candidates."""

from __future__ import annotations

from functools import partial

from harness.task import Forest, Task
from tasks._friedman import friedman

TASK = Task(
    name="regression-wide",
    about="a number, a third of the features",
    shape=(100,),
    n_train=20_000,
    n_test=10_000,
    n_classes=0,
    n_outputs=1,
    trees=10,
    forests=(Forest("RF", 33), Forest("ET", 33)),
    data=partial(friedman, n_features=100),
    quick=0,
)

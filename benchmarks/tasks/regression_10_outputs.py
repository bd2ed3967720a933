"""5000 rows of 50 floats, ten numbers, all features as candidates."""

from __future__ import annotations

from functools import partial

from harness.task import Forest, Task
from tasks._friedman import friedman

TASK = Task(
    name="regression-10",
    about="ten numbers, all features",
    shape=(50,),
    n_train=5_000,
    n_test=10_000,
    n_classes=0,
    n_outputs=10,
    trees=10,
    forests=(Forest("RF", 50), Forest("ET", 50)),
    data=partial(friedman, n_features=50, n_outputs=10),
    quick=0,
)

"""5000 rows of 20 floats, quantiles of a number."""

from __future__ import annotations

from functools import partial

from harness.task import Forest, Task
from tasks._friedman import friedman

TASK = Task(
    name="quantiles",
    about="quantiles of a number",
    shape=(20,),
    n_train=5_000,
    n_test=1_000,
    n_classes=0,
    n_outputs=1,
    trees=100,
    forests=(Forest("QRF", 7),),
    data=partial(friedman, n_features=20),
    quick=0,
)

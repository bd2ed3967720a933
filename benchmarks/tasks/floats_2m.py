"""2 000 000 rows of 20 floats."""

from __future__ import annotations

from harness.task import Task
from tasks._mixed_boundaries import FORESTS, SHAPE, mixed_boundaries

TASK = Task(
    name="floats-2m",
    about="straight, oblique and curved boundaries",
    shape=SHAPE,
    n_train=2_000_000,
    n_test=10_000,
    n_classes=2,
    trees=3,
    forests=FORESTS,
    data=mixed_boundaries,
)

"""500 000 rows of 20 floats."""

from __future__ import annotations

from harness.task import Task
from tasks._mixed_boundaries import FORESTS, SHAPE, mixed_boundaries

TASK = Task(
    name="floats-500k",
    about="straight, oblique and curved boundaries",
    shape=SHAPE,
    n_train=500_000,
    n_test=10_000,
    n_classes=2,
    trees=10,
    forests=FORESTS,
    data=mixed_boundaries,
    quick=30_000,
)

"""MNIST as it comes."""

from __future__ import annotations

from harness.task import Task
from tasks._mnist import FORESTS, SHAPE, digits

TASK = Task(
    name="mnist-uint8",
    about="handwritten digits, uint8",
    shape=SHAPE,
    n_train=60_000,
    n_test=10_000,
    n_classes=10,
    trees=100,
    forests=FORESTS,
    data=digits,
    quick=5000,
)

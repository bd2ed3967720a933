"""MNIST as it comes."""

from __future__ import annotations

from boundary.task import Task
from boundary.tasks._mnist import digits

TASK = Task(
    name="mnist",
    about="handwritten digits, uint8",
    n_features=784,
    n_train=60_000,
    n_test=10_000,
    data=digits,
    quick=5000,
)

"""The ten nearest digits of MNIST."""

from __future__ import annotations

from boundary.task import Task
from boundary.tasks._mnist import digits

TASK = Task(
    name="mnist-retrieval",
    about="the ten nearest handwritten digits, uint8",
    n_features=784,
    n_train=60_000,
    n_test=10_000,
    data=digits,
    n_neighbors=10,
    quick=5000,
)

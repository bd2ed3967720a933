"""MNIST as floats: the same forests without the shortcuts that small integers allow."""

from __future__ import annotations

from harness.task import Arrays, Task
from tasks._mnist import FORESTS, SHAPE, digits


def float_digits(n_train: int, n_test: int) -> Arrays:
    """Return MNIST with values from 0 to 1."""
    X_train, y_train, X_test, y_test = digits(n_train, n_test)
    return X_train.astype("float32") / 255, y_train, X_test.astype("float32") / 255, y_test


TASK = Task(
    name="mnist-float32",
    about="handwritten digits, float32",
    shape=SHAPE,
    n_train=60_000,
    n_test=10_000,
    n_classes=10,
    trees=100,
    forests=FORESTS,
    data=float_digits,
)

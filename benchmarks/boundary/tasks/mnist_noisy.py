"""MNIST with wrong labels, the hard case: every tree keeps about a quarter of the points."""

from __future__ import annotations

from boundary.task import Arrays, Task
from boundary.tasks._mnist import digits

SHARE = 0.035  # of the training labels, replaced by any of the ten


def noisy_digits(n_train: int, n_test: int) -> Arrays:
    """Return MNIST with a share of the training labels drawn anew; the test labels are right."""
    import numpy as np

    X_train, y_train, X_test, y_test = digits(n_train, n_test)
    rng = np.random.default_rng(0)
    replaced = rng.random(len(y_train)) < SHARE
    y_train = np.where(replaced, rng.integers(10, size=len(y_train)), y_train)
    return X_train, y_train, X_test, y_test


TASK = Task(
    name="mnist-noisy",
    about=f"handwritten digits, uint8, {100 * SHARE:.1f} % of the labels replaced at random",
    n_features=784,
    n_train=60_000,
    n_test=10_000,
    data=noisy_digits,
    quick=5000,
)

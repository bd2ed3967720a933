"""A hundred times more features than rows: Trunk's problem, repeated.

Two normal classes with unit covariance and opposite means. The mean starts again after each 1000
features, ``1, 1 / sqrt(2), 1 / sqrt(3), ...``, so that some candidates of a node tell something.
"""

from __future__ import annotations

from harness.task import Arrays, Forest, Task, split

N_FEATURES, PERIOD = 100_000, 1000


def repeated_trunk(n_train: int, n_test: int) -> Arrays:
    """Draw the problem."""
    import numpy as np

    rng = np.random.default_rng(0)
    mean = 1 / np.sqrt(1 + np.arange(N_FEATURES) % PERIOD, dtype=np.float32)
    y = rng.integers(2, size=n_train + n_test)
    X = rng.standard_normal((n_train + n_test, N_FEATURES), dtype=np.float32)
    for row, label in zip(X, y, strict=True):
        row += mean if label else -mean
    return split(X, y, n_train)


TASK = Task(
    name="wide",
    about="Trunk's two normal classes, repeated",
    shape=(N_FEATURES,),
    n_train=1000,
    n_test=500,
    n_classes=2,
    trees=20,
    forests=(Forest("RF", 316), Forest("SPORF", 316), Forest("ET", 316)),  # d = sqrt(p)
    data=repeated_trunk,
)

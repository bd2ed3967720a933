"""Series of eight channels, in which several channels rise together for a while.

Every channel is white noise. Class c adds a bump of 16 times, at a place near ``16 + 24 c``, to
the channels c, c + 1 and c + 3 (mod 8): where and in which channels tells the class.
"""

from __future__ import annotations

from harness.task import Arrays, Forest, Patch, Task, split

N_CHANNELS, N_TIMES, N_CLASSES = 8, 128, 4


def bumps(n_train: int, n_test: int) -> Arrays:
    """Draw the series."""
    import numpy as np

    rng = np.random.default_rng(0)
    n_rows = n_train + n_test
    X = rng.standard_normal((n_rows, N_CHANNELS, N_TIMES), dtype=np.float32)
    y = rng.integers(N_CLASSES, size=n_rows)
    start = 16 + 24 * y + rng.integers(-8, 9, size=n_rows)
    times = start[:, None] + np.arange(16)
    for step in (0, 1, 3):
        X[np.arange(n_rows)[:, None], ((y + step) % N_CHANNELS)[:, None], times] += 0.4
    return split(X, y, n_train)


TASK = Task(
    name="series",
    about="bumps in some of eight channels",
    shape=(N_CHANNELS, N_TIMES),
    n_train=2000,
    n_test=10_000,
    n_classes=N_CLASSES,
    trees=100,
    forests=(
        Forest("RF", 32),  # sqrt(p)
        Forest("SPORF", 32),
        Forest("MORF", 32, Patch((1, 4), (3, 16), free_channels=True)),
    ),
    data=bumps,
)

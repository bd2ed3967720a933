"""Many rows of few features, with a boundary that has straight, oblique and curved pieces.

Twenty standard normal features; ten of them matter. The class is 1 where

    sin(2 x0) + x1 x2 + |x3 + x4 - x5| + [x6 > 0.5] x7 + 0.5 (x8 - x9) + noise

is above 0.75, near its median; the noise is normal with standard deviation 0.3.
"""

from __future__ import annotations

from harness.task import Arrays, Forest, split

SHAPE = (20,)
FORESTS = (Forest("RF", 4), Forest("SPORF", 4), Forest("ET", 4))  # d = sqrt(p)


def mixed_boundaries(n_train: int, n_test: int) -> Arrays:
    """Draw the problem."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_train + n_test, *SHAPE), dtype=np.float32)
    x = X.T
    score = np.sin(2 * x[0]) + x[1] * x[2] + np.abs(x[3] + x[4] - x[5])
    score += (x[6] > 0.5) * x[7] + 0.5 * (x[8] - x[9])
    score += 0.3 * rng.standard_normal(len(X), dtype=np.float32)
    y = (score > 0.75).astype(np.int64)
    return split(X, y, n_train)

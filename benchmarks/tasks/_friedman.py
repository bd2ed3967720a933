"""Numbers that depend on five of many uniform features, as in Friedman's first problem (1991).

    10 sin(pi x0 x1) + 20 (x2 - 0.5)^2 + 10 x3 + 5 x4 + noise

with standard normal noise. Of several outputs each reads five features of its own.
"""

from __future__ import annotations

from harness.task import Arrays, split


def friedman(n_train: int, n_test: int, n_features: int, n_outputs: int = 1) -> Arrays:
    """Draw the problem; one output is a vector."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.random((n_train + n_test, n_features), dtype=np.float32)
    y = np.empty((len(X), n_outputs))
    for output in range(n_outputs):
        read = np.arange(5) if n_outputs == 1 else rng.choice(n_features, 5, replace=False)
        x = X[:, read].astype(np.float64).T
        y[:, output] = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2
        y[:, output] += 10 * x[3] + 5 * x[4] + rng.standard_normal(len(X))
    return split(X, y[:, 0] if n_outputs == 1 else y, n_train)

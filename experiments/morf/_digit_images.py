"""Images of digits for M5 and M7: subsets of MNIST, and scikit-learn's digits in their place."""

from __future__ import annotations

import numpy as np

from .._datasets import Split, digits, mnist
from .._experiment import Setting

MNIST_FILE = "mnist.npz"
STAND_IN = "scikit-learn's 1797 digits of 8 × 8 pixels in place of MNIST"


def mnist_subset(n: int, seed: int, setting: Setting) -> Split:
    """Return n training images of MNIST, drawn without replacement, and all 10 000 test images.

    The subsets of one seed contain each other. All 60 000 are the same for every seed but for
    their order.
    """
    X, y, X_test, y_test = mnist(setting)
    chosen = np.random.default_rng(seed).permutation(len(X))[:n]
    return X[chosen], y[chosen], X_test, y_test


def digits_subset(n: int, seed: int, setting: Setting) -> Split:
    """Return n of scikit-learn's digits, drawn without replacement, and 597 others to test on."""
    X, y = digits()
    order = np.random.default_rng(seed).permutation(len(X))
    train, test = order[:n], order[1200:]
    return X[train], y[train], X[test], y[test]

"""Training and test examples of the MORF experiments, drawn by the seed alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ..datasets import Array, Split, digits, mnist
from ..experiment import Setting

MNIST_FILE = "mnist.npz"
NEEDS = {"quick": None, "full": MNIST_FILE}  # of experiments with images of digits
STAND_IN = "scikit-learn's 1797 digits of 8 × 8 pixels in place of MNIST"
# The mean of class 1 of make_impulse; that of class 0 is zero.
IMPULSE_CURVE = np.concatenate([np.zeros(20), np.exp(-0.1 * np.arange(80))])

Generator = Callable[..., tuple[Array, Array]]  # a simulation of manifoldforest.datasets
Draw = Callable[[int, int, Setting], Split]  # n training examples of a seed, and test examples


def simulated(generate: Generator, n_test: int) -> Draw:
    """Return a source of training sets that are the beginnings of one pool for each seed."""

    def draw(n: int, seed: int, setting: Setting) -> Split:
        train, test = np.random.SeedSequence(seed).generate_state(2).tolist()
        # The generators give the same first examples whatever their number is.
        return *generate(n, random_state=train), *_test_set(generate, n_test, test)

    return draw


@lru_cache(maxsize=4)
def _test_set(generate: Generator, n_test: int, seed: int) -> tuple[Array, Array]:
    return generate(n_test, random_state=seed)


def mnist_subset(n: int, seed: int, setting: Setting) -> Split:
    """Return n training images of MNIST, drawn without replacement, and all 10 000 test images."""
    X, y, X_test, y_test = mnist(setting)
    chosen = np.random.default_rng(seed).permutation(len(X))[:n]  # contains those of a smaller n
    return X[chosen], y[chosen], X_test, y_test


def digits_subset(n: int, seed: int, setting: Setting) -> Split:
    """Return n of scikit-learn's digits, drawn without replacement, and 597 others to test on."""
    X, y = digits()
    order = np.random.default_rng(seed).permutation(len(X))
    train, test = order[:n], order[1200:]
    return X[train], y[train], X[test], y[test]

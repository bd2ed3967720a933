"""RotRF on fewer rows than features, without a rotation of all features for every tree.

The n rows of X span at most n dimensions, X = L B with orthonormal rows of B (n × p). A uniform
rotation Q takes them to X Q = L (B Q), and B Q is again n orthonormal rows, uniform over all such
matrices. It can be drawn by itself in n² p operations, where a tree of RotRF takes p³ (section 4.2
of the paper): on 100 rows with 500 features, about a hundredth of the time. The trees have the same
distribution; only their training rows can be asked, which is what out-of-bag errors do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.forests._classifier import ForestClassifier

Array = NDArray[Any]


def applies(X: Array) -> bool:
    """Whether there are fewer rows than features."""
    return bool(X.shape[0] < X.shape[1])


def rotations(X: Array, rng: np.random.Generator) -> Iterator[NDArray[np.float32]]:
    """Yield the rows of X after one uniform rotation, after another one, and so on."""
    rows, features = X.shape
    lower = np.linalg.qr(X.T.astype(np.float64))[1].T
    while True:
        frame, upper = np.linalg.qr(rng.standard_normal((features, rows)))
        frame *= np.where(np.diag(upper) < 0, -1.0, 1.0)  # else not uniform: LAPACK has its signs
        yield (lower @ frame.T).astype(np.float32)


def oob_errors(
    X: Array,
    y: Array,
    candidates: Sequence[int],
    n_trees: int,
    make_tree: Callable[[int, int], ForestClassifier],
    seed: int,
) -> list[float]:
    """Return out-of-bag errors of RotRF for several numbers of candidates d.

    Parameters
    ----------
    X, y : ndarray
        Training rows, fewer than features, and their classes 0, 1, ...
    candidates : sequence of int
        Values of d. They share their rotations.
    n_trees : int
        Trees of each forest.
    make_tree : callable
        Takes d and a seed, and returns a forest of one tree that splits along axes.
    seed : int
        Seed of the rotations.
    """
    copies = islice(rotations(X, np.random.default_rng(seed)), n_trees)
    shares = np.zeros((len(candidates), len(X), int(y.max()) + 1))
    for tree, turned in enumerate(copies):
        for total, d in zip(shares, candidates, strict=True):
            trees = make_tree(d, seed * n_trees + tree).fit(turned, y)._model.trees
            outside = trees["inbag"][0] == 0
            total[outside] += trees["value"][trees["leaf_of_row"][0, outside]]
    seen = shares.sum(axis=2) > 0
    wrong = shares.argmax(axis=2) != y
    return [float(w[s].mean()) for w, s in zip(wrong, seen, strict=True)]

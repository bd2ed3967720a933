"""How a differentiable tree, and what it is compared with, are trained and tested."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

from manifoldforest.boundary import BoundaryForestClassifier, DifferentiableBoundaryTree
from manifoldforest.boundary._example_tree import build_tree

from .._experiment import Outcome
from .._timing import timed
from .._torch import one_torch_thread
from ._learned_arrays import nodes_near_root, projection

LEARNED, NETWORK = "differentiable tree", "network"
TREE, FOREST, NEAREST = "boundary tree", "boundary forest", "1-NN"
METHODS = (LEARNED, NETWORK, TREE, FOREST, NEAREST)
N_OTHER_TREES = 10


@dataclass(frozen=True)
class LearnedSize:
    """What the presets differ in."""

    needs: str | None
    n_train: int
    n_samples: int
    hidden: tuple[int, ...]
    n_components: int
    n_epochs: int
    noise: float
    network_batch: int
    n_seeds: int
    n_shown: int  # test images in the t-SNE


@dataclass(frozen=True)
class Data:
    """Images as rows of bytes, and digits."""

    X: NDArray[np.uint8]
    y: NDArray[np.int64]
    X_test: NDArray[np.uint8]
    y_test: NDArray[np.int64]
    side: int


def train_and_test(method: str, data: Data, size: LearnedSize, seed: int) -> Outcome:
    """Do one run of a method."""
    if method == LEARNED:
        return _learned(data, size, seed)
    if method == NETWORK:
        return _network(data, size, seed)
    rows = np.random.default_rng(seed).permutation(len(data.X))[: size.n_samples]
    if method == NEAREST:
        return _nearest(data, size, rows, seed)
    return _pixels(data, rows, 1 if method == TREE else 50, seed)


def _learned(data: Data, size: LearnedSize, seed: int) -> Outcome:
    tree = DifferentiableBoundaryTree(
        size.n_components,
        hidden=size.hidden,
        n_tree_samples=size.n_samples,
        n_epochs=size.n_epochs,
        noise=size.noise,
        random_state=seed,
    )
    with one_torch_thread():
        _, seconds = timed(lambda: tree.fit(data.X, data.y))
    metrics = {
        "error": _error(tree.predict(data.X_test), data),
        "nodes": float(tree.n_nodes_[0]),
        "depth": float(tree.depth_[0]),
        "train_seconds": seconds,
        "other_trees_error": other_trees_error(tree, data),
    }
    (kept,) = tree.trees_
    arrays = nodes_near_root(data.X[kept.example], kept.parent, kept.label, data.side)
    shape, projected = projection(tree.transform(data.X_test), data.y_test, size.n_shown, seed)
    return Outcome(metrics | shape, arrays | projected)


def other_trees_error(fitted: DifferentiableBoundaryTree, data: Data) -> float:
    """Return the mean error of trees from other samples in the same representation.

    It is larger, as the last steps of the training were taken with the tree that is kept.
    """
    points, test_points = fitted.transform(data.X), fitted.transform(data.X_test)
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(N_OTHER_TREES):
        drawn = rng.permutation(len(points))[: fitted.n_tree_samples]
        tree = build_tree(points[drawn], data.y[drawn])
        ends = tree.ends(cdist(test_points, points[drawn[tree.example]]), fitted.sigma)
        chosen = (ends @ np.eye(10)[tree.label]).argmax(axis=1)
        errors.append(_error(chosen, data))
    return float(np.mean(errors))


def _network(data: Data, size: LearnedSize, seed: int) -> Outcome:
    scale = np.float32(data.X.max())
    widths = (*size.hidden, size.n_components)
    network = MLPClassifier(
        widths, batch_size=size.network_batch, max_iter=size.n_epochs, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it stops after as many epochs
        _, seconds = timed(lambda: network.fit(data.X / scale, data.y))
    proba = network.predict_proba(data.X_test / scale)
    metrics = {"error": _error(proba.argmax(axis=1), data), "train_seconds": seconds}
    outputs = np.log(np.maximum(proba, 1e-12))
    shape, projected = projection(outputs, data.y_test, size.n_shown, seed)
    return Outcome(metrics | shape, projected)


def _nearest(data: Data, size: LearnedSize, rows: NDArray[np.int64], seed: int) -> Outcome:
    nearest = KNeighborsClassifier(1, n_jobs=1)
    _, seconds = timed(lambda: nearest.fit(data.X[rows], data.y[rows]))
    metrics = {"error": _error(nearest.predict(data.X_test), data), "train_seconds": seconds}
    shape, projected = projection(data.X_test, data.y_test, size.n_shown, seed)
    return Outcome(metrics | shape, projected)


def _pixels(data: Data, rows: NDArray[np.int64], n_trees: int, seed: int) -> Outcome:
    X, y = data.X[rows], data.y[rows]
    forest = BoundaryForestClassifier(n_trees, n_jobs=1, random_state=seed)
    _, seconds = timed(lambda: forest.fit(X, y))
    metrics = {
        "error": _error(forest.predict(data.X_test), data),
        "nodes": float(forest.n_nodes_.mean()),
        "depth": float(forest.depth_.mean()),
        "train_seconds": seconds,
    }
    first = forest.trees_[0]
    arrays = nodes_near_root(X[first.example], first.parent, y[first.example], data.side)
    return Outcome(metrics, arrays if n_trees == 1 and seed == 0 else {})


def _error(predicted: NDArray[Any], data: Data) -> float:
    return float(np.mean(predicted != data.y_test))

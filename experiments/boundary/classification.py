"""Data sets and methods of classification: what B3 to B7 train and test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.neighbors import KNeighborsClassifier

import manifoldforest as mf

from ..datasets import Array, Split, digits, folder, mnist
from ..experiment import Outcome, Preset, Run, Setting, Value, timed

STAND_IN = "digits, breast cancer and wine of scikit-learn in place of the LIBSVM sets"
DIGITS_STAND_IN = "scikit-learn's digits of 8 × 8 pixels"
MNIST = {"full": "mnist.npz", "quick": None}  # the file of digits
_TABLE = ("dna", "letter", "mnist", "pendigits", "protein", "seismic")
_BUNDLED = {"breast cancer": load_breast_cancer, "wine": load_wine}
# Names that the tables have for the sets, which are taken as they are stored, and their files.
FILES: dict[Preset, dict[str, str | None]] = {
    "full": {n: "mnist.npz" if n == "mnist" else f"libsvm/{n}.npz" for n in _TABLE},
    "quick": dict.fromkeys(("digits", *_BUNDLED)),
}
TREES, CHILDREN, FEATURES = 50, 50, 50  # Table 1
# What runs are told apart by. The paper lists OBF, the offline forest, and says only that it
# reaches no error on its training set. Ours repeats passes in random order until one adds nothing,
# which does the same.
METHODS: Mapping[str, Mapping[str, Value]] = {
    "BF": {"trees": TREES, "max_children": CHILDREN},
    "OBF": {"trees": TREES, "max_children": CHILDREN},
    "1-NN": {"neighbours": 1},
    "3-NN": {"neighbours": 3},
    "RF": {"trees": TREES, "features": FEATURES},
}
TIMED_QUERIES = 200  # by which measuring distances one by one is timed


def held_out(X: Array, y: Array, n_train: int | None = None) -> Split:
    """Split by chance, always in the same way; two thirds are to train unless told otherwise."""
    order = np.random.default_rng(0).permutation(len(X))
    train, test = np.split(order, [2 * len(X) // 3 if n_train is None else n_train])
    return X[train], y[train], X[test], y[test]


def digit_images(setting: Setting, n_train: int | None = None) -> Split:
    """MNIST, or in quick runs scikit-learn's digits, of which `n_train` are to train."""
    return mnist(setting) if setting.preset == "full" else held_out(*digits(), n_train)


def flat_digits(setting: Setting, n_train: int | None = None) -> Split:
    """Digits as rows of pixels."""
    X_train, y_train, X_test, y_test = digit_images(setting, n_train)
    return X_train.reshape(len(X_train), -1), y_train, X_test.reshape(len(X_test), -1), y_test


def load_data(name: str, setting: Setting) -> Split:
    """Return a data set of the tables."""
    if name in ("mnist", "digits"):
        return flat_digits(setting)
    if name in _BUNDLED:
        return held_out(*_BUNDLED[name](return_X_y=True))
    with np.load(folder(setting) / f"libsvm/{name}.npz", allow_pickle=False) as stored:
        return stored["X_train"], stored["y_train"], stored["X_test"], stored["y_test"]


def runs_of(methods: Iterable[str], n_seeds: int, needs: str | None, **given: Value) -> list[Run]:
    """Return a run for each method and seed; only one of neighbours, which are never random."""
    return [
        Run(seed, {**given, "method": name, **METHODS[name]}, needs)
        for name in methods
        for seed in range(1 if "neighbours" in METHODS[name] else n_seeds)
    ]


def _build(name: str, n_features: int, seed: int) -> Any:
    if "neighbours" in METHODS[name]:
        return KNeighborsClassifier(METHODS[name]["neighbours"], algorithm="brute", n_jobs=1)
    params: dict[str, Any] = {"n_jobs": 1, "random_state": seed}
    if name == "RF":
        params["max_features"] = min(FEATURES, n_features)
        return mf.named_forest("RF", n_estimators=TREES, **params)
    passes = 1 if name == "BF" else None
    return mf.BoundaryForestClassifier(TREES, max_children=CHILDREN, passes=passes, **params)


def classify(name: str, data: Split, seed: int) -> Outcome:
    """Train and test a method: error, CPU seconds, and what boundary trees keep."""
    X_train, y_train, X_test, y_test = data
    model = _build(name, X_train.shape[1], seed)
    if isinstance(model, KNeighborsClassifier):  # fast on float32, where whole numbers stay exact
        X_train, X_test = X_train.astype(np.float32), X_test.astype(np.float32)
    _, train_seconds = timed(lambda: model.fit(X_train, y_train))
    model.predict(X_test[:1])  # what is imported or prepared only once shall not count
    predicted, test_seconds = timed(lambda: model.predict(X_test))
    error = float(np.mean(predicted != y_test))
    metrics = {"error": error, "train_seconds": train_seconds, "test_seconds": test_seconds}
    if isinstance(model, mf.BoundaryForestClassifier):
        nodes, passes = float(model.n_nodes_.mean()), float(model.n_passes_)
        metrics |= {"nodes": nodes, "kept": nodes / len(X_train), "passes": passes}
    if isinstance(model, KNeighborsClassifier):
        metrics["one_by_one_seconds"] = _one_by_one(model.n_neighbors, X_train, X_test)
    return Outcome(metrics)


def _one_by_one(k: int, X_train: Array, X_test: Array) -> float:
    """Return the CPU seconds of all queries if every distance is measured for itself.

    scikit-learn takes products of matrices, which is much faster. Some queries tell how long all
    would take, since each costs the same.
    """
    index = mf.boundary.BruteForceIndex(n_jobs=1)
    index.add(X_train)
    some = X_test[:TIMED_QUERIES]
    _, seconds = timed(lambda: index.query(some, k))
    return seconds * len(X_test) / len(some)

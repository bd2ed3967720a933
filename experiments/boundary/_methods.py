"""The methods of the tables that are run here, with the parameters of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from manifoldforest.boundary import BoundaryForestClassifier, BruteForceIndex
from manifoldforest.forests._presets import named_forest

from .._datasets import Array, Split
from .._experiment import Outcome, Value
from .._timing import timed

TREES, CHILDREN, FEATURES = 50, 50, 50  # Table 1
_LOOKED_UP = 200  # queries by which measuring distances one by one is timed


@dataclass(frozen=True)
class Method:
    """How a method is made for a number of features and a seed, and what the paper tells of it."""

    build: Callable[[int, int], Any]
    parameters: Mapping[str, Value]
    random: bool = True  # whether seeds make a difference
    floats: bool = False  # whether it needs float32 to be fast; whole numbers stay exact


def _boundary_forest(passes: int | None) -> Method:
    def build(n_features: int, seed: int) -> BoundaryForestClassifier:
        return BoundaryForestClassifier(
            TREES, max_children=CHILDREN, passes=passes, n_jobs=1, random_state=seed
        )

    return Method(build, {"trees": TREES, "max_children": CHILDREN})


def _nearest(k: int) -> Method:
    def build(n_features: int, seed: int) -> KNeighborsClassifier:
        return KNeighborsClassifier(k, algorithm="brute", n_jobs=1)

    return Method(build, {"neighbours": k}, random=False, floats=True)


def _random_forest() -> Method:
    def build(n_features: int, seed: int) -> Any:
        features = min(FEATURES, n_features)
        return named_forest(
            "RF", n_estimators=TREES, max_features=features, n_jobs=1, random_state=seed
        )

    return Method(build, {"trees": TREES, "features": FEATURES})


# The paper lists OBF, the offline forest, and says only that it reaches no error on its training
# set. Ours repeats passes in random order until one adds nothing, which does the same.
METHODS = {
    "BF": _boundary_forest(passes=1),
    "OBF": _boundary_forest(passes=None),
    "1-NN": _nearest(1),
    "3-NN": _nearest(3),
    "RF": _random_forest(),
}


def classify(name: str, data: Split, seed: int) -> Outcome:
    """Train and test a method: error, CPU seconds, and what boundary trees keep."""
    X_train, y_train, X_test, y_test = data
    method = METHODS[name]
    if method.floats:
        X_train, X_test = X_train.astype(np.float32), X_test.astype(np.float32)
    model = method.build(X_train.shape[1], seed)
    _, train_seconds = timed(lambda: model.fit(X_train, y_train))
    model.predict(X_test[:1])  # what is imported or prepared only once shall not count
    predicted, test_seconds = timed(lambda: model.predict(X_test))
    metrics = {
        "error": float(np.mean(predicted != y_test)),
        "train_seconds": train_seconds,
        "test_seconds": test_seconds,
    }
    if isinstance(model, BoundaryForestClassifier):
        metrics["nodes"] = float(model.n_nodes_.mean())
        metrics["kept"] = metrics["nodes"] / len(X_train)
        metrics["passes"] = float(model.n_passes_)
    if isinstance(model, KNeighborsClassifier):
        metrics["one_by_one_seconds"] = _one_by_one(model.n_neighbors, X_train, X_test)
    return Outcome(metrics)


def _one_by_one(k: int, X_train: Array, X_test: Array) -> float:
    """Return the CPU seconds of all queries if every distance is measured for itself.

    scikit-learn takes products of matrices, which is much faster. Some queries tell how long all
    would take, since each costs the same.
    """
    index = BruteForceIndex(n_jobs=1)
    index.add(X_train)
    some = X_test[:_LOOKED_UP]
    _, seconds = timed(lambda: index.query(some, k))
    return seconds * len(X_test) / len(some)

"""The classifiers that the experiments on views and boosting compare."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import manifoldforest as mf

from ..datasets import Array
from ..morf.cnn import cnn_classifier

# In the order of legends and tables: name, colour and marker.
STYLES: dict[str, dict[str, str]] = {
    "boosted + shifts": {"color": "#D55E00", "marker": "*"},
    "boosted": {"color": "#D55E00", "marker": "o"},
    "image": {"color": "#009E73", "marker": "P"},
    "table": {"color": "#56B4E9", "marker": "d"},
    "series": {"color": "#D55E00", "marker": "h"},
    "QUANT": {"color": "#E69F00", "marker": "X"},
    "MORF": {"color": "#CC79A7", "marker": "p"},
    "SPORF": {"color": "#0072B2", "marker": "^"},
    "RF": {"color": "#5F5F5F", "marker": "s"},
    "CNN": {"color": "#000000", "marker": "D"},
    "LightGBM": {"color": "#946300", "marker": "<"},
    "XGBoost": {"color": "#E69F00", "marker": "v"},
    "HistGB": {"color": "#882255", "marker": ">"},
}
PACKAGES = {"CNN": "torch", "LightGBM": "lightgbm", "XGBoost": "xgboost"}
PEERS = ("LightGBM", "XGBoost", "HistGB")
_TREES = 200  # of the forests


def classifier(method: str, seed: int, *, budget: float | None = None, **params: Any) -> Any:
    """Return the method with this name, not fitted yet, on one thread.

    `budget` limits the seconds of training of the peers; with None they do as many rounds as they
    do by default. `params` are parameters of our own methods.
    """
    if method == "CNN":
        return cnn_classifier("mnist", seed)
    if method in PEERS:
        return Peer(method, seed, budget)
    if method.startswith("boosted"):
        augment = 1 if method.endswith("shifts") else None
        return mf.BoostedForestClassifier(augment=augment, random_state=seed, n_jobs=1, **params)
    params = {"n_estimators": _TREES, **params}
    return mf.named_forest(method, random_state=seed, n_jobs=1, **params)


class Peer:
    """Gradient boosting of another library on flat rows, with its default parameters.

    Given a budget, it goes on until training has taken as many seconds, round by round.
    """

    def __init__(self, method: str, seed: int, budget: float | None) -> None:
        self.method = method
        self.seed = seed
        self.budget = budget

    def fit(self, X: Array, y: Array) -> Peer:
        rows = X.reshape(len(X), -1).astype(np.float32)
        if self.budget is None:
            self._model = _default(self.method, self.seed).fit(rows, y)
        else:
            end = time.process_time() + self.budget
            self._model = _BY_ROUNDS[self.method](rows, y, self.seed, end)
        return self

    def predict(self, X: Array) -> Array:
        labels: Array = self._model.predict(X.reshape(len(X), -1).astype(np.float32))
        return labels


def _default(method: str, seed: int, **params: Any) -> Any:
    if method == "LightGBM":
        package = import_module("lightgbm")
        return package.LGBMClassifier(n_jobs=1, random_state=seed, verbose=-1, **params)
    if method == "XGBoost":
        return import_module("xgboost").XGBClassifier(n_jobs=1, random_state=seed, **params)
    return HistGradientBoostingClassifier(random_state=seed, **params)


def _lightgbm(rows: Array, y: Array, seed: int, end: float) -> Any:
    package = import_module("lightgbm")

    def stop(state: Any) -> None:
        if time.process_time() > end:
            raise package.callback.EarlyStopException(state.iteration, [])

    return _default("LightGBM", seed, n_estimators=5000).fit(rows, y, callbacks=[stop])


def _xgboost(rows: Array, y: Array, seed: int, end: float) -> Any:
    package = import_module("xgboost")

    class Stop(package.callback.TrainingCallback):  # type: ignore[name-defined]
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            return time.process_time() > end

    return _default("XGBoost", seed, n_estimators=5000, callbacks=[Stop()]).fit(rows, y)


def _hist(rows: Array, y: Array, seed: int, end: float) -> Any:
    """Add round by round by a warm start, as it has no callbacks."""
    model = _default("HistGB", seed, warm_start=True, early_stopping=False, max_iter=1).fit(rows, y)
    for n_rounds in range(2, 5001):
        if time.process_time() > end:
            break
        model.set_params(max_iter=n_rounds).fit(rows, y)
    return model


_BY_ROUNDS: dict[str, Callable[[Array, Array, int, float], Any]] = {
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "HistGB": _hist,
}

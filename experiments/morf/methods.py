"""The classifiers that the MORF papers compare, with the parameters of the thesis (its Table 2)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC

import manifoldforest as mf
from manifoldforest.projections import Patches

from ..datasets import Array
from ..experiment import timed
from .cnn import cnn_classifier

FORESTS = ("MORF", "SPORF", "RF")
BASELINES = ("LogReg", "LinSVM", "SVM", "kNN", "MLP")
# In the order of legends and tables. XGBoost is not in the papers but in their authors' runs.
# Every method has a colour of its own; the forests have theirs everywhere.
STYLES = {
    "MORF": {"color": "#D55E00", "marker": "o"},
    "SPORF": {"color": "#0072B2", "marker": "^"},
    "RF": {"color": "#5F5F5F", "marker": "s"},
    "CNN": {"color": "#000000", "marker": "D"},
    "XGB": {"color": "#E69F00", "marker": "v"},
    "LogReg": {"color": "#56B4E9", "marker": "<"},
    "LinSVM": {"color": "#882255", "marker": ">"},
    "SVM": {"color": "#CC79A7", "marker": "p"},
    "kNN": {"color": "#946300", "marker": "X"},
    "MLP": {"color": "#009E73", "marker": "P"},
}
METHODS = tuple(STYLES)
PACKAGES = {"CNN": "torch", "XGB": "xgboost"}  # what methods need beside scikit-learn


@dataclass(frozen=True)
class Problem:
    """What methods know of the data: the patches of MORF, and which network is made for it."""

    name: str
    patches: Patches
    max_features: int  # of MORF; RF and SPORF take the square root of the number of features

    def classifier(self, method: str, *, trees: int, seed: int) -> Any:
        """Return the method with this name, not fitted yet, on one thread."""
        if method == "MORF":
            params = {"projection": self.patches, "max_features": self.max_features}
            return forest("MORF", trees, seed, **params)
        if method in FORESTS:
            return forest(method, trees, seed)
        return cnn_classifier(self.name, seed) if method == "CNN" else scaled(_OTHERS[method](seed))


def forest(name: str, trees: int, seed: int, **params: Any) -> Any:
    """Return a forest with some parameters of its own, on one thread."""
    return mf.named_forest(name, n_estimators=trees, random_state=seed, n_jobs=1, **params)


def scaled(model: Any) -> Any:
    """Let a model see rows of features with mean 0 and variance 1, as in the authors' runs."""
    rows = FunctionTransformer(lambda X: X.reshape(len(X), -1).astype(np.float32))
    return make_pipeline(rows, StandardScaler(), model)


def fit_predict(model: Any, X: Array, y: Array, X_test: Array) -> tuple[Array, dict[str, float]]:
    """Return the predictions for the test examples, and the CPU seconds of both phases."""
    with warnings.catch_warnings():
        # Methods stop where they were told to, converged or not.
        warnings.simplefilter("ignore", ConvergenceWarning)
        _, train_seconds = timed(lambda: model.fit(X, y))
    predicted, test_seconds = timed(lambda: model.predict(X_test))
    return predicted, {"train_seconds": train_seconds, "test_seconds": test_seconds}


# Table 2 names no limits of iterations, so they are scikit-learn's own: 100 steps for logistic
# regression, 200 epochs for MLP. Not so for the linear SVM, which on images does not converge in
# scikit-learn's 1000 rounds and would take most of the time of M5. It is stopped after 100, which
# has an effect: 1000 images of MNIST give 0.230 in place of 0.2275, and with 10 000 the error still
# rises with the rounds (20: 0.116, 100: 0.119).
SVM_ROUNDS = 100
_OTHERS: dict[str, Callable[[int], Any]] = {
    "LogReg": lambda seed: LogisticRegression(C=1.0),
    "LinSVM": lambda seed: LinearSVC(
        C=1.0, loss="squared_hinge", max_iter=SVM_ROUNDS, random_state=seed
    ),
    "SVM": lambda seed: SVC(C=1.0, kernel="rbf", gamma="scale", cache_size=500),
    "kNN": lambda seed: KNeighborsClassifier(5),
    "MLP": lambda seed: MLPClassifier((100,), activation="relu", alpha=1e-4, random_state=seed),
    "XGB": lambda seed: import_module("xgboost").XGBClassifier(n_jobs=1, random_state=seed),
}

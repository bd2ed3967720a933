"""The classifiers that the MORF papers compare, with the parameters of the thesis (its Table 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from manifoldforest.forests._presets import named_forest
from manifoldforest.projections import Patches

from ._cnn import cnn_classifier

Array = NDArray[Any]

# In the order of legends and tables. XGBoost is not in the papers but in their authors' runs.
FORESTS = ("MORF", "SPORF", "RF")
BASELINES = ("LogReg", "LinSVM", "SVM", "kNN", "MLP")
METHODS = (*FORESTS, "CNN", "XGB", *BASELINES)

# Where these take part, every method has a colour of its own; the forests have theirs everywhere.
COLORS = {
    "MORF": "#D55E00",
    "SPORF": "#0072B2",
    "RF": "#5F5F5F",
    "CNN": "#000000",
    "XGB": "#E69F00",
    "LogReg": "#56B4E9",
    "LinSVM": "#882255",
    "SVM": "#CC79A7",
    "kNN": "#946300",
    "MLP": "#009E73",
}
MARKERS = {
    "MORF": "o",
    "SPORF": "^",
    "RF": "s",
    "CNN": "D",
    "XGB": "v",
    "LogReg": "<",
    "LinSVM": ">",
    "SVM": "p",
    "kNN": "X",
    "MLP": "P",
}


class Classifier(Protocol):
    """What every method can do."""

    def fit(self, X: Array, y: Array) -> Any:
        """Learn from examples."""
        ...

    def predict(self, X: Array) -> Array:
        """Return one label for each example."""
        ...


@dataclass(frozen=True)
class Problem:
    """What methods know of the data: the patches of MORF, and which network is made for it."""

    name: str
    patches: Patches
    max_features: int  # of MORF; RF and SPORF take the square root of the number of features


def classifier(method: str, problem: Problem, *, trees: int, seed: int) -> Classifier:
    """Return the method with this name, not fitted yet, on one thread."""
    if method in FORESTS:
        params: dict[str, Any] = {"n_estimators": trees, "random_state": seed, "n_jobs": 1}
        if method == "MORF":
            params |= {"projection": problem.patches, "max_features": problem.max_features}
        forest: Classifier = named_forest(method, **params)
        return forest
    if method == "CNN":
        import_module("torch")  # now, for its first import takes seconds that are not training
        return cnn_classifier(problem.name, seed)
    return scaled(_PLAIN[method](seed))


def scaled(model: Any) -> Classifier:
    """Let a model see rows of features with mean 0 and variance 1, as in the authors' runs."""
    pipeline: Classifier = make_pipeline(FunctionTransformer(as_rows), StandardScaler(), model)
    return pipeline


def as_rows(X: Array) -> NDArray[np.float32]:
    """Return one flat row of numbers for each example."""
    return X.reshape(len(X), -1).astype(np.float32)


def _xgboost(seed: int) -> Any:
    return import_module("xgboost").XGBClassifier(n_jobs=1, random_state=seed)


# Table 2 names no limits of iterations, so they are scikit-learn's own: 100 steps for logistic
# regression, 200 epochs for MLP. Not so for the linear SVM, which on images does not converge in
# scikit-learn's 1000 rounds and would take most of the time of M5. It is stopped after 100, which
# has an effect: 1000 images of MNIST give 0.230 in place of 0.2275, and with 10 000 the error still
# rises with the rounds (20: 0.116, 100: 0.119).
LINEAR_SVM_ROUNDS = 100
_PLAIN: dict[str, Callable[[int], Any]] = {
    "LogReg": lambda seed: LogisticRegression(C=1.0),
    "LinSVM": lambda seed: LinearSVC(
        C=1.0, loss="squared_hinge", max_iter=LINEAR_SVM_ROUNDS, random_state=seed
    ),
    "SVM": lambda seed: SVC(C=1.0, kernel="rbf", gamma="scale", cache_size=500),
    "kNN": lambda seed: KNeighborsClassifier(5),
    "MLP": lambda seed: MLPClassifier((100,), activation="relu", alpha=1e-4, random_state=seed),
    "XGB": _xgboost,
}


# What methods need beside scikit-learn.
PACKAGES = {"CNN": "torch", "XGB": "xgboost"}

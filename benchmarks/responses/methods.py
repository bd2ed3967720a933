"""The methods of the dRF paper, by their names there.

A method is a function (X_train, Y_train, X_test, seed) -> predictions; responses and predictions
are rows of numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

import manifoldforest as mf
from manifoldforest.spaces import Isomap

Array = NDArray[Any]
Predict = Callable[[Array, Array, Array, int], Array]


@dataclass(frozen=True)
class Method:
    """A method with its name in tables."""

    name: str
    predict: Predict


@dataclass(frozen=True)
class Trees:
    """What the forests of an experiment have in common."""

    n_estimators: int
    max_features: int
    min_samples_leaf: int = 5  # the paper does not say
    n_jobs: int | None = None

    def parameters(self, seed: int) -> dict[str, Any]:
        """Return the arguments of an estimator."""
        return {
            "n_estimators": self.n_estimators,
            "max_features": self.max_features,
            "min_samples_leaf": self.min_samples_leaf,
            "n_jobs": self.n_jobs,
            "random_state": seed,
        }


@dataclass(frozen=True)
class BackScoring:
    """What the distance forest of an experiment has of its own, with the symbols of the paper."""

    n_neighbors: int  # of the Isomap graph
    embedding_dim: int  # m
    bandwidth: float  # sigma_G
    smoothness: float  # gamma_G


def nearest(k: int) -> Method:
    """Mean response of the k nearest training points."""

    def predict(X: Array, Y: Array, X_new: Array, seed: int) -> Array:
        return np.asarray(KNeighborsRegressor(k).fit(X, Y).predict(X_new))

    return Method(f"{k}NN", predict)


def linear() -> Method:
    """Least squares, of the smallest norm where there are more features than points."""

    def predict(X: Array, Y: Array, X_new: Array, seed: int) -> Array:
        return np.asarray(LinearRegression().fit(X, Y).predict(X_new))

    return Method("LR", predict)


def forest(trees: Trees) -> Method:
    """Return the ordinary forest, which predicts a mean."""

    def predict(X: Array, Y: Array, X_new: Array, seed: int) -> Array:
        model = mf.ForestRegressor(projection="axis", **trees.parameters(seed))
        return np.asarray(model.fit(X, Y).predict(X_new))

    return Method("RF", predict)


def kernel_forest(
    trees: Trees, sigma: float, name: str = "kRF", scale: float = 1.0, affinity: str = "all"
) -> Method:
    """Return a forest that predicts training responses, with exp(-|y - y'|^2 / (2 sigma^2)).

    Responses are divided by `scale` before, and multiplied again after. The paper weighs responses
    by the affinities of dRF; ``affinity="weights"`` are the weights of OK3.
    """

    def predict(X: Array, Y: Array, X_new: Array, seed: int) -> Array:
        model = mf.KernelForestRegressor(
            kernel="rbf", bandwidth=sigma, affinity=affinity, **trees.parameters(seed)
        )
        return scale * np.asarray(model.fit(X, Y / scale).predict(X_new))

    return Method(name, predict)


def distance_forest(
    trees: Trees,
    back: BackScoring,
    name: str = "dRF",
    scale: float = 1.0,
    **options: Any,
) -> Method:
    """Return the forest of the paper, on Isomap distances; options as of MetricForestRegressor."""

    def predict(X: Array, Y: Array, X_new: Array, seed: int) -> Array:
        parameters = {
            "space": Isomap(n_neighbors=back.n_neighbors),
            "prediction": "drf",
            "embedding_dim": back.embedding_dim,
            "bandwidth": back.bandwidth,
            "smoothness": back.smoothness,
            **trees.parameters(seed),
            **options,
        }
        with warnings.catch_warnings():  # Isomap distances never are Euclidean
            warnings.filterwarnings("ignore", message="the distances between responses are not")
            model = mf.MetricForestRegressor(**parameters).fit(X, Y / scale)
            return scale * np.asarray(model.predict(X_new))

    return Method(name, predict)

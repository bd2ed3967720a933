"""The methods of the dRF paper by their names there, and how often one does better than others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from manifoldforest.forests._presets import named_forest
from manifoldforest.spaces import Isomap

from .._results import Results

Array = NDArray[Any]

BARYCENTRE = "barycentre"
INCREASING = "dRF, increasing order"
EQUATION_8 = "dRF, equation (8)"

# What differs from the dRF of the paper: the weighted mean in the embedding in place of Algorithm 1
# (ours), Algorithm 1 in the other order, and the ridge n / gamma that equation (8) prints in place
# of the 1 / gamma that minimises the objective; nothing is centred there.
_KINDS_OF_DRF: dict[str, dict[str, Any]] = {
    "dRF": {},
    BARYCENTRE: {"prediction": "barycentre", "bandwidth": None},
    INCREASING: {"rule": "increasing"},
    EQUATION_8: {"ridge": "eq8", "center": False},
}


@dataclass(frozen=True)
class Forests:
    """The parameters of one experiment, with the symbols of the paper."""

    n_trees: int
    max_features: int  # candidates of a node
    n_neighbors: int  # k of the Isomap graph
    embedding_dim: int  # m
    bandwidth: float  # sigma_G of back-scoring
    smoothness: float  # gamma_G of back-scoring
    kernel_bandwidth: float | None = None  # sigma of kRF


def predict(
    method: str, forests: Forests, leaf: int, train: tuple[Array, Array], X: Array, seed: int
) -> Array:
    """Return what a method predicts from training inputs and responses, on one thread."""
    model = make_model(method, forests, leaf, seed)
    with without_isomap_warnings():
        return np.asarray(model.fit(*train).predict(X))


@contextmanager
def without_isomap_warnings() -> Iterator[None]:
    """Do not warn of what the paper takes for granted.

    Lengths of shortest paths never are Euclidean distances, and a graph of few images may fall
    apart, and is joined.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the distances between responses are not")
        warnings.filterwarnings("ignore", message="the graph of the responses")
        yield


def make_model(method: str, forests: Forests, leaf: int, seed: int) -> Any:
    """Return a method that is not fitted yet; `leaf` rows at least are in every leaf.

    The paper says nothing of leaves but that trees are not pruned.
    """
    if method.endswith("NN"):
        return KNeighborsRegressor(int(method.removesuffix("NN")))
    if method == "LR":  # of the smallest norm where there are more pixels than images
        return LinearRegression()
    trees: dict[str, Any] = {
        "n_estimators": forests.n_trees,
        "max_features": forests.max_features,
        "min_samples_leaf": leaf,
        "n_jobs": 1,
        "random_state": seed,
    }
    if method == "RF":
        return named_forest("RF", "regression", **trees)
    if method == "kRF":  # section 3.1: weighted by the affinities of dRF
        return named_forest("kRF", bandwidth=forests.kernel_bandwidth, affinity="all", **trees)
    of_drf: dict[str, Any] = {
        "space": Isomap(n_neighbors=forests.n_neighbors),
        "embedding_dim": forests.embedding_dim,
        "bandwidth": forests.bandwidth,
        "smoothness": forests.smoothness,
    }
    return named_forest("dRF", **(trees | of_drf | _KINDS_OF_DRF[method]))


def is_forest(method: str) -> bool:
    """Tell whether a method has trees, and leaves of some size."""
    return method != "LR" and not method.endswith("NN")


def paired(results: Results, metric: str, methods: list[str]) -> dict[str, Array]:
    """Return a metric by method over the repetitions that all the methods have finished.

    Methods without any row are left out.
    """
    found = {
        method: {
            row.seed: row.metrics[metric]
            for row in results.where(method=method)
            if metric in row.metrics
        }
        for method in methods
    }
    found = {method: by_seed for method, by_seed in found.items() if by_seed}
    seeds = sorted(set.intersection(*map(set, found.values()))) if found else []
    return {m: np.array([by_seed[s] for s in seeds]) for m, by_seed in found.items() if seeds}


def smallest(values: dict[str, Array]) -> str:
    """Return the method with the smallest mean."""
    return min(values, key=lambda method: float(values[method].mean()))


def count_wins(values: dict[str, Array], method: str) -> str:
    """Tell in how many repetitions a method is below all others: ``10 of 10 repetitions``."""
    others = [other for name, other in values.items() if name != method]
    wins = np.sum(values[method] < np.min(others, axis=0))
    n = len(values[method])
    return f"{wins} of {n} repetition{'s' if n != 1 else ''}"


def listed(values: dict[str, Array], digits: str = ".3g") -> str:
    """Write means by method: ``RF 0.946, kRF 0.331``."""
    return ", ".join(f"{name} {value.mean():{digits}}" for name, value in values.items())

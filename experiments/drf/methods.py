"""The methods of the dRF paper by their names there, and how often one does better than others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from manifoldforest import named_forest
from manifoldforest.spaces import Isomap

from ..results import Results

Array = NDArray[Any]

BARYCENTRE = "barycentre"
INCREASING = "dRF, increasing order"
EQUATION_8 = "dRF, equation (8)"

# What differs from the dRF of the paper: the weighted mean in the embedding in place of Algorithm 1
# (ours), Algorithm 1 in the other order, and the ridge n / gamma that equation (8) prints in place
# of the 1 / gamma that minimises the objective; nothing is centred there.
KINDS_OF_DRF: dict[str, dict[str, Any]] = {
    "dRF": {},
    BARYCENTRE: {"prediction": "barycentre", "bandwidth": None},
    INCREASING: {"distance_order": "increasing"},
    EQUATION_8: {"ridge": "eq8", "center": False},
}


@dataclass(frozen=True)
class Forests:
    """The parameters of one experiment, with the symbols of the paper."""

    max_features: int  # candidates of a node
    n_neighbors: int  # k of the Isomap graph
    embedding_dim: int  # m
    sigma_g: float  # of the kernel exp(-d² / sigma_G) of back-scoring
    smoothness: float  # gamma_G of back-scoring
    sigma: float | None = None  # of kRF

    def model(self, method: str, n_trees: int, leaf: int, seed: int) -> Any:
        """Return a method that is not fitted yet; `leaf` rows at least are in every leaf."""
        if method.endswith("NN"):
            return KNeighborsRegressor(int(method.removesuffix("NN")))
        if method == "LR":  # of the smallest norm where there are more pixels than images
            return LinearRegression()
        trees: dict[str, Any] = {"n_estimators": n_trees, "max_features": self.max_features}
        trees |= {"min_samples_leaf": leaf, "n_jobs": 1, "random_state": seed}
        if method == "RF":
            return named_forest("RF", "regression", **trees)
        if method == "kRF":  # section 3.1: weighted by the affinities of dRF
            return named_forest("kRF", bandwidth=self.sigma, affinity="all", **trees)
        trees |= {"space": Isomap(self.n_neighbors), "embedding_dim": self.embedding_dim}
        # exp(-d² / sigma_G) is exp(-d² / (2 bandwidth²))
        trees |= {"bandwidth": (self.sigma_g / 2) ** 0.5, "smoothness": self.smoothness}
        return named_forest("dRF", **(trees | KINDS_OF_DRF[method]))


def is_forest(method: str) -> bool:
    """Tell whether a method has trees, and leaves of some size."""
    return method != "LR" and not method.endswith("NN")


def fit_predict(model: Any, train: tuple[Array, Array], X: Array) -> Array:
    """Return what a model predicts from training inputs and responses."""
    with without_isomap_warnings():
        return np.asarray(model.fit(*train).predict(X))


@contextmanager
def without_isomap_warnings() -> Iterator[None]:
    """Do not warn that paths are not Euclidean, nor that a graph of few images was joined."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the distances between responses are not")
        warnings.filterwarnings("ignore", message="the graph of the responses")
        yield


class Paired(dict[str, Array]):
    """A metric by method over the repetitions that all of the methods have finished."""

    @classmethod
    def of(cls, results: Results, metric: str, methods: Sequence[str]) -> Paired:
        """Read a metric of some methods; those without any row are left out."""
        found: dict[str, dict[int, float]] = {}
        for method in methods:
            for row in results.where(method=method):
                if metric in row.metrics:
                    found.setdefault(method, {})[row.seed] = row.metrics[metric]
        seeds = sorted(set.intersection(*map(set, found.values()))) if found else []
        values = {m: np.array([by_seed[s] for s in seeds]) for m, by_seed in found.items()}
        return cls(values if seeds else {})

    def only(self, *methods: str) -> Paired:
        """Return the values of some methods."""
        return Paired({method: self[method] for method in methods})

    @property
    def smallest(self) -> str:
        """The method with the smallest mean."""
        return min(self, key=lambda method: float(self[method].mean()))

    def wins(self, method: str) -> str:
        """Tell in how many repetitions a method is below all others: ``10 of 10 repetitions``."""
        others = [other for name, other in self.items() if name != method]
        wins = np.sum(self[method] < np.min(others, axis=0))
        n = len(self[method])
        return f"{wins} of {n} repetition{'s' if n != 1 else ''}"

    def __format__(self, digits: str) -> str:  # means by method: RF 0.946, kRF 0.331
        return ", ".join(f"{name} {value.mean():{digits or '.3g'}}" for name, value in self.items())

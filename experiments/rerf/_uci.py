"""The data sets of the benchmark, from small to large, and what stands in for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets
from sklearn.preprocessing import StandardScaler

from manifoldforest.datasets import load_uci, make_sparse_parity

from .._datasets import folder
from .._experiment import Setting

FOLDER = "uci121"
Array = NDArray[Any]
Examples = tuple[Array, Array]


class Size(NamedTuple):
    """Training rows and features of a data set."""

    rows: int
    features: int


def sizes(setting: Setting) -> dict[str, Size]:
    """Return the data sets that are there with their sizes, the cheapest to learn first."""
    if setting.preset == "quick":
        return {name: Size(*make()[0].shape) for name, make in STAND_INS.items()}
    if setting.data is None:
        return {}
    names = (path.stem for path in (setting.data / FOLDER).glob("*.npz"))
    known = {name: Size(*_stored(setting.data, name)[0].shape) for name in names}
    return dict(sorted(known.items(), key=lambda item: (item[1].rows * item[1].features, item[0])))


def examples(name: str, setting: Setting) -> Examples:
    """Return the training rows of a data set, in standard units, and their classes."""
    quick = setting.preset == "quick"
    X, y = STAND_INS[name]() if quick else _stored(folder(setting), name)
    return standardized(filled(X)), y


def filled(X: Array) -> Array:
    """Put the median of its feature in place of each missing value: rotations need numbers."""
    missing = np.isnan(X)
    if not missing.any():
        return X
    return np.where(missing, np.nanmedian(X, axis=0), X).astype(X.dtype)


def standardized(X: Array) -> Array:
    """Give each feature mean 0 and variance 1, as the suite does with its files.

    Sets that were rebuilt from the original files come in their own units; the others stay as they
    are, but for rounding.
    """
    return np.asarray(StandardScaler().fit_transform(X))


@lru_cache(maxsize=1)
def _stored(data: Path, name: str) -> Examples:
    """Read the training part: the paper trains "on the entire training sets provided"."""
    X, y = load_uci(name, data_home=data)
    with np.load(data / FOLDER / f"{name}.npz", allow_pickle=False) as stored:
        n_train = int(stored["n_train"]) if "n_train" in stored.files else len(X)
    return X[:n_train], y[:n_train]


def _bundled(load: Callable[..., Examples], rows: int) -> Callable[[], Examples]:
    """Return a function that draws some rows of a set that comes with scikit-learn."""

    @lru_cache(maxsize=1)
    def draw() -> Examples:
        X, y = load(return_X_y=True)
        chosen = np.random.default_rng(0).permutation(len(X))[:rows]
        return X[chosen], y[chosen]

    return draw


@lru_cache(maxsize=1)
def _gaussians() -> Examples:
    X, y = sklearn_datasets.make_classification(
        200, 20, n_informative=6, n_redundant=4, n_classes=3, random_state=0
    )
    return X, y


@lru_cache(maxsize=1)
def _parity() -> Examples:
    return make_sparse_parity(200, n_features=8, random_state=0)


STAND_INS: dict[str, Callable[[], Examples]] = {
    "iris": _bundled(sklearn_datasets.load_iris, 150),
    "parity": _parity,
    "wine": _bundled(sklearn_datasets.load_wine, 178),
    "gaussians": _gaussians,
    "breast-cancer": _bundled(sklearn_datasets.load_breast_cancer, 200),
    "digits": _bundled(sklearn_datasets.load_digits, 200),
}

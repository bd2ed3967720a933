"""Where each real data set comes from: one table, and the two downloads it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

SPLIT = ("X_train", "y_train", "X_test", "y_test")
WHOLE = ("X", "y")


def download_mnist() -> Arrays:
    """Fetch MNIST from OpenML, whose first 60000 rows are the training images."""
    from sklearn.datasets import fetch_openml

    parser = "pandas" if find_spec("pandas") else "liac-arff"
    X, y = fetch_openml("mnist_784", version=1, return_X_y=True, as_frame=False, parser=parser)
    X = X.astype(np.uint8).reshape(-1, 28, 28)
    y = y.astype(np.uint8)
    return {"X_train": X[:60000], "y_train": y[:60000], "X_test": X[60000:], "y_test": y[60000:]}


def download_faces() -> Arrays:
    """Fetch the Olivetti faces, which scikit-learn delivers as numbers in [0, 1]."""
    from sklearn.datasets import fetch_olivetti_faces

    faces = fetch_olivetti_faces()
    return {"X": np.rint(faces.images * 255).astype(np.uint8), "y": faces.target}


@dataclass(frozen=True)
class Source:
    """One data set, or one family of data sets that a name tells apart."""

    file: str  # below the data folder; {name} stands for the name within a family
    keys: tuple[str, ...]  # the arrays to return, in this order
    images: bool = False  # whether the examples must be uint8 images
    download: Callable[[], Arrays] | None = None  # used when there is no file


SOURCES = {
    "mnist": Source("mnist.npz", SPLIT, images=True, download=download_mnist),
    "faces": Source("olivetti.npz", WHOLE, images=True, download=download_faces),
    "letter": Source("libsvm/letter.npz", SPLIT),
    "pendigits": Source("libsvm/pendigits.npz", SPLIT),
    "dna": Source("libsvm/dna.npz", SPLIT),
    "uci": Source("uci121/{name}.npz", WHOLE),
    "time_series": Source("ts/{name}.npz", SPLIT),
}

"""Data sets of the experiments, read once by each process."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from manifoldforest.datasets import load_faces, load_mnist

from .experiment import Setting

Array = NDArray[Any]
Split = tuple[Array, Array, Array, Array]  # X_train, y_train, X_test, y_test


def folder(setting: Setting) -> Path:
    """Return where the data sets lie; runs that need them are not begun without."""
    if setting.data is None:
        raise FileNotFoundError("no folder of data sets was given")
    return setting.data


@lru_cache(maxsize=1)
def mnist(setting: Setting) -> Split:
    """60 000 and 10 000 images of 28 × 28 bytes."""
    return load_mnist(data_home=folder(setting))


@lru_cache(maxsize=1)
def faces(setting: Setting) -> tuple[Array, Array]:
    """400 faces of 64 × 64 bytes, and whose they are."""
    return load_faces(data_home=folder(setting))


@lru_cache(maxsize=1)
def digits() -> tuple[Array, Array]:
    """1797 digits of 8 × 8 bytes that come with scikit-learn."""
    data = load_digits()
    return data.images.astype(np.uint8), data.target.astype(np.int64)

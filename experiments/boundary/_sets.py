"""The data sets of the tables, as they are stored, without any scaling; and their stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from manifoldforest.datasets._sources import SPLIT

from .._datasets import Array, Split, digits, folder, mnist
from .._experiment import Setting


@dataclass(frozen=True)
class DataSet:
    """A data set by the name that the tables have for it, and the file it is in."""

    name: str
    load: Callable[[Setting], Split]
    needs: str | None = None


def held_out(X: Array, y: Array) -> Split:
    """Split by chance, always in the same way, into two thirds to train and one to test."""
    order = np.random.default_rng(0).permutation(len(X))
    train, test = np.split(order, [2 * len(X) // 3])
    return X[train], y[train], X[test], y[test]


def digit_images(setting: Setting) -> Split:
    """MNIST, or in quick runs scikit-learn's digits."""
    return mnist(setting) if setting.preset == "full" else held_out(*digits())


def flat_digits(setting: Setting) -> Split:
    """Digits as rows of pixels."""
    X_train, y_train, X_test, y_test = digit_images(setting)
    return X_train.reshape(len(X_train), -1), y_train, X_test.reshape(len(X_test), -1), y_test


def _libsvm(name: str) -> DataSet:
    file = f"libsvm/{name}.npz"

    def load(setting: Setting) -> Split:
        with np.load(folder(setting) / file, allow_pickle=False) as stored:
            X_train, y_train, X_test, y_test = (stored[key] for key in SPLIT)
        return X_train, y_train, X_test, y_test

    return DataSet(name, load, needs=file)


FULL = (
    _libsvm("dna"),
    _libsvm("letter"),
    DataSet("mnist", flat_digits, needs="mnist.npz"),
    _libsvm("pendigits"),
    _libsvm("protein"),
    _libsvm("seismic"),
)
QUICK = (
    DataSet("digits", flat_digits),
    DataSet("breast cancer", lambda setting: held_out(*load_breast_cancer(return_X_y=True))),
    DataSet("wine", lambda setting: held_out(*load_wine(return_X_y=True))),
)
STAND_IN = "digits, breast cancer and wine of scikit-learn in place of the LIBSVM sets"


def data_sets(setting: Setting) -> dict[str, DataSet]:
    """Return the sets of a preset by name."""
    return {each.name: each for each in (FULL if setting.preset == "full" else QUICK)}

"""Small data, made by scikit-learn or from fixed seeds, with targets of every kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, make_classification

from fingerprint.case import Data

N_ROWS = 900  # bags must have more than 512 of them, below which bins are not used
N_NEW = 100


@cache
def table(kind: str, n: int = N_ROWS) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return rows of 64 features, further rows and the labels of the first.

    The features are the pixels of 8 x 8 digits, so that all projections find something: as bytes,
    as floats without ties, or the same with missing values.
    """
    images, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(5)
    chosen = images[: n + N_NEW]
    X: NDArray[Any]
    if kind == "bytes":
        X = (15 * chosen).astype(np.uint8)
    elif kind == "floats":
        X = (chosen + 0.3 * rng.normal(size=chosen.shape)).astype(np.float32)
    elif kind == "missing":
        X = (chosen + 0.3 * rng.normal(size=chosen.shape)).astype(np.float32)
        X[rng.uniform(size=X.shape) < 0.1] = np.nan
    else:
        raise ValueError(f"kind must be 'bytes', 'floats' or 'missing', got {kind!r}")
    return X[:n], X[n:], labels[:n].astype(np.int64)


@cache
def numbers(n: int = N_ROWS) -> NDArray[np.float64]:
    """Return a response in [0, 1] for each of the first digits: it depends on label and pixels."""
    images, labels = load_digits(return_X_y=True)
    ink = images[:n].mean(axis=1)
    number: NDArray[np.float64] = 0.05 * labels[:n] + 0.5 * (ink - ink.min()) / np.ptp(ink)
    return number


def weights(kind: str, n: int = N_ROWS) -> NDArray[np.float64] | None:
    """Return weights of rows; those of the integer search end at 2^16, those of float32 at 2^24."""
    rng = np.random.default_rng(6)
    made: dict[str, Callable[[], NDArray[Any]]] = {
        "whole": lambda: rng.integers(0, 5, size=n).astype(float),
        "fractional": lambda: rng.uniform(0.1, 2, size=n),
        "above 2^16": lambda: 70_000.0 * rng.integers(1, 3, size=n).astype(float),
        "extreme": lambda: np.power(10.0, rng.integers(-12, 12, size=n).astype(float)),
        "huge": lambda: rng.uniform(1, 2, size=n) * 1e300,
    }
    return made[kind]() if kind else None


def labels_of(kind: str, n: int = N_ROWS, weight: str = "") -> Data:
    """Return data of a classification."""
    X, new, labels = table(kind, n)
    return Data(X, labels, new, weights(weight, n))


def numbers_of(kind: str, n: int = N_ROWS, weight: str = "", scale: float = 1.0) -> Data:
    """Return data of a regression."""
    X, new, _ = table(kind, n)
    return Data(X, scale * numbers(n), new, weights(weight, n))


def counts_of(kind: str, n: int = N_ROWS, weight: str = "") -> Data:
    """Return data of a regression of counts."""
    X, new, _ = table(kind, n)
    response = numbers(n)
    return Data(X, np.floor(20 * (response - response.min())), new, weights(weight, n))


def responses_of(kind: str, space: str, n: int = 160, weight: str = "") -> Data:
    """Return data whose responses lie in a space."""
    X, new, _ = table(kind, n)
    return Data(X, RESPONSES[space](numbers(n)), new[:20], weights(weight, n))


def several_labels(kind: str, n: int = N_ROWS) -> Data:
    """Return data with two outputs of 10 and 2 classes."""
    X, new, labels = table(kind, n)
    return Data(X, np.column_stack([labels, labels % 2]), new)


def several_numbers(kind: str, n: int = N_ROWS) -> Data:
    """Return data with three responses, one of them constant."""
    X, new, labels = table(kind, n)
    return Data(X, np.column_stack([numbers(n), -1.0 * labels, np.ones(n)]), new)


def shaped(kind: str, shape: tuple[int, ...], n: int = 300) -> Data:
    """Return the digits as examples of another shape."""
    X, new, labels = table(kind, n)
    return Data(X.reshape(n, *shape), labels, new.reshape(len(new), *shape))


def many_rows(kind: str) -> Data:
    """Return more rows than a block holds, bytes or floats."""
    X, y = make_classification(
        6000, 12, n_informative=8, n_redundant=2, n_classes=5, flip_y=0.1, random_state=7
    )
    X = (20 * X + 128).clip(0, 255).astype(np.uint8) if kind == "bytes" else X.astype(np.float32)
    return Data(X[:5500], y[:5500], X[5500:])


def large_table(
    kind: str = "floats", n_classes: int = 2, weight: str = "", n: int = 30_001
) -> Data:
    """Return n rows of 11 features, classes of equal size or, with none, numbers."""
    rng = np.random.default_rng(9)
    n_new = 500
    X = rng.normal(size=(n + n_new, 11)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(3 * X[:, 3]) + rng.normal(size=n + n_new)
    if kind == "bytes":
        X = (40 * X + 128).clip(0, 255).astype(np.uint8)
    elif kind == "missing":
        X[rng.uniform(size=X.shape) < 0.1] = np.nan
    elif kind != "floats":
        raise ValueError(f"kind must be 'bytes', 'floats' or 'missing', got {kind!r}")
    edges = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]) if n_classes else []
    y = np.digitize(signal, edges) if n_classes else signal.astype(np.float64)
    return Data(X[:n], y[:n], X[n:], weights(weight, n))


def many_classes(kind: str) -> Data:
    """Return more classes than the integer search has words for."""
    X, new, labels = table(kind)
    return Data(X, labels * 4 + (np.arange(len(X)) % 4), new)


def names(kind: str) -> Data:
    """Return classes with names, as strings."""
    X, new, labels = table(kind)
    return Data(X, np.array(["digit " + str(label) for label in labels]), new)


def wide_rows() -> Data:
    """Return rows too wide for a feature-major copy."""
    X = np.random.default_rng(8).normal(size=(60, 70_000)).astype(np.float32)
    return Data(X[:50], np.arange(50) % 3, X[50:])


def cancer() -> Data:
    """Return scikit-learn's breast cancer data, columns of very different scales."""
    X, y = load_breast_cancer(return_X_y=True)
    return Data(X[:450], y[:450], X[450:])


def diabetes() -> Data:
    """Return scikit-learn's diabetes data."""
    X, y = load_diabetes(return_X_y=True)
    return Data(X[:350], y[:350], X[350:])


@cache
def mnist(folder: str, n: int = 5000, n_new: int = 1000) -> Data:
    """Return the first rows of ``mnist.npz`` in a folder, uint8 images of 28 x 28."""
    with np.load(Path(folder, "mnist.npz")) as arrays:
        return Data(
            arrays["X_train"][:n],
            arrays["y_train"][:n].astype(np.int64),
            arrays["X_test"][:n_new],
        )


def _turns(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rotations about two axes."""
    c, s, zero, one = np.cos(2 * t), np.sin(2 * t), np.zeros_like(t), np.ones_like(t)
    about_z = np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]])
    about_x = np.array([[one, zero, zero], [zero, c, -s], [zero, s, c]])
    turned: NDArray[np.float64] = np.einsum("ijn,jkn->nik", about_z, about_x)
    return turned


def _matrices(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positive definite matrices."""
    made: NDArray[np.float64] = np.array([[1 + t, t / 2], [t / 2, 1 - t / 3]]).transpose(2, 0, 1)
    return made


def _directions(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return unit vectors."""
    points = np.column_stack([np.cos(3 * t), np.sin(3 * t) * t, np.sin(3 * t)])
    made: NDArray[np.float64] = points / np.linalg.norm(points, axis=1, keepdims=True)
    return made


def _landmarks(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quadrangles."""
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    pull = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.5], [0.0, 0.0]])
    made: NDArray[np.float64] = square + t[:, None, None] * pull
    return made


def gaps(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return distances that no points in the plane have."""
    made: NDArray[np.float64] = np.abs(t[:, None] - t[None, :]) ** 0.7
    return made


# Responses in each space, from numbers in [0, 1].
RESPONSES: dict[str, Callable[[NDArray[np.float64]], Any]] = {
    "line": lambda t: t,
    "euclidean": lambda t: np.column_stack([t, t * t, np.sin(5 * t)]),
    "frobenius": _matrices,
    "circle": lambda t: 5 * t,
    "sphere": _directions,
    "spd": _matrices,
    "rotations": _turns,
    "kendall": _landmarks,
    "wasserstein": lambda t: [np.linspace(x, 1 + x * x, 7 + i % 3) for i, x in enumerate(t)],
    "isomap": lambda t: np.column_stack([t * np.cos(9 * t), t * np.sin(9 * t)]),
    "indices": lambda t: np.arange(len(t)),
}

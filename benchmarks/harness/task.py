"""What is fitted on which data; nothing here imports more than the standard library."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["RF", "SPORF", "MORF", "ET", "QRF"]
Arrays = tuple[Any, Any, Any, Any]  # X_train, y_train, X_test, y_test
QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Patch:
    """The patches of a MORF: sizes per axis, both ends included.

    ``wrap`` joins the ends of every axis; ``free_channels`` draws a subset of the first axis
    instead of neighbouring positions. Not every library can do these; its note says so.
    """

    min_size: tuple[int, ...]
    max_size: tuple[int, ...]
    wrap: bool = False
    free_channels: bool = False


@dataclass(frozen=True)
class Forest:
    """A kind of forest with ``d`` candidates per node, grown to purity.

    RF is axis-aligned, SPORF sparse oblique with 1.5 nonzeros on average, MORF sums over patches
    ET is Extra-Trees: axis-aligned with random thresholds, every tree on all rows, and QRF is an
    axis-aligned forest that is asked for the quantiles QUANTILES of a number.
    """

    kind: Kind
    d: int
    patch: Patch | None = None

    @property
    def label(self) -> str:
        """Name of a row of the tables."""
        return f"{self.kind} d={self.d}"


@dataclass(frozen=True)
class Task:
    """Data and the forests that are fitted on them.

    ``data(n_train, n_test)`` returns the arrays, the same ones at every call; examples have
    ``shape``. ``n_classes`` is 0 and ``n_outputs`` is not where numbers are predicted. ``quick`` is
    the number of training rows of a quick run, 0 to leave the task out.
    """

    name: str
    about: str
    shape: tuple[int, ...]
    n_train: int
    n_test: int
    n_classes: int
    trees: int
    forests: tuple[Forest, ...]
    data: Callable[[int, int], Arrays]
    quick: int = 0
    n_outputs: int = 0

    @property
    def is_regression(self) -> bool:
        """Whether numbers are predicted in place of classes."""
        return self.n_outputs > 0

    @property
    def n_features(self) -> int:
        """Number of features of an example."""
        return math.prod(self.shape)

    @property
    def image(self) -> tuple[int, int]:
        """Height and width; a series is an image of height 1."""
        height, width = (1, *self.shape)[-2:]
        return height, width


def split(X: Any, y: Any, n_train: int) -> Arrays:
    """Cut arrays into a training part and the rest."""
    return X[:n_train], y[:n_train], X[n_train:], y[n_train:]

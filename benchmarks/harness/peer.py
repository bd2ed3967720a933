"""What a library is to the benchmark; the defaults fit scikit-learn's conventions."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from typing import Any

from harness.library import Library
from harness.task import QUANTILES, Forest, Kind, Patch, Task


class Peer(Library, ABC):
    """A library that can fit some kinds of forests.

    A subclass sets the attributes and says in :meth:`build` which estimator stands for a forest.

    Attributes
    ----------
    forests : tuple of str
        Kinds of forests that it can fit.
    takes_shape : bool
        Whether it takes examples in their shape instead of flat rows.
    most_outputs : int
        Largest number of outputs of a regression; 0 if it is here for classes only.
    widest : int, optional
        Largest number of features that it can take in reasonable time and memory.
    """

    forests: tuple[Kind, ...] = ()
    takes_shape: bool = False
    most_outputs: int = 0
    widest: int | None = None

    def fits(self, task: Task, forest: Forest) -> bool:
        """Tell whether there is a comparable forest for this one."""
        narrow = self.widest is None or task.n_features <= self.widest
        return forest.kind in self.forests and narrow and task.n_outputs <= self.most_outputs

    def tree_limit(self, task: Task, forest: Forest) -> int | None:
        """Return the largest number of trees worth waiting for; None is no limit."""
        return None

    @abstractmethod
    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return the estimator, not fitted."""

    def fit(self, estimator: Any, X: Any, y: Any) -> Any:
        """Return a fitted model; what X has to become for it is part of the work."""
        return estimator.fit(X, y)

    def predict(self, model: Any, X: Any) -> Any:
        """Return the class of every row."""
        return model.predict(X)

    def predict_proba(self, model: Any, X: Any) -> Any:
        """Return the probabilities of the classes, the call of which one row is timed."""
        return model.predict_proba(X)

    def predict_quantiles(self, model: Any, X: Any) -> Any:
        """Return QUANTILES of the number of every row, one column each."""
        return model.predict(X, quantiles=list(QUANTILES))

    def visited_rows(self, model: Any) -> float | None:
        """Return how many rows, as often as they were drawn, all splits of all trees have divided.

        Times the candidates of a node, these are the numbers that a fit has looked at. None if the
        library does not tell.
        """
        return None

    def model_bytes(self, model: Any) -> int | None:
        """Return the size of the stored model; None if it cannot be stored."""
        return pickled_bytes(model)


class ByteCounter:
    """A stream that only counts."""

    def __init__(self) -> None:
        self.total = 0

    def write(self, data: Any) -> int:
        """Count."""
        n_bytes = memoryview(data).nbytes
        self.total += n_bytes
        return n_bytes


def pickled_bytes(model: Any) -> int:
    """Return the length of a pickle without holding it."""
    counter = ByteCounter()
    pickle.dump(model, counter, protocol=pickle.HIGHEST_PROTOCOL)
    return counter.total


def image_sizes(patch: Patch) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the smallest and largest (height, width) of patches; a series has height 1."""
    (low_height, low_width), (high_height, high_width) = (
        (1, *sizes)[-2:] for sizes in (patch.min_size, patch.max_size)
    )
    return (low_height, low_width), (high_height, high_width)

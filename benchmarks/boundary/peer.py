"""What a library is to the comparison of boundary forests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from boundary.task import Task
from harness.library import Library


@dataclass(frozen=True)
class Contents:
    """What a boundary forest keeps: bytes of the stored points, nodes of all trees together."""

    point_bytes: int
    n_trees: int
    n_nodes: int


class Peer(Library, ABC):
    """A library that classifies.

    Attributes
    ----------
    learns_rows : bool
        Whether a model that has learned can learn single rows more.
    """

    learns_rows: bool = True

    def fits(self, task: Task) -> bool:
        """Tell whether it can do a task."""
        return not task.retrieval

    def train_limit(self, task: Task) -> int | None:
        """Return the number of training rows worth waiting for; None is no limit."""
        return None

    def query_limit(self, task: Task) -> int | None:
        """Return the number of queries worth waiting for; None is no limit."""
        return None

    @abstractmethod
    def build(self, task: Task, capacity: int, seed: int) -> Any:
        """Return an empty model for at most ``capacity`` rows; imports the library."""

    @abstractmethod
    def fit(self, model: Any, X: Any, y: Any) -> Any:
        """Return the model after learning; what X has to become for it is part of the work."""

    @abstractmethod
    def predict(self, model: Any, X: Any) -> Any:
        """Return the class of every row."""

    def learn_one(self, model: Any, X: Any, y: Any) -> None:
        """Learn one more row, if :attr:`learns_rows`."""
        self.fit(model, X, y)

    def contents(self, model: Any) -> Contents | None:
        """Return what a boundary forest keeps; None for all others."""
        return None


class Retriever(Peer):
    """A library that also finds neighbours.

    Attributes
    ----------
    efforts : tuple of numbers
        Values of what trades time for recall at a query; none if nothing does.
    """

    efforts: tuple[float, ...] = ()

    def set_effort(self, model: Any, effort: float) -> None:
        """Choose one of :attr:`efforts` for the queries to come."""
        raise NotImplementedError

    def fits(self, task: Task) -> bool:
        """Take all tasks."""
        return True

    @abstractmethod
    def neighbours(self, model: Any, X: Any, k: int) -> Any:
        """Return the places in the training data of the k nearest rows, nearest first."""


@dataclass
class Labelled:
    """An index of a library and the classes of the rows in it, with room for more."""

    index: Any
    classes: Any = None
    n_rows: int = 0


class NearestNeighbour(Retriever):
    """A library that knows no classes: a row gets the class of its nearest neighbour."""

    @abstractmethod
    def make(self, n_features: int, capacity: int, seed: int) -> Any:
        """Return an empty index."""

    @abstractmethod
    def add(self, index: Any, X: Any) -> Any:
        """Return the index with rows added, the first ones or further ones."""

    @abstractmethod
    def find(self, index: Any, X: Any, k: int) -> Any:
        """Return the places of the k nearest rows."""

    def build(self, task: Task, capacity: int, seed: int) -> Labelled:
        """Return an empty index with room for the classes."""
        import numpy as np

        index = self.make(task.n_features, capacity, seed)
        return Labelled(index, np.empty(capacity, np.int64))

    def fit(self, model: Labelled, X: Any, y: Any) -> Labelled:
        """Add the rows."""
        model.index = self.add(model.index, X)
        model.classes[model.n_rows : model.n_rows + len(X)] = y
        model.n_rows += len(X)
        return model

    def predict(self, model: Labelled, X: Any) -> Any:
        """Return the class of the nearest row."""
        return model.classes[self.find(model.index, X, 1)[:, 0]]

    def neighbours(self, model: Labelled, X: Any, k: int) -> Any:
        """Return the places of the nearest rows."""
        return self.find(model.index, X, k)

"""What a library is to the comparison of boundary forests."""

from __future__ import annotations

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


class Peer(Library):
    """A library that classifies or finds neighbours.

    Attributes
    ----------
    classifies, retrieves : bool
        What it takes part in.
    """

    classifies: bool = True
    retrieves: bool = True

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}  # parameters from the command line, for our own forests

    def fits(self, task: Task) -> bool:
        """Tell whether it can do a task."""
        return self.retrieves if task.retrieval else self.classifies

    def train_limit(self, task: Task) -> int | None:
        """Return the number of training rows worth waiting for; None is no limit."""
        return None

    def query_limit(self, task: Task) -> int | None:
        """Return the number of queries worth waiting for; None is no limit."""
        return None

    def build(self, task: Task, capacity: int, seed: int) -> Any:
        """Return an empty model for at most ``capacity`` rows; imports the library."""
        raise NotImplementedError

    def fit(self, model: Any, X: Any, y: Any) -> Any:
        """Return the model after learning; what X has to become for it is part of the work."""
        raise NotImplementedError

    def predict(self, model: Any, X: Any) -> Any:
        """Return the class of every row."""
        raise NotImplementedError

    def neighbours(self, model: Any, X: Any, k: int) -> Any:
        """Return the places in the training data of the k nearest rows, nearest first."""
        raise NotImplementedError

    def learn_one(self, model: Any, X: Any, y: Any) -> None:
        """Learn one more row; a peer that cannot leaves this out."""
        raise NotImplementedError

    def contents(self, model: Any) -> Contents | None:
        """Return what a boundary forest keeps; None for all others."""
        return None


@dataclass
class Labelled:
    """An index of a library and the classes of the rows in it, with room for more."""

    index: Any
    classes: Any = None
    n_rows: int = 0


class NearestNeighbour(Peer):
    """A library that knows no classes: a row gets the class of its nearest neighbour."""

    def make(self, n_features: int, capacity: int, seed: int) -> Any:
        """Return an empty index."""
        raise NotImplementedError

    def add(self, index: Any, X: Any) -> Any:
        """Return the index with rows added, the first ones or further ones."""
        raise NotImplementedError

    def find(self, index: Any, X: Any, k: int) -> Any:
        """Return the places of the k nearest rows."""
        raise NotImplementedError

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

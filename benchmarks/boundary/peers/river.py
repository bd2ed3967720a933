"""river."""

from __future__ import annotations

from typing import Any

from boundary.peer import Peer
from boundary.task import Task

N_TRAIN, N_QUERIES = 1500, 100


class River(Peer):
    """Its online nearest neighbours, KNNClassifier, which takes one dictionary per row."""

    name = "river"
    module = "river"
    distribution = "river"
    environment = "neighbours"
    requirements = ("river==0.26.1",)
    quick = False
    note = f"KNNClassifier with defaults, a window of 1000 rows; {N_TRAIN} rows, times per row"

    def train_limit(self, task: Task) -> int:
        """Return what is enough to fill its window of 1000 rows."""
        return min(N_TRAIN, task.n_train)

    def query_limit(self, task: Task) -> int:
        """Return what takes some seconds."""
        return N_QUERIES

    def build(self, task: Task, capacity: int, seed: int) -> Any:
        """Return an empty classifier."""
        from river.neighbors import KNNClassifier

        return KNNClassifier()

    def fit(self, model: Any, X: Any, y: Any) -> Any:
        """Learn row by row."""
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            model.learn_one(dict(enumerate(row)), label)
        return model

    def predict(self, model: Any, X: Any) -> Any:
        """Predict row by row."""
        return [model.predict_one(dict(enumerate(row))) for row in X.tolist()]


PEER = River()

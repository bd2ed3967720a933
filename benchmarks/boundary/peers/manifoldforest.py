"""Our own boundary forests."""

from __future__ import annotations

from typing import Any

from boundary.peer import Contents, Retriever
from boundary.task import Task


class Manifoldforest(Retriever):
    """BoundaryForestClassifier or, for retrieval, BoundaryIndex: what others are compared with."""

    name = "manifoldforest"
    module = "manifoldforest"
    distribution = "manifoldforest"

    efforts = (500, 768, 1024, 1500, 2000)
    effort: int | None = None

    def set_effort(self, model: Any, effort: float) -> None:
        """Choose the number of points that a query measures."""
        self.effort = int(effort)

    def build(self, task: Task, capacity: int, seed: int) -> Any:
        """Return an empty forest."""
        from manifoldforest import BoundaryForestClassifier, BoundaryIndex

        kind = BoundaryIndex if task.retrieval else BoundaryForestClassifier
        parameters = {"n_jobs": 1, "random_state": seed}
        return kind(**(parameters | self.options))

    def fit(self, model: Any, X: Any, y: Any) -> Any:
        """Learn the rows, once and in their order."""
        self.row_bytes = X[0].nbytes
        if _is_index(model):
            model.add(X)
            return model
        return model.fit(X, y)

    def predict(self, model: Any, X: Any) -> Any:
        """Return the class of every row."""
        return model.predict(X)

    def neighbours(self, model: Any, X: Any, k: int) -> Any:
        """Return the nearest rows among those that are measured."""
        return model.query(X, k, effort=self.effort)[1]

    def learn_one(self, model: Any, X: Any, y: Any) -> None:
        """Learn one more row."""
        if _is_index(model):
            model.add(X)
        else:
            model.partial_fit(X, y)

    def contents(self, model: Any) -> Contents:
        """Return the bytes of the stored points and the number of nodes."""
        n_nodes = model.n_nodes_
        if _is_index(model):
            point_bytes = len(model) * self.row_bytes
        else:
            point_bytes = len(model.stored_) * self.row_bytes
        return Contents(point_bytes, len(n_nodes), int(n_nodes.sum()))


def _is_index(model: Any) -> bool:
    return hasattr(model, "add")


PEER = Manifoldforest()

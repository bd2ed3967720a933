"""The yardstick."""

from __future__ import annotations

from typing import Any

from boundary.peer import Contents, Peer
from boundary.task import Task


class PlainLoopPeer(Peer):
    """The boundary forest of ``plain_loop.cpp``."""

    name = "plain loop"
    module = "boundary.plain_loop"
    distribution = ""

    def build(self, task: Task, capacity: int, seed: int) -> Any:
        """Return an empty forest; compiles it at the very first time."""
        from boundary.plain_loop import PlainLoop

        return PlainLoop(seed=seed)

    def fit(self, model: Any, X: Any, y: Any) -> Any:
        """Learn the rows, once and in their order."""
        return model.partial_fit(X, y)

    def predict(self, model: Any, X: Any) -> Any:
        """Return the class of every row."""
        return model.predict(X)

    def contents(self, model: Any) -> Contents:
        """Return the bytes of the stored points and the number of nodes."""
        return Contents(model.point_bytes, len(model.n_nodes), int(model.n_nodes.sum()))


PEER = PlainLoopPeer()

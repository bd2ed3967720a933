"""Progress of a fit on workers, told on the client."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client

from .._progress import Progress


class ToldProgress:
    """The trees that workers say are there, and who is told of them.

    Parameters
    ----------
    told : callable
        Called with the number of trees that are there and that of all, by `tell`.
    n_trees : int
        Number of all trees.
    """

    def __init__(self, told: Progress, n_trees: int) -> None:
        self.topic = f"manifoldforest-{uuid.uuid4().hex}"
        self._told, self._n_trees, self._last = told, n_trees, 0
        self._done: dict[int, int] = {}  # by the first tree of a range

    def hear(self, event: Any) -> None:
        """Take in a message of a worker; called in the thread of the client's event loop."""
        _, message = event
        self._done[message["first_tree"]] = message["done"]

    def tell(self) -> None:
        """Tell of new trees, in the thread that waits for the fit."""
        # trees of a worker that died are grown again, which is not told
        done = min(sum(list(self._done.values())), self._n_trees)
        if done > self._last:
            self._last = done
            self._told(done, self._n_trees)

    def tell_of_all(self) -> None:
        """Tell that all trees are there; the last messages may be late."""
        if self._last < self._n_trees:
            self._last = self._n_trees
            self._told(self._n_trees, self._n_trees)


@contextmanager
def progress_of_workers(
    client: Client, told: Progress | None, n_trees: int
) -> Iterator[ToldProgress | None]:
    """Listen to the workers if anyone is to be told."""
    if told is None or n_trees == 0:
        yield None
        return
    progress = ToldProgress(told, n_trees)
    client.subscribe_topic(progress.topic, progress.hear)
    try:
        yield progress
        progress.tell_of_all()
    finally:
        client.unsubscribe_topic(progress.topic)

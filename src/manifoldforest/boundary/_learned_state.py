"""What a boundary forest for classification or regression has learned."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from ._change_lock import ChangeLock
from ._core_forest import CoreForest

Labels = TypeVar("Labels")


class LearnedState(Generic[Labels]):
    """A forest of the core and the meaning of its labels; one thread at a time may add to it.

    Parameters
    ----------
    forest : CoreForest
        The forest.
    labels : object
        What the labels in the core mean. They are replaced before examples with new labels are
        learned, so that a thread that queries the core first, and reads `labels` then, knows all
        labels of the answer.
    """

    def __init__(self, forest: CoreForest, labels: Labels) -> None:
        self.forest = forest
        self.labels = labels
        self._lock = ChangeLock()

    @property
    def mutex(self) -> threading.RLock:
        """The mutex that is held while something is learned.

        A batch that is learned waits for the queries that run. So a metric that a query calls must
        not wait for the mutex: it gets a RuntimeError.
        """
        self.forest.refuse_calls_from_metric()
        return self._lock.mutex

    def snapshot(self) -> tuple[CoreForest, dict[str, Any], Labels]:
        """Return the forest, its record, and the labels that belong to it."""
        with self.mutex:
            return self.forest, self.forest.record(), self.labels

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a pickle holds, as it is between two batches."""
        with self.mutex:
            return {"forest": self.forest.__getstate__(), "labels": self.labels}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Build the forest again."""
        forest = CoreForest.__new__(CoreForest)
        forest.__setstate__(state["forest"])
        LearnedState.__init__(self, forest, state["labels"])

"""The data of a comparison; nothing here imports more than the standard library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Arrays = tuple[Any, Any, Any, Any]  # X_train, y_train, X_test, y_test


@dataclass(frozen=True)
class Task:
    """Rows to learn and rows to ask about.

    ``data(n_train, n_test)`` returns the arrays in the order of the file, X flat, uint8 or float32,
    classes from 0. With ``n_neighbors`` the task is to find that many nearest rows, otherwise to
    predict the class. ``quick`` is the number of training rows of a quick run, 0 to leave the task
    out.
    """

    name: str
    about: str
    n_features: int
    n_train: int
    n_test: int
    data: Callable[[int, int], Arrays]
    n_neighbors: int = 0
    quick: int = 0

    @property
    def retrieval(self) -> bool:
        """Whether neighbours are asked for instead of classes."""
        return self.n_neighbors > 0

"""The yardstick ``plain_loop.cpp`` from Python: compiled at the first use and kept."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.compiled import compiled

Array = NDArray[Any]


class PlainLoop:
    """A boundary forest without any cleverness, for uint8 and float32 rows.

    Parameters
    ----------
    n_trees, max_children : int
        As ``n_estimators`` and ``max_children`` of a boundary forest.
    seed : int
        Of the orders in which the trees see each other's roots.
    orders : sequence of arrays, optional
        Those orders themselves, one per tree: the same orders grow the same trees.
    """

    def __init__(
        self,
        n_trees: int = 50,
        max_children: int = 50,
        *,
        seed: int = 0,
        orders: Sequence[Array] | None = None,
    ) -> None:
        self.n_trees = n_trees
        self.max_children = max_children
        self.seed = seed
        self._orders = orders
        self._library = library()
        self._forest: int | None = None
        self._dtype: np.dtype[Any] = np.dtype(np.uint8)
        self._n_labels = 0

    def __del__(self) -> None:
        if self._forest is not None:
            self._library.forest_delete(self._forest)

    def partial_fit(self, X: Array, y: Array) -> PlainLoop:
        """Learn the rows one after the other; labels are integers from 0."""
        if self._forest is None:
            self._dtype = np.dtype(np.uint8 if X.dtype == np.uint8 else np.float32)
            floats = int(self._dtype == np.float32)
            width = X.size // len(X)
            self._forest = self._library.forest_new(self.n_trees, self.max_children, width, floats)
        rows = self._rows(X)
        labels = np.ascontiguousarray(y, np.int32)
        self._n_labels = max(self._n_labels, int(labels.max()) + 1)
        orders = self._root_orders(min(self.n_trees, len(rows)))
        self._library.forest_train(
            self._forest, rows.ctypes, labels.ctypes, len(rows), orders.ctypes
        )
        return self

    def predict(self, X: Array) -> NDArray[np.int32]:
        """Return the label with the largest sum of Shepard's weights."""
        rows = self._rows(X)
        labels = np.empty(len(rows), np.int32)
        self._library.forest_predict(
            self._forest, rows.ctypes, len(rows), self._n_labels, labels.ctypes
        )
        return labels

    @property
    def n_nodes(self) -> NDArray[np.int64]:
        """Nodes of every tree."""
        n_trees = self._library.forest_size(self._forest)
        return np.array([self._library.forest_nodes(self._forest, t) for t in range(n_trees)])

    @property
    def point_bytes(self) -> int:
        """Size of the table of stored points."""
        return int(self._library.forest_point_bytes(self._forest))

    @property
    def comparisons(self) -> int:
        """Distances computed so far, in training and queries."""
        return int(self._library.forest_comparisons(self._forest))

    def _rows(self, X: Array) -> Array:
        return np.ascontiguousarray(X, self._dtype).reshape(len(X), -1)

    def _root_orders(self, m: int) -> NDArray[np.int32]:
        if self._orders is not None:
            return np.ascontiguousarray(self._orders, np.int32)
        rng = np.random.default_rng(self.seed)
        orders = [rng.permutation(np.delete(np.arange(m), tree)) for tree in range(m)]
        return np.array(orders, np.int32)


def library() -> ctypes.CDLL:
    """Return the library with the types of its functions."""
    functions = compiled(Path(__file__).with_suffix(".cpp"))
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "forest_new": (pointer, [size, size, size, ctypes.c_int]),
        "forest_delete": (None, [pointer]),
        "forest_train": (None, [pointer, pointer, pointer, size, pointer]),
        "forest_predict": (None, [pointer, pointer, size, ctypes.c_int32, pointer]),
        "forest_size": (size, [pointer]),
        "forest_nodes": (size, [pointer, size]),
        "forest_point_bytes": (size, [pointer]),
        "forest_comparisons": (ctypes.c_int64, [pointer]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(functions, name)
        function.restype, function.argtypes = result, arguments
    return functions

"""The points of a :class:`BruteForceIndex` and their ids, in order of arrival.

A store never changes, so that other threads can go on reading it: adding and removing points gives
another store. A store with added points shares memory with the one before, so that points that are
added one by one are not copied each time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..validation._parameters import n_threads
from ._exhaustive_search import Neighbours, nearest_objects, nearest_rows
from ._metrics import largest_entry
from ._numeric_rows import check_shape, read_exact_rows
from ._pairwise_distances import as_int64
from ._point_format import read_points

# Types of rows, from narrow to wide; model files store their positions in this table. A row of
# int64 holds integers that no other type holds, and then all points are whole numbers.
ROW_TYPES = tuple(np.dtype(kind) for kind in (np.uint8, np.float32, np.float64, np.int64))


@dataclass(frozen=True)
class GrowingArray:
    """An array with spare room behind it, in which the next entries are written."""

    buffer: NDArray[Any]
    length: int

    @classmethod
    def of(cls, values: NDArray[Any]) -> GrowingArray:
        """Return an array without spare room: it is copied before anything is appended."""
        return cls(values, len(values))

    @property
    def values(self) -> NDArray[Any]:
        """The entries."""
        return self.buffer[: self.length]

    def appended(self, more: NDArray[Any]) -> GrowingArray:
        """Return an array with more entries; only the last array of a buffer may be extended."""
        end = self.length + len(more)
        buffer = self.buffer
        if end > len(buffer):
            capacity = max(end, 2 * self.length)  # doubling: each entry is copied O(1) times
            buffer = np.empty((capacity, *buffer.shape[1:]), buffer.dtype)
            buffer[: self.length] = self.values
        buffer[self.length : end] = more
        return GrowingArray(buffer, end)


class PointStore(ABC):
    """Points with ids. Subclasses say what the points are."""

    shape: tuple[int, ...] | None

    def __init__(self, ids: GrowingArray, positions: dict[int, int]) -> None:
        self._ids = ids
        # Shared with the stores before, so it may hold ids that came after this store.
        self._positions = positions

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids in order of arrival."""
        ids: NDArray[np.int64] = self._ids.values.copy()
        return ids

    def __len__(self) -> int:
        return self._ids.length

    def contains(self, point_id: int) -> bool:
        """Return whether there is a point with this id."""
        position = self._positions.get(point_id, -1)
        return 0 <= position < len(self) and bool(self._ids.buffer[position] == point_id)

    def positions_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions of points in the order of arrival."""
        return np.array([self._positions[i] for i in ids.tolist()], dtype=np.int64)

    @abstractmethod
    def read(self, X: Any, name: str) -> Any:
        """Return points to add or queries, in the form that the other methods take."""

    @abstractmethod
    def appended(self, points: Any, ids: NDArray[np.int64]) -> PointStore:
        """Return a store with more points."""

    @abstractmethod
    def without(self, ids: NDArray[np.int64]) -> PointStore:
        """Return a store without the points with these ids, in O(number of points)."""

    @abstractmethod
    def points_of(self, ids: NDArray[np.int64]) -> Any:
        """Return the points with these ids: an array if they have a shape, else a list."""

    def nearest(
        self,
        points: Any,
        k: int,
        n_jobs: int | None,
        among: NDArray[np.int64] | None = None,
        *,
        effort: int | None = None,  # noqa: ARG002 (all points are measured)
        may_be_removed: bool = False,  # noqa: ARG002 (a store never changes)
    ) -> Neighbours:
        """Return distances and ids of the nearest points, nearest first; only those in `among`."""
        positions = None if among is None else np.sort(self.positions_of(among))
        k = min(k, len(self) if positions is None else len(positions))
        distances, nearest = self._search(points, positions, k, n_jobs)
        return distances, self._ids.buffer[nearest if positions is None else positions[nearest]]

    @abstractmethod
    def _search(
        self, queries: Any, positions: NDArray[np.int64] | None, k: int, n_jobs: int | None
    ) -> Neighbours:
        """Return distances to the nearest of some points, and their numbers among these."""

    @abstractmethod
    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a pickle holds: the arguments of the constructor."""

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Build the store again, without spare room in its arrays."""
        type(self).__init__(self, **state)

    def _ids_appended(self, ids: NDArray[np.int64]) -> tuple[GrowingArray, dict[int, int]]:
        first = len(self)
        self._positions.update(zip(ids.tolist(), range(first, first + len(ids)), strict=True))
        return self._ids.appended(ids), self._positions

    def _kept_positions(self, removed: NDArray[np.int64]) -> NDArray[np.int64]:
        kept = np.ones(len(self), dtype=bool)
        kept[self.positions_of(removed)] = False
        return np.flatnonzero(kept)


def _with_positions(ids: NDArray[np.int64]) -> tuple[GrowingArray, dict[int, int]]:
    return GrowingArray.of(ids), dict(zip(ids.tolist(), range(len(ids)), strict=True))


class RowStore(PointStore):
    """Points that are rows of numbers, in one table of a type in which all of them are exact.

    Parameters
    ----------
    metric : str
        Name of the metric.
    shape : tuple of int
        Shape of one point.
    ids : ndarray of int64, shape (n,)
        The ids.
    rows : ndarray of shape (n, p)
        The points; the type is the widest of theirs.
    row_types : ndarray of uint8, shape (n,)
        The type in which each point came, as a position in :data:`ROW_TYPES`. When the points of
        the widest type are removed, the table becomes narrower.
    """

    shape: tuple[int, ...]

    def __init__(
        self,
        metric: str,
        shape: tuple[int, ...],
        ids: NDArray[np.int64],
        rows: NDArray[Any],
        row_types: NDArray[np.uint8],
    ) -> None:
        super().__init__(*_with_positions(ids))
        self.metric = metric
        self.shape = shape
        self._rows = GrowingArray.of(rows)
        self._row_types = GrowingArray.of(row_types)

    @classmethod
    def first(cls, X: Any, name: str, metric: str) -> tuple[RowStore, NDArray[Any]]:
        """Return an empty store for points like these, and the points."""
        rows, shape = read_exact_rows(X, name, largest_entry(metric))
        no_ids, no_types = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8)
        return cls(metric, shape, no_ids, rows[:0], no_types), rows

    @property
    def rows(self) -> NDArray[Any]:
        """The points as one table, which must not be written to."""
        return self._rows.values

    @property
    def row_types(self) -> NDArray[np.uint8]:
        """The type of each point, as a position in :data:`ROW_TYPES`."""
        return self._row_types.values

    def read(self, X: Any, name: str) -> NDArray[Any]:
        """Return rows for which there is a type in which they and the points are exact."""
        rows, shape = read_exact_rows(X, name, largest_entry(self.metric))
        check_shape(shape, self.shape, name)
        if self.rows.dtype == np.int64:
            as_int64(rows, name)
        elif rows.dtype == np.int64:
            as_int64(self.rows, "the index")
        return rows

    def appended(self, points: NDArray[Any], ids: NDArray[np.int64]) -> RowStore:
        """Return a store with more rows, which are copied."""
        row_type = ROW_TYPES.index(points.dtype)
        widest = ROW_TYPES[max(row_type, ROW_TYPES.index(self.rows.dtype))]
        rows = self._rows
        if widest != rows.buffer.dtype:
            rows = GrowingArray.of(_converted(self.rows, widest))
        types = np.full(len(ids), row_type, dtype=np.uint8)
        store = self._copy()
        store._rows = rows.appended(_converted(points, widest))
        store._row_types = self._row_types.appended(types)
        store._ids, store._positions = self._ids_appended(ids)
        return store

    def without(self, ids: NDArray[np.int64]) -> RowStore:
        """Return a store without some rows, in the narrowest type that holds the others."""
        kept = self._kept_positions(ids)
        row_types = self.row_types[kept]
        rows = _converted(self.rows[kept], ROW_TYPES[row_types.max(initial=0)])
        return RowStore(self.metric, self.shape, self._ids.values[kept], rows, row_types)

    def points_of(self, ids: NDArray[np.int64]) -> NDArray[Any]:
        """Return a copy of the points with these ids."""
        return self.rows[self.positions_of(ids)].reshape(len(ids), *self.shape)

    def _search(
        self, queries: Any, positions: NDArray[np.int64] | None, k: int, n_jobs: int | None
    ) -> Neighbours:
        rows = self.rows if positions is None else self.rows[positions]
        return nearest_rows(queries, rows, k, self.metric, n_threads(n_jobs))

    def _copy(self) -> RowStore:
        store = object.__new__(RowStore)
        vars(store).update(vars(self))
        return store

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a pickle holds: the arguments of the constructor."""
        return {
            "metric": self.metric,
            "shape": self.shape,
            "ids": self.ids,
            "rows": self.rows,
            "row_types": self.row_types,
        }


def _converted(rows: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return rows in a type that holds them exactly."""
    if dtype == np.int64:
        return as_int64(rows)
    return rows.astype(dtype, copy=False)


DistanceFunction: TypeAlias = Callable[[Any, Any], Any]


class ObjectStore(PointStore):
    """Points that are Python objects, for a metric that is a function.

    Parameters
    ----------
    metric : callable
        The distance of two objects.
    shape : tuple of int or None
        Shape of one point if all are arrays of the same shape; None for other objects.
    ids : ndarray of int64, shape (n,)
        The ids.
    objects : list of n objects
        The points.
    """

    def __init__(
        self,
        metric: DistanceFunction,
        shape: tuple[int, ...] | None,
        ids: NDArray[np.int64],
        objects: list[Any],
    ) -> None:
        super().__init__(*_with_positions(ids))
        self.metric = metric
        self.shape = shape
        self._objects = objects  # shared with the stores before; the first ones are this store's

    @classmethod
    def first(cls, X: Any, name: str, metric: DistanceFunction) -> tuple[ObjectStore, list[Any]]:
        """Return an empty store for points like these, and the points."""
        points, shape = read_points(X, metric, name)
        return cls(metric, shape, np.empty(0, dtype=np.int64), []), points

    def read(self, X: Any, name: str) -> list[Any]:
        """Return objects; arrays of the shape of the points if these are arrays."""
        points, shape = read_points(X, self.metric, name, as_arrays=self.shape is not None)
        if shape is not None and self.shape is not None:
            check_shape(shape, self.shape, name)
            return [point.reshape(self.shape) for point in points]
        if shape is not None:
            return [np.array(point) for point in points]  # rows of an array become objects
        return list(points)

    def appended(self, points: list[Any], ids: NDArray[np.int64]) -> ObjectStore:
        """Return a store with more objects; arrays are copied."""
        if self.shape is not None:
            points = [np.array(point) for point in points]  # the caller may change X later
        del self._objects[len(self) :]  # left there by a call that was interrupted
        self._objects.extend(points)
        store = object.__new__(ObjectStore)
        vars(store).update(vars(self))
        store._ids, store._positions = self._ids_appended(ids)
        return store

    def without(self, ids: NDArray[np.int64]) -> ObjectStore:
        """Return a store without some objects."""
        kept = self._kept_positions(ids)
        objects = [self._objects[i] for i in kept.tolist()]
        return ObjectStore(self.metric, self.shape, self._ids.values[kept], objects)

    def points_of(self, ids: NDArray[np.int64]) -> Any:
        """Return the objects with these ids, as an array if they have a shape."""
        objects = [self._objects[i] for i in self.positions_of(ids).tolist()]
        return objects if self.shape is None else np.array(objects).reshape(len(ids), *self.shape)

    def _search(
        self, queries: Any, positions: NDArray[np.int64] | None, k: int, n_jobs: int | None
    ) -> Neighbours:
        del n_jobs  # functions are called from one thread
        chosen = range(len(self)) if positions is None else positions.tolist()
        return nearest_objects(queries, [self._objects[i] for i in chosen], k, self.metric)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a pickle holds: the arguments of the constructor."""
        objects = self._objects[: len(self)]
        return {"metric": self.metric, "shape": self.shape, "ids": self.ids, "objects": objects}

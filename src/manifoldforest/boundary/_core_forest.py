"""A forest of the core, and what its points are: rows of one type and shape, or objects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..validation._parameters import Rule, integer, n_threads, none, nonzero_integer
from ._checks import Metric, check_shape, read_objects
from ._metrics import largest_entry
from ._numeric_rows import USE_TWIN, is_in_range, read_rows

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_MOST = 2**31 - 1

RULES: dict[str, Rule] = {
    "n_estimators": integer(1),
    "max_children": Rule(
        "an integer in [2, 65535]",
        lambda value: integer(2).accepts(value) and value <= 65535,
    ),
    "n_jobs": nonzero_integer | none,
}


@dataclass(frozen=True)
class PointFormat:
    """What the points of one forest are, as its first batch has decided.

    Parameters
    ----------
    metric : str or callable
        The name of a metric between rows of numbers, or a function of two objects.
    dtype : dtype or None
        Type of the rows, uint8, float32 or float64; None for objects.
    shape : tuple of int or None
        Shape of one point; None for objects that are no arrays.
    """

    metric: Metric
    dtype: np.dtype[Any] | None
    shape: tuple[int, ...] | None

    @classmethod
    def of(cls, metric: Metric, points: Any, shape: tuple[int, ...] | None) -> PointFormat:
        """Return the kind of a first batch, which :meth:`read` has returned."""
        return cls(metric, points.dtype if isinstance(metric, str) else None, shape)

    @cached_property
    def width(self) -> int:
        """Number of features of a point."""
        return math.prod(self.shape or (0,))

    def as_it_is(self, X: Any) -> NDArray[Any] | None:
        """Return the rows of an array that needs neither a check nor a change, None for all else.

        The general validation takes longer than a query.
        """
        # objects have no type, and NumPy takes None for float64
        if self.dtype is None or type(X) is not np.ndarray:
            return None
        if X.dtype != self.dtype or not X.flags.c_contiguous:
            return None
        shape = X.shape
        if len(shape) < 2 or shape[0] == 0:
            return None
        if shape[1:] != self.shape and shape[1:] != (self.width,):
            return None
        if self.dtype == _FLOAT32 and not np.isfinite(X).all():
            return None
        if self.dtype == _FLOAT64 and not is_in_range(X, largest_entry(self.metric)):
            return None
        return X if len(shape) == 2 else X.reshape(shape[0], self.width)

    def read(self, X: Any, name: str = "X") -> Any:
        """Return a later batch, or queries, in the form that the core takes."""
        rows = self.as_it_is(X)
        if rows is not None:
            return rows
        points, shape = read_points(X, self.metric, name, of_arrays=self.shape is not None)
        return self.accept(points, shape, name)

    def accept(self, points: Any, shape: tuple[int, ...] | None, name: str = "X") -> Any:
        """Return a later batch that has been read, in the type and shape of the first."""
        if shape is not None and self.shape is not None:
            check_shape(shape, self.shape, name)
        if self.dtype is None:
            if shape is None:
                return points
            if self.shape is None:  # rows of an array become objects, which nothing copies later
                return [np.array(point) for point in points]
            return [point.reshape(self.shape) for point in points]
        return self.converted(points, name)

    def converted(self, rows: NDArray[Any], name: str = "X") -> NDArray[Any]:
        """Return rows in the type of the first batch, if that changes no value.

        Where that is float32 and too narrow, they are float64: queries may be, and before such
        points are learned, the forest becomes :meth:`CoreForest.wide_enough_for` them.
        """
        if rows.dtype == self.dtype:
            return rows
        if self.dtype == _FLOAT64:
            return rows.astype(np.float64)
        if self.dtype == _FLOAT32:
            return rows if rows.dtype == _FLOAT64 else rows.astype(np.float32)
        if not (rows.min() >= 0 and rows.max() <= 255 and (rows == np.trunc(rows)).all()):
            raise ValueError(
                f"{name} must hold whole numbers in [0, 255], as the first batch was of type "
                "uint8, got others: give the first batch as float32 if later ones are not bytes"
            )
        return rows.astype(np.uint8)


def read_points(
    X: Any, metric: Metric, name: str = "X", *, of_arrays: bool = False
) -> tuple[Any, tuple[int, ...] | None]:
    """Return points in the form that the core takes, and the shape of each.

    For a metric that is a function, sequences are lists of objects unless the points are known to
    be arrays.
    """
    if isinstance(metric, str):
        return read_rows(X, name, largest_entry(metric), USE_TWIN)
    if of_arrays:
        rows, shape = read_rows(X, name, math.inf)
        return list(rows.reshape(len(rows), *shape)), shape
    return read_objects(X, name)


def threads_for(n_points: int, n_jobs: int | None) -> int:
    """Return the number of threads for so many points."""
    if n_points == 1 and n_jobs in (None, 1):
        return 1  # whatever joblib's context says, which takes its time to find out
    return n_threads(n_jobs)


@dataclass(frozen=True)
class ForestOptions:
    """What a forest of the core is made from, apart from its points."""

    task: str
    n_trees: int
    max_children: int
    seed: int
    n_outputs: int = 0
    tolerance: float = 0.0


class CoreForest:
    """A forest of the core that takes rows and objects alike.

    Parameters
    ----------
    options : ForestOptions
        Task and size.
    kind : PointFormat
        What the points are.
    record : mapping or None
        The forest as :meth:`record` has returned it; None is an empty one. Rows are used where they
        are, and written to when points change.
    """

    def __init__(
        self,
        options: ForestOptions,
        kind: PointFormat,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        self.options = options
        self.kind = kind
        self.core = _core.BoundaryForest(
            task=options.task,
            n_trees=min(options.n_trees, _MOST),
            max_children=options.max_children,
            metric=kind.metric,
            dtype="float32" if kind.dtype is None else kind.dtype.name,
            width=kind.width,
            n_outputs=options.n_outputs,
            tolerance=options.tolerance,
            seed=options.seed,
        )
        if record is not None:
            self.core.restore(dict(record))

    @property
    def of_objects(self) -> bool:
        """Whether points are objects and the metric is a function."""
        return self.kind.dtype is None

    def wide_enough_for(self, points: Any) -> CoreForest:
        """Return this forest, or the same with points of type float64 if that of these is wider."""
        if self.kind.dtype != _FLOAT32 or points.dtype != _FLOAT64:
            return self
        record = self.record()
        rows = record["rows"].view(np.float32).astype(np.float64)
        record["rows"] = rows.view(np.uint8)
        return CoreForest(self.options, replace(self.kind, dtype=_FLOAT64), record)

    def learn(
        self,
        points: Any,
        n_jobs: int | None,
        *,
        classes: NDArray[np.int32] | None = None,
        values: NDArray[np.float64] | None = None,
        ids: NDArray[np.int64] | None = None,
    ) -> None:
        """Learn points one by one, or none of them if anything is raised."""
        threads = threads_for(len(points), n_jobs)
        self.core.learn(self._own(points), classes, values, ids, threads)

    def learn_in_passes(
        self,
        points: Any,
        n_jobs: int | None,
        max_passes: int,
        *,
        classes: NDArray[np.int32] | None = None,
        values: NDArray[np.float64] | None = None,
    ) -> tuple[int, bool]:
        """Learn points in several passes; return how many, and whether the last added nothing."""
        threads = threads_for(len(points), n_jobs)
        return self.core.learn_in_passes(self._own(points), classes, values, max_passes, threads)

    def predict(
        self, points: Any, n_columns: int, power: float, n_jobs: int | None
    ) -> NDArray[np.float64]:
        """Return weights of classes or means of values, one row per query."""
        threads = threads_for(len(points), n_jobs)
        values: NDArray[np.float64] = self.core.predict(points, n_columns, power, threads)
        return values

    def nearest(
        self,
        points: Any,
        k: int,
        n_jobs: int | None,
        among: NDArray[np.int64] | None = None,
        *,
        may_be_gone: bool = False,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return distances and ids of the nearest points, nearest first.

        Only those in `among` if it is given; all of them must be there, unless they `may_be_gone`.
        """
        threads = threads_for(len(points), n_jobs)
        distances, ids = self.core.nearest(points, min(k, _MOST), among, may_be_gone, threads)
        return distances, _int64(ids)

    def points_of(self, ids: NDArray[np.int64]) -> Any:
        """Return the points with these ids: an array if they have a shape, else a list."""
        found: Any = self.core.points_of(ids)
        if not self.of_objects:
            return found.view(self.kind.dtype).reshape(len(ids), *(self.kind.shape or ()))
        if self.kind.shape is None:
            return found
        return np.array(found).reshape(len(ids), *self.kind.shape)

    def remove(self, ids: NDArray[np.int64], n_jobs: int | None) -> None:
        """Take points out of all trees."""
        self.core.remove(ids, threads_for(len(ids), n_jobs))

    def replace(self, points: Any, ids: NDArray[np.int64], n_jobs: int | None) -> None:
        """Take points out of all trees and learn others under their ids, or change nothing."""
        self.core.replace(self._own(points), ids, threads_for(len(ids), n_jobs))

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids of the points in order of arrival."""
        return _int64(self.core.ids())

    @property
    def n_nodes(self) -> NDArray[np.int64]:
        """Number of nodes of each tree."""
        return _int64(self.core.n_nodes())

    @property
    def depths(self) -> NDArray[np.int64]:
        """Depth of each tree."""
        return _int64(self.core.depths())

    def record(self) -> dict[str, Any]:
        """Return points and trees as arrays; points in order of arrival."""
        record = dict(self.core.record())
        record["ids"] = _int64(record["ids"])
        return record

    def points_in(self, record: Mapping[str, Any]) -> Any:
        """Return the points of a record: an array if they have a shape, else a list."""
        if not self.of_objects:
            rows = record["rows"].view(self.kind.dtype)
            return rows.reshape(len(record["ids"]), *(self.kind.shape or ()))
        objects = record["objects"]
        return objects if self.kind.shape is None else np.stack(objects)

    def _own(self, points: Any) -> Any:
        """Return points to store; the core copies rows of numbers, but not arrays as objects."""
        if not self.of_objects or self.kind.shape is None:
            return points
        return [np.array(point) for point in points]  # the caller may change X later

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds."""
        return {"options": self.options, "kind": self.kind, "record": self.record()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Build the forest again."""
        record = dict(state["record"])
        if "rows" in record:  # some ways of pickling give back arrays that cannot be written to
            record["rows"] = np.require(record["rows"], requirements=["C", "W"])
        self.__init__(state["options"], state["kind"], record)  # type: ignore[misc]


def _int64(array: NDArray[Any]) -> NDArray[np.int64]:
    """Return 64-bit integers as numpy's own: C++ has two types of them, and one prints its name."""
    return array.view(np.int64)

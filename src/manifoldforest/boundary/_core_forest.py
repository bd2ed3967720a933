"""The boundary forest of the C++ core, with points that are rows of numbers or objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..validation._parameters import INT32_MAX, N_JOBS, RANDOM_STATE, n_threads
from ..validation._rules import Rule, integer
from ._point_format import FLOAT32, FLOAT64, PointFormat

RULES: dict[str, Rule] = {
    "n_estimators": integer(1),
    "max_children": integer(2, 65535),
    "n_jobs": N_JOBS,
    "random_state": RANDOM_STATE,
}


# Points that a query measures unless it is told otherwise: they hold 98 % of the 10 nearest of
# 60 000 images, with 10 trees as with 50, where 512 hold 92 to 96 %. Above so many neighbours all
# points are measured.
EFFORT, EFFORT_PER_NEIGHBOUR, MOST_SEARCHED = 768, 16, 1024


def default_effort(k: int) -> int:
    """Return the number of points that a query for the k nearest measures by default."""
    return INT32_MAX if k > MOST_SEARCHED else max(EFFORT, EFFORT_PER_NEIGHBOUR * k)


def threads_for(n_points: int, n_jobs: int | None) -> int:
    """Return the number of threads for a batch of this many points."""
    if n_points == 1 and n_jobs in (None, 1):
        return 1  # asking joblib takes longer than a query of one point
    return n_threads(n_jobs)


@dataclass(frozen=True)
class ForestOptions:
    """Options of a forest of the core."""

    task: str
    n_trees: int
    max_children: int
    seed: int
    n_outputs: int = 0
    tolerance: float = 0.0


class CoreForest:
    """A forest of the core, for rows of numbers and for objects.

    Parameters
    ----------
    options : ForestOptions
        Task and size.
    point_format : PointFormat
        What the points are.
    record : mapping or None
        The forest as :meth:`record` has returned it; None is an empty one. Its rows are not copied,
        and are written to when points change.
    """

    def __init__(
        self,
        options: ForestOptions,
        point_format: PointFormat,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        self.options = options
        self.point_format = point_format
        self.core = _core.BoundaryForest(
            task=options.task,
            n_trees=min(options.n_trees, INT32_MAX),
            max_children=options.max_children,
            metric=point_format.metric,
            dtype="float32" if point_format.dtype is None else point_format.dtype.name,
            width=point_format.n_features,
            n_outputs=options.n_outputs,
            tolerance=options.tolerance,
            seed=options.seed,
        )
        if record is not None:
            self.core.restore(dict(record))

    # -------------------------------------------------------------------- points

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape of one point; None for objects other than arrays."""
        return self.point_format.shape

    @property
    def holds_objects(self) -> bool:
        """Whether points are Python objects and the metric is a function."""
        return self.point_format.dtype is None

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids of the points in order of arrival."""
        return _as_int64(self.core.ids())

    def __len__(self) -> int:
        return int(self.core.n_stored())

    def contains(self, point_id: int) -> bool:
        """Return whether there is a point with this id, which fits into 64 bits."""
        return bool(self.core.contains(point_id))

    def read(self, X: Any, name: str = "X") -> Any:
        """Return points or queries in the form that the core takes."""
        return self.point_format.read(X, name)

    def points_of(self, ids: NDArray[np.int64]) -> Any:
        """Return the points with these ids: an array if they have a shape, else a list."""
        points: Any = self.core.points_of(ids)
        if not self.holds_objects:
            return points.view(self.point_format.dtype).reshape(len(ids), *(self.shape or ()))
        if self.shape is None:
            return points
        return np.array(points).reshape(len(ids), *self.shape)

    def widened_for(self, points: Any) -> CoreForest:
        """Return this forest, or a copy with float64 points if it has float32 and these do not."""
        if self.point_format.dtype != FLOAT32 or points.dtype != FLOAT64:
            return self
        record = self.record()
        rows = record["rows"].view(np.float32).astype(np.float64)
        record["rows"] = rows.view(np.uint8)
        return CoreForest(self.options, replace(self.point_format, dtype=FLOAT64), record)

    # ------------------------------------------------------------------- changes

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
        self.core.learn(self._to_store(points), classes, values, ids, threads)

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
        stored = self._to_store(points)
        return self.core.learn_in_passes(stored, classes, values, max_passes, threads)

    def remove(self, ids: NDArray[np.int64], n_jobs: int | None) -> None:
        """Remove points from all trees."""
        self.core.remove(ids, threads_for(len(ids), n_jobs))

    def replace(self, points: Any, ids: NDArray[np.int64], n_jobs: int | None) -> None:
        """Remove points from all trees and learn others with their ids, or change nothing."""
        self.core.replace(self._to_store(points), ids, threads_for(len(ids), n_jobs))

    def refuse_calls_from_metric(self) -> None:
        """Raise a RuntimeError if a method of this forest has called the caller by its metric."""
        self.core.refuse_from_inside()

    def _to_store(self, points: Any) -> Any:
        """Return points to store; the core copies rows of numbers, but not arrays as objects."""
        if not self.holds_objects or self.shape is None:
            return points
        return [np.array(point) for point in points]  # the caller may change X later

    # ------------------------------------------------------------------- queries

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
        effort: int | None = None,
        may_be_removed: bool = False,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return distances and ids of the nearest points, nearest first.

        Only points with ids in `among` if it is given. An id that is no longer in the forest is an
        error, unless it `may_be_removed`. `effort` points are measured for each query.
        """
        threads = threads_for(len(points), n_jobs)
        k = min(k, INT32_MAX)
        effort = default_effort(k) if effort is None else min(int(effort), INT32_MAX)
        distances, ids = self.core.nearest(points, k, effort, among, may_be_removed, threads)
        return distances, _as_int64(ids)

    # ---------------------------------------------------------------- inspection

    @property
    def n_nodes(self) -> NDArray[np.int64]:
        """Number of nodes of each tree."""
        return _as_int64(self.core.n_nodes())

    @property
    def depths(self) -> NDArray[np.int64]:
        """Depth of each tree."""
        return _as_int64(self.core.depths())

    def record(self) -> dict[str, Any]:
        """Return points and trees as arrays; points in order of arrival."""
        record = dict(self.core.record())
        record["ids"] = _as_int64(record["ids"])
        return record

    def points_in(self, record: Mapping[str, Any]) -> Any:
        """Return the points of a record: an array if they have a shape, else a list."""
        if not self.holds_objects:
            rows = record["rows"].view(self.point_format.dtype)
            return rows.reshape(len(record["ids"]), *(self.shape or ()))
        objects = record["objects"]
        return objects if self.shape is None else np.stack(objects)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a pickle holds."""
        return {
            "options": self.options,
            "point_format": self.point_format,
            "record": self.record(),
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Build the forest again."""
        record = dict(state["record"])
        if "rows" in record:  # some protocols of pickling give back read-only arrays
            record["rows"] = np.require(record["rows"], requirements=["C", "W"])
        self.__init__(state["options"], state["point_format"], record)  # type: ignore[misc]


def _as_int64(array: NDArray[Any]) -> NDArray[np.int64]:
    """Return 64-bit integers as np.int64: NumPy has two such types, and one prints its name."""
    return array.view(np.int64)

"""The base class of indexes: ids, checks, files, pickling and the rules for threads."""

from __future__ import annotations

import math
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._described import folded_report
from ..validation._rules import boolean, check_argument, integer, is_boolean, none
from ._change_lock import ChangeLock, exclusive
from ._feature_names import FeatureNames
from ._ids import read_among, read_ids, read_ids_to_get, read_where
from ._index_parameters import IndexParameters
from ._point_storage import PointStorage

if TYPE_CHECKING:
    from ..report import Report

_INT64 = np.iinfo(np.int64)
_COUNT = integer(1)

Storage = TypeVar("Storage", bound=PointStorage)
Self = TypeVar("Self", bound="NeighbourIndex[Any]")


class NeighbourIndex(IndexParameters, ABC, Generic[Storage]):
    """Base class; use :class:`BoundaryIndex` or :class:`BruteForceIndex`."""

    _feature_names = FeatureNames()  # of the first points, if they are a table

    def __init__(self, *, metric: Any, embedding: Any, n_jobs: int | None) -> None:
        super().__init__(metric=metric, embedding=embedding, n_jobs=n_jobs)
        self._storage: Storage | None = None  # None while there are no points
        self._next_id = 0
        self._lock = ChangeLock()

    # ------------------------------------------------------------ for subclasses

    @abstractmethod
    def _first_storage(self, X: Any, name: str) -> tuple[Storage, Any]:
        """Return an empty storage for a first batch, and the batch in the form that it takes."""

    @abstractmethod
    def _insert(self, storage: Storage, points: Any, ids: NDArray[np.int64]) -> None:
        """Add points with new ids to the storage of the index, or to a first one."""

    @abstractmethod
    def _replace(self, storage: Storage, points: Any, ids: NDArray[np.int64]) -> None:
        """Replace the points that have these ids."""

    @abstractmethod
    def _delete(self, storage: Storage, ids: NDArray[np.int64]) -> None:
        """Remove some of the points."""

    @abstractmethod
    def _write_file(self, path: str | os.PathLike[str]) -> None:
        """Write a model file."""

    def _file_parameters(self) -> dict[str, Any]:
        """Return the parameters of the constructor that a file holds."""
        return {"metric": self.metric}

    @property
    def _mutex(self) -> threading.RLock:
        """The mutex that is held while the index changes."""
        return self._lock.mutex

    # ------------------------------------------------------------------- changes

    @exclusive
    def add(self, X: Any, ids: ArrayLike | None = None) -> NDArray[np.int64]:
        """Add points.

        Parameters
        ----------
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            The points; objects only for a metric that is not a name. If the first points are a
            table or an array of xarray, all tables and arrays of xarray that follow, queries too,
            must have the same columns or dims.
        ids : array-like of n integers or None, default=None
            Their ids, which no other point of the index may have. None takes the next integers
            after the largest that was ever used.

        Returns
        -------
        ids : ndarray of int64, shape (n,)
            The ids of the points.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> index.add([[0.0], [1.0]], ids=[7, 3])
        array([7, 3])
        >>> index.add([[2.0]])
        array([8])
        """
        names = FeatureNames.of(X) if self._storage is None else self._feature_names
        storage, points = self._read_to_store(X)
        if ids is None:
            new_ids = self._next_ids(len(points))
        else:
            new_ids = read_ids(ids, len(points))
            used = [i for i in new_ids.tolist() if i in self]
            if used:
                raise ValueError(f"ids must be new, got {used[0]}, which is in the index")
        self._insert(storage, points, new_ids)
        self._feature_names = names
        return new_ids

    @exclusive
    def update(self, ids: ArrayLike, X: Any) -> None:
        """Replace points, which keep their ids.

        Parameters
        ----------
        ids : array-like of n integers
            Ids of points in the index.
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            The points to put in their place.

        Raises
        ------
        KeyError
            If an id is not in the index; then nothing is changed.

        Notes
        -----
        In the order of arrival, the points move to the end.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> _ = index.add([[0.0], [1.0]])
        >>> index.update([0], [[5.0]])
        >>> index.query([[4.0]])
        (array([[1.]]), array([[0]]))
        """
        storage, points = self._read_to_store(X)
        known_ids = read_ids(ids, len(points))
        _check_present(self._storage, known_ids, "ids")
        self._replace(storage, points, known_ids)

    @exclusive
    def remove(self, ids: ArrayLike) -> None:
        """Remove points.

        Parameters
        ----------
        ids : array-like of integers
            Ids of points in the index.

        Raises
        ------
        KeyError
            If an id is not in the index; then nothing is removed.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> _ = index.add([[0.0], [1.0]])
        >>> index.remove([0])
        >>> index.ids
        array([1])
        """
        known_ids = read_ids(ids, None)
        storage = self._storage
        _check_present(storage, known_ids, "ids")
        if storage is None or len(known_ids) == 0:
            return
        if len(known_ids) == len(storage):
            self._storage = None
        else:
            self._delete(storage, known_ids)

    # ------------------------------------------------------------------- queries

    def query(
        self,
        X: Any,
        k: int = 1,
        *,
        effort: int | None = None,
        among: ArrayLike | set[int] | None = None,
        where: Callable[[int], bool] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Find the nearest points.

        Parameters
        ----------
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            The queries.
        k : int, default=1
            Number of points to find for each query.
        effort : int or None, default=None
            Number of points that are measured for each query, at least `k`. More of them find more
            of the neighbours, in proportionally more time; all of them give exact answers. None is
            the larger of 768 and ``16 * k``, or all points if `k` is above 1024. A
            BruteForceIndex measures all points in any case.
        among : set or array-like of integers, or None, default=None
            Ids of the points that may be found; None is all.
        where : callable or None, default=None
            A function of an id that says whether the point may be found; None is all. It is called
            once for every id, or every one in `among`. For several queries with the same filter,
            list the ids once and pass them as `among`.

        Returns
        -------
        distances : ndarray of float64, shape (n, min(k, number of points that may be found))
            Distances of the points, nearest first.
        ids : ndarray of int64 of the same shape
            Their ids.

        Raises
        ------
        KeyError
            If an id in `among` is not in the index.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex(metric="manhattan")
        >>> _ = index.add([[0, 0], [1, 2], [3, 3]])
        >>> index.query([[1, 1]], k=5)
        (array([[1., 2., 4.]]), array([[1, 0, 2]]))
        >>> index.query([[1, 1]], among={0, 2})
        (array([[2.]]), array([[0]]))
        >>> index.query([[1, 1]], where=lambda id: id % 2 == 0)
        (array([[2.]]), array([[0]]))
        >>> index.query([[1, 1]], effort=3)  # measures 3 points, which are all here
        (array([[1.]]), array([[1]]))
        """
        k = int(check_argument("k", k, _COUNT))
        check_argument("effort", effort, _COUNT | none)
        if effort is not None and effort < k:
            raise ValueError(f"effort must be at least k = {k}, got {effort}")
        storage = self._storage
        if storage is None:
            raise ValueError("the index must hold at least one point to be queried, got none")
        X = self._feature_names.in_order(X)
        points = storage.read(*self._embedded(X))
        self._check_embedded(X, points)
        wanted = None
        if among is not None:
            wanted = read_among(among)
            _check_present(storage, wanted, "among")
        # other threads may remove points that `where` has accepted while it is called for others
        may_be_removed = where is not None and among is None
        if where is not None:
            wanted = read_where(where, storage.ids if wanted is None else wanted)
        return storage.nearest(
            points, k, self.n_jobs, wanted, effort=effort, may_be_removed=may_be_removed
        )

    def get(self, ids: ArrayLike) -> Any:
        """Return points by their ids.

        Parameters
        ----------
        ids : array-like of n integers
            Ids of points in the index, in any order.

        Returns
        -------
        points : ndarray of shape (n, p) or (n, ...), or list of n objects
            The points, after the embedding if there is one. An array is a copy, of the type of the
            index (uint8, float32 or float64; int64 only in a BruteForceIndex); its numbers are
            those that were given.

        Raises
        ------
        KeyError
            If an id is not in the index.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> _ = index.add([[0.0, 1.0], [2.0, 3.0]], ids=[7, 3])
        >>> index.get([3])
        array([[2., 3.]], dtype=float32)
        """
        known_ids = read_ids_to_get(ids)
        storage = self._storage
        _check_present(storage, known_ids, "ids")
        return [] if storage is None else storage.points_of(known_ids)

    @property
    def dim(self) -> int | None:
        """Number of features of a point; None for objects, and while there are no points.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> _ = index.add([[[1, 2, 3], [4, 5, 6]]])  # one image of 2 × 3 pixels
        >>> index.dim
        6
        """
        storage = self._storage
        return None if storage is None or storage.shape is None else math.prod(storage.shape)

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids in order of arrival; an updated point arrives again.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> _ = index.add([[0.0], [1.0], [2.0]], ids=[7, 3, 5])
        >>> index.update([7], [[9.0]])
        >>> index.ids.tolist()
        [3, 5, 7]
        """
        storage = self._storage
        return np.empty(0, dtype=np.int64) if storage is None else storage.ids

    def __len__(self) -> int:
        storage = self._storage
        return 0 if storage is None else len(storage)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __contains__(self, key: object) -> bool:
        storage = self._storage
        if storage is None or not isinstance(key, Integral) or is_boolean(key):
            return False
        return _INT64.min <= int(key) <= _INT64.max and storage.contains(int(key))

    def __repr__(self) -> str:
        storage, features = self._storage, ""
        if storage is not None and storage.shape is not None:
            features = f" of shape {storage.shape}"
        return f"<{type(self).__name__}: {len(self)} points{features}, metric={self.metric!r}>"

    def describe(self) -> Report:
        """Return a report: the points, the parameters and, if there are any, the trees.

        Returns
        -------
        report : manifoldforest.report.Report
            ``print(report)`` writes it as text, ``report.save("report.html")`` as a page, and
            ``report.to_dict()`` has its numbers.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> _ = index.add([[0.0, 1.0], [2.0, 3.0]])
        >>> index.describe().summary
        '2 points of 2 numbers, metric euclidean'
        """
        from ..report._describe import describe

        return describe(self)

    def _repr_html_(self) -> str:
        return folded_report(self)

    # --------------------------------------------------------------------- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file that :meth:`load` and :func:`manifoldforest.load` read.

        The file holds no code and no `n_jobs`: the metric must be a name, and there must be no
        embedding. Equal indexes are equal files. The file appears under its name only when it is
        complete. The `random_state` of a BoundaryIndex is stored as None if it is a generator.

        Parameters
        ----------
        path : str or path-like
            Where to write.

        Examples
        --------
        >>> import os, tempfile
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> _ = index.add([[0.0], [1.0]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "index.mf")
        ...     index.save(path)
        ...     again = mf.load(path)
        >>> again
        <BoundaryIndex: 2 points of shape (1,), metric='euclidean'>
        """
        self._write_file(path)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str], *, verify: bool | None = None) -> Self:
        """Read an index from a file that :meth:`save` wrote.

        Points are mapped into memory: they are read when a query first measures them. Changes of
        the index do not change the file.

        Parameters
        ----------
        path : str or path-like
            The file, which must not be written to while the index is in use; :meth:`save` replaces
            a file and does no harm.
        verify : bool or None, default=None
            Whether to read all points and compare them with their checksum. None does so up to
            16 MB. Everything else is always verified.

        Returns
        -------
        index : BoundaryIndex or BruteForceIndex
            The index, of the class on which the method was called, with ``n_jobs=None``.

        Raises
        ------
        ModelFileError
            If the file is damaged, incomplete, of a newer version or holds something else.

        Examples
        --------
        >>> import os, tempfile
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> _ = index.add([[0.0], [1.0]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "index.mf")
        ...     index.save(path)
        ...     again = mf.BoundaryIndex.load(path)
        >>> again.add([[2.0]])
        array([2])
        """
        from ..io._load import load_as

        check_argument("verify", verify, boolean | none)
        index: Self = load_as(path, cls.__name__, verify=verify)
        return index

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a pickle holds, as it is between two changes."""
        with self._mutex:
            state = dict(vars(self))
            del state["_lock"]
            storage = self._storage
            if storage is not None:
                state["_storage"] = type(storage), storage.__getstate__()
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Build the index again."""
        state = dict(state)
        if state["_storage"] is not None:
            storage_type, stored = state["_storage"]
            state["_storage"] = storage_type.__new__(storage_type)
            state["_storage"].__setstate__(stored)
        vars(self).update(state)
        self._lock = ChangeLock()

    # ------------------------------------------------------------------ internal

    def _read_to_store(self, X: Any) -> tuple[Storage, Any]:
        """Return points to store, and the storage they are for: an empty one if there is none."""
        storage = self._storage
        if storage is not None:
            X = self._feature_names.in_order(X)
        embedded, name = self._embedded(X)
        if storage is None:
            storage, points = self._first_storage(embedded, name)
        else:
            points = storage.read(embedded, name)
        self._check_embedded(X, points)
        return storage, points

    def _next_ids(self, n: int) -> NDArray[np.int64]:
        if self._next_id + n - 1 > _INT64.max:
            raise ValueError(f"ids must be given, as no integers follow {self._next_id - 1}")
        return np.arange(self._next_id, self._next_id + n, dtype=np.int64)


def _check_present(storage: PointStorage | None, ids: NDArray[np.int64], name: str) -> None:
    for i in ids.tolist():
        if storage is None or not storage.contains(i):
            raise KeyError(f"{name} must be in the index, got {i}, which is not")

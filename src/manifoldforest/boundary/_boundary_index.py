"""An index of points: boundary trees that keep every point."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from ..validation._parameters import check_parameters, draw_seed
from . import _model_file
from ._boundary_tree import BoundaryTree, tree_views
from ._change_lock import ChangeLock, one_change
from ._checks import (
    read_among,
    read_ids,
    read_ids_to_get,
    read_k,
    read_where,
    resolve_embedding,
    resolve_metric,
)
from ._core_forest import RULES, CoreForest, ForestOptions, PointFormat, read_points
from ._metrics import INDEX_METRICS

_INT64 = np.iinfo(np.int64)
_ASKING_RULES = {"n_jobs": RULES["n_jobs"]}


class BoundaryIndex(BaseEstimator):
    """Points with ids, and their nearest neighbours by walks through boundary trees.

    Every point is a node of every tree. A query walks through each tree from the root to the
    closest child as long as a child is closer than the node itself, which takes a logarithmic
    number of distances; the answer is the nearest of all points that were measured on the way
    (Mathy et al. 2015). Points come and go at any time.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees. More of them find more of the neighbours. They differ by their roots, which
        are the first points.
    max_children : int, default=50
        Largest number of children of a node, at least 2. It bounds the work at each node; fewer
        children make deeper trees.
    metric : str, callable or object, default="euclidean"
        The distance: ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"cosine"`` (1 - cos; a
        vector of zeros has the distance 1 to all but another one), ``"hamming"`` (the share of
        entries that differ), ``"inner_product"`` (1 - <a, b>, which may be negative: the largest
        inner product is the nearest), a function ``metric(a, b)``, or an object with a method
        ``distance(a, b)``. With a function, points may be any objects.
    embedding : transformer, callable or None, default=None
        What is applied to `X` before distances are measured. A transformer is used as it is, so it
        must have been fitted.
    n_jobs : int or None, default=None
        Number of threads, as in scikit-learn. The index does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the order in which each tree gets the first points.

    Attributes
    ----------
    ids : ndarray of int64
        Ids in order of arrival.
    dim : int or None
        Number of features of a point; None for objects, and while there are no points.
    n_nodes_ : ndarray of int64
        Number of nodes of each tree.
    depth_ : ndarray of int64
        Depth of each tree; that of a root alone is 0.
    trees_ : list of BoundaryTree
        The trees to look at.

    See Also
    --------
    manifoldforest.boundary.BruteForceIndex : the same methods with exact answers.

    Notes
    -----
    Other threads may ask while one changes the index. An answer is that of the index after some
    whole number of changes, or of points while many are added. A change happens as a whole or, if
    anything is raised, not at all; an interrupt that comes at its very end may find it done.

    A metric must not change the index that calls it, nor ask it while it is being changed: it gets
    a RuntimeError. In a child that is forked while another thread is in the middle of a change, the
    index cannot be used (RuntimeError), as that thread is not there to finish it.

    *Precision.* Numbers are not rounded, so points that differ are never at distance 0, with two
    exceptions: by ``"cosine"``, vectors of one direction are, and those of nearly one direction may
    be; ``"inner_product"`` is no metric, and its differences may be lost to rounding. uint8 and
    float32 are kept as they are; everything else is kept as float32 if that is exact, as float64
    otherwise, which takes twice the memory and, for some hundred features, 1.8 times the time: pass
    float32 where its precision suffices. Integers that are not exact in float64 are refused, and so
    are numbers above 1e300 (1e150 for the inner product); decimals and fractions in arrays of
    objects become the nearest float64. The first points decide the number of features, and whether
    all are bytes, until all points are removed.

    *Recall.* Answers are approximate: 50 trees of 20 000 points in 100 clusters find 97 % of the 10
    nearest with 16 or 64 features; of inner products, 95 and 99 %. On 60 000 MNIST digits they find
    94 %, hnswlib 99.7 %. Data without structure need more trees. Up to 1024 points, or ids in
    `among`, are measured one by one, which is exact; so are all points if `k` is above 1024, or if
    the walks meet fewer than `k` of those in `among`.

    *Memory.* A point takes its row and some 17 bytes in each tree: 930 bytes for 16 features of
    float32 and 50 trees, 1100 bytes for 64.

    *Removal* keeps recall, but has to find new places in every tree for points below the removed
    ones. It is quick for points that came late (0.3 ms), and slow for the oldest, which are near
    the roots: 0.7 ms each for the 1000 oldest of 20 000 points, 11 ms for the 5000 oldest of
    100 000. To drop a large share of the points, add the others to a new index; to leave some out
    of single answers, use `among` or `where` of :meth:`query`.

    *Order.* Points are inserted as they come. Shuffle points that are in order, above all sorted
    numbers: each of them becomes the child of the one before, and trees become chains. 4000 sorted
    numbers take 23 s, shuffled ones 0.3 s.

    *When to use something else.* Up to some thousand points, or where answers must be exact:
    :class:`~manifoldforest.boundary.BruteForceIndex`. A fixed set of vectors and the highest
    recall: hnswlib, which takes several times as long to build. This index is for points that come
    and go, metrics that are functions, and objects that are no vectors.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> index = mf.BoundaryIndex(random_state=0)
    >>> index.add([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    array([0, 1, 2])
    >>> distances, ids = index.query([[0.0, 1.0]], k=2)
    >>> ids
    array([[0, 1]])
    >>> index.remove([0])
    >>> index.query([[0.0, 1.0]])[1]
    array([[1]])

    Any function is a metric, and any objects are points:

    >>> words = mf.BoundaryIndex(metric=lambda a, b: len(set(a) ^ set(b)))
    >>> words.add(["stone", "river", "tones"], ids=[10, 20, 30])
    array([10, 20, 30])
    >>> words.remove([10])
    >>> words.query(["notes"])[1]
    array([[30]])
    """

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_children: int = 50,
        metric: Any = "euclidean",
        embedding: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_children = max_children
        self.metric = metric
        self.embedding = embedding
        self.n_jobs = n_jobs
        self.random_state = random_state
        self._forest: CoreForest | None = None  # None while there are no points
        self._next_id = 0
        self._seed: int | None = None
        self._lock = ChangeLock()  # whoever changes something holds it

    # ------------------------------------------------------------------ changes

    @one_change
    def add(self, X: Any, ids: ArrayLike | None = None) -> NDArray[np.int64]:
        """Add points.

        Parameters
        ----------
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            The points; objects only for a metric that is no name.
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
        forest, points = self._read_to_add(X)
        if ids is None:
            found = self._new_ids(len(points))
        else:
            found = read_ids(ids, len(points))
            present = [i for i in found.tolist() if i in self]
            if present:
                raise ValueError(f"ids must be new, got {present[0]}, which is in the index")
        self._learn(forest, points, found)
        return found

    @one_change
    def update(self, ids: ArrayLike, X: Any) -> None:
        """Give points new positions.

        Parameters
        ----------
        ids : array-like of n integers
            Ids of points in the index.
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            Their new positions.

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
        forest, points = self._read_to_add(X)
        found = read_ids(ids, len(points))
        self._check_present(found, "ids")
        if len(found) == len(self):
            self._check_parameters()
            self._learn(self._new_forest(forest.kind), points, found)
        else:
            forest.replace(points, found, self.n_jobs)
            self._forest = forest

    @one_change
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
        found = read_ids(ids, None)
        check_parameters({"n_jobs": self.n_jobs}, _ASKING_RULES)
        self._check_present(found, "ids")
        if len(found) == len(self):
            self._forest = None
        elif len(found):
            assert self._forest is not None
            self._forest.remove(found, self.n_jobs)

    # ------------------------------------------------------------------ queries

    def query(
        self,
        X: Any,
        k: int = 1,
        *,
        among: ArrayLike | set[int] | None = None,
        where: Callable[[int], bool] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Find the nearest of the points that the walks through all trees meet.

        Where the walks meet fewer than `k`, all points are searched.

        Parameters
        ----------
        X : array-like of shape (n, p) or (n, ...), or sequence of n objects
            Where to search.
        k : int, default=1
            Number of points to find for each.
        among : set or array-like of integers, or None, default=None
            Ids of the points that may be found; None is all. Up to 1024 of them are measured one
            by one, so that the answer is exact.
        where : callable or None, default=None
            A function of an id that says whether the point may be found; None is all. It is called
            once for every id, or every one in `among`: to ask several times with the same filter,
            list the ids once and pass them as `among`. Points that another thread removes while it
            is called are not found, which may leave none.

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
        """
        k = read_k(k)
        check_parameters({"n_jobs": self.n_jobs}, _ASKING_RULES)
        forest = self._forest
        if forest is None:
            raise ValueError("the index must hold at least one point to be queried, got none")
        X, name = self._embedded(X)
        points = forest.kind.read(X, name)
        wanted = None
        if among is not None:
            wanted = read_among(among)
            self._check_present(wanted, "among", forest)
        # while the function is called, other threads may remove points that it has accepted
        may_be_gone = where is not None and among is None
        if where is not None:
            wanted = read_where(where, forest.ids if wanted is None else wanted)
        return forest.nearest(points, k, self.n_jobs, wanted, may_be_gone=may_be_gone)

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
            index (uint8, float32 or float64); its numbers are those that were given.

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
        found = read_ids_to_get(ids)
        forest = self._forest
        self._check_present(found, "ids", forest)
        return [] if forest is None else forest.points_of(found)

    @property
    def dim(self) -> int | None:
        """Number of features of a point; None for objects, and while there are no points."""
        forest = self._forest
        return None if forest is None or forest.kind.shape is None else forest.kind.width

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids in order of arrival; a point that was updated arrived when it was."""
        forest = self._forest
        return np.empty(0, dtype=np.int64) if forest is None else forest.ids

    def __len__(self) -> int:
        forest = self._forest
        return 0 if forest is None else int(forest.core.n_stored())

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __contains__(self, key: object) -> bool:
        forest = self._forest
        if forest is None or not isinstance(key, Integral):
            return False
        return _INT64.min <= int(key) <= _INT64.max and bool(forest.core.contains(int(key)))

    # --------------------------------------------------------------- inspection

    @property
    def n_nodes_(self) -> NDArray[np.int64]:
        """Number of nodes of each tree."""
        forest = self._forest
        return np.empty(0, dtype=np.int64) if forest is None else forest.n_nodes

    @property
    def depth_(self) -> NDArray[np.int64]:
        """Depth of each tree; that of a root alone is 0."""
        forest = self._forest
        return np.empty(0, dtype=np.int64) if forest is None else forest.depths

    @property
    def trees_(self) -> list[BoundaryTree]:
        """The trees, each with read-only arrays."""
        forest = self._forest
        return [] if forest is None else tree_views(forest.record(), None)

    # -------------------------------------------------------------------- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file.

        The file holds no code and no `n_jobs`: a metric must be one that has a name, and there must
        be no embedding. Equal indexes are equal files. The file appears under its name only when it
        is complete. A `random_state` that is a generator is stored as None.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        _model_file.save_index(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, verify: bool | None = None) -> BoundaryIndex:
        """Read an index from a file that :meth:`save` wrote.

        Points are mapped into memory: they are read when a query first measures them. What happens
        to the index later does not change the file.

        Parameters
        ----------
        path : str or path-like
            The file, which must not be written to while the index is in use; :meth:`save` replaces
            a file and does no harm.
        verify : bool or None, default=None
            Whether to read all points and compare them with their checksum. None is only up to
            16 MB. Everything else is always verified.

        Returns
        -------
        index : BoundaryIndex
            The index, with ``n_jobs=None``.

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

        index: BoundaryIndex = load_as(path, "BoundaryIndex", verify=verify)
        return index

    # ----------------------------------------------------------------- internal

    def _embedded(self, X: Any) -> tuple[Any, str]:
        if self.embedding is None:
            return X, "X"
        embed = resolve_embedding(self.embedding)
        assert embed is not None
        return embed(X), "the embedding of X"

    def _read_to_add(self, X: Any) -> tuple[CoreForest, Any]:
        """Return points, and the forest that they are for: a new one if there is none.

        A forest of type float32 is replaced by one of float64 where points need it.
        """
        forest = self._forest
        if forest is not None:
            check_parameters({"n_jobs": self.n_jobs}, _ASKING_RULES)
            X, name = self._embedded(X)
            points = forest.kind.read(X, name)
            return forest.wide_enough_for(points), points
        self._check_parameters()
        metric = resolve_metric(self.metric, INDEX_METRICS)
        resolve_embedding(self.embedding)
        X, name = self._embedded(X)
        points, shape = read_points(X, metric, name)
        return self._new_forest(PointFormat.of(metric, points, shape)), points

    def _check_parameters(self) -> None:
        """Check all that a new forest is made from."""
        check_parameters(self.get_params(deep=False), RULES)

    def _new_forest(self, kind: PointFormat) -> CoreForest:
        options = ForestOptions(
            task="retrieve",
            n_trees=int(self.n_estimators),
            max_children=int(self.max_children),
            seed=draw_seed(self.random_state) if self._seed is None else self._seed,
        )
        return CoreForest(options, kind)

    def _learn(self, forest: CoreForest, points: Any, ids: NDArray[np.int64]) -> None:
        """Add points to a forest that is new or that of the index, or change nothing."""
        current, before = self._forest, self._next_id
        self._next_id = max(before, int(ids.max()) + 1)
        try:
            forest.learn(points, self.n_jobs, ids=ids)
        except BaseException:
            # an interrupt may also come right after the last of them
            if forest is not current or not forest.core.contains(int(ids[0])):
                self._next_id = before
            raise
        self._forest, self._seed = forest, forest.options.seed

    def _new_ids(self, n: int) -> NDArray[np.int64]:
        if self._next_id + n - 1 > _INT64.max:
            raise ValueError(f"ids must be given, as no integers follow {self._next_id - 1}")
        return np.arange(self._next_id, self._next_id + n, dtype=np.int64)

    def _check_present(
        self, ids: NDArray[np.int64], name: str, forest: CoreForest | None = None
    ) -> None:
        forest = forest or self._forest
        for i in ids.tolist():
            if forest is None or not forest.core.contains(i):
                raise KeyError(f"{name} must be in the index, got {i}, which is not")

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds, as it is between two changes."""
        with self._lock.mutex_outside(self._forest):
            state: dict[str, Any] = dict(super().__getstate__())
            del state["_lock"]
            if self._forest is not None:
                state["_forest"] = self._forest.__getstate__()
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Build the index again."""
        state = dict(state)
        if state["_forest"] is not None:
            forest = CoreForest.__new__(CoreForest)
            forest.__setstate__(state["_forest"])
            state["_forest"] = forest
        super().__setstate__(state)
        self._lock = ChangeLock()

"""An index of points by boundary trees that keep every point."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation._parameters import draw_seed
from ..validation._rules import check_parameters
from . import _model_file
from ._boundary_tree import BoundaryTree, trees_in
from ._core_forest import RULES, CoreForest, ForestOptions
from ._metrics import INDEX_METRICS, resolve_metric
from ._neighbour_index import NeighbourIndex
from ._point_format import PointFormat, read_points


class BoundaryIndex(NeighbourIndex[CoreForest]):
    """Approximate nearest neighbours of points with ids, by a search through boundary trees.

    Every point is a node of every tree, a child of one that is near (Mathy et al. 2015). A query
    begins at the roots, and goes on from the nearest point that it has met: it measures the parents
    and children of that point, in all trees, until it has measured as many points as its `effort`
    says. The answer is the nearest of them. Points can be added, updated and removed at any time.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees, to which memory and the time to add points are proportional. With few of
        them a query has to measure more points to find as many of the neighbours. They differ by
        their roots, which are the first points.
    max_children : int, default=50
        Largest number of children of a node, at least 2. It limits the work at each node; fewer
        children make deeper trees.
    metric : str, callable or object, default="euclidean"
        The distance: ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"cosine"`` (1 - cos; a
        vector of zeros has the distance 1 to all but another one), ``"hamming"`` (the share of
        entries that differ), ``"inner_product"`` (1 - <a, b>, which may be negative: the largest
        inner product is the nearest), a function ``metric(a, b)``, or an object with a method
        ``distance(a, b)``. With a function, points may be any objects.
    embedding : transformer, callable or None, default=None
        What is applied to `X` before distances are measured, such as a view of
        :mod:`manifoldforest.views`. A transformer must have been fitted.
    n_jobs : int or None, default=None
        Number of threads, as in scikit-learn. Answers do not depend on it. It can be set later as
        well; the other parameters are fixed.
    random_state : int, RandomState or None, default=None
        Seed of the order in which each tree gets the first points.

    Attributes
    ----------
    ids : ndarray of int64
        Ids in order of arrival; an updated point arrives again.
    dim : int or None
        Number of features of a point; None for objects, and while there are no points.
    n_nodes_ : ndarray of int64
        Number of nodes of each tree.
    depth_ : ndarray of int64
        Depth of each tree; that of a root alone is 0.
    trees_ : list of BoundaryTree
        The trees, for inspection.

    See Also
    --------
    manifoldforest.boundary.BruteForceIndex : the same methods with exact answers, without trees.

    Notes
    -----
    *Threads.* Other threads may query the index while one changes it. An answer is that of the
    index after some whole number of changes; while many points are added, after some number of
    points. A change is made completely or, if anything is raised, not at all. An interrupt at the
    very end of a change may leave it made. Points that are removed while `where` is called are not
    found, which may leave none; an id of `among` that is removed meanwhile is a KeyError.

    A metric must not change the index that calls it, nor query it during a change: that is a
    RuntimeError. The index cannot be used (RuntimeError) in a child process that was forked while
    another thread was changing it, as that thread does not exist in the child.

    *Precision.* Numbers are not rounded, so points that differ are never at distance 0, with two
    exceptions: by ``"cosine"``, vectors of one direction are, and those of nearly one direction may
    be; ``"inner_product"`` is not a metric, and its differences may be lost to rounding. uint8 and
    float32 are kept as they are; everything else is kept as float32 if that is exact, as float64
    otherwise, which takes twice the memory and, for some hundred features, 1.8 times the time: pass
    float32 where its precision suffices. Integers that are not exact in float64 are refused, and so
    are numbers above 1e300 (1e150 for the inner product); decimals and fractions in arrays of
    objects become the nearest float64. The first points decide the number of features, and whether
    all are bytes, until all points are removed.

    *Recall.* Answers are approximate: by default 50 trees of 20 000 points in 100 clusters find
    more than 99.5 % of the 10 nearest with 16 or 64 features, of inner products 99 %. On 60 000
    MNIST digits they find 98.5 %, with ``effort=1024`` 99.4 %, with ``effort=1500`` 99.8 %; 10
    trees find 98.4 %. Data without structure need more effort. The answer is exact if there are no
    more points, or ids in `among`, than the effort, which is 768 by default; so it is if `k` is
    above 1024 and no effort is given, or if fewer than `k` of the measured points are in `among`.

    *Memory.* A point takes its row and some 19 bytes in each tree: 1000 bytes for 16 features of
    float32 and 50 trees, 1200 bytes for 64.

    *Removal* keeps recall, but has to insert the points below the removed ones again, in every
    tree. It is quick for points that were added late (0.3 ms), and slow for the oldest, which are
    near the roots: 0.7 ms each for the 1000 oldest of 20 000 points, 11 ms for the 5000 oldest of
    100 000. To remove a large share of the points, add the others to a new index; to leave some
    out of single answers, use `among` or `where` of :meth:`query`.

    *Order.* Points are inserted in the given order. Shuffle sorted points: each of them becomes the
    child of the one before, and trees become chains. 4000 sorted numbers take 23 s, shuffled ones
    0.3 s.

    *When to use something else.* Up to some thousand points, or where answers must be exact:
    :class:`~manifoldforest.boundary.BruteForceIndex`. A fixed set of vectors and very many queries:
    hnswlib, which takes several times as long to build. This index is for collections that
    change, metrics that are functions, and objects other than vectors.

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
        super().__init__(metric=metric, embedding=embedding, n_jobs=n_jobs)
        params = {
            "n_estimators": n_estimators,
            "max_children": max_children,
            "random_state": random_state,
        }
        check_parameters(params, {name: RULES[name] for name in params})
        self._n_estimators = n_estimators
        self._max_children = max_children
        self._random_state = random_state
        self._seed: int | None = None  # drawn for the first points

    # ---------------------------------------------------------------- parameters

    @property
    def n_estimators(self) -> int:
        """Number of trees.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> mf.BoundaryIndex(20).n_estimators
        20
        """
        return self._n_estimators

    @property
    def max_children(self) -> int:
        """Largest number of children of a node.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> mf.BoundaryIndex(max_children=10).max_children
        10
        """
        return self._max_children

    @property
    def random_state(self) -> Any:
        """The seed, as it was given.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> mf.BoundaryIndex(random_state=3).random_state
        3
        """
        return self._random_state

    # ---------------------------------------------------------------- inspection

    @property
    def n_nodes_(self) -> NDArray[np.int64]:
        """Number of nodes of each tree, which is that of points: every tree holds all of them.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex(3)
        >>> _ = index.add([[0.0], [1.0], [4.0], [5.0]])
        >>> index.n_nodes_.tolist()
        [4, 4, 4]
        """
        forest = self._storage
        return np.empty(0, dtype=np.int64) if forest is None else forest.n_nodes

    @property
    def depth_(self) -> NDArray[np.int64]:
        """Depth of each tree; that of a root alone is 0.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex(1)
        >>> _ = index.add([[0.0], [1.0], [2.0], [3.0]])
        >>> index.depth_.tolist()  # sorted points make a chain: shuffle them
        [3]
        """
        forest = self._storage
        return np.empty(0, dtype=np.int64) if forest is None else forest.depths

    @property
    def trees_(self) -> list[BoundaryTree]:
        """The trees, each with read-only arrays; they stay as they are if the index changes.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex(1)
        >>> _ = index.add([[0.0], [1.0], [-1.0]], ids=[10, 20, 30])
        >>> (tree,) = index.trees_
        >>> tree.example.tolist(), tree.parent.tolist()
        ([10, 20, 30], [-1, 0, 0])
        """
        forest = self._storage
        return [] if forest is None else trees_in(forest.record(), None)

    # ------------------------------------------------------------------ internal

    @property
    def _mutex(self) -> threading.RLock:
        # A change waits for the queries that run. So a metric that a query calls must not wait for
        # a change.
        forest = self._storage
        if forest is not None:
            forest.refuse_calls_from_metric()
        return super()._mutex

    def _write_file(self, path: str | os.PathLike[str]) -> None:
        _model_file.save_boundary_index(self, path)

    def _file_parameters(self) -> dict[str, Any]:
        return {
            "n_estimators": self.n_estimators,
            "max_children": self.max_children,
            "random_state": self.random_state,
            **super()._file_parameters(),
        }

    def _first_storage(self, X: Any, name: str) -> tuple[CoreForest, Any]:
        metric = resolve_metric(self.metric, INDEX_METRICS)
        points, shape = read_points(X, metric, name)
        return self._new_forest(PointFormat.of_first_batch(metric, points, shape)), points

    def _new_forest(self, point_format: PointFormat) -> CoreForest:
        options = ForestOptions(
            task="retrieve",
            n_trees=int(self.n_estimators),
            max_children=int(self.max_children),
            seed=draw_seed(self.random_state) if self._seed is None else self._seed,
        )
        return CoreForest(options, point_format)

    def _insert(self, storage: CoreForest, points: Any, ids: NDArray[np.int64]) -> None:
        forest = storage.widened_for(points)
        current, next_id = self._storage, self._next_id
        self._next_id = max(next_id, int(ids.max()) + 1)
        try:
            forest.learn(points, self.n_jobs, ids=ids)
        except BaseException:
            # an interrupt may also come right after the last point was learned
            if forest is not current or not forest.contains(int(ids[0])):
                self._next_id = next_id
            raise
        self._storage, self._seed = forest, forest.options.seed

    def _replace(self, storage: CoreForest, points: Any, ids: NDArray[np.int64]) -> None:
        forest = storage.widened_for(points)
        if len(ids) == len(storage):
            self._insert(self._new_forest(forest.point_format), points, ids)
        else:
            forest.replace(points, ids, self.n_jobs)
            self._storage = forest

    def _delete(self, storage: CoreForest, ids: NDArray[np.int64]) -> None:
        storage.remove(ids, self.n_jobs)

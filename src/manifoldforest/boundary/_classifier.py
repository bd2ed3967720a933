"""Boundary forests for classification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from .._probabilities import probabilities
from ..validation._arrays import as_array
from ..validation._inputs import Target, read_labels
from ..validation._rules import shown
from ._base import BaseBoundaryForest

Self = TypeVar("Self", bound="BoundaryForestClassifier")


@dataclass(frozen=True)
class ClassCodes:
    """Labels in ascending order, and the number of each of them in the core.

    The core numbers classes in the order in which they were announced or first seen.
    """

    classes: NDArray[Any]
    codes: NDArray[np.int32]

    @cached_property
    def code_of(self) -> dict[Any, int]:
        """The number of each label."""
        return dict(zip(self.classes.tolist(), self.codes.tolist(), strict=True))

    @cached_property
    def labels(self) -> NDArray[Any]:
        """The label of each number."""
        by_code = np.empty_like(self.classes)
        by_code[self.codes] = self.classes
        return by_code

    def known(self, y: Any, n: int) -> NDArray[np.int32] | None:
        """Return the numbers of labels that are all known and need no check, otherwise None."""
        kind = self.classes.dtype.kind
        if (
            type(y) is not np.ndarray
            or y.shape != (n,)
            or y.dtype.kind != kind
            or kind not in "iuU"
        ):
            return None
        code_of = self.code_of
        codes = [code_of.get(label, -1) for label in y.tolist()]
        return None if -1 in codes else np.array(codes, dtype=np.int32)

    def with_classes(self, classes: NDArray[Any], name: str) -> ClassCodes:
        """Return these labels and new ones, which get the next numbers in the given order."""
        if len(self.classes) and _is_text(self.classes) != _is_text(classes):
            so_far, others = ("text", "numbers") if _is_text(self.classes) else ("numbers", "text")
            raise TypeError(f"{name} must hold {so_far}, as the labels so far, got {others}")
        new = classes[~np.isin(classes, self.classes)] if len(self.classes) else classes
        if len(new) == 0:
            return self
        together = np.concatenate([self.classes, new]) if len(self.classes) else new
        n_old = len(self.classes)
        codes = np.concatenate([self.codes, np.arange(n_old, n_old + len(new), dtype=np.int32)])
        order = np.argsort(together, kind="stable")
        return ClassCodes(together[order], codes[order])


_NO_CLASSES = ClassCodes(np.empty(0), np.empty(0, dtype=np.int32))


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "UO"


class BoundaryForestClassifier(ClassifierMixin, BaseBoundaryForest):
    """A forest of stored examples that learns one example at a time, for classification.

    A boundary tree is a tree of examples. The walk for an example goes from the root to the closest
    child as long as a child is closer than the node itself. If the node where it ends has another
    label, the example becomes its child; otherwise the example is not stored. So trees store
    examples on both sides of the boundaries between classes, and an example is learned with a
    logarithmic number of distances. Predictions weight the examples at which the walks through all
    trees end by their distances (Mathy et al. 2015).

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees. They differ by their roots, which are the first examples: there are no more
        trees than examples seen.
    max_children : int, default=50
        Largest number of children of a node, at least 2. It limits the work at each node; fewer
        children make deeper trees.
    metric : str, callable or object, default="euclidean"
        The distance: ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"cosine"`` (1 - cos; a
        vector of zeros has the distance 1 to all but another one), ``"hamming"`` (the share of
        entries that differ), a function ``metric(a, b)``, or an object with a method
        ``distance(a, b)``. With a function, examples may be any objects.
    embedding : transformer, callable or None, default=None
        What is applied to `X` before distances are measured, such as a view of
        :mod:`manifoldforest.views`. :meth:`fit` fits a clone of a transformer; for
        :meth:`partial_fit` it must have been fitted.
    power : float, default=1.0
        Examples at which walks end are weighted by their distance to minus this power.
    passes : int or None, default=1
        How often :meth:`fit` shows all examples to the trees. The first pass is in the given order,
        further ones are in random order. None repeats until a pass adds nothing.
    n_jobs : int or None, default=None
        Number of threads, as in scikit-learn. The forest does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the order in which each tree learns the first examples, and of passes after the
        first.

    Attributes
    ----------
    classes_ : ndarray
        Labels in ascending order.
    n_nodes_ : ndarray of int64
        Number of nodes of each tree.
    depth_ : ndarray of int64
        Depth of each tree; that of a root alone is 0.
    stored_ : ndarray of int64
        Examples that at least one tree stores: their numbers in order of arrival, ascending.
    stored_examples_ : tuple of array and ndarray
        These examples and their labels.
    n_seen_ : int
        Number of examples seen so far.
    trees_ : list of BoundaryTree
        The trees, for inspection.
    n_passes_ : int
        Passes that the last fit took.
    n_features_in_ : int
        Number of features; not defined for objects other than arrays.
    feature_shape_ : tuple of int
        Shape of one example; as `n_features_in_`, and only without an embedding.
    feature_names_in_ : ndarray of str
        Names of the features; only defined if `X` has names that are all strings.
    feature_dims_ : tuple of str
        Names of the axes of one example, if X was an array of xarray.
    embedding_ : object
        The embedding in use; only defined if there is one.

    See Also
    --------
    BoundaryForestRegressor : the same for numbers.
    BoundaryIndex : a forest that stores all points, to find neighbours.

    Notes
    -----
    *Batches.* One batch or many small ones make the same forest. The exception is a batch that
    needs float64 after batches of float32: distances between the earlier examples have been
    measured in single precision.

    *Threads.* Other threads may predict while one learns: the answer for an example is that of the
    forest after some whole number of examples. A batch is learned completely or, if anything is
    raised, not at all. An interrupt at the very end may leave it learned.

    A metric must not make the forest that calls it learn, nor use it while it learns: that is a
    RuntimeError. So is any use of the forest in a child process that was forked while another
    thread was learning.

    *Order.* In one pass, an example is compared only with those before it, and the first examples
    are the roots. Shuffle sorted examples (:func:`sklearn.utils.shuffle`). Sorted by class they are
    learned less well: of scikit-learn's digits, 1200 sorted by class give an accuracy of 0.85, the
    same shuffled 0.98. Several passes make up for most of it (``passes=None`` 0.97), as all but the
    first are in random order. Sorted by a feature that dominates the distance, trees become chains,
    and n examples take O(n²) distances per tree instead of O(n log n).

    References
    ----------
    C. Mathy, N. Derbinsky, J. Bento, J. Rosenthal and J. Yedidia, The Boundary Forest Algorithm
    for Online Supervised and Unsupervised Learning, AAAI 2015.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> forest = mf.BoundaryForestClassifier(random_state=0).fit(X[:1000], y[:1000])
    >>> forest.score(X[1000:], y[1000:]) > 0.94
    True
    >>> bool(len(forest.stored_) < forest.n_seen_)
    True

    Any function is a metric, and any objects are examples:

    >>> words = mf.BoundaryForestClassifier(metric=lambda a, b: len(set(a) ^ set(b)))
    >>> words.partial_fit(["stone", "river"], ["hard", "wet"]).predict(["tones"])
    array(['hard'], dtype='<U4')
    """

    _task = "classify"

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_children: int = 50,
        metric: Any = "euclidean",
        embedding: Any = None,
        power: float = 1.0,
        passes: int | None = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_children = max_children
        self.metric = metric
        self.embedding = embedding
        self.power = power
        self.passes = passes
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels in ascending order, those that were announced included.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(random_state=0).fit([[0.0], [4.0]], ["b", "a"])
        >>> forest.partial_fit([[9.0]], ["c"]).classes_.tolist()
        ['a', 'b', 'c']
        """
        labels: NDArray[Any] = self._require_learned().labels.classes
        return labels

    def fit(self: Self, X: Any, y: Any) -> Self:
        """Learn from examples, and forget those of earlier calls.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...), or sequence of objects
            Examples: rows of features, or images, series, volumes with any number of axes; objects
            only for a metric that is a function. Numbers are not rounded: uint8 and float32 stay as
            they are, everything else becomes float32 if that is exact, float64 otherwise (which
            takes twice the memory).
        y : array-like of shape (n_samples,)
            Labels, numbers or strings.

        Returns
        -------
        self : estimator
            The fitted forest.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(random_state=0)
        >>> forest.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
        BoundaryForestClassifier(random_state=0)
        >>> forest.fit([[7.0], [8.0]], ["c", "d"]).classes_.tolist()
        ['c', 'd']
        """
        self._learn_first(X, y, None, self.passes, streamed=False)
        return self

    def partial_fit(self: Self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from further examples, one by one in the given order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...), or sequence of objects
            Examples: rows of features, or images, series, volumes with any number of axes; objects
            only for a metric that is a function. Numbers are not rounded: uint8 and float32 stay as
            they are, everything else becomes float32 if that is exact, float64 otherwise (which
            takes twice the memory). After a first batch of uint8, others must hold whole
            numbers in [0, 255]; the first batch decides the number of features, too.
        y : array-like of shape (n_samples,)
            Labels; there may be new ones.
        classes : array-like or None, default=None
            Labels that later batches may hold. They need not be announced.

        Returns
        -------
        self : estimator
            The forest.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(random_state=0)
        >>> forest.partial_fit([[0.0], [1.0]], ["a", "b"]).predict([[0.1], [9.0]])
        array(['a', 'b'], dtype='<U1')
        >>> forest.partial_fit([[9.0]], ["c"]).predict([[0.1], [9.0]])
        array(['a', 'c'], dtype='<U1')
        """
        if self.__sklearn_is_fitted__():
            self._learn_more(X, y, classes)
        else:
            self._learn_first(X, y, classes, 1, streamed=True)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples; a sequence of objects if the forest has learned objects.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels; the first of equally probable ones.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
        >>> forest = mf.BoundaryForestClassifier(random_state=0).fit(X, y)
        >>> forest.predict([[0.5], [6.0]]).tolist()
        ['a', 'b']
        """
        labels, values = self._predict_values(X)
        predicted: NDArray[Any] = labels.classes[values[:, labels.codes].argmax(axis=1)]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each label for each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples; a sequence of objects if the forest has learned objects.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Shares of the weights of the examples at which walks end, in the order of `classes_`. If
            some of these are at distance 0, only they count.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [4.0]], ["a", "b"]
        >>> forest = mf.BoundaryForestClassifier(random_state=0).fit(X, y)
        >>> forest.predict_proba([[1.0], [4.0]]).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        labels, values = self._predict_values(X)
        return probabilities(values[:, labels.codes])

    def _read_first_labels(
        self, y: Any, n: int, classes: Any, *, streamed: bool
    ) -> tuple[ClassCodes, dict[str, Any]]:
        return _encode(read_labels(y, n, streamed=streamed), classes, _NO_CLASSES)

    def _read_more_labels(
        self, y: Any, n: int, classes: Any, labels: ClassCodes
    ) -> tuple[ClassCodes, dict[str, Any]]:
        if classes is None and (codes := labels.known(y, n)) is not None:
            return labels, {"classes": codes}
        return _encode(read_labels(y, n, streamed=True), classes, labels)

    def _label_options(self, labels: ClassCodes) -> dict[str, Any]:
        return {}

    def _labels_in(self, record: Mapping[str, Any], labels: ClassCodes) -> NDArray[Any]:
        point_labels: NDArray[Any] = labels.labels[record["classes"]]
        return point_labels

    def _n_columns(self, labels: ClassCodes) -> int:
        return len(labels.classes)


def _encode(target: Target, classes: Any, labels: ClassCodes) -> tuple[ClassCodes, dict[str, Any]]:
    """Return the known labels with announced classes and those of a batch, and the batch."""
    if classes is not None:
        labels = labels.with_classes(_read_announced(classes), "classes")
    if target.values.shape[1] != 1:
        raise ValueError(f"y must have one label per example, got {target.values.shape[1]} columns")
    found, indices = target.classes[0], target.values[:, 0]
    first = np.unique(indices, return_index=True)[1]
    labels = labels.with_classes(found[np.argsort(first)], "y")
    code_of = labels.code_of
    codes = np.array([code_of[label] for label in found.tolist()], dtype=np.int32)[indices]
    return labels, {"classes": codes}


def _read_announced(classes: Any) -> NDArray[Any]:
    table = as_array(classes, "classes", "a sequence of labels")
    if table.ndim != 1 or len(table) == 0:
        raise ValueError(f"classes must be a sequence of labels, got {shown(classes)}")
    return read_labels(table, len(table), streamed=True).classes[0]  # sorted

"""The base class of boundary forests for classification and regression."""

from __future__ import annotations

import copy
import os
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from .._described import DescribedEstimator
from .._fitted_state import of_one_fit, replace_fitted
from ..validation._inputs import flat, read_examples, read_training_examples
from ..validation._parameters import INT32_MAX, N_JOBS, draw_seed
from ..validation._rules import Rule, check_argument, check_parameters, integer, none, real
from ..validation._stack_level import caller_level
from . import _model_file
from ._boundary_tree import BoundaryTree, trees_in
from ._core_forest import RULES, CoreForest, ForestOptions
from ._learned_state import LearnedState
from ._metrics import Metric, check_embedded, largest_entry, resolve_embedding, resolve_metric
from ._numeric_rows import WIDE_TYPES, check_exact, narrowed
from ._point_format import PointFormat, read_points

Self = TypeVar("Self", bound="BaseBoundaryForest")

# With a metric by which a point is not at distance 0 from itself, every pass may add examples.
_MAX_PASSES = 1000

_EMBEDDED = "the embedding of X"
_COUNT = integer(1)

ESTIMATOR_RULES: dict[str, Rule] = RULES | {
    "power": real("[0, inf)"),
    "passes": integer(1) | none,
}


class BaseBoundaryForest(DescribedEstimator, BaseEstimator):
    """Base class; use :class:`BoundaryForestClassifier` or :class:`BoundaryForestRegressor`."""

    _rules: ClassVar[Mapping[str, Rule]] = ESTIMATOR_RULES
    _task: ClassVar[str]

    n_estimators: int
    max_children: int
    metric: Any
    embedding: Any
    power: float
    passes: int | None
    n_jobs: int | None
    random_state: Any

    _learned: LearnedState[Any]
    _seed: int
    n_features_in_: int
    feature_shape_: tuple[int, ...]
    feature_names_in_: NDArray[Any]
    feature_dims_: tuple[str, ...]
    embedding_: Any
    n_passes_: int

    # -------------------------------------------------------------- for subclasses

    @abstractmethod
    def _read_first_labels(
        self, y: Any, n: int, classes: Any, *, streamed: bool
    ) -> tuple[Any, dict[str, Any]]:
        """Return the meaning of labels, and those of the first batch as arguments of the core.

        `streamed` says that the call is a `partial_fit`, so that further batches may follow.
        """

    @abstractmethod
    def _read_more_labels(
        self, y: Any, n: int, classes: Any, labels: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Return the same for a later batch, given the meaning of the labels so far."""

    @abstractmethod
    def _label_options(self, labels: Any) -> dict[str, Any]:
        """Return the options of a core forest that depend on the labels."""

    @abstractmethod
    def _labels_in(self, record: Mapping[str, Any], labels: Any) -> NDArray[Any]:
        """Return the labels of the points of a record."""

    def _label_attributes(self, labels: Any) -> dict[str, Any]:
        """Return the fitted attributes that describe labels."""
        return {}

    # -------------------------------------------------------------------- learning

    def _learn_first(
        self, X: Any, y: Any, classes: Any, passes: int | None, *, streamed: bool
    ) -> None:
        """Learn a first batch, and replace what was learned before if nothing is raised.

        `streamed` says that the call is a `partial_fit`, which does not fit the embedding.
        """
        check_parameters(self.get_params(deep=False), self._rules)
        metric = resolve_metric(self.metric)
        resolve_embedding(self.embedding)
        seed = draw_seed(self.random_state)
        embedding = self.embedding
        if not streamed and hasattr(embedding, "fit"):
            embedding = clone(embedding, safe=False).fit(X, y)
        # attributes of X are set on a copy, as they must not stay if something is raised later
        attributes = copy.copy(self)
        points, shape = _read_first_points(attributes, X, metric, embedding)
        labels, label_arguments = self._read_first_labels(
            y, len(points), classes, streamed=streamed
        )
        options = ForestOptions(
            task=self._task,
            n_trees=int(self.n_estimators),
            max_children=int(self.max_children),
            seed=seed,
            **self._label_options(labels),
        )
        forest = CoreForest(options, PointFormat.of_first_batch(metric, points, shape))
        n_passes = _learn(forest, points, label_arguments, passes, self.n_jobs)
        fitted = {
            name: getattr(attributes, name) for name in _X_ATTRIBUTES if hasattr(attributes, name)
        }
        if embedding is not None:
            fitted["embedding_"] = embedding
        fitted |= {"n_passes_": n_passes, **self._label_attributes(labels)}
        replace_fitted(self, fitted | {"_seed": seed, "_learned": LearnedState(forest, labels)})

    @of_one_fit
    def _learn_more(self, X: Any, y: Any, classes: Any) -> None:
        """Learn a later batch, or nothing if anything is raised."""
        learned = self._learned
        check_argument("n_jobs", self.n_jobs, N_JOBS)
        with learned.mutex:
            points = self._read_points(X, learned.forest.point_format)
            before, n_seen = learned.labels, learned.forest.core.n_seen()
            learned.labels, label_arguments = self._read_more_labels(
                y, len(points), classes, before
            )
            try:
                forest = learned.forest.widened_for(points)
                forest.learn(points, self.n_jobs, **label_arguments)
                learned.forest = forest
            except BaseException:
                # an interrupt may also come right after the last example was learned
                if learned.forest.core.n_seen() == n_seen:
                    learned.labels = before
                raise

    # --------------------------------------------------------------------- reading

    def _require_learned(self) -> LearnedState[Any]:
        """Return what was learned, or raise a NotFittedError."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)  # raises; it is too slow to be called for every prediction
        return self._learned

    def _read_points(self, X: Any, point_format: PointFormat) -> Any:
        """Validate X for a fitted forest, and return it in the form that the core takes."""
        embedding = getattr(self, "embedding_", None)
        if embedding is not None:
            validate_data(self, flat(X), reset=False, skip_check_array=True)
            points = point_format.read(_embedded(embedding, X), _EMBEDDED)
            check_embedded(X, points)
            return points
        if point_format.shape is None:
            return point_format.read(X)
        if not hasattr(self, "feature_names_in_"):
            unchanged = point_format.rows_without_conversion(X)
            if unchanged is not None:
                return unchanged
        rows = read_examples(self, X, allow_nan=False, types=WIDE_TYPES)
        check_exact(X)
        rows = narrowed(rows, "X", largest_entry(point_format.metric))
        if point_format.dtype is None:
            return list(rows.reshape(len(rows), *point_format.shape))
        return point_format.convert(rows)

    @of_one_fit
    def _predict_values(self, X: Any) -> tuple[Any, NDArray[np.float64]]:
        """Return the meaning of labels, and weights of classes or means of responses."""
        learned = self._require_learned()
        check_parameters({"power": self.power, "n_jobs": self.n_jobs}, _PREDICTION_RULES)
        forest = learned.forest  # another thread may replace it by one of wider points
        points = self._read_points(X, forest.point_format)
        while True:
            labels = learned.labels
            n_columns = self._n_columns(labels)
            values = forest.predict(points, n_columns, float(self.power), self.n_jobs)
            if learned.labels is labels or self._n_columns(learned.labels) == n_columns:
                return labels, values

    @abstractmethod
    def _n_columns(self, labels: Any) -> int:
        """Return the number of classes or outputs."""

    @of_one_fit
    def query(self, X: Any, k: int = 5) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Find the nearest of the stored examples, as :meth:`BoundaryIndex.query` finds points.

        The answer is the nearest of the examples that are measured on the walks through all trees.
        If these are fewer than `k`, all stored examples are searched.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Queries; a sequence of objects if the forest has learned objects.
        k : int, default=5
            Number of examples to find for each query.

        Returns
        -------
        distances : ndarray of float64, shape (n_samples, min(k, number of stored examples))
            Distances of the examples, nearest first.
        indices : ndarray of int64 of the same shape
            Numbers of the examples in order of arrival, from 0, as in `stored_`.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(3, random_state=0)
        >>> forest.fit([[0.0], [1.0], [3.0]], ["a", "b", "a"]).query([[2.5]], k=2)
        (array([[0.5, 1.5]]), array([[2, 1]]))
        """
        learned = self._require_learned()
        k = int(check_argument("k", k, _COUNT))
        check_argument("n_jobs", self.n_jobs, N_JOBS)
        forest = learned.forest  # another thread may replace it by one of wider points
        return forest.nearest(self._read_points(X, forest.point_format), k, self.n_jobs)

    # ------------------------------------------------------------------ inspection

    @property
    def n_nodes_(self) -> NDArray[np.int64]:
        """Number of nodes of each tree.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(2, random_state=0)
        >>> forest.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]).n_nodes_.tolist()
        [2, 2]
        """
        return self._require_learned().forest.n_nodes

    @property
    def depth_(self) -> NDArray[np.int64]:
        """Depth of each tree; that of a root alone is 0.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(2, random_state=0)
        >>> forest.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]).depth_.tolist()
        [1, 1]
        """
        return self._require_learned().forest.depths

    @property
    def stored_(self) -> NDArray[np.int64]:
        """Numbers of the examples that at least one tree keeps, from 0 in order of arrival.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(1)
        >>> forest.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]).stored_.tolist()
        [0, 2]
        """
        return self._require_learned().forest.ids

    @property
    def n_seen_(self) -> int:
        """Number of examples seen so far.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(1).fit([[0.0], [1.0]], ["a", "a"])
        >>> forest.partial_fit([[4.0], [5.0]], ["b", "b"]).n_seen_
        4
        """
        return int(self._require_learned().forest.core.n_seen())

    @property
    def trees_(self) -> list[BoundaryTree]:
        """The trees, each with read-only arrays; they stay as they are if the forest learns more.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(1)
        >>> forest = forest.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
        >>> forest.trees_
        [BoundaryTree(2 nodes)]
        >>> forest.trees_[0].label.tolist()
        ['a', 'b']
        """
        _, record, labels = self._require_learned().snapshot()
        point_labels = self._labels_in(record, labels)
        return trees_in(record, point_labels)

    @property
    def stored_examples_(self) -> tuple[Any, NDArray[Any]]:
        """Stored examples in the order of `stored_`, as they were embedded, and their labels.

        Examples are an array, or a list if the forest has learned objects other than arrays.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(1)
        >>> forest = forest.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
        >>> examples, labels = forest.stored_examples_
        >>> examples.tolist(), labels.tolist()
        ([[0.0], [4.0]], ['a', 'b'])
        """
        forest, record, labels = self._require_learned().snapshot()
        return forest.points_in(record), self._labels_in(record, labels)

    @of_one_fit
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the forest to a file that :func:`manifoldforest.load` reads.

        The file holds no code and no `n_jobs`: the metric must be a name, and there must be no
        embedding. Equal forests are equal files. The file appears under its name only when it is
        complete. A `random_state` that is a generator is stored as None.

        Parameters
        ----------
        path : str or path-like
            Where to write.

        Examples
        --------
        >>> import os, tempfile
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestClassifier(5, random_state=0).fit([[0.0], [4.0]], ["a", "b"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "forest.mf")
        ...     forest.save(path)
        ...     again = mf.load(path)
        >>> again.partial_fit([[9.0]], ["c"]).predict([[8.0]]).tolist()
        ['c']
        """
        self._require_learned()
        _model_file.save_forest(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether something was learned."""
        return hasattr(self, "_learned")

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: examples may have several axes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags


_X_ATTRIBUTES = ("n_features_in_", "feature_shape_", "feature_names_in_", "feature_dims_")
_PREDICTION_RULES = {name: ESTIMATOR_RULES[name] for name in ("power", "n_jobs")}


def _read_first_points(
    estimator: Any, X: Any, metric: Metric, embedding: Any
) -> tuple[Any, tuple[int, ...] | None]:
    """Return a first batch and the shape of a point, and set the attributes that describe X."""
    for name in _X_ATTRIBUTES:
        if hasattr(estimator, name):
            delattr(estimator, name)
    if embedding is not None:
        validate_data(estimator, flat(X), reset=True, skip_check_array=True)
        return read_points(_embedded(embedding, X), metric, _EMBEDDED)
    if not isinstance(metric, str) and not _is_table(X):
        return read_points(X, metric)
    examples = read_training_examples(estimator, X, allow_nan=False, types=WIDE_TYPES)
    check_exact(X)
    rows = narrowed(examples.rows, "X", largest_entry(metric))
    estimator.n_features_in_ = rows.shape[1]
    estimator.feature_shape_ = examples.feature_shape
    for name, value in examples.name_attributes.items():
        setattr(estimator, name, value)
    if isinstance(metric, str):
        return rows, examples.feature_shape
    shape = examples.feature_shape
    return list(rows.reshape(len(rows), *shape)), shape


def _is_table(X: Any) -> bool:
    """Whether X is an array of numbers, and not a sequence of objects."""
    return hasattr(X, "__array__") and hasattr(X, "shape") and len(X.shape) != 1


def _embedded(embedding: Any, X: Any) -> Any:
    embed = resolve_embedding(embedding)
    assert embed is not None
    return embed(X)


def _learn(
    forest: CoreForest,
    points: Any,
    label_arguments: dict[str, Any],
    passes: int | None,
    n_jobs: int | None,
) -> int:
    """Learn a first batch and return the number of passes."""
    if passes == 1:
        forest.learn(points, n_jobs, **label_arguments)
        return 1
    max_passes = _MAX_PASSES if passes is None else min(int(passes), INT32_MAX)
    n_passes, converged = forest.learn_in_passes(points, n_jobs, max_passes, **label_arguments)
    if passes is None and not converged:
        warnings.warn(
            f"{n_passes} passes did not suffice: the last one still added examples. Perhaps "
            "the metric gives equal examples a distance above 0.",
            ConvergenceWarning,
            stacklevel=caller_level(),
        )
    return n_passes

"""Boundary forests for regression."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin

from ..validation._inputs import read_responses
from ..validation._rules import none, real
from ._base import ESTIMATOR_RULES, BaseBoundaryForest
from ._metrics import LARGEST_RESPONSE
from ._numeric_rows import check_range

Self = TypeVar("Self", bound="BoundaryForestRegressor")

_SHARE_OF_RANGE = 0.05
# Numbers whose squares neither overflow nor vanish.
_SMALLEST_SAFE, _LARGEST_SAFE = 1e-140, 1e150


@dataclass(frozen=True)
class ResponseFormat:
    """Number of responses, whether they came as one column, and up to which distance they agree."""

    n_outputs: int
    one_column: bool
    tolerance: float


def _norm(ranges: NDArray[np.float64]) -> float:
    """Return the Euclidean norm, also where squares would overflow or vanish."""
    with np.errstate(over="ignore", under="ignore"):
        norm = float(np.linalg.norm(ranges))
    return norm if _SMALLEST_SAFE < norm < _LARGEST_SAFE else math.hypot(*ranges.tolist())


class BoundaryForestRegressor(RegressorMixin, MultiOutputMixin, BaseBoundaryForest):
    """A forest of stored examples that learns one example at a time, for regression.

    The trees are those of :class:`BoundaryForestClassifier`, except that an example is stored if
    its response differs by more than a tolerance from that of the example at which its walk ends.
    Predictions are means of the responses at which the walks through all trees end, weighted by
    distance.

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
    tolerance : float or None, default=None
        Responses this close count as equal; with several outputs, by the Euclidean norm. None is
        5 % of the range of the first batch, which is 0 if that is a single example.

    Attributes
    ----------
    tolerance_ : float
        The tolerance in use.
    n_outputs_ : int
        Number of responses per example.
    n_nodes_ : ndarray of int64
        Number of nodes of each tree.
    depth_ : ndarray of int64
        Depth of each tree; that of a root alone is 0.
    stored_ : ndarray of int64
        Examples that at least one tree stores: their numbers in order of arrival, ascending.
    stored_examples_ : tuple of array and ndarray
        These examples and their responses.
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
    BoundaryForestClassifier : the same for labels.

    Notes
    -----
    The notes of :class:`BoundaryForestClassifier` on batches, threads and order hold here too.
    Shuffle examples that are sorted by the response or by a feature.

    Examples
    --------
    >>> import numpy as np
    >>> import manifoldforest as mf
    >>> X = np.random.default_rng(0).random((2000, 2))
    >>> y = np.sin(6 * X[:, 0]) * X[:, 1]
    >>> forest = mf.BoundaryForestRegressor(random_state=0).fit(X[:1500], y[:1500])
    >>> forest.score(X[1500:], y[1500:]) > 0.95
    True
    """

    _task = "regress"
    _rules = ESTIMATOR_RULES | {"tolerance": real("[0, inf)") | none}

    tolerance_: float
    n_outputs_: int

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
        tolerance: float | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_children = max_children
        self.metric = metric
        self.embedding = embedding
        self.power = power
        self.passes = passes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.tolerance = tolerance

    def fit(self: Self, X: Any, y: Any) -> Self:
        """Learn from examples, and forget those of earlier calls.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...), or sequence of objects
            Examples: rows of features, or images, series, volumes with any number of axes; objects
            only for a metric that is a function. Numbers are not rounded: uint8 and float32 stay as
            they are, everything else becomes float32 if that is exact, float64 otherwise (which
            takes twice the memory).
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Responses, in [-1e300, 1e300].

        Returns
        -------
        self : estimator
            The fitted forest.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [0.1], [2.0], [3.0]], [10.0, 10.5, 20.0, 30.0]
        >>> forest = mf.BoundaryForestRegressor(1, tolerance=1.0).fit(X, y)
        >>> forest.stored_.tolist()  # 10.5 is close enough to 10
        [0, 2, 3]
        """
        self._learn_first(X, y, None, self.passes, streamed=False)
        return self

    def partial_fit(self: Self, X: Any, y: Any) -> Self:
        """Learn from further examples, one by one in the given order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...), or sequence of objects
            Examples: rows of features, or images, series, volumes with any number of axes; objects
            only for a metric that is a function. Numbers are not rounded: uint8 and float32 stay as
            they are, everything else becomes float32 if that is exact, float64 otherwise (which
            takes twice the memory). After a first batch of uint8, others must hold whole
            numbers in [0, 255]; the first batch decides the number of features, too.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Responses, in [-1e300, 1e300].

        Returns
        -------
        self : estimator
            The forest.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.BoundaryForestRegressor(random_state=0)
        >>> forest.partial_fit([[0.0], [1.0]], [0.0, 3.0]).predict([[0.0], [4.0]])
        array([0., 3.])
        >>> forest.partial_fit([[4.0]], [12.0]).predict([[0.0], [4.0]])
        array([ 0., 12.])
        """
        if self.__sklearn_is_fitted__():
            self._learn_more(X, y, None)
        else:
            self._learn_first(X, y, None, 1, streamed=True)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted response of each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples; a sequence of objects if the forest has learned objects.

        Returns
        -------
        responses : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Weighted means of the responses at which walks end. If some of these belong to examples
            at distance 0, only they count.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 10.0, 20.0, 30.0]
        >>> forest = mf.BoundaryForestRegressor(random_state=0).fit(X, y)
        >>> forest.predict([[2.0], [9.0]]).tolist()
        [20.0, 30.0]
        """
        labels, values = self._predict_values(X)
        return values[:, 0] if labels.one_column else values

    def _read_first_labels(
        self, y: Any, n: int, classes: Any, *, streamed: bool
    ) -> tuple[ResponseFormat, dict[str, Any]]:
        target = read_responses(y, n)
        check_range(target.values, "y", LARGEST_RESPONSE)
        tolerance = self.tolerance
        if tolerance is None:
            tolerance = _SHARE_OF_RANGE * _norm(np.ptp(target.values, axis=0))
        labels = ResponseFormat(target.values.shape[1], target.one_column, float(tolerance))
        return labels, {"values": target.values}

    def _read_more_labels(
        self, y: Any, n: int, classes: Any, labels: ResponseFormat
    ) -> tuple[ResponseFormat, dict[str, Any]]:
        values = read_responses(y, n).values
        check_range(values, "y", LARGEST_RESPONSE)
        if values.shape[1] != labels.n_outputs:
            raise ValueError(
                f"y must have as many outputs as in the first batch, {labels.n_outputs}, got "
                f"{values.shape[1]}"
            )
        return labels, {"values": values}

    def _label_options(self, labels: ResponseFormat) -> dict[str, Any]:
        return {"n_outputs": labels.n_outputs, "tolerance": labels.tolerance}

    def _label_attributes(self, labels: ResponseFormat) -> dict[str, Any]:
        return {"tolerance_": labels.tolerance, "n_outputs_": labels.n_outputs}

    def _labels_in(self, record: Mapping[str, Any], labels: ResponseFormat) -> NDArray[Any]:
        values: NDArray[np.float64] = record["values"].reshape(-1, labels.n_outputs)
        return values[:, 0] if labels.one_column else values

    def _n_columns(self, labels: ResponseFormat) -> int:
        return labels.n_outputs

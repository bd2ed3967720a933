"""Boosted forests for labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitted_state import of_one_fit
from ..augmentation import Shifts
from ..forests import ForestClassifier
from ..forests._base import BaseForest
from ..forests._label_columns import codes_among
from ..forests._label_forest import LabelForest
from ..forests._weights import RowWeights, class_factor, row_weights
from ..projections import Projection
from ..validation._inputs import Target
from ._base import BoostedForest
from ._links import log_probabilities, n_scores, probabilities_of, scores_by_output
from ._parameters import BOOSTED_CLASSIFIER_RULES


class BoostedForestClassifier(LabelForest, BoostedForest):
    """Gradient boosting for labels: trees that are grown one after the other.

    One tree is grown in each round, for all classes together, by the first and second derivatives
    of the loss at the predictions so far (Friedman 2001; Chen and Guestrin 2016). Its leaves hold a
    Newton step for each class, times `learning_rate`, which is added to the predictions. Splits
    look at what a *projection* draws: single features, sparse combinations of them, patches of an
    image or a series, or any other of :mod:`manifoldforest.projections`.

    Of K > 2 classes each has a score, and probabilities are their softmax; of two classes the
    second one has the log odds. Several columns of labels have scores side by side.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of rounds, and so of trees, at most.
    learning_rate : float, default=0.1
        Factor of the values of leaves. Smaller ones need more trees.
    projection : str or Projection, default="auto"
        Where the candidate directions of splits come from: an object of
        :mod:`manifoldforest.projections`, the name of one that needs no arguments, such as
        ``"axis"`` (single features) and ``"sporf"`` (sparse combinations of features), or
        ``"auto"``, which goes by the shape of X: ``(n_samples, n_features)`` is a table,
        ``(n_samples, height, width)`` and ``(n_samples, height, width, channels)`` with at most 4
        channels are images.
    max_features : int, float, {"sqrt", "2sqrt", "log2"} or None, default=12
        Number of candidate projections per node; a float is a fraction of the number of features,
        None is as many as features, ``"2sqrt"`` twice the square root of that. It may exceed the
        number of features.
    max_depth : int or None, default=5
        Largest depth of a tree; None is no limit.
    min_samples_leaf : int or float, default=1
        Smallest number of rows in a leaf; a float is a fraction of all rows.
    splitter : {"auto", "exact", "histogram", "random"}, default="auto"
        How thresholds are searched: ``"exact"`` tries all of them, in double precision; ``"auto"``
        and ``"histogram"`` all of them in nodes of at most 128 rows and those between at most 64
        bins in others, with derivatives in 16 bits relative to the largest of the node;
        ``"random"`` one per candidate, uniform between the smallest and the largest value.
    subsample : float, default=0.8
        Share of the rows that each tree is grown on, drawn without replacement. Half of the rows
        take half of the time; the candidates of nodes are random enough for trees to differ.
    l2 : float, default=0.05
        Added to the sums of second derivatives: larger values make smaller steps, most of all
        where there are few rows.
    class_weight : dict, list of dict, "balanced" or None, default=None
        Weights of classes; for several outputs one dictionary each. ``"balanced"`` gives all
        classes the same total weight. A class weight acts as that sample weight on the rows of the
        class.
    augment : int, Shifts or None, default=None
        Copies of the training examples that are learned, too: an int k stands for copies that are
        shifted by up to k cells along every axis, an object of :mod:`manifoldforest.augmentation`
        says more. Copies are drawn anew for every 50 rounds, and only those of one draw exist at a
        time; copies of rows that are held out are not learned.
    early_stopping : bool or "auto", default=False
        Whether to hold rows out and to stop when their loss falls no more; the forest then keeps
        the trees up to the smallest loss. ``"auto"`` does so if there are more than 10 000 rows.
    validation_fraction : float, default=0.1
        Share of the rows that are held out, of each class.
    n_iter_no_change : int, default=20
        Rounds without a smaller loss of the rows that are held out after which to stop.
    warm_start : bool, default=False
        Whether a further fit, on the same data, keeps the trees and adds those that are missing
        to `n_estimators`. The result equals that of a single fit.
    n_jobs : int or None, default=None
        Number of threads; None is 1 unless joblib's context says otherwise, -1 all cores. The
        forest does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same forest.
    verbose : int, default=0
        Whether to write the loss after each round to the standard error stream.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of these for several outputs
        Labels.
    n_classes_ : int, or list of int for several outputs
        Number of labels.
    loss_ : str
        Loss that was learned.
    augmentation_ : Shifts
        What made copies of the training examples, if `augment`.
    n_estimators_ : int
        Number of trees that are kept.
    train_loss_ : ndarray of shape (n_rounds,)
        Mean log loss of the rows that are learned from, after each round.
    validation_loss_ : ndarray of shape (n_rounds,) or (0,)
        The same of the rows that are held out, if there are any.
    n_outputs_ : int
        Number of outputs.
    n_features_in_ : int
        Number of features of an example, the product of its shape.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a table whose column names are all strings.
    feature_dims_ : tuple of str
        Names of the axes of one example, if X was an array of xarray.
    feature_shape_ : tuple of int
        Shape of one example.
    feature_importances_, feature_usage_ : ndarray of shape `feature_shape_`
        Mean gain by each feature, and its share in all uses of features by splits.
    view_importances_ : list of ndarray
        Mean gain by each cell of each view that patches were drawn on.
    trees_ : list of TreeView
        The trees as flat read-only arrays.
    projection_ : Projection
        The projection that was used.
    max_features_ : int
        Number of candidate projections per node that `max_features` stands for.

    See Also
    --------
    BoostedForestRegressor : the same for numbers.
    ForestClassifier : independent trees, whose mean is the prediction.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = mf.BoostedForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> forest.score(X[1::2], y[1::2]) > 0.9
    True
    >>> bool(forest.train_loss_[0] > forest.train_loss_[-1])
    True
    >>> [stage.shape for stage in forest.staged_predict_proba(X[:5])][-1]
    (5, 3)
    """

    _rules = BOOSTED_CLASSIFIER_RULES

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        learning_rate: float = 0.1,
        projection: str | Projection = "auto",
        max_features: int | float | str | None = 12,
        max_depth: int | None = 5,
        min_samples_leaf: int | float = 1,
        splitter: str = "auto",
        subsample: float = 0.8,
        l2: float = 0.05,
        class_weight: Any = None,
        augment: int | Shifts | None = None,
        early_stopping: bool | str = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.projection = projection
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.splitter = splitter
        self.subsample = subsample
        self.l2 = l2
        self.class_weight = class_weight
        self.augment = augment
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @of_one_fit
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Labels; the first of equally probable ones.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.BoostedForestClassifier(20, subsample=1.0, random_state=0).fit(X, y)
        >>> forest.predict([[0.5], [2.5]]).tolist()
        ['a', 'b']
        """
        return self._labels(self._scores(X))

    @of_one_fit
    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each label for each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes), or list of these
            Probabilities in the order of `classes_`.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.BoostedForestClassifier(20, subsample=1.0, random_state=0).fit(X, y)
        >>> forest.predict_proba([[0.5], [2.5]]).round(1).tolist()
        [[0.9, 0.1], [0.1, 0.9]]
        """
        return self._probabilities(self._scores(X))

    @of_one_fit
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of the probability of each label for each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes), or list of these
            Logarithms of what :meth:`predict_proba` returns, exact also where that rounds to 0.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.BoostedForestClassifier(20, subsample=1.0, random_state=0).fit(X, y)
        >>> forest.predict_log_proba([[0.5]]).round(1).tolist()
        [[-0.1, -2.4]]
        """
        per_output = self._by_output(self._scores(X))
        counts = self._class_counts
        return self._one_or_list(
            [log_probabilities(part, n) for part, n in zip(per_output, counts, strict=True)]
        )

    @of_one_fit
    def decision_function(self, X: Any) -> Any:
        """Return the scores of each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes), or list of these
            For two classes the log odds of the second, otherwise numbers whose softmax are the
            probabilities. Several outputs of two classes have their log odds side by side, in one
            array of shape (n_samples, n_outputs).

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.BoostedForestClassifier(20, subsample=1.0, random_state=0).fit(X, y)
        >>> forest.decision_function([[0.5], [2.5]]).round(1).tolist()  # log odds of "b"
        [-2.3, 2.3]
        """
        scores = self._scores(X)
        if self.n_outputs_ > 1 and max(self._class_counts) <= 2:
            return scores
        per_output = self._by_output(scores)
        return self._one_or_list(
            [part[:, 0] if part.shape[1] == 1 else part for part in per_output]
        )

    @of_one_fit
    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Return an iterator over the labels that are predicted after each tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        stages : iterator of ndarray of shape (n_samples,) or (n_samples, n_outputs)
            What a forest of the first trees predicts; the last is what :meth:`predict` returns.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.BoostedForestClassifier(3, subsample=1.0, random_state=0).fit(X, y)
        >>> [labels.tolist() for labels in forest.staged_predict([[0.5], [2.5]])]
        [['a', 'b'], ['a', 'b'], ['a', 'b']]
        """
        return (self._labels(scores) for scores in self._staged_scores(X))

    @of_one_fit
    def staged_predict_proba(self, X: Any) -> Iterator[Any]:
        """Return an iterator over the probabilities after each tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        stages : iterator of ndarray of shape (n_samples, n_classes), or of list of these
            What a forest of the first trees predicts; the last is what :meth:`predict_proba`
            returns.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.BoostedForestClassifier(3, subsample=1.0, random_state=0).fit(X, y)
        >>> [shares.round(2).tolist() for shares in forest.staged_predict_proba([[0.5]])]
        [[[0.55, 0.45]], [[0.59, 0.41]], [[0.62, 0.38]]]
        """
        return (self._probabilities(scores) for scores in self._staged_scores(X))

    def _by_output(self, scores: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return scores_by_output(scores, self._class_counts)

    def _probabilities_by_output(self, scores: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        counts = self._class_counts
        return [
            probabilities_of(part, n)
            for part, n in zip(self._by_output(scores), counts, strict=True)
        ]

    def _probabilities(self, scores: NDArray[np.float64]) -> Any:
        return self._one_or_list(self._probabilities_by_output(scores))

    def _labels(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        return self._most_probable(self._probabilities_by_output(scores))

    def _mean_loss(self, scores: NDArray[np.float64], target: Target) -> float:
        codes = codes_among(self._classes_by_output, target)
        if (codes < 0).any():
            raise ValueError(
                "y must hold labels that the forest has learned for their log loss, got others"
            )
        logarithms = [
            log_probabilities(part, n)[np.arange(len(codes)), column]
            for part, n, column in zip(
                self._by_output(scores), self._class_counts, codes.T, strict=True
            )
        ]
        return float(-np.sum(logarithms, axis=0).mean())

    def _trial_forest(self) -> BaseForest:
        return ForestClassifier(n_jobs=self.n_jobs)

    @property
    def _loss_name(self) -> str:
        return "log_loss"

    def _row_weights(self, target: Target, sample_weight: NDArray[np.float64]) -> RowWeights:
        factor = class_factor(self.class_weight, target, sample_weight)
        return row_weights(sample_weight, factor, bootstrap=False, stratify=False)

    @classmethod
    def _value_width(cls, n_classes: list[int], n_outputs: int) -> int:
        return sum(map(n_scores, n_classes))

"""Boosted forests for numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from .._fitted_state import of_one_fit
from ..augmentation import Shifts
from ..forests import ForestRegressor
from ..forests._base import BaseForest
from ..forests._weights import RowWeights, row_weights, same_for_all
from ..projections import Projection
from ..validation._inputs import Target, read_responses
from ._base import BoostedForest
from ._losses import LOSSES, mean_number_loss
from ._parameters import BOOSTED_REGRESSOR_RULES


class BoostedForestRegressor(RegressorMixin, BoostedForest):
    """Gradient boosting for numbers: trees that are grown one after the other.

    One tree is grown in each round, for all outputs together, by the first and second derivatives
    of the loss at the predictions so far (Friedman 2001; Chen and Guestrin 2016). Its leaves hold a
    Newton step for each output, times `learning_rate`, which is added to the predictions. Splits
    look at what a *projection* draws: single features, sparse combinations of them, patches of an
    image or a series, or any other of :mod:`manifoldforest.projections`.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of rounds, and so of trees, at most.
    loss : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        What is made small. With ``"absolute_error"`` leaves take medians, and `l2` counts in the
        search for splits only; ``"poisson"`` is for responses of at least 0 such as counts and
        rates: scores are logarithms of rates.
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
    max_depth : int or None, default=4
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
    augment : int, Shifts or None, default=None
        Copies of the training examples that are learned, too: an int k stands for copies that are
        shifted by up to k cells along every axis, an object of :mod:`manifoldforest.augmentation`
        says more. Copies are drawn anew for every 50 rounds, and only those of one draw exist at a
        time; copies of rows that are held out are not learned.
    early_stopping : bool or "auto", default=False
        Whether to hold rows out and to stop when their loss falls no more; the forest then keeps
        the trees up to the smallest loss. ``"auto"`` does so if there are more than 10 000 rows.
    validation_fraction : float, default=0.1
        Share of the rows that are held out.
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
    loss_ : str
        Loss that was learned.
    augmentation_ : Shifts
        What made copies of the training examples, if `augment`.
    n_estimators_ : int
        Number of trees that are kept.
    train_loss_ : ndarray of shape (n_rounds,)
        Mean squared error, absolute error or Poisson deviance, of all outputs, of the rows that are
        learned from, after each round.
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
    BoostedForestClassifier : the same for labels.
    ForestRegressor : independent trees, whose mean is the prediction.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = mf.BoostedForestRegressor(100, learning_rate=0.05, max_depth=3, random_state=0)
    >>> forest.fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.4
    True
    """

    _rules = BOOSTED_REGRESSOR_RULES

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        loss: str = "squared_error",
        learning_rate: float = 0.1,
        projection: str | Projection = "auto",
        max_features: int | float | str | None = 12,
        max_depth: int | None = 4,
        min_samples_leaf: int | float = 1,
        splitter: str = "auto",
        subsample: float = 0.8,
        l2: float = 0.05,
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
        self.loss = loss
        self.learning_rate = learning_rate
        self.projection = projection
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.splitter = splitter
        self.subsample = subsample
        self.l2 = l2
        self.augment = augment
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @of_one_fit
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the prediction for each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        responses : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predictions; for ``loss="poisson"`` rates.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, counts = [[0.0], [1.0], [2.0], [3.0]], [1, 1, 8, 8]
        >>> forest = mf.BoostedForestRegressor(100, loss="poisson", subsample=1.0, random_state=0)
        >>> forest.fit(X, counts).predict([[0.5], [2.5]]).round(1).tolist()
        [1.0, 8.0]
        """
        return self._responses(self._scores(X))

    @of_one_fit
    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Return an iterator over the predictions after each tree.

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
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [5.0, 5.0, 7.0, 7.0]
        >>> forest = mf.BoostedForestRegressor(3, subsample=1.0, random_state=0).fit(X, y)
        >>> [stage.round(2).tolist() for stage in forest.staged_predict([[0.5], [2.5]])]
        [[5.9, 6.1], [5.81, 6.19], [5.73, 6.27]]
        """
        return (self._responses(scores) for scores in self._staged_scores(X))

    def _responses(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        values = np.exp(scores) if LOSSES[self.loss_].logarithmic else scores
        return values[:, 0] if self.n_outputs_ == 1 else values

    def _mean_loss(self, scores: NDArray[np.float64], target: Target) -> float:
        return mean_number_loss(self.loss_, scores, target.values)

    def _trial_forest(self) -> BaseForest:
        return ForestRegressor(max_features="sqrt", n_jobs=self.n_jobs)

    @property
    def _loss_name(self) -> str:
        return self.loss

    def _read_target(self, y: Any, n_rows: int) -> Target:
        return read_responses(y, n_rows)

    def _row_weights(self, target: Target, sample_weight: NDArray[np.float64]) -> RowWeights:
        factor = same_for_all(1.0, len(sample_weight))
        return row_weights(sample_weight, factor, bootstrap=False, stratify=False)

    def _describe_target(self) -> str:
        return f"{self.n_outputs_} number{'' if self.n_outputs_ == 1 else 's'}"

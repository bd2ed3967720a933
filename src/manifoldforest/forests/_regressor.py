"""Regression forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin, clone
from sklearn.metrics import r2_score

from .._fitted_state import of_one_fit
from ..augmentation import Shifts
from ..inspection._forest_weights import forest_weights
from ..projections import Projection
from ..validation._inputs import Target, read_responses
from ..validation._rules import check_argument, real
from ._parameters import REGRESSOR_RULES
from ._quantiles import read_probabilities, weighted_quantiles
from ._table_forest import TableForest
from ._weights import RowWeights, row_weights, same_for_all

# examples × training rows that are weighed at a time
_CHUNK = 2**24


class ForestRegressor(RegressorMixin, TableForest):
    """A forest of trees that split along projections of the features, for regression.

    Each node draws candidate directions from a *projection*: single features (random forest),
    sparse combinations of them (SPORF), patches of an image or a series (MORF), or any other of
    :mod:`manifoldforest.projections`. The best threshold along the best direction splits the node.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    projection : str or Projection, default="sporf"
        Where the candidate directions of splits come from: an object of
        :mod:`manifoldforest.projections` or, for those that need no arguments, its name:
        ``"axis"`` is the ordinary random forest, ``"sporf"`` draws sparse combinations of features,
        ``"patches"`` sums over patches of images or series.
    max_features : int, float, {"sqrt", "2sqrt", "log2"} or None, default=1.0
        Number of candidate projections per node; a float is a fraction of the number of features,
        None is as many as features, ``"2sqrt"`` twice the square root of that. It may exceed the
        number of features.
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity of a node; leaves predict the mean, for ``"absolute_error"`` the median.
        ``"poisson"`` is half the mean Poisson deviance, for responses of at least 0 such as counts
        and rates; as in scikit-learn no split leaves a child without a response above 0.
    splitter : {"auto", "exact", "histogram", "random"}, default="auto"
        How thresholds are searched: ``"exact"`` tries all of them; ``"histogram"`` those between at
        most 256 bins; ``"auto"`` all of them where that is cheap (small nodes, few distinct
        integers) and bins otherwise; ``"random"`` one per candidate, uniform between the smallest
        and the largest value (Extra-Trees). ``"absolute_error"`` has no bins.
    max_depth : int or None, default=None
        Largest depth of a tree; None is no limit.
    min_samples_split : int or float, default=2
        Smallest number of rows in a node that may be split; a float is a fraction of all rows.
    min_samples_leaf : int or float, default=1
        Smallest number of rows in a leaf; a float is a fraction of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Smallest weight of a leaf, as a fraction of the weight of all rows of the tree.
    min_balance : float, default=0.0
        Smallest share of a node's rows that each of its children gets, at most 0.5.
    min_impurity_decrease : float, default=0.0
        Smallest impurity decrease of a split, times the node's share of all weight.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of a tree. If given, the nodes with the largest gain are split
        first.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning: price of a leaf, in the unit of impurities.
    bootstrap : bool, default=True
        Whether each tree draws its rows with replacement.
    max_samples : int, float or None, default=None
        Number of rows that each tree draws, with replacement if `bootstrap` and without otherwise;
        a float is a fraction of the rows that have weight (above 1 only with `bootstrap`), None is
        all of them.
    honest : bool, default=False
        Whether the rows of a tree are divided: some choose the splits, the others fill the leaves.
    honest_fraction : float, default=0.5
        Share of an honest tree's rows that choose the splits, as grf's ``honesty.fraction``: of n
        rows ``floor(honest_fraction * n)``, and one more with the probability of what is left over.
        The other rows fill the leaves.
    empty_leaf : {"ignore", "empirical", "prune"}, default="ignore"
        What an honest tree says where no row fills the leaf: ``"ignore"`` leaves the tree out,
        ``"empirical"`` takes all rows that fill leaves, ``"prune"`` joins leaves until
        none is empty.
    ranks : bool, default=False
        Whether each feature is replaced by its rank among the training values first.
    augment : int, Shifts or None, default=None
        Copies of the training examples to learn from as well, shifted by up to so many cells; an
        object of :mod:`manifoldforest.augmentation` says more. Copies are drawn anew for every 10
        trees, with the labels and weights of their examples, and count as rows wherever rows are
        drawn or counted. Out of bag is an example of which neither itself nor a copy was drawn.
        Leaves of training rows, `forest_weights` and out-of-bag predictions are those of the
        examples themselves. Not for honest forests.
    oob_score : bool or callable, default=False
        Whether to score the forest on rows that trees did not draw; a callable
        ``score(y_true, y_pred)`` takes the place of R².
    keep_samples : bool or "auto", default="auto"
        Whether to remember the leaf of each training row in each tree, which `forest_weights`,
        `proximity` and others need. ``"auto"`` does so up to 50 million rows times trees.
    warm_start : bool, default=False
        Whether a further fit, on the same data, keeps the trees and adds those that are missing
        to `n_estimators`. The result equals that of a single fit.
    n_jobs : int or None, default=None
        Number of threads; None is 1 unless joblib's context says otherwise, -1 all cores. The
        forest does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same forest.
    verbose : int, default=0
        Whether to write progress to the standard error stream.

    Attributes
    ----------
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
        Mean impurity decrease by each feature, and its share in all uses of features by splits.
    view_importances_ : list of ndarray
        Mean impurity decrease by each cell of each view that patches were drawn on.
    trees_ : list of TreeView
        The trees as flat read-only arrays.
    estimators_samples_, oob_samples_ : list of ndarray
        Rows in the bag of each tree, and those that are not.
    projection_ : Projection
        The projection that was used.
    max_features_ : int
        Number of candidate projections per node that `max_features` stands for.
    rank_transformer_ : RankTransformer
        What replaces features by ranks, if `ranks`.
    augmentation_ : Shifts
        What made copies of the training examples, if `augment`.
    oob_score_ : float
        Score on out-of-bag rows, if `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Out-of-bag predictions; NaN for rows without.
    oob_skipped_ : int
        Number of rows that are in every bag and therefore have no out-of-bag prediction.

    See Also
    --------
    ForestClassifier : the same for labels.
    named_forest : forests of the literature by name.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = mf.ForestRegressor(100, min_samples_leaf=5, oob_score=True, random_state=0)
    >>> forest.fit(X, y).oob_score_ > 0.3
    True
    >>> forest.predict_interval(X[:5], coverage=0.9).shape
    (5, 2)
    """

    _rules = REGRESSOR_RULES

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        projection: str | Projection = "sporf",
        max_features: int | float | str | None = 1.0,
        criterion: str = "squared_error",
        splitter: str = "auto",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_balance: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float = 0.0,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        honest: bool = False,
        honest_fraction: float = 0.5,
        empty_leaf: str = "ignore",
        ranks: bool = False,
        augment: int | Shifts | None = None,
        oob_score: bool | Callable[..., float] = False,
        keep_samples: bool | str = "auto",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.projection = projection
        self.max_features = max_features
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_balance = min_balance
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.ccp_alpha = ccp_alpha
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.honest = honest
        self.honest_fraction = honest_fraction
        self.empty_leaf = empty_leaf
        self.ranks = ranks
        self.augment = augment
        self.oob_score = oob_score
        self.keep_samples = keep_samples
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @of_one_fit
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the mean prediction of the trees for each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        responses : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predictions.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [10.0, 20.0, 50.0, 60.0]
        >>> stump = mf.ForestRegressor(1, max_depth=1, bootstrap=False).fit(X, y)
        >>> stump.predict([[0.5], [2.5]]).tolist()
        [15.0, 55.0]
        """
        values = self._predict_values(X)
        return values[:, 0] if self.n_outputs_ == 1 else values

    @of_one_fit
    def predict_per_tree(self, X: Any, *, trees: Any = None) -> NDArray[np.float64]:
        """Return the prediction of each tree for each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.
        trees : int, sequence of int or None, default=None
            Numbers of the trees to ask; None is all. The result has 8 bytes for each tree, example
            and output: ask some trees, or some examples, at a time if there are many.

        Returns
        -------
        responses : ndarray of shape (n_trees, n_samples) or (n_trees, n_samples, n_outputs)
            Predictions. NaN where a tree is left out, which happens to honest ones whose leaf is
            empty. The mean over the other trees is what :meth:`predict` returns.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 10.0, 20.0, 30.0]
        >>> forest = mf.ForestRegressor(10, random_state=0).fit(X, y)
        >>> forest.predict_per_tree([[3.0]], trees=[0, 9]).shape
        (2, 1)
        """
        values = self._values_per_tree(X, trees)
        return values[..., 0] if self.n_outputs_ == 1 else values

    @of_one_fit
    def predict_quantiles(self, X: Any, q: Any) -> NDArray[np.float64]:
        """Return quantiles of the response of each example (quantile regression forest).

        The distribution of the response is that of the training responses under
        :meth:`forest_weights` (Meinshausen 2006); its quantiles are training responses.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.
        q : float or array-like of shape (n_quantiles,)
            Probabilities in [0, 1].

        Returns
        -------
        quantiles : ndarray of shape (n_samples[, n_outputs][, n_quantiles])
            The smallest response whose distribution function reaches `q`; without the axes of
            outputs and quantiles if there is one output and `q` is a number.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 10.0, 20.0, 30.0]
        >>> stump = mf.ForestRegressor(1, bootstrap=False, max_depth=1).fit(X, y)
        >>> stump.predict_quantiles([[0.0]], [0.5, 0.6])
        array([[ 0., 10.]])
        """
        probabilities = read_probabilities(q)
        result = self._quantiles(X, np.atleast_1d(probabilities))
        if probabilities.ndim == 0:
            result = result[..., 0]
        return result[:, 0] if self.n_outputs_ == 1 else result

    @of_one_fit
    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Return an interval in which the response of each example lies with a given probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.
        coverage : float, default=0.9
            Probability in (0, 1); equal parts of the rest lie on both sides.

        Returns
        -------
        interval : ndarray of shape (n_samples[, n_outputs], 2)
            Lower and upper end, quantiles as of :meth:`predict_quantiles`.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> import numpy as np
        >>> X = np.arange(100.0)[:, None]
        >>> forest = mf.ForestRegressor(20, min_samples_leaf=10, random_state=0).fit(X, X[:, 0])
        >>> low, high = forest.predict_interval([[50.0]], coverage=0.8)[0]
        >>> bool(30 < low < 50 < high < 70)
        True
        """
        check_argument("coverage", coverage, real("(0, 1)"))
        return self.predict_quantiles(X, [(1 - coverage) / 2, (1 + coverage) / 2])

    def _quantiles(self, X: Any, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return quantiles of shape (n_samples, n_outputs, n_quantiles)."""
        leaves = self.apply(X)
        self._require_samples("predict_quantiles")
        record = self._model.record
        assert record is not None
        step = max(1, _CHUNK // record.n_rows)
        result = np.empty((len(leaves), self.n_outputs_, len(q)))
        for start in range(0, len(leaves), step):
            chunk = slice(start, start + step)
            weights = forest_weights(self._model, leaves[chunk])
            for k, responses in enumerate(record.table.T):
                result[chunk, k] = weighted_quantiles(weights, responses, q)
        return result

    def _trial_forest(self) -> ForestRegressor:
        if self.criterion != "poisson":
            return self
        trial: ForestRegressor = clone(self)
        return trial.set_params(criterion="squared_error")  # a sample may hold no event

    def _read_target(self, y: Any, n_rows: int) -> Target:
        return read_responses(y, n_rows)

    def _row_weights(self, target: Target, sample_weight: NDArray[np.float64]) -> RowWeights:
        factor = same_for_all(1.0, len(sample_weight))
        return row_weights(sample_weight, factor, bootstrap=self.bootstrap, stratify=False)

    def _score_out_of_bag(
        self, values: NDArray[Any], seen: NDArray[np.bool_], target: Target
    ) -> dict[str, Any]:
        one = values.shape[1] == 1
        prediction, truth = (values[:, 0], target.values[:, 0]) if one else (values, target.values)
        score = self.oob_score if callable(self.oob_score) else r2_score
        # R² of a single row is not defined
        oob_score = score(truth[seen], prediction[seen]) if seen.sum() > 1 else float("nan")
        return {"oob_score_": oob_score, "oob_prediction_": prediction}

    def _describe_target(self) -> str:
        return "1 response" if self.n_outputs_ == 1 else f"{self.n_outputs_} responses"

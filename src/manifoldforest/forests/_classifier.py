"""Classification forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._fitted_state import of_one_fit
from .._probabilities import probabilities
from ..augmentation import Shifts
from ..inspection._values_per_tree import split_by_output
from ..projections import Projection
from ..validation._inputs import Target
from ..validation._parameters import n_threads
from ._forest_model import Aggregation, ForestModel
from ._label_columns import codes_among, decoded
from ._label_forest import LabelForest
from ._link import Link
from ._parameters import CLASSIFIER_RULES
from ._refinement import refined
from ._table_forest import TableForest
from ._weights import RowWeights, class_factor, row_weights


class ForestClassifier(LabelForest, TableForest):
    """A forest of trees that split along projections of the features, for classification.

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
    max_features : int, float, {"sqrt", "2sqrt", "log2"} or None, default="sqrt"
        Number of candidate projections per node; a float is a fraction of the number of features,
        None is as many as features, ``"2sqrt"`` twice the square root of that. It may exceed the
        number of features.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity of a node; ``"log_loss"`` is another name of ``"entropy"``, which is in bits as
        in scikit-learn.
    splitter : {"auto", "exact", "histogram", "random"}, default="auto"
        How thresholds are searched: ``"exact"`` tries all of them; ``"histogram"`` those between at
        most 256 bins; ``"auto"`` all of them where that is cheap (small nodes, few distinct
        integers) and bins otherwise; ``"random"`` one per candidate, uniform between the smallest
        and the largest value (Extra-Trees).
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
    stratify : bool, default=False
        Whether each tree draws as many rows of each class as the data have.
    honest : bool, default=False
        Whether the rows of a tree are divided: some choose the splits, the others fill the leaves.
    honest_fraction : float, default=0.5
        Share of an honest tree's rows that choose the splits, as grf's ``honesty.fraction``: of n
        rows of a class ``floor(honest_fraction * n)``, and one more with the probability of what is
        left over. The other rows fill the leaves.
    empty_leaf : {"ignore", "uniform", "empirical", "prune"}, default="ignore"
        What an honest tree says where no row fills the leaf: ``"ignore"`` leaves the tree out,
        ``"uniform"`` gives all classes the same share, ``"empirical"`` takes all rows that fill
        leaves, ``"prune"`` joins leaves until none is empty.
    ranks : bool, default=False
        Whether each feature is replaced by its rank among the training values first.
    augment : int, Shifts or None, default=None
        Copies of the training examples to learn from as well, shifted by up to so many cells; an
        object of :mod:`manifoldforest.augmentation` says more. Copies are drawn anew for every 10
        trees, with the labels and weights of their examples, and count as rows wherever rows are
        drawn or counted. Out of bag is an example of which neither itself nor a copy was drawn.
        Leaves of training rows, `forest_weights` and out-of-bag predictions are those of the
        examples themselves. Not for honest forests.
    refine : bool, default=False
        Whether the values of all leaves are fitted together once the trees are grown, by softmax
        regression on leaf indicators: leaves then hold scores, which are added up over trees, and
        probabilities are the softmax of their sums. It pays with thousands of rows, most with
        ``min_samples_leaf=5``, and takes little time. Labels become better; probabilities become
        more extreme. As all rows take part, there is no `oob_score`, nor honesty. With `augment`
        copies that no tree has learned take part, too.
    oob_score : bool or callable, default=False
        Whether to score the forest on rows that trees did not draw; a callable
        ``score(y_true, y_pred)`` takes the place of the accuracy.
    voting : {"soft", "hard"}, default="soft"
        Whether trees contribute the class shares of their leaves, or one vote each.
    class_weight : dict, list of dict, {"balanced", "balanced_subsample"} or None, default=None
        Weights of classes; for several outputs one dictionary each. ``"balanced"`` gives all
        classes the same total weight, ``"balanced_subsample"`` does so within each tree's rows. A
        class weight acts as that sample weight on the rows of the class.
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
    classes_ : ndarray of shape (n_classes,), or list of these for several outputs
        Labels.
    n_classes_ : int, or list of int for several outputs
        Number of labels.
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
    oob_decision_function_ : ndarray of shape (n_samples, n_classes), or list of these
        Out-of-bag class probabilities; NaN for rows without.
    oob_skipped_ : int
        Number of rows that are in every bag and therefore have no out-of-bag prediction.

    See Also
    --------
    ForestRegressor : the same for real responses.
    named_forest : forests of the literature by name.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> images, labels = digits.images, digits.target
    >>> patches = mf.projections.Patches(max_size=3)
    >>> forest = mf.ForestClassifier(50, projection=patches, random_state=0)
    >>> forest.fit(images[:1000], labels[:1000]).score(images[1000:], labels[1000:]) > 0.9
    True
    >>> forest.feature_importances_.shape
    (8, 8)
    """

    _rules = CLASSIFIER_RULES

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        projection: str | Projection = "sporf",
        max_features: int | float | str | None = "sqrt",
        criterion: str = "gini",
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
        stratify: bool = False,
        honest: bool = False,
        honest_fraction: float = 0.5,
        empty_leaf: str = "ignore",
        ranks: bool = False,
        augment: int | Shifts | None = None,
        refine: bool = False,
        oob_score: bool | Callable[..., float] = False,
        voting: str = "soft",
        class_weight: Any = None,
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
        self.stratify = stratify
        self.honest = honest
        self.honest_fraction = honest_fraction
        self.empty_leaf = empty_leaf
        self.ranks = ranks
        self.augment = augment
        self.refine = refine
        self.oob_score = oob_score
        self.voting = voting
        self.class_weight = class_weight
        self.keep_samples = keep_samples
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
        >>> forest = mf.ForestClassifier(20, random_state=0).fit(X, y)
        >>> forest.predict([[0.0], [3.0]]).tolist()
        ['a', 'b']
        """
        return self._most_probable(self._by_output(self._predict_values(X)))

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
            Mean class shares of the leaves, shares of votes with ``voting="hard"``, or with
            ``refine=True`` the softmax of the sums of scores, in the order of `classes_`.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "a", "b"]
        >>> stump = mf.ForestClassifier(1, min_samples_leaf=2, bootstrap=False).fit(X, y)
        >>> stump.classes_.tolist(), stump.predict_proba([[0.0], [3.0]]).tolist()
        (['a', 'b'], [[1.0, 0.0], [0.5, 0.5]])
        """
        return self._one_or_list(self._by_output(self._predict_values(X)))

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
            Logarithms of what :meth:`predict_proba` returns.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "a", "b"]
        >>> stump = mf.ForestClassifier(1, min_samples_leaf=2, bootstrap=False).fit(X, y)
        >>> stump.predict_log_proba([[0.0], [3.0]]).round(3).tolist()
        [[0.0, -inf], [-0.693, -0.693]]
        """
        with np.errstate(divide="ignore"):  # log 0 is minus infinity
            logarithms = [np.log(shares) for shares in self._by_output(self._predict_values(X))]
        return self._one_or_list(logarithms)

    @of_one_fit
    def predict_proba_per_tree(self, X: Any, *, trees: Any = None) -> Any:
        """Return the probability of each label for each example, tree by tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.
        trees : int, sequence of int or None, default=None
            Numbers of the trees to ask; None is all. The result has 8 bytes for each tree, example
            and class: ask some trees, or some examples, at a time if there are many.

        Returns
        -------
        probabilities : ndarray of shape (n_trees, n_samples, n_classes), or list of these
            Class shares of the leaves, or with ``voting="hard"`` 1 for the label that the tree
            votes for. NaN where a tree is left out, which happens to honest ones whose leaf is
            empty. The mean over the other trees is what :meth:`predict_proba` returns. Trees of a
            forest with ``refine=True`` have scores and no probabilities; `trees_` have them.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.predict_proba_per_tree([[3.0]]).shape
        (10, 1, 2)
        """
        check_is_fitted(self)
        if self._model.link != "identity":
            raise ValueError(
                "predict_proba_per_tree needs a forest that was fitted with refine=False: trees of "
                "this one have scores, of which only the sum over trees has a meaning"
            )
        per_output = self._by_output(self._values_per_tree(X, trees))
        return self._one_or_list([probabilities(shares) for shares in per_output])

    def _by_output(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        return split_by_output(values, self._model.n_classes)

    def _check_together(self) -> None:
        super()._check_together()
        if not self.refine:
            return
        for name, allowed in (("honest", False), ("oob_score", False), ("voting", "soft")):
            if (value := getattr(self, name)) != allowed:
                raise ValueError(
                    f"{name} must be {allowed!r} with refine=True, as leaf values are scores that "
                    f"are fitted to all rows, got {value!r}"
                )

    @property
    def _link(self) -> Link:
        return "softmax" if self.refine else "identity"

    def _with_scores(
        self, model: ForestModel, rows: NDArray[Any], target: Target, weights: RowWeights
    ) -> ForestModel:
        weight = weights.total
        if self._balances_subsamples:
            weight = weight * class_factor("balanced", target, weight)
        return refined(model, rows, target, weight, n_threads(self.n_jobs))

    def _row_weights(self, target: Target, sample_weight: NDArray[np.float64]) -> RowWeights:
        rule = self.class_weight
        if isinstance(rule, str) and not self._balances_subsamples:
            rule = "balanced"  # where all trees have the same rows the two words mean the same
        factor = class_factor(rule, target, sample_weight)
        return row_weights(sample_weight, factor, bootstrap=self.bootstrap, stratify=self.stratify)

    @property
    def _draws_each_class(self) -> bool:
        return bool(self.stratify)

    @property
    def _balances_subsamples(self) -> bool:
        draws = self.bootstrap or self.max_samples is not None
        return (
            bool(draws)
            and isinstance(self.class_weight, str)
            and (self.class_weight == "balanced_subsample")
        )

    @property
    def _aggregation(self) -> Aggregation:
        return "vote" if self.voting == "hard" else "mean"

    def _true_values(self, target: Target) -> NDArray[Any]:
        """Return the index of each label in `classes_`, -1 if the forest does not know it."""
        return codes_among(self._classes_by_output, target)

    def _score_out_of_bag(
        self, values: NDArray[Any], seen: NDArray[np.bool_], target: Target
    ) -> dict[str, Any]:
        per_output = split_by_output(values, target.n_classes)
        codes = np.stack([shares[seen].argmax(axis=1) for shares in per_output], axis=1)
        truth = target.values[seen]
        if not seen.any():
            score = float("nan")
        elif callable(self.oob_score):
            score = self.oob_score(decoded(truth, target), decoded(codes, target))
        else:
            score = float((codes == truth).all(axis=1).mean())
        return {
            "oob_score_": score,
            "oob_decision_function_": per_output[0] if len(per_output) == 1 else per_output,
        }

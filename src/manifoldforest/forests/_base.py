"""The base class of all forests: common parameters and fit."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Bunch

from .._fitted_state import snapshot
from ..augmentation import Shifts
from ..inspection._pruning_path import path_of_forest
from ..validation._inputs import Examples, ForestTarget
from ..validation._rules import check_parameters
from ..validation._stack_level import caller_level
from ._fit_steps import PreparedFit, read_fit
from ._forest_model import ForestModel, TrainingRecord
from ._growing import progress_of
from ._link import Link
from ._rank_transformer import RankTransformer
from ._sampled_forest import SampledForest
from ._weights import RowWeights

Self = TypeVar("Self", bound="BaseForest")

# keep_samples="auto" keeps the leaves of all training rows up to this many tree-row pairs
_MAX_KEPT = 50_000_000


class BaseForest(SampledForest):
    """Base class of the forests; use :class:`ForestClassifier` or :class:`ForestRegressor`."""

    # parameters that all forests have; subclasses store them
    n_estimators: int
    criterion: str
    splitter: str
    max_depth: int | None
    min_samples_split: Any
    min_samples_leaf: Any
    min_weight_fraction_leaf: float
    min_balance: float
    min_impurity_decrease: float
    max_leaf_nodes: int | None
    ccp_alpha: float
    bootstrap: bool
    max_samples: Any
    honest: bool
    honest_fraction: float
    empty_leaf: str
    ranks: bool
    oob_score: Any
    keep_samples: Any
    warm_start: bool
    n_jobs: int | None
    random_state: Any
    verbose: int

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Training examples: rows of features, or images, series, volumes with any number of
            axes. uint8 stays as it is, everything else becomes float32. NaN is a missing value.
            A warning names the columns of which more than 1 % of the distinct values become equal
            in float32, such as unix times or numbers above 2**24 (of fractions that spread
            widely or are small, 2000 rows are looked at).
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            What is to be predicted; for forests in metric spaces what their space takes: arrays
            with one response along the first axis, or lists of objects.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the examples, at least 0. An example of weight 0 is absent, though its label
            stays among `classes_`; and so is one that weighs, class weights included, at most
            1.2e-7 of the heaviest (the resolution of single precision). With `bootstrap` they say
            how likely an example is drawn, in each of `max_samples` draws, and each draw counts 1
            in its tree: multiplying all weights by a number changes nothing, and neither the number
            of draws nor the time depends on them (scikit-learn draws as many rows as the weights
            sum to, or a fraction of that). Without `bootstrap` the weights act in the tree itself.
            If all are whole numbers, weight 2 is then the example given twice, also in
            `min_samples_leaf` and `min_samples_split`: exactly so with ``splitter="exact"`` if all
            trees use all rows. Other splitters search large nodes in bins, whose number and edges
            follow the different examples, whatever these weigh.

        Returns
        -------
        self : estimator
            The fitted forest.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0, 5.0], [1.0, 4.0], [2.0, 4.0], [3.0, 5.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(20, random_state=0)
        >>> forest.fit(X, y).predict([[0.0, 5.0], [3.0, 4.0]]).tolist()
        ['a', 'b']
        >>> forest.fit(X, y, sample_weight=[1, 1, 0, 1]).predict([[2.0, 4.0]]).tolist()
        ['a']
        """
        self._adopt(snapshot(self)._fitted_on(X, y, sample_weight))
        return self

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the values of `ccp_alpha` at which the trees change.

        The forest is grown without pruning, and not kept. Fitted with one of the values and the
        same data, parameters and seed (give `random_state` a number), its trees are those of that
        step of the path.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Training examples, as of :meth:`fit`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            What is to be predicted, as of :meth:`fit`.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the examples, as of :meth:`fit`.

        Returns
        -------
        path : Bunch
            Two arrays of the same length. ``ccp_alphas``: the prices of a leaf at which any tree is
            pruned further, ascending; the first is 0, which prunes nothing, and from the last on
            all trees are single leaves. ``impurities``: the impurity of the leaves that are left
            then, each times its share of the weight of the tree, summed over leaves, mean over
            trees; in honest trees that of the rows which chose the splits.

        See Also
        --------
        sklearn.tree.DecisionTreeClassifier.cost_complexity_pruning_path : the same of one tree,
            where splits that are equally weak are steps of their own.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 1]
        >>> tree = mf.ForestClassifier(1, projection="axis", bootstrap=False, random_state=0)
        >>> path = tree.cost_complexity_pruning_path(X, y)
        >>> path.ccp_alphas.tolist(), path.impurities.tolist()
        ([0.0, 0.375], [0.0, 0.375])
        """
        check_parameters(self.get_params(deep=False), self._rules)
        unpruned = clone(self).set_params(ccp_alpha=0.0, oob_score=False)
        fitted = unpruned._fitted_on(X, y, sample_weight, find_pruning_path=True)
        return path_of_forest(fitted["_model"].trees)

    def _fitted_on(
        self, X: Any, y: Any, sample_weight: Any, *, find_pruning_path: bool = False
    ) -> dict[str, Any]:
        """Grow the trees and return all fitted attributes."""
        inputs = read_fit(self, X, y, sample_weight, find_pruning_path=find_pruning_path)
        prepared = PreparedFit(inputs)
        prepared.give_advice()
        trees = prepared.grown(prepared.new_trees, progress_of(self))
        return prepared.finished([] if trees is None else [trees])

    def _trial_forest(self) -> BaseForest:
        """Return a forest whose out-of-bag scores tell which of several projections is best."""
        return self

    def _check_together(self) -> None:
        """Raise a ValueError unless parameters go together, whatever the data are."""

    @property
    def _augmentation(self) -> Shifts | None:
        """What makes copies of the training examples, as an object of its own."""
        return None

    @property
    def _link(self) -> Link:
        """What the parameters say of values of leaves: other links than the identity are scores."""
        return "identity"

    def _with_scores(
        self, model: ForestModel, rows: NDArray[Any], target: Any, weights: RowWeights
    ) -> ForestModel:
        """Return the model with scores in its leaves; called if the link is not the identity.

        After the training rows may come copies of all of them.
        """
        raise NotImplementedError

    @abstractmethod
    def _check_target(self, target: Any) -> None:
        """Raise a ValueError unless the criterion can learn a target."""

    @abstractmethod
    def _row_weights(self, target: Any, sample_weight: NDArray[np.float64]) -> RowWeights:
        """Turn sample weights into the weights of the core."""

    @abstractmethod
    def _target_attributes(self, target: Any) -> dict[str, Any]:
        """Return the fitted attributes that describe y."""

    @abstractmethod
    def _out_of_bag_attributes(self, model: ForestModel, target: Any) -> dict[str, Any]:
        """Return out-of-bag predictions of the training rows, and their score."""

    @abstractmethod
    def _table(self, target: Any) -> NDArray[Any] | None:
        """Return the class indices or numbers that the model stores, None for responses."""

    @abstractmethod
    def _same_outputs(self, target: Any) -> bool:
        """Whether a target has the same number of outputs and the same classes as at fit."""

    def _record(self, target: ForestTarget, weights: RowWeights) -> TrainingRecord:
        return TrainingRecord(
            y=self._table(target),
            total_weight=weights.total,
            row_weight=weights.row,
            bootstrap=bool(self.bootstrap),
            balanced=self._balances_subsamples,
        )

    @property
    def _rule_for_empty_leaves(self) -> str:
        return self.empty_leaf if self.honest else "none"

    def _keeps_samples(self, n_rows: int, previous: ForestModel | None) -> bool:
        if self.keep_samples != "auto":
            return bool(self.keep_samples)
        first_kept = previous is None or previous.record is not None
        return first_kept and int(self.n_estimators) * n_rows <= _MAX_KEPT

    @property
    def _draws_each_class(self) -> bool:
        """Whether each tree draws as many rows of each class as the data have."""
        return False

    @property
    def _balances_subsamples(self) -> bool:
        """Whether each tree gives the classes among its rows the same weight."""
        return False

    def _fitted_ranks(
        self, examples: Examples, weights: RowWeights, previous: ForestModel | None
    ) -> RankTransformer | None:
        if not self.ranks:
            return None
        if previous:
            return self.rank_transformer_
        # weights that sum to the number of rows: whole-number weights stay as they are
        weight = weights.total * (weights.n_rows / weights.total.sum())
        return RankTransformer().fit(examples.rows, sample_weight=weight)


def count_skipped(seen: NDArray[np.bool_]) -> int:
    """Return how many rows have no out-of-bag prediction, with a warning if there are any."""
    skipped = int(len(seen) - seen.sum())
    if skipped:
        warnings.warn(
            f"Some inputs do not have OOB scores: {skipped} of {len(seen)} rows are in every bag "
            "and were left out. This probably means too few trees were used to compute any "
            "reliable OOB estimates.",
            stacklevel=caller_level(),
        )
    return skipped

"""Methods and properties of all fitted forests."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.utils.validation import check_is_fitted

from .._fitted_state import of_one_fit
from ..inspection._decision_paths import decision_path, leaf_region
from ..inspection._description import describe
from ..inspection._forest_weights import forest_weights, proximity
from ..inspection._permutation_importance import permutation_increase
from ..inspection._tree_view import TreeView
from ..inspection._values_per_tree import chosen_trees, values_per_tree
from ..projections import Projection
from ..validation._inputs import ForestTarget, read_examples
from ..validation._parameters import n_threads
from ..validation._rules import boolean, check_argument
from ._forest_model import Aggregation, ForestModel
from ._imputation import filled
from ._model_file import save
from ._rank_transformer import RankTransformer


class SamplesNotKeptError(ValueError, AttributeError):
    """A method needs the leaves of the training rows, which the forest does not keep.

    An AttributeError too, so that ``hasattr`` is False for properties that need them.
    """


class FittedForest(MultiOutputMixin, BaseEstimator):
    """Methods and properties of a forest that depend on its trees and not on what it predicts."""

    n_jobs: int | None
    keep_samples: Any
    max_features: Any

    _model: ForestModel
    n_features_in_: int
    n_outputs_: int
    feature_shape_: tuple[int, ...]
    feature_names_in_: NDArray[Any]
    projection_: Projection
    max_features_: int
    rank_transformer_: RankTransformer
    oob_score_: float

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int) -> ForestTarget:
        """Validate y."""

    @abstractmethod
    def _describe_target(self) -> str:
        """Say in a few words what is predicted."""

    @property
    def _aggregation(self) -> Aggregation:
        return "mean"

    def _rows(self, X: Any) -> NDArray[Any]:
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)  # raises; called only then, because it is slow
        rows = read_examples(self, X)
        rows = pass_to_ranks(getattr(self, "rank_transformer_", None), rows)
        return filled(rows, self._model.fill_values)

    def _threads(self, rows: NDArray[Any]) -> int:
        n_jobs = self.n_jobs
        # by type, as True and 1.0 equal 1 but are refused
        if len(rows) == 1 and (n_jobs is None or (type(n_jobs) is int and n_jobs == 1)):
            return 1  # whatever joblib's context says
        return n_threads(n_jobs)

    def _predict_values(self, X: Any) -> NDArray[np.float64]:
        rows = self._rows(X)
        return self._model.predict(
            rows, aggregation=self._aggregation, n_threads=self._threads(rows)
        )

    @of_one_fit
    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf that each example falls into, in each tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        leaves : ndarray of int32, shape (n_samples, n_estimators)
            Node numbers, counted within each tree as in `trees_`.
        """
        rows = self._rows(X)
        return self._model.apply(rows, self._threads(rows))

    @of_one_fit
    def decision_path(self, X: Any) -> tuple[csr_matrix, NDArray[np.int64]]:
        """Return the nodes that each example passes through, in all trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, n_nodes)
            A nonzero means that the example passes through the node.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The columns of tree t are ``n_nodes_ptr[t]:n_nodes_ptr[t + 1]``.
        """
        leaves = self.apply(X)
        return decision_path(self._model.trees, leaves)

    @of_one_fit
    def forest_weights(self, X: Any) -> csr_matrix:
        """Return how much each training row counts in the prediction of each example.

        A tree gives each training row its share of the weight in the leaf that the example falls
        into (only rows that are in the tree's bag, and in an honest tree only those that estimate);
        the forest takes the mean over trees. The prediction of a forest with soft voting, or with
        squared error, is the mean of the training responses under these weights.

        With ``empty_leaf="ignore"`` trees whose leaf is empty are left out, also with
        ``"uniform"``, which no weights of rows can express; an example for which no tree is left
        gets the weights of the training set as a whole.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        weights : csr_matrix of shape (n_samples, n_training_rows)
            Weights; every row sums to 1.
        """
        leaves = self.apply(X)
        self._require_samples("forest_weights")
        return forest_weights(self._model, leaves)

    @of_one_fit
    def proximity(self, X: Any) -> csr_matrix:
        """Return the share of trees in which an example and a training row share the leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        proximity : csr_matrix of shape (n_samples, n_training_rows)
            Shares between 0 and 1, whether or not the training row was in the bag of the tree.
        """
        leaves = self.apply(X)
        self._require_samples("proximity")
        return proximity(self._model.trees, leaves)

    @property
    @of_one_fit
    def trees_(self) -> list[TreeView]:
        """The trees, each with flat read-only arrays."""
        check_is_fitted(self)
        return self._model.tree_views()

    @property
    @of_one_fit
    def estimators_samples_(self) -> list[NDArray[np.intp]]:
        """Training rows in the bag of each tree, repeated as often as they were drawn.

        The bag of an honest tree holds distinct rows unless weights are fractional; rows that only
        choose splits are listed once.
        """
        self._require_samples("estimators_samples_")
        inbag = np.abs(self._model.trees["inbag"])
        return [np.repeat(np.arange(len(counts)), counts) for counts in inbag]

    @property
    @of_one_fit
    def oob_samples_(self) -> list[NDArray[np.intp]]:
        """Training rows that each tree has not seen, ascending: not in its bag.

        Rows that only choose the splits of an honest tree are in its bag, rows of weight 0 are in
        none.
        """
        self._require_samples("oob_samples_")
        return [np.flatnonzero(counts == 0) for counts in self._model.trees["inbag"]]

    @property
    @of_one_fit
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean decrease of impurity by each feature, in the shape of one example.

        A split shares its gain among the features of its atom. The sum is 1, or 0 if no tree has
        a split.
        """
        check_is_fitted(self)
        return self._in_feature_shape(self._model.importances[1])

    @property
    @of_one_fit
    def feature_usage_(self) -> NDArray[np.float64]:
        """Share of each feature in all uses of features by splits, in the shape of one example."""
        check_is_fitted(self)
        return self._in_feature_shape(self._model.importances[0])

    @property
    @of_one_fit
    def view_importances_(self) -> list[NDArray[np.float64]]:
        """Mean decrease of impurity by each cell of each view, in the shape of its cells.

        One array for each view on which patches were drawn, in the order of the projection; the
        examples themselves have none. Shares are those of all splits: with one view, and nothing
        beside it, they sum to 1. `feature_importances_` has the same gains at the features to which
        cells belong.
        """
        check_is_fitted(self)
        geometry, total = self._model.geometry, self._model.importances[1].sum()
        return [
            (gains / total if total > 0 else gains.copy()).reshape(geometry.cell_shape(number))
            for number, gains in enumerate(self._model.importances[2])
        ]

    def _in_feature_shape(self, amounts: NDArray[Any]) -> NDArray[np.float64]:
        total = amounts.sum()
        shares = amounts / total if total > 0 else amounts.copy()
        return np.asarray(shares, dtype=np.float64).reshape(self.feature_shape_)

    @of_one_fit
    def permutation_importance(
        self,
        X: Any,
        y: Any,
        *,
        held_out: bool = False,
        features: Any = None,
        n_repeats: int = 1,
        random_state: Any = None,
    ) -> NDArray[np.float64]:
        """Return by how much the error grows when the values of a feature are shuffled.

        Breiman's measure (2001, section 10): the values of one feature are permuted among the
        training rows, and the rows predicted by the trees that did not see them. With `held_out`
        examples that the forest has not seen take their place, and all trees predict them. The
        error is the share of wrong labels (any output), the mean squared error (mean over outputs),
        or in metric spaces the mean squared distance.

        Each feature and repeat costs one pass of all rows through the forest: choose `features`
        when there are many.

        Parameters
        ----------
        X, y : array-like
            The data that the forest was fitted on (it does not store them), or with `held_out`
            others.
        held_out : bool, default=False
            Whether X and y are other data than those of the fit. Needs no out-of-bag rows.
        features : sequence of int or None, default=None
            Features to permute, as positions in the flat example. None is all.
        n_repeats : int, default=1
            Number of permutations per feature, averaged.
        random_state : int, RandomState or None, default=None
            Seed of the permutations.

        Returns
        -------
        increase : ndarray of shape `feature_shape_`
            Increase of the error; NaN for features that were not asked for.

        Notes
        -----
        :func:`sklearn.inspection.permutation_importance` works with any score, and permutes the
        columns of a table. Forests that were fitted on images or series take them as flat rows too,
        so give it those: ``permutation_importance(forest, X.reshape(len(X), -1), y)``, and its
        results ``importances_mean.reshape(forest.feature_shape_)``.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> images, new_images = rng.normal(size=(2, 200, 2, 3))
        >>> forest = mf.ForestRegressor(20, projection="axis", random_state=0)
        >>> forest = forest.fit(images, images[:, 0, 1])
        >>> increase = forest.permutation_importance(
        ...     new_images, new_images[:, 0, 1], held_out=True, random_state=0
        ... )
        >>> np.unravel_index(increase.argmax(), increase.shape) == (0, 1)
        True
        """
        check_argument("held_out", held_out, boolean)
        rows = self._rows(X)
        error = self._held_out_error(y, len(rows)) if held_out else self._training_error(rows, y)
        increase = permutation_increase(rows, error, features, n_repeats, random_state)
        return increase.reshape(self.feature_shape_)

    def _training_error(self, rows: NDArray[Any], y: Any) -> Callable[[NDArray[Any]], float]:
        """Return a function from training rows, perhaps permuted, to their out-of-bag error."""
        self._require_samples("permutation_importance without held_out=True")
        model, threads = self._model, n_threads(self.n_jobs)
        other_data = "for other data set held_out=True"
        if not self._learned_from(self._read_target(y, len(rows))):
            raise ValueError(f"y must be what the forest was fitted on, got others: {other_data}")
        leaves = model.apply(rows, threads).T
        if not np.array_equal(leaves, model.trees["leaf_of_row"]):
            raise ValueError(f"X must be what the forest was fitted on, got others: {other_data}")
        return lambda rows: self._out_of_bag_error(model.apply(rows, threads).T)

    @abstractmethod
    def _held_out_error(self, y: Any, n_rows: int) -> Callable[[NDArray[Any]], float]:
        """Return a function from rows, whose responses are y, to the error of their predictions."""

    @abstractmethod
    def _learned_from(self, target: Any) -> bool:
        """Whether the forest was fitted on this target."""

    @abstractmethod
    def _out_of_bag_error(self, leaves: NDArray[np.int32]) -> float:
        """Return the out-of-bag error of training rows that are in given leaves (trees × rows)."""

    @of_one_fit
    def leaf_region(self, tree: int, leaf: int) -> tuple[csr_matrix, NDArray[np.float64]]:
        """Return the convex polytope of examples that fall into one leaf.

        Parameters
        ----------
        tree : int
            Number of the tree.
        leaf : int
            Number of the leaf in the tree, as from :meth:`apply`.

        Returns
        -------
        A : csr_matrix of shape (depth of the leaf, n_features_in_)
            One row of feature weights for each split above the leaf.
        b : ndarray of shape (depth of the leaf,)
            The leaf holds the flat examples x without missing values for which ``A @ x <= b``.
            Where a split sends examples to the right the inequality is strict. With ``ranks=True``
            x are ranks. Where missing values are filled in (see
            :class:`~manifoldforest.projections.Rotation`), x are examples with these values.
        """
        check_is_fitted(self)
        return leaf_region(self._model, tree, leaf)

    @of_one_fit
    def describe(self) -> str:
        """Return a few lines about the forest.

        Returns
        -------
        text : str
            Size, data and settings of the forest.
        """
        check_is_fitted(self)
        return describe(self)

    @of_one_fit
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the forest to a file that :func:`manifoldforest.load` reads.

        The file holds no code, no `n_jobs`, `verbose` or time: equal forests are equal files. It
        appears under its name only when it is complete. A callable `oob_score` is stored as True,
        a `random_state` that is a generator as None.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        check_is_fitted(self)
        save(self, path)

    def _require_samples(self, what: str) -> None:
        check_is_fitted(self)
        if self._model.record is None:
            raise SamplesNotKeptError(
                f"{what} needs the leaves of the training rows, which this forest does not keep: "
                f"fit with keep_samples=True, got keep_samples={self.keep_samples!r}"
            )

    def _values_per_tree(self, X: Any, trees: Any) -> NDArray[np.float64]:
        leaves = self.apply(X)
        chosen = chosen_trees(trees, len(self))
        return values_per_tree(self._model, leaves, chosen, votes=self._aggregation == "vote")

    def __len__(self) -> int:
        """Return the number of trees."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)
        return self._model.trees.n_trees

    def __bool__(self) -> bool:
        """Return True, also for a forest that is not fitted and has no length."""
        return True

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the forest is fitted."""
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: NaN and examples with several axes are allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = True
        return tags


def pass_to_ranks(ranks: RankTransformer | None, rows: NDArray[Any]) -> NDArray[Any]:
    """Replace values by ranks, if the forest has a rank transformer."""
    if ranks is None:
        return rows
    return np.ascontiguousarray(ranks.transform(rows), dtype=np.float32)

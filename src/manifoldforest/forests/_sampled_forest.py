"""Methods of forests that know where their training rows fell."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from .._fitted_state import of_one_fit
from ..inspection._forest_weights import forest_weights, proximity
from ..inspection._permutation_importance import permutation_increase
from ..validation._parameters import n_threads
from ..validation._rules import boolean, check_argument
from ._fitted_forest import FittedForest


class SamplesNotKeptError(ValueError, AttributeError):
    """A method needs the leaves of the training rows, which the forest does not keep.

    An AttributeError too, so that ``hasattr`` is False for properties that need them.
    """


class SampledForest(FittedForest):
    """A forest whose trees were grown on samples of the training rows, which it may remember."""

    keep_samples: Any
    oob_score_: float

    @of_one_fit
    def forest_weights(self, X: Any) -> csr_matrix:
        """Return how much each training row counts in the prediction of each example.

        A tree gives each training row its share of the weight in the leaf that the example falls
        into (only rows that are in the tree's bag, and in an honest tree only those that estimate);
        the forest takes the mean over trees. The prediction of a forest with soft voting, or with
        squared error, is the mean of the training responses under these weights; that of a forest
        with ``refine=True`` is not, as the weights tell of leaves and not of their scores.

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

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [10.0, 20.0, 50.0, 60.0]
        >>> stump = mf.ForestRegressor(1, max_depth=1, bootstrap=False).fit(X, y)
        >>> weights = stump.forest_weights([[0.5]])
        >>> weights.toarray().tolist()
        [[0.5, 0.5, 0.0, 0.0]]
        >>> (weights @ y).tolist(), stump.predict([[0.5]]).tolist()
        ([15.0], [15.0])
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

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(2, projection="axis", bootstrap=False).fit(X, y)
        >>> forest.proximity([[0.5], [2.5]]).toarray().tolist()
        [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
        """
        leaves = self.apply(X)
        self._require_samples("proximity")
        return proximity(self._model.trees, leaves)

    @property
    @of_one_fit
    def estimators_samples_(self) -> list[NDArray[np.intp]]:
        """Training rows in the bag of each tree, repeated as often as they were drawn.

        The bag of an honest tree holds distinct rows unless weights are fractional; rows that only
        choose splits are listed once.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(2, random_state=0).fit(X, y)
        >>> [rows.tolist() for rows in forest.estimators_samples_]
        [[0, 0, 0, 3], [0, 2, 3, 3]]
        """
        self._require_samples("estimators_samples_")
        inbag = np.abs(self._model.trees["inbag"])
        return [np.repeat(np.arange(len(counts)), counts) for counts in inbag]

    @property
    @of_one_fit
    def oob_samples_(self) -> list[NDArray[np.intp]]:
        """Training rows that are not in the bag of each tree, ascending.

        Rows that only choose the splits of an honest tree are in its bag, rows of weight 0 are in
        none.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(2, random_state=0).fit(X, y)
        >>> [rows.tolist() for rows in forest.oob_samples_]
        [[1, 2], [1]]
        """
        self._require_samples("oob_samples_")
        return [np.flatnonzero(counts == 0) for counts in self._model.trees["inbag"]]

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
        if model.link != "identity":
            raise ValueError(
                "permutation_importance must be given held-out examples, with held_out=True, by a "
                "forest whose leaf values were fitted to all training rows: none is out of bag"
            )
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

    def _require_samples(self, what: str) -> None:
        check_is_fitted(self)
        if self._model.record is None:
            raise SamplesNotKeptError(
                f"{what} needs the leaves of the training rows, which this forest does not keep: "
                f"fit with keep_samples=True, got keep_samples={self.keep_samples!r}"
            )

    def _require_rows_out_of_bag(self) -> None:
        self._require_samples("the error out of bag")
        if self._model.link != "identity":
            raise ValueError(
                "X must be given for a forest whose leaf values were fitted to all training rows: "
                "none is out of bag, got None"
            )
        if not (self._model.trees["inbag"] == 0).any():
            raise ValueError(
                "X must be given for a forest that has no rows out of bag (set bootstrap=True or "
                "max_samples to have some), got None"
            )

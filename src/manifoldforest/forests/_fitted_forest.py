"""Methods and properties of all fitted forests."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.utils.validation import check_is_fitted

from .._described import DescribedEstimator
from .._fitted_state import of_one_fit, replace_fitted
from ..inspection._decision_paths import decision_path, leaf_region
from ..inspection._tree_view import TreeView
from ..inspection._values_per_tree import chosen_trees, values_per_tree
from ..projections import NAMES, Projection, as_projection
from ..tables import TableSchema
from ..validation._inputs import ForestTarget, read_examples
from ..validation._parameters import n_threads
from ..validation._rules import Rule
from ._forest_model import Aggregation, ForestModel
from ._imputation import filled
from ._model_file import save
from ._rank_transformer import RankTransformer

Self = TypeVar("Self", bound="FittedForest")


class FittedForest(DescribedEstimator, MultiOutputMixin, BaseEstimator):
    """What all forests share: parameters, files, and what can be asked of their trees."""

    _rules: ClassVar[Mapping[str, Rule]]
    # parameters that may be given by name: their names, and the function that makes objects of them
    _parameters_by_name: ClassVar[Mapping[str, tuple[Mapping[str, type], Callable[[Any], Any]]]] = {
        "projection": (NAMES, as_projection)
    }
    # parameters that a model file holds as descriptions of objects, not as plain values
    _described_parameters: ClassVar[tuple[str, ...]] = ("projection",)

    n_jobs: int | None
    projection: Any
    max_features: Any

    _model: ForestModel
    n_features_in_: int
    n_outputs_: int
    feature_shape_: tuple[int, ...]
    feature_names_in_: NDArray[Any]
    feature_dims_: tuple[str, ...]
    projection_: Projection
    max_features_: int
    rank_transformer_: RankTransformer
    # what the command line knows of the table of the fit; kept by model files, gone at the next fit
    table_schema_: TableSchema

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with `deep` also those of objects among them.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add parameters of parameters, such as ``projection__max_size``, also if the
            projection is given by its name.

        Returns
        -------
        params : dict
            Values by name.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.ForestClassifier(projection="patches")
        >>> forest.get_params()["projection__min_size"]
        1
        >>> "projection__min_size" in forest.get_params(deep=False)
        False
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        for role, (names, as_object) in self._parameters_by_name.items():
            name = params[role]
            if deep and isinstance(name, str) and name in names:
                nested = as_object(name).get_params(deep=True)
                params |= {f"{role}__{key}": value for key, value in nested.items()}
        return params

    def set_params(self: Self, **params: Any) -> Self:
        """Set parameters; ``projection__parameter`` sets one of the projection.

        The name of a projection or a space is replaced by the object it stands for when one of its
        parameters is set.

        Parameters
        ----------
        **params : dict
            New values by name.

        Returns
        -------
        self : estimator
            This forest.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> forest = mf.ForestClassifier(projection="patches")
        >>> forest.set_params(n_estimators=20, projection__max_size=3).projection
        Patches(max_size=3)
        """
        for role, (_, as_object) in self._parameters_by_name.items():
            if any(key.startswith(f"{role}__") for key in params):
                params[role] = as_object(params.get(role, getattr(self, role)))
        super().set_params(**params)
        return self

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int) -> ForestTarget:
        """Validate y."""

    @abstractmethod
    def _describe_target(self) -> str:
        """Say in a few words what is predicted."""

    def _describe_for_file(self, arrays: dict[str, NDArray[Any]]) -> Any:
        """Return what a model file must also hold, for JSON; arrays are added to `arrays`."""
        return None

    @classmethod
    def _read_description(
        cls, description: Any, arrays: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parameters and the fitted attributes in what `_describe_for_file` returned."""
        return {}, {}

    def _adopt(self, fitted: Mapping[str, Any]) -> None:
        """Replace all fitted attributes at once: a failed fit changes nothing."""
        replace_fitted(self, fitted)

    @classmethod
    def _classes_of_leaves(cls, n_classes: list[int]) -> list[int]:
        """Return the numbers of classes whose shares leaves hold, from those of all outputs."""
        return n_classes

    @classmethod
    def _value_width(cls, n_classes: list[int], n_outputs: int) -> int:
        """Return how many numbers the value of a leaf has."""
        return sum(n_classes) if n_classes else n_outputs

    @property
    def _aggregation(self) -> Aggregation:
        return "mean"

    @property
    def _reads_series(self) -> bool:
        """Whether X may be a list of series of unequal length."""
        projection: Any = self.projection
        if isinstance(projection, str) and projection not in NAMES:
            return False  # "auto", or a mistake, which the fit will tell
        return isinstance(projection, str | Projection) and as_projection(projection)._reads_series

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

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(3, projection="axis", bootstrap=False).fit(X, y)
        >>> forest.apply([[0.5], [2.5]]).tolist()
        [[1, 1, 1], [2, 2, 2]]
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

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(2, projection="axis", bootstrap=False).fit(X, y)
        >>> indicator, n_nodes_ptr = forest.decision_path([[2.5]])
        >>> indicator.toarray().tolist()  # in both trees from node 0, the root, to node 2
        [[1, 0, 1, 1, 0, 1]]
        >>> n_nodes_ptr.tolist()
        [0, 3, 6]
        """
        leaves = self.apply(X)
        return decision_path(self._model.trees, leaves)

    @property
    @of_one_fit
    def trees_(self) -> list[TreeView]:
        """The trees, each with flat read-only arrays.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(1, projection="axis", bootstrap=False).fit(X, y)
        >>> forest.trees_
        [<tree with 3 nodes, 2 leaves, depth 1>]
        >>> forest.trees_[0].value.tolist()  # class shares of the root and of two leaves
        [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]
        """
        check_is_fitted(self)
        return self._model.tree_views()

    @property
    @of_one_fit
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean decrease of impurity by each feature, in the shape of one example.

        A split shares its gain among the features of its atom. The sum is 1, or 0 if no tree has
        a split.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> import numpy as np
        >>> images = np.random.default_rng(0).normal(size=(60, 4, 4))
        >>> forest = mf.ForestClassifier(10, projection="axis", random_state=0)
        >>> importances = forest.fit(images, images[:, 1, 2] > 0).feature_importances_
        >>> importances.shape, divmod(int(importances.argmax()), 4)  # row 1, column 2
        ((4, 4), (1, 2))
        """
        check_is_fitted(self)
        return self._in_feature_shape(self._model.importances[1])

    @property
    @of_one_fit
    def feature_usage_(self) -> NDArray[np.float64]:
        """Share of each feature in all uses of features by splits, in the shape of one example.

        A split uses all features of its atom. The sum is 1, or 0 if no tree has a split.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
        >>> tree = mf.ForestRegressor(1, projection="axis", bootstrap=False).fit(X, [0, 1, 5, 6])
        >>> tree.feature_usage_.round(3).tolist()  # one split on feature 0, two on feature 1
        [0.333, 0.667]
        >>> tree.feature_importances_.round(3).tolist()  # that of feature 0 gains most
        [0.962, 0.038]
        """
        check_is_fitted(self)
        return self._in_feature_shape(self._model.importances[0])

    @property
    @of_one_fit
    def view_importances_(self) -> list[NDArray[np.float64]]:
        """Mean decrease of impurity by each cell of each view, in the shape of its cells.

        One array for each view on which patches were drawn, in the order of the projection; the
        examples themselves have none. :class:`~manifoldforest.projections.Intervals` and
        :class:`~manifoldforest.projections.DilatedKernels` have one for each of their views, whose
        cells are statistics of series. Shares are those of all splits: with one view, and nothing
        beside it, they sum to 1. `feature_importances_` has the same gains at the features to which
        cells belong.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> images, labels = mf.datasets.make_bars(60, random_state=0)
        >>> patches = mf.projections.Patches(max_size=3, view=mf.views.Gradients(orientations=4))
        >>> forest = mf.ForestClassifier(5, projection=patches, random_state=0).fit(images, labels)
        >>> [importances.shape for importances in forest.view_importances_]
        [(4, 28, 28)]
        >>> forest.feature_importances_.shape
        (28, 28)
        """
        check_is_fitted(self)
        _, by_feature, by_view = self._model.importances
        total = by_feature.sum()
        return [gains / total if total > 0 else gains.copy() for gains in by_view]

    def _in_feature_shape(self, amounts: NDArray[Any]) -> NDArray[np.float64]:
        total = amounts.sum()
        shares = amounts / total if total > 0 else amounts.copy()
        return np.asarray(shares, dtype=np.float64).reshape(self.feature_shape_)

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

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> forest = mf.ForestClassifier(1, projection="axis", bootstrap=False).fit(X, y)
        >>> A, b = forest.leaf_region(0, 2)
        >>> A.toarray().tolist(), b.tolist()  # -x < -1.5: the leaf of examples above 1.5
        ([[-1.0]], [-1.5])
        """
        check_is_fitted(self)
        return leaf_region(self._model, tree, leaf)

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

        Examples
        --------
        >>> import os, tempfile
        >>> import manifoldforest as mf
        >>> forest = mf.ForestRegressor(5, random_state=0).fit([[0.0], [1.0]], [2.0, 3.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "forest.mf")
        ...     forest.save(path)
        ...     again = mf.load(path)
        >>> again.predict([[1.0]]) == forest.predict([[1.0]])
        array([ True])
        """
        check_is_fitted(self)
        save(self, path)

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

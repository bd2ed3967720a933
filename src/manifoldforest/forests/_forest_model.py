"""The model that a fit makes: trees, geometry of their atoms, record of the training rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .. import _core
from .._units import Unit
from ..inspection._tree_view import TreeView
from ..io._tree_packing import pack_trees, unpack_trees
from ..projections import Projection
from ..views._base import core_rows
from ._flat_forest import FlatForest
from ._geometry import pack_geometry, unpack_geometry
from ._link import Link, linked

# How the values of the leaves of a row are combined; predict/predictor.hpp defines them.
Aggregation: TypeAlias = Literal["mean", "vote", "sum"]

# The sum of numbers up to this size over all trees is finite.
_LARGEST_TERM = 2.0**900


@dataclass(frozen=True)
class TrainingRecord:
    """What a model stores of the training rows, besides their leaves and in-bag counts."""

    # class indices or numbers, (n, outputs); None in response forests, which store their responses
    y: NDArray[Any] | None
    total_weight: NDArray[np.float64]  # in the whole training set
    row_weight: NDArray[np.float64]  # what the criterion saw, for each draw if `bootstrap`
    bootstrap: bool
    balanced: bool  # whether each tree also balanced its classes

    @property
    def table(self) -> NDArray[Any]:
        """Class indices or numbers; only for forests that learn these."""
        assert self.y is not None
        return self.y

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.total_weight)

    def weighs_like(self, other: TrainingRecord) -> bool:
        """Whether the rows have the same weights in both."""
        return (
            np.array_equal(self.total_weight, other.total_weight)
            and np.array_equal(self.row_weight, other.row_weight)
            and (self.bootstrap, self.balanced) == (other.bootstrap, other.balanced)
        )


@dataclass(frozen=True, eq=False)
class ForestModel:
    """A grown forest. The predictor is made at first use and never stored."""

    trees: FlatForest
    geometry: _core.Geometry  # grids and dictionary that atoms refer to by number; never changed
    projection: Projection
    feature_shape: tuple[int, ...]
    n_classes: list[int]
    empty_leaf: str
    fallback: NDArray[np.float64]  # value of a row for which every tree is left out
    seed: int
    n_rows: int  # of the training set
    record: TrainingRecord | None
    fill_values: NDArray[np.float32] | None = None  # of missing values in each column
    link: Link = "identity"  # other ones: values are scores, and what is predicted of their sums

    def __getstate__(self) -> dict[str, Any]:
        cached = ("predictor", "importances", "_unit", "_has_views")
        state = {name: value for name, value in self.__dict__.items() if name not in cached}
        return state | {
            "trees": pack_trees(self.trees.arrays, self.n_classes),
            "geometry": pack_geometry(self.geometry),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        trees = FlatForest(unpack_trees(state["trees"], state["n_classes"]))
        geometry = unpack_geometry(math.prod(state["feature_shape"]), *state["geometry"])
        self.__dict__.update(state | {"trees": trees, "geometry": geometry})

    def __deepcopy__(self, memo: dict[int, Any]) -> ForestModel:
        return self  # nothing in it ever changes

    @cached_property
    def _unit(self) -> Unit:
        """The unit in which responses are added up, so that no sum is infinite."""
        if self.n_classes:
            return Unit()
        value = self.trees["value"]
        largest = np.max(np.abs(value), initial=0.0, where=np.isfinite(value))
        return Unit.of(float(largest), high=_LARGEST_TERM)

    @cached_property
    def predictor(self) -> _core.Predictor:
        """The compiled forest, which predicts in `_unit`."""
        arrays, fallback = self.trees.arrays, self._unit.down(self.fallback)
        if self._unit != Unit():
            arrays = arrays | {"value": self._unit.down(arrays["value"])}
        return _core.Predictor(
            arrays, self.geometry, self.n_classes, self.empty_leaf == "ignore", fallback
        )

    def predict(
        self, rows: NDArray[Any], *, aggregation: Aggregation, n_threads: int
    ) -> NDArray[np.float64]:
        """Return the values of all trees for each row as one: their mean, vote or sum.

        Scores are added up, and what is returned is what the link makes of their sums.
        """
        if self.link != "identity":
            if aggregation == "vote":
                raise ValueError("voting must be 'soft' for a forest that was refined, got 'hard'")
            aggregation = "sum"
        values = self.predictor.predict(self._core_rows(rows), aggregation, n_threads)
        values = np.asarray(self._unit.up(values))
        return linked(self.link, values, self.n_classes)

    def shap_values(
        self, rows: NDArray[Any], *, aggregation: Aggregation, n_threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return Shapley values of what `predict` says before its link, and its mean.

        Rows × features × values of a leaf, and values of a leaf.
        """
        if self.link != "identity":
            aggregation = "sum"
        values, base = self.predictor.shap_values(self._core_rows(rows), aggregation, n_threads)
        return np.asarray(self._unit.up(values)), np.asarray(self._unit.up(base))

    def apply(self, rows: NDArray[Any], n_threads: int) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, rows × trees."""
        return self.predictor.apply(self._core_rows(rows), n_threads)

    def cells(self, rows: NDArray[Any], view: int) -> NDArray[Any]:
        """Return the cells of rows in a view, rows × the shape of the cells."""
        cells = self.geometry.cells(view, self._core_rows(rows), 1)
        return cells.reshape(len(rows), *self.geometry.cell_shape(view))

    @cached_property
    def _has_views(self) -> bool:
        return bool(self.geometry.views)

    def _core_rows(self, rows: NDArray[Any]) -> NDArray[Any]:
        if not self._has_views:
            return rows
        return rows_for_core(rows, self.projection, self.geometry, self.feature_shape)

    @cached_property
    def importances(self) -> tuple[NDArray[Any], NDArray[Any], list[NDArray[Any]]]:
        """Number of splits that use each feature, its mean gain, and that of cells of views."""
        return self.predictor.importances()

    def expand_atoms(self, tree: int, method: str) -> csr_matrix:
        """Return the atoms of one tree, nodes × features.

        `method` is what needs them, for the message if they are no weighted sums of features.
        """
        if (kind := self.predictor.nonlinear_kind(tree)) is not None:
            raise ValueError(
                f"{method} needs splits on weighted sums of features, but tree {tree} has splits "
                f"of kind {kind!r}, which are no such sums"
            )
        offsets, features, weights = self.predictor.expand_atoms(tree)
        shape = (len(offsets) - 1, self.geometry.n_features)
        return csr_matrix((weights, features, offsets), shape=shape)

    def atom_text(self, tree: int, node: int) -> str:
        """Return a text that says what the atom of a split computes."""
        return self.predictor.atom_text(tree, node)

    def tree_views(self) -> list[TreeView]:
        """Return all trees as views."""
        depth, offsets = self.trees.depths(), self.trees["tree_offsets"]
        return [
            self._tree_view(t, depth[offsets[t] : offsets[t + 1]])
            for t in range(self.trees.n_trees)
        ]

    def tree_view(self, index: int) -> TreeView:
        """Return one tree as a view."""
        return self._tree_view(index, self.trees.depths_of_tree(index))

    def _tree_view(self, index: int, depth: NDArray[np.int64]) -> TreeView:
        return TreeView(
            self.trees.tree(index),
            depth,
            partial(self.expand_atoms, index, "TreeView.atoms"),
            partial(self.atom_text, index),
        )

    def out_of_bag(
        self, leaf_of_row: NDArray[Any], *, aggregation: Aggregation
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the prediction of each training row by the trees that did not see it.

        Rows that every tree saw get NaN. The second array is the number of trees per row.
        """
        inbag = self.trees["inbag"].astype(np.int32, copy=False)
        values, n_trees = self.predictor.predict_oob(leaf_of_row, inbag, aggregation)
        return self._unit.up(values), n_trees

    def without_samples(self) -> ForestModel:
        """Return the model without leaves, in-bag counts and record of the training rows."""
        return replace(self, trees=self.trees.without_samples(), record=None)


def make_sampler(
    projection: Projection, feature_shape: tuple[int, ...]
) -> tuple[_core.Geometry, _core.Sampler]:
    """Build a projection for examples of one shape."""
    geometry = _core.Geometry(math.prod(feature_shape))
    return geometry, projection._build(geometry, feature_shape)


def rows_for_core(
    rows: NDArray[Any],
    projection: Projection,
    geometry: _core.Geometry,
    feature_shape: tuple[int, ...],
) -> NDArray[Any]:
    """Return rows as the core reads them: what Python computes of views is appended to them."""
    columns = []
    if geometry.row_width > geometry.n_features:
        columns = projection._columns(rows, feature_shape)
    return core_rows(rows, geometry, columns)

"""The model that a fit makes: trees, geometry of their atoms, record of the training rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .. import _core
from .._units import Unit
from ..inspection._tree_view import TreeView
from ..io._tree_packing import pack_trees, unpack_trees
from ..projections import Projection
from ..views._base import core_rows
from ._bank import Bank, bank_of, made_bank
from ._flat_forest import FlatForest
from ._geometry import pack_geometry, unpack_geometry
from ._link import Link, linked

# How the values of the leaves of a row are combined; predict/predictor.hpp defines them.
Aggregation: TypeAlias = Literal["mean", "vote", "sum"]

Answer = TypeVar("Answer", bound=np.generic)

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
    bank: Bank | None = None  # whose cells are the features that trees see

    def __getstate__(self) -> dict[str, Any]:
        cached = ("predictor", "importances", "_unit", "_has_views")
        state = {name: value for name, value in self.__dict__.items() if name not in cached}
        return state | {
            "trees": pack_trees(self.trees.arrays, self.n_classes),
            "geometry": pack_geometry(self.geometry),
            "bank": None if self.bank is None else self.bank.geometry.views,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        trees = FlatForest(unpack_trees(state["trees"], state["n_classes"]))
        n_features = math.prod(state["feature_shape"])
        views = state.get("bank")
        bank = None if views is None else made_bank(n_features, views)
        n_seen = n_features if bank is None else bank.n_cells
        geometry = unpack_geometry(n_seen, *state["geometry"])
        self.__dict__.update(state | {"trees": trees, "geometry": geometry, "bank": bank})

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
        predict = self.predictor.predict
        values = self._asked(rows, n_threads, lambda some: predict(some, aggregation, n_threads))
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
        explain = self.predictor.shap_values
        if self.bank is None:
            values, base = explain(self._core_rows(rows, n_threads), aggregation, n_threads)
        else:
            values, base = self._explained_by_cells(rows, aggregation, n_threads)
        return np.asarray(self._unit.up(values)), np.asarray(self._unit.up(base))

    def _explained_by_cells(
        self, rows: NDArray[Any], aggregation: Aggregation, n_threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the same for cells, whose values are divided among their features.

        There are many cells: only some rows are explained at a time.
        """
        bank = self.bank
        assert bank is not None
        parts = []
        for first in range(0, len(rows), 8) or [0]:
            cells = bank.cells(rows[first : first + 8], n_threads)
            values, base = self.predictor.shap_values(cells, aggregation, n_threads)
            n, _, width = values.shape
            of_value = bank.by_feature(values.transpose(0, 2, 1).reshape(n * width, -1))
            parts.append(of_value.reshape(n, width, -1).transpose(0, 2, 1))
        return np.concatenate(parts), base

    def apply(self, rows: NDArray[Any], n_threads: int) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, rows × trees."""
        apply = self.predictor.apply
        return self._asked(rows, n_threads, lambda some: apply(some, n_threads))

    def cells(self, rows: NDArray[Any], view: int) -> NDArray[Any]:
        """Return the cells of rows in a view, rows × the shape of the cells."""
        cells = self.geometry.cells(view, self._core_rows(rows, 1), 1)
        return cells.reshape(len(rows), *self.geometry.cell_shape(view))

    @cached_property
    def _has_views(self) -> bool:
        return bool(self.geometry.views)

    def _core_rows(self, rows: NDArray[Any], n_threads: int) -> NDArray[Any]:
        if not self._has_views and self.bank is None:
            return rows
        built = Built(self.geometry, None, self.bank)
        return rows_for_core(rows, self.projection, built, self.feature_shape, n_threads)

    def _asked(
        self,
        rows: NDArray[Any],
        n_threads: int,
        answer: Callable[[NDArray[Any]], NDArray[Answer]],
    ) -> NDArray[Answer]:
        """Return the answers for rows, some at a time if they become cells of a bank."""
        if self.bank is None:
            return answer(self._core_rows(rows, n_threads))
        parts = [
            answer(self._core_rows(rows[some], n_threads)) for some in self.bank.chunks(len(rows))
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @cached_property
    def importances(self) -> tuple[NDArray[Any], NDArray[Any], list[NDArray[Any]]]:
        """Number of splits that use each feature, its mean gain, and that of cells of views.

        Those of cells have the shape of the cells.
        """
        usage, gain, by_view = self.predictor.importances()
        if self.bank is None:
            shapes = map(self.geometry.cell_shape, range(len(by_view)))
            in_shape = [cells.reshape(shape) for cells, shape in zip(by_view, shapes, strict=True)]
            return usage, gain, in_shape
        # a split uses all features of its cell, and shares its gain out to them
        some = np.flatnonzero(usage).astype(np.int64)
        shares = self.bank.shares(some)
        users = csr_matrix((np.ones_like(shares.data), shares.indices, shares.indptr), shares.shape)
        return usage[some] @ users, gain[some] @ shares, self.bank.by_view(gain)

    def expand_atoms(self, tree: int, method: str) -> csr_matrix:
        """Return the atoms of one tree, nodes × features.

        `method` is what needs them, for the message if they are no weighted sums of features.
        """
        if self.bank is not None:
            raise ValueError(
                f"{method} needs splits on weighted sums of features, but this forest splits on "
                "statistics of series, which are no such sums"
            )
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
        text = self.predictor.atom_text(tree, node)
        return text if self.bank is None else self.bank.text(text)

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


class Built(NamedTuple):
    """What the core needs of a projection."""

    geometry: _core.Geometry
    sampler: _core.Sampler | None  # which only growing needs
    bank: Bank | None


def make_sampler(projection: Projection, feature_shape: tuple[int, ...]) -> Built:
    """Build a projection for examples of one shape."""
    bank = bank_of(projection, feature_shape)
    geometry = _core.Geometry(math.prod(feature_shape) if bank is None else bank.n_cells)
    return Built(geometry, projection._build(geometry, feature_shape), bank)


def rows_for_core(
    rows: NDArray[Any],
    projection: Projection,
    built: Built,
    feature_shape: tuple[int, ...],
    n_threads: int,
) -> NDArray[Any]:
    """Return rows as the core reads them.

    They are cells, if there is a bank; what Python computes of views is appended to them.
    """
    if built.bank is not None:
        return built.bank.cells(rows, n_threads)
    columns, geometry = [], built.geometry
    if geometry.row_width > geometry.n_features:
        columns = projection._columns(rows, feature_shape)
    return core_rows(rows, geometry, columns)

"""Atoms as sums of terms over the columns of a table, as the core compiles them.

Summed-area tables of the core begin with zeros along summed axes; those of a model have none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..forests._forest_model import ForestModel
from ..forests._ranges import ends_of, ranges
from ..inspection._atoms import fingerprints


@dataclass(frozen=True)
class Terms:
    """Sums of columns with weights: those of sum a are ``offsets[a] : offsets[a + 1]``."""

    offsets: NDArray[np.int64]
    columns: NDArray[np.int64]
    weights: NDArray[np.float32]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of terms of each sum."""
        return np.diff(self.offsets)

    def selected(self, sums: NDArray[np.integer]) -> Terms:
        """Return some of the sums."""
        sizes = self.sizes[sums]
        at = ranges(self.offsets[sums], sizes)
        return Terms(ends_of(sizes), self.columns[at], self.weights[at])


@dataclass(frozen=True)
class ForestAtoms:
    """The different atoms of a forest over the features and the tables of grids, side by side."""

    terms: Terms
    of_node: NDArray[np.int64]  # the atom of each split; 0 for leaves
    grids: list[int]  # whose tables are read, in this order


def forest_atoms(model: ForestModel) -> ForestAtoms:
    """Return the atoms of all splits of a forest."""
    trees, geometry = model.trees, model.geometry
    splits = np.flatnonzero(trees["left"])
    _, first, inverse = np.unique(
        fingerprints(trees)[splits], return_index=True, return_inverse=True
    )
    of_node = np.zeros(trees.n_nodes, dtype=np.int64)
    of_node[splits] = inverse.reshape(-1)
    of_atom, offsets, entries, weights = model.predictor.compile_atoms(splits[first])
    of_term = np.repeat(of_atom, np.diff(offsets))
    grids = [int(grid) for grid in np.unique(of_atom) if grid >= 0]
    columns, n_columns = entries.astype(np.int64), geometry.n_features
    for grid in grids:
        shape, summed, _ = geometry.grids[grid]
        of_grid = of_term == grid
        columns[of_grid] = n_columns + _without_zeros(columns[of_grid], shape, summed)
        n_columns += math.prod(shape)
    return ForestAtoms(Terms(offsets, columns, weights), of_node, grids)


def _without_zeros(
    entries: NDArray[np.int64], shape: list[int], summed: list[bool]
) -> NDArray[np.int64]:
    """Return the places of entries of a table in one that does not begin with zeros."""
    places = np.unravel_index(entries, [n + add for n, add in zip(shape, summed, strict=True)])
    moved = tuple(place - add for place, add in zip(places, summed, strict=True))
    return np.asarray(np.ravel_multi_index(moved, shape), dtype=np.int64)

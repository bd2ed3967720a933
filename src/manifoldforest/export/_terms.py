"""Atoms as sums of terms over the columns of a table.

The same that `atoms/*.hpp` of the core compile: a sparse atom is a sum of features with weights, a
patch the corners of its boxes in the summed-area table of a grid, which here has no leading zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..forests._flat_forest import FlatForest
from ..forests._forest_model import ForestModel
from ..inspection._atoms import fingerprints

# kinds of atoms: cpp/core/atoms/atom.hpp
_SPARSE, _PATCH, _DICTIONARY, _ROTATION = range(4)


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
    nodes = splits[first]  # one for each atom
    kind = trees["atom_kind"][nodes]
    patches = nodes[kind == _PATCH]
    of_grid = trees["atom_ints"][trees["atom_offsets"][patches]]
    grids = [int(grid) for grid in np.unique(of_grid)]
    first_column, n_columns = {}, geometry.n_features
    for grid in grids:
        first_column[grid] = n_columns
        n_columns += math.prod(geometry.grids[grid][0])

    compilers: dict[int, Callable[[NDArray[np.int64]], Terms]] = {
        _SPARSE: lambda of_kind: _sparse_terms(trees, of_kind),
        _PATCH: lambda of_kind: _patch_terms(model, of_kind, first_column),
        _DICTIONARY: lambda of_kind: _dictionary_terms(model, of_kind),
        _ROTATION: lambda of_kind: _rotation_terms(trees, of_kind),
    }
    parts, places = [], []
    for number in np.unique(kind):
        chosen = np.flatnonzero(kind == number)
        parts.append(compilers[int(number)](nodes[chosen]))
        places.append(chosen)
    return ForestAtoms(_in_order(parts, places), of_node, grids)


def ranges(begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``begin, begin + 1, ...`` of each range, one range after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    numbers: NDArray[np.int64] = np.repeat(begins - (ends - sizes), sizes) + np.arange(total)
    return numbers


def ends_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where ranges of these sizes begin, and where the last ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


def _in_order(parts: list[Terms], places: list[NDArray[np.int64]]) -> Terms:
    """Join sums, of which those of each part belong to given places."""
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return Terms(np.zeros(1, dtype=np.int64), nothing, nothing.astype(np.float32))
    sizes = np.concatenate([part.sizes for part in parts])
    joined = Terms(
        ends_of(sizes),
        np.concatenate([part.columns for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )
    return joined.selected(np.argsort(np.concatenate(places)))


def _sparse_terms(trees: FlatForest, nodes: NDArray[np.int64]) -> Terms:
    sizes = np.diff(trees["atom_offsets"])[nodes]
    features = trees["atom_ints"][ranges(trees["atom_offsets"][nodes], sizes)]
    weights = trees["atom_weights"][ranges(trees["weight_offsets"][nodes], sizes)]
    return Terms(ends_of(sizes), features.astype(np.int64), weights)


def _dictionary_terms(model: ForestModel, nodes: NDArray[np.int64]) -> Terms:
    offsets, features, weights = model.geometry.dictionary
    rows = model.trees["atom_ints"][model.trees["atom_offsets"][nodes]]
    return Terms(offsets, features.astype(np.int64), weights).selected(rows)


def _rotation_terms(trees: FlatForest, nodes: NDArray[np.int64]) -> Terms:
    """Return coordinates of rotated examples; those that a tree does not rotate are features."""
    coordinate = trees["atom_ints"][trees["atom_offsets"][nodes]].astype(np.int64)
    tree = np.searchsorted(trees["tree_offsets"], nodes, side="right") - 1
    dims, rotations = trees["rotation_dims"], trees["rotations"]
    columns, weights = [], []
    for number, feature in zip(tree, coordinate, strict=True):  # few: at most trees × features
        place = np.flatnonzero(dims[number] == feature)
        columns.append(dims[number] if len(place) else feature[None])
        weights.append(rotations[number][:, place[0]] if len(place) else np.ones(1, np.float32))
    sizes = np.array([len(part) for part in columns], dtype=np.int64)
    return Terms(
        ends_of(sizes),
        np.concatenate(columns).astype(np.int64),
        np.concatenate(weights).astype(np.float32),
    )


def _patch_terms(
    model: ForestModel, nodes: NDArray[np.int64], first_column: dict[int, int]
) -> Terms:
    """Return the corners of patches in the order of the core: axis by axis, each in the last."""
    ints = model.trees["atom_ints"].astype(np.int64)
    begins = model.trees["atom_offsets"][nodes]
    of_grid = ints[begins]
    parts, places = [], []
    for grid in np.unique(of_grid):
        chosen = np.flatnonzero(of_grid == grid)
        shape, summed, _ = model.geometry.grids[int(grid)]
        at = begins[chosen] + 1  # the numbers of the next axis of each patch
        # The corners so far: which patch, place in the table and sign.
        patch = np.arange(len(chosen))
        index, sign = np.zeros(len(chosen), np.int64), np.ones(len(chosen), np.int64)
        for length, is_summed in zip(shape, summed, strict=True):
            of_patch = _summed_axis if is_summed else _listed_axis
            sizes, position, signs, at = of_patch(ints, at, length)
            first = ends_of(sizes)[:-1]
            chosen_sizes = sizes[patch]
            entries = ranges(first[patch], chosen_sizes)
            index = np.repeat(index, chosen_sizes) * length + position[entries]
            sign = np.repeat(sign, chosen_sizes) * signs[entries]
            patch = np.repeat(patch, chosen_sizes)
        sizes = np.bincount(patch, minlength=len(chosen)).astype(np.int64)
        columns = index + first_column[int(grid)]
        parts.append(Terms(ends_of(sizes), columns, sign.astype(np.float32)))
        places.append(chosen)
    return _in_order(parts, places)


# How many entries of an axis each patch has, their places and signs, and where its numbers go on.
_Axis = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _summed_axis(ints: NDArray[np.int64], at: NDArray[np.int64], length: int) -> _Axis:
    """Return the ends of ranges: the last of a range, minus the one before it, twice if it wraps.

    The running sum up to and with place i is entry i; before the first there is nothing to
    subtract.
    """
    first, end = ints[at], ints[at] + ints[at + 1]
    wraps = end > length
    position = np.stack([np.minimum(end, length) - 1, first - 1, end - length - 1], axis=1)
    sign = np.broadcast_to(np.array([1, -1, 1]), position.shape)
    there = np.stack([np.ones_like(wraps), first > 0, wraps], axis=1)
    return there.sum(axis=1), position[there], sign[there], at + 2


def _listed_axis(ints: NDArray[np.int64], at: NDArray[np.int64], length: int) -> _Axis:
    sizes = ints[at]
    position = ints[ranges(at + 1, sizes)]
    return sizes, position, np.ones_like(position), at + 1 + sizes

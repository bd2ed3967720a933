"""Atoms as arrays of weights, and those that matter most in a forest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..forests._flat_forest import FlatForest
    from ..forests._forest_model import ForestModel

# kinds of atoms: cpp/core/atoms/atom.hpp
_SPARSE, _PATCH, _DICTIONARY, _ROTATION = range(4)

# Atoms of more numbers are dense directions, of which no two nodes have the same.
_MAX_NUMBERS = 64


@dataclass(frozen=True)
class Atom:
    """What a split looks at: a weight for each place of a grid.

    Attributes
    ----------
    weights : ndarray
        Weights in the shape of the grid: that of a patch, or that of one example.
    view : int
        Number of the view whose cells are weighed; -1 for the features themselves.
    channel_axis : int or None
        The axis of a patch that is not summed over neighbours, if there is exactly one.
    is_patch : bool
        Whether it is a patch on a grid.
    words : str or None, default=None
        What is computed, if that is no sum of features: a cell of a bank. Weights are then those
        of its cells.
    """

    weights: NDArray[np.float64]
    view: int
    channel_axis: int | None
    is_patch: bool
    words: str | None = None

    def terms(self, names: list[str] | None = None) -> list[str]:
        """Return the summands as texts, each with its sign: "age", "− 0.5 · height"."""
        if self.words is not None:
            return [self.words]
        texts = []
        for feature in np.flatnonzero(self.weights):
            weight = float(self.weights.flat[feature])
            name = f"x[{feature}]" if names is None else names[feature]
            factor = "" if abs(weight) == 1 else f"{abs(weight):.3g} · "
            texts.append(f"{'− ' if weight < 0 else '+ '}{factor}{name}")
        if texts:
            texts[0] = texts[0].removeprefix("+ ")
        return texts


@dataclass(frozen=True)
class RankedAtom:
    """An atom of a forest: a split that has it, in how many splits it is, and what they gain."""

    tree: int
    node: int  # of that tree
    n_splits: int
    share: float  # in the gain, or in the number, of all splits


def atom_of(model: ForestModel, tree: int, node: int) -> Atom:
    """Return the atom of a split as weights."""
    arrays = model.trees.tree(tree)
    ints = arrays["atom_ints"][arrays["atom_offsets"][node] : arrays["atom_offsets"][node + 1]]
    kind = int(arrays["atom_kind"][node])
    if kind == _PATCH:
        return _patch(model, ints)
    weights = np.zeros(model.geometry.n_features)
    if kind == _SPARSE:
        begin, end = arrays["weight_offsets"][node : node + 2]
        weights[ints] = arrays["atom_weights"][begin:end]
    elif kind == _DICTIONARY:
        offsets, features, values = model.geometry.dictionary
        row = slice(offsets[ints[0]], offsets[ints[0] + 1])
        weights[features[row]] = values[row]
    elif kind == _ROTATION:
        dims = arrays["rotation_dims"]
        if (column := np.flatnonzero(dims == ints[0])).size:
            weights[dims] = arrays["rotations"][:, column[0]]
        else:
            weights[ints[0]] = 1.0
    else:
        raise ValueError(f"atoms of kind {kind} have no weights")
    if model.bank is not None:
        return Atom(weights, -1, None, is_patch=False, words=model.atom_text(tree, node))
    return Atom(weights.reshape(model.feature_shape), -1, None, is_patch=False)


def _patch(model: ForestModel, ints: NDArray[np.int32]) -> Atom:
    """Return a patch: its grid, then for each axis where it begins and its size, or its places."""
    shape, summed, view = model.geometry.grids[int(ints[0])]
    at, selected = 1, []
    for length, is_summed in zip(shape, summed, strict=True):
        if is_summed:
            selected.append((ints[at] + np.arange(ints[at + 1])) % length)  # around the end
            at += 2
        else:
            selected.append(ints[at + 1 : at + 1 + ints[at]])
            at += 1 + int(ints[at])
    weights = np.zeros(shape)
    weights[np.ix_(*selected)] = 1.0
    apart = [axis for axis, is_summed in enumerate(summed) if not is_summed]
    return Atom(weights, view, apart[0] if len(apart) == 1 else None, is_patch=True)


def leading_atoms(
    model: ForestModel, n: int, kind: Literal["gain", "usage"] = "gain"
) -> list[RankedAtom]:
    """Return the atoms whose splits gain most, or that most splits have, the first ones first.

    Splits on the same atom count together. Gains are shares in those of the tree, as for
    importances.
    """
    trees = model.trees
    splits = np.flatnonzero(trees["left"])
    if not len(splits):
        return []
    gain = _relative_gains(trees)[splits]
    _, first, of_split = np.unique(
        fingerprints(trees)[splits], return_index=True, return_inverse=True
    )
    n_splits = np.bincount(of_split)
    gains = np.bincount(of_split, weights=gain)
    amount = gains if kind == "gain" else n_splits
    total = float(amount.sum())
    # the other amount decides between equals, then the first split that has the atom
    other = n_splits if kind == "gain" else gains
    order = np.lexsort((splits[first], -other, -amount))[:n]
    offsets = trees["tree_offsets"]
    nodes = splits[first[order]]
    of_tree = np.searchsorted(offsets, nodes, side="right") - 1
    return [
        RankedAtom(
            tree=int(tree),
            node=int(node - offsets[tree]),
            n_splits=int(n_splits[atom]),
            share=float(amount[atom] / total) if total > 0 else 0.0,
        )
        for atom, node, tree in zip(order, nodes, of_tree, strict=True)
    ]


def _relative_gains(trees: FlatForest) -> NDArray[np.float64]:
    """Return the gain of each split as a share of the gains of its tree."""
    gain = np.where(trees["left"] > 0, trees["gain"], 0.0).astype(np.float64)
    offsets = trees["tree_offsets"]
    total = np.repeat(np.add.reduceat(gain, offsets[:-1]), np.diff(offsets))
    shares: NDArray[np.float64] = np.divide(gain, total, out=np.zeros_like(gain), where=total > 0)
    return shares


def fingerprints(trees: FlatForest) -> NDArray[np.uint64]:
    """Return a number for each node that is the same for the same atom, and else, surely, not."""
    rng = np.random.default_rng(0)
    factors = rng.integers(1, 2**63, size=(2, _MAX_NUMBERS), dtype=np.uint64) | np.uint64(1)
    prints = trees["atom_kind"].astype(np.uint64)
    dense = np.zeros(trees.n_nodes, dtype=np.bool_)
    for factor, offsets, numbers in (
        (factors[0], trees["atom_offsets"], trees["atom_ints"]),
        (factors[1], trees["weight_offsets"], trees["atom_weights"].view(np.int32)),
    ):
        sizes = np.diff(offsets)
        dense |= sizes > _MAX_NUMBERS
        for place in range(min(int(sizes.max(initial=0)), _MAX_NUMBERS)):
            some = np.flatnonzero((sizes > place) & (sizes <= _MAX_NUMBERS))
            given = numbers[offsets[some] + place].astype(np.int64) + 1
            prints[some] += _mixed(given.view(np.uint64) * factor[place])
    # a coordinate of a tree's own rotation is no other tree's
    rotated = trees["atom_kind"] == _ROTATION
    of_tree = np.repeat(np.arange(trees.n_trees, dtype=np.uint64), np.diff(trees["tree_offsets"]))
    prints[rotated] += _mixed((of_tree[rotated] + np.uint64(1)) * factors[1, 0])
    prints[dense] = _mixed(np.flatnonzero(dense).astype(np.uint64) * factors[0, 0])
    return prints


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers whose bits depend on all bits of the given ones."""
    mixed = (numbers ^ (numbers >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(29))
    return result

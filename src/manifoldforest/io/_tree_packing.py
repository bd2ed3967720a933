"""The trees of a forest in few bytes: what follows from something else is left out.

Each coding is tried when a forest is packed and used only if it gives back every array bit for bit;
`docs/model_files.md` lists what is stored in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ._bit_packing import Arrays, PackedArrays, same_bits
from ._node_value_packing import pack_values, unpack_values

# arrays of nodes that are zero at leaves
_OF_SPLITS = ("kind", "threshold", "missing_left", "gain", "atom_kind")
_AS_THEY_ARE = ("atom_ints", "atom_weights", "rotation_dims", "rotations", "inbag")
# offsets that are stored as differences
_SIZES = {"atom_offsets": "atom_sizes", "weight_offsets": "weight_sizes"}


def pack_trees(trees: Mapping[str, NDArray[Any]], n_classes: list[int]) -> PackedArrays:
    """Pack the arrays of a forest.

    Parameters
    ----------
    trees : mapping of str to ndarray
        The arrays that `docs/architecture.md` lists.
    n_classes : list of int
        Number of classes of each output; empty for regression, whose values are not shares.

    Returns
    -------
    packed : PackedArrays
        What :func:`unpack_trees` makes the same arrays of.
    """
    packed = PackedArrays()
    left = trees["left"]
    inner = left != 0
    packed["tree_sizes"] = sizes = np.diff(trees["tree_offsets"])
    packed["inner"] = inner.view(np.uint8)
    if not same_bits(_depth_first_children(sizes, inner), left):
        packed["left"] = left[inner]
    for name in _OF_SPLITS:
        packed[name] = _of_splits(trees[name], inner)
    for name, sizes_name in _SIZES.items():
        packed[sizes_name] = _of_splits(np.diff(trees[name]), inner)
    for name in _AS_THEY_ARE:
        if name in trees:
            packed[name] = trees[name]
    if "leaf_of_row" in trees:
        _pack_leaf_of_row(packed, trees)
    pack_values(packed, trees, n_classes)
    return packed


def unpack_trees(packed: PackedArrays, n_classes: list[int]) -> Arrays:
    """Return the arrays that were packed, or raise a ValueError.

    Only the children of nodes are checked here. A predictor that is made of the arrays checks the
    rest, and `FlatForest.check_samples` the leaves of training rows.
    """
    sizes, inner = packed.take("tree_sizes", np.int64), packed.take("inner", np.uint8) != 0
    if not ((sizes > 0) & (sizes <= len(inner))).all() or sizes.sum() != len(inner):
        raise ValueError("the sizes of the trees do not add up")
    trees: Arrays = {"tree_offsets": _offsets(sizes)}
    if "left" in packed:
        trees["left"] = _of_nodes(packed.take("left", np.int32), inner)
    else:
        trees["left"] = _depth_first_children(sizes, inner)
    _core.check_children(trees["tree_offsets"], trees["left"])
    for name in _OF_SPLITS:
        trees[name] = _of_nodes(packed[name], inner)
    for name, sizes_name in _SIZES.items():
        trees[name] = _offsets(_of_nodes(packed.take(sizes_name, np.int64), inner))
    for name in _AS_THEY_ARE:
        if name in packed:
            trees[name] = packed[name]
    if "leaf_rank_of_row" in packed:
        numbers = packed.take("leaf_rank_of_row", np.int32, ndim=2)
        trees["leaf_of_row"] = _nodes_of_leaves(numbers, trees)
    elif "leaf_of_row" in packed:
        trees["leaf_of_row"] = packed["leaf_of_row"]
    trees["weight"], trees["value"] = unpack_values(packed, trees, n_classes)
    return trees


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])


def _of_splits(array: NDArray[Any], inner: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the entries of inner nodes, or all if leaves have any."""
    at_leaves = array[~inner]
    return array[inner] if same_bits(at_leaves, np.zeros_like(at_leaves)) else array


def _of_nodes(entries: NDArray[Any], inner: NDArray[np.bool_]) -> NDArray[Any]:
    if entries.shape == inner.shape:  # leaves have entries too: every tree has a leaf
        return entries
    if entries.shape != (np.count_nonzero(inner),):
        raise ValueError("arrays of nodes differ in length")
    array = np.zeros(len(inner), dtype=entries.dtype)
    array[inner] = entries
    return array


# --------------------------------------------------------------- shape of trees


def _depth_first_children(sizes: NDArray[Any], inner: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the left child of each node of trees whose nodes were split depth first, left first.

    The k-th split of a tree made the nodes 1 + 2k and 2 + 2k. What is split next is its left child,
    if that is split at all, and otherwise its right child. If both are, the right child waits until
    nothing is left of the other subtree: until as many nodes wait as when the parent was taken.
    The result is wrong for trees that grew in another way and for what is not a tree.
    """
    left = np.zeros(len(inner), dtype=np.int32)
    roots = _offsets(sizes)[:-1]
    if (sizes % 2 == 0).any():
        return left
    is_root = np.zeros(len(inner), dtype=np.bool_)
    is_root[roots] = True
    children = inner[~is_root].reshape(-1, 2)
    added = children.sum(axis=1) - 1
    by_waiting = np.argsort(np.cumsum(added) - added, kind="stable")
    next_alike = np.zeros(len(children), dtype=np.int64)
    next_alike[by_waiting[:-1]] = by_waiting[1:]
    next_split = np.arange(1, len(children) + 1)

    first_split = np.cumsum(sizes // 2) - sizes // 2
    # number of the split that each inner node is, counted through all trees
    split = np.empty(len(inner), dtype=np.int64)
    split[roots] = first_split
    of_right = np.where(children[:, 0], next_alike, next_split)
    split[~is_root] = np.stack([next_split, of_right], axis=1).reshape(-1)
    split -= np.repeat(first_split, sizes)
    left[inner] = 1 + 2 * split[inner]
    return left


# ---------------------------------------------------------------- training rows


def _pack_leaf_of_row(packed: PackedArrays, trees: Mapping[str, NDArray[Any]]) -> None:
    """Store which of the leaves of each tree a row fell into: there are half as many as nodes."""
    leaf_of_row, ends = trees["leaf_of_row"], trees["tree_offsets"]
    numbers = np.empty_like(leaf_of_row)
    for t, nodes in enumerate(leaf_of_row):
        is_leaf = trees["left"][ends[t] : ends[t + 1]] == 0
        if not is_leaf[nodes].all():
            packed["leaf_of_row"] = leaf_of_row
            return
        numbers[t] = (np.cumsum(is_leaf) - 1)[nodes]
    packed["leaf_rank_of_row"] = numbers


def _nodes_of_leaves(numbers: NDArray[Any], trees: Mapping[str, NDArray[Any]]) -> NDArray[np.int32]:
    """Return the nodes of leaves that are counted without the other nodes of their tree."""
    ends = trees["tree_offsets"]
    if len(numbers) != len(ends) - 1 or (numbers < 0).any():
        raise ValueError("training rows lie outside of the trees")
    leaf_of_row = np.empty_like(numbers)
    for t, of_tree in enumerate(numbers):
        leaf_of_row[t] = np.flatnonzero(trees["left"][ends[t] : ends[t + 1]] == 0)[of_tree]
    return leaf_of_row

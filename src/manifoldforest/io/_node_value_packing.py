"""Weights and class shares of nodes in few bytes.

In most classifiers rows have whole weights. Shares are then whole numbers of rows, divided by their
sum, and every inner node has the rows of its children: the rows of each class in each leaf say all,
and a leaf mostly has rows of one class only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._bit_packing import PackedArrays, same_bits

# The shares of a forest take at most so many times the room of all that is stored, or they are
# stored as they are: no small file can fill the memory.
_LARGEST_EXPANSION = 1000
_LARGEST_COUNT = 2**24  # whole numbers up to here, and their sums, are exact as float32
_CHUNK = 2**16  # nodes whose shares are worked out at a time


def pack_values(
    packed: PackedArrays, trees: Mapping[str, NDArray[Any]], n_classes: list[int]
) -> None:
    """Add weights and values of nodes to a forest whose other arrays are packed."""
    value = trees["value"]
    # scores, which are no shares, are float64
    are_shares = bool(n_classes) and value.dtype == np.float32
    are_shares = are_shares and value.nbytes <= _LARGEST_EXPANSION * packed.nbytes
    if are_shares and _pack_counts(packed, trees, n_classes):
        return
    packed["weight"] = trees["weight"]
    if not (are_shares and _pack_shares(packed, value)):
        packed["value"] = value


def unpack_values(
    packed: PackedArrays, trees: Mapping[str, NDArray[Any]], n_classes: list[int]
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return weights and values of nodes, or raise a ValueError before much memory is taken.

    The children of the trees must have been checked.
    """
    if "value" in packed:
        return packed["weight"], packed["value"]
    shape = (len(trees["left"]), sum(n_classes))
    # in Python, where no product is too large
    if 4 * shape[0] * shape[1] > _LARGEST_EXPANSION * packed.nbytes:
        raise ValueError("values of nodes would take more memory than such a file may ask for")
    present, columns = (packed.take(name, np.int32) for name in ("present", "columns"))
    if "counts" in packed:
        counts = packed.take("counts", np.int32)
        _check_rows(present, columns, counts, int((trees["left"] == 0).sum()), shape[1])
        return _from_counts(present, columns, counts, trees, n_classes)
    shares = packed.take("shares", np.float32)
    _check_rows(present, columns, shares, *shape)
    value = np.zeros(shape, dtype=np.float32)
    value[np.repeat(np.arange(shape[0]), present), columns] = shares
    return packed["weight"], value


def _nonzero(matrix: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]:
    """Return the number of entries in each row, their columns, and the entries."""
    is_there = (matrix != 0) | np.signbit(matrix)
    present = np.count_nonzero(is_there, axis=1).astype(np.int32)
    return present, np.nonzero(is_there)[1].astype(np.int32), matrix[is_there]


def _check_rows(
    present: NDArray[Any],
    columns: NDArray[Any],
    entries: NDArray[Any],
    n_rows: int,
    n_columns: int,
) -> None:
    if present.shape != (n_rows,) or (present < 0).any() or present.sum() != len(columns):
        raise ValueError("classes of nodes do not add up")
    if columns.shape != entries.shape or not ((columns >= 0) & (columns < n_columns)).all():
        raise ValueError("nodes have rows of a class that does not exist")


def _pack_counts(
    packed: PackedArrays, trees: Mapping[str, NDArray[Any]], n_classes: list[int]
) -> bool:
    """Store the rows of each class in each leaf, if weights and values follow from them."""
    is_leaf = trees["left"] == 0
    present, columns, shares = _nonzero(trees["value"][is_leaf])
    with np.errstate(all="ignore"):  # weights may be of any size
        rows = np.rint(shares * np.repeat(trees["weight"][is_leaf], present))
        if not (np.abs(rows) <= _LARGEST_COUNT).all():
            return False
    counts = rows.astype(np.int32)
    weight, value = _from_counts(present, columns, counts, trees, n_classes)
    if not (same_bits(weight, trees["weight"]) and same_bits(value, trees["value"])):
        return False
    packed["present"], packed["columns"], packed["counts"] = present, columns, counts
    return True


def _pack_shares(packed: PackedArrays, value: NDArray[Any]) -> bool:
    """Store the shares of the classes in each node, if enough nodes have few classes."""
    sparse = PackedArrays()
    sparse["present"], sparse["columns"], sparse["shares"] = _nonzero(value)
    if sparse.nbytes >= value.nbytes:
        return False
    packed.add_all("", sparse)
    return True


def _from_counts(
    present: NDArray[Any],
    columns: NDArray[Any],
    counts: NDArray[Any],
    trees: Mapping[str, NDArray[Any]],
    n_classes: list[int],
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    leaf = np.repeat(np.flatnonzero(trees["left"] == 0), present)
    n_nodes = len(trees["left"])
    # every row is counted once for each output
    weight = np.bincount(leaf, weights=counts, minlength=n_nodes) / len(n_classes)
    value = np.zeros((n_nodes, sum(n_classes)), dtype=np.float32)
    value[leaf, columns] = counts
    child, levels = _levels(trees)
    for level in reversed(levels):
        for array in (weight, value):
            array[level] = array[child[level]] + array[child[level] + 1]
    for start in range(0, n_nodes, _CHUNK):
        chunk = slice(start, start + _CHUNK)
        total = weight[chunk, None]
        # in double precision, as the core does
        value[chunk] = value[chunk].astype(np.float64) / np.where(total == 0.0, 1.0, total)
    return weight, value


def _levels(trees: Mapping[str, NDArray[Any]]) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return the left child of each node through all trees, and the inner nodes by their depth."""
    offsets = trees["tree_offsets"]
    child = np.repeat(offsets[:-1], np.diff(offsets)) + trees["left"]
    levels = []
    level = offsets[:-1]
    while len(level := level[trees["left"][level] != 0]):
        levels.append(level)
        level = np.concatenate([child[level], child[level] + 1])
    return child, levels

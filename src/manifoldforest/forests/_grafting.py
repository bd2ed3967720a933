"""Trees that go on in other trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._flat_forest import FlatForest
from ._ranges import ends_of, ranges

_OF_NODES = ("kind", "threshold", "missing_left", "atom_kind")
_ROUNDING = float(np.finfo(np.float32).eps)


def grafted(
    top: FlatForest,
    leaves: NDArray[np.int64],
    subtrees: FlatForest | None,
    *,
    seen: float,
    means: bool,
) -> FlatForest:
    """Return a tree that goes on in subtrees where another has leaves.

    The nodes are numbered as if one tree had been grown. Weights and values of the inner nodes of
    the top are made of those of its leaves.

    Parameters
    ----------
    top : FlatForest
        One tree.
    leaves : ndarray of int64
        Leaves of the top that go on, at least one unless there are no subtrees.
    subtrees : FlatForest or None
        A tree for each of these leaves, in their order; None without any.
    seen : float
        The share of the weight of all rows that the top has seen: leaves that do not go on have
        the weight of these.
    means : bool
        Whether values are means over the rows of a node. Others, as medians, stay those of the top.
    """
    if subtrees is None:
        return top
    both = FlatForest.joined([top, subtrees])  # of which the first tree is the top
    roots = both["tree_offsets"][1:-1]
    at_place = np.arange(both.n_nodes)
    at_place[leaves] = roots
    is_inner = both["left"] > 0
    left = both["left"] + np.repeat(both["tree_offsets"][:-1], np.diff(both["tree_offsets"]))
    children = at_place[np.stack([left, left + is_inner], axis=1)]
    levels = _levels(int(at_place[0]), children, is_inner)

    in_top = np.arange(both.n_nodes) < top.n_nodes
    weight, value = both["weight"].copy(), both["value"].copy()
    weight[in_top] /= seen
    inner_levels = [level[is_inner[level]] for level in levels]
    for level in reversed(inner_levels):
        _add_up(level[in_top[level]], children, weight, value if means else None)
    gain = both["gain"].astype(np.float64)
    share = weight[roots] / weight[at_place[0]]  # of each subtree, whose gains are relative to it
    gain[top.n_nodes :] *= np.repeat(share, np.diff(both["tree_offsets"])[1:])

    place, split = _depth_first(levels[0], inner_levels, children)
    nodes = np.empty(np.count_nonzero(place >= 0), dtype=np.int64)
    nodes[place[place >= 0]] = np.flatnonzero(place >= 0)
    arrays = {name: both[name][nodes] for name in _OF_NODES}
    arrays |= {
        "tree_offsets": np.array([0, len(nodes)], dtype=np.int64),
        "left": np.where(is_inner, 1 + 2 * split, 0)[nodes].astype(np.int32),
        "gain": gain[nodes].astype(np.float32),
        "weight": weight[nodes],
        "value": value[nodes],
    }
    for offsets, content in (("atom_offsets", "atom_ints"), ("weight_offsets", "atom_weights")):
        sizes = np.diff(both[offsets])[nodes]
        arrays[offsets] = ends_of(sizes)
        arrays[content] = both[content][ranges(both[offsets][nodes], sizes)]
    return FlatForest({name: arrays[name] for name in top.arrays})


def _levels(
    root: int, children: NDArray[np.int64], is_inner: NDArray[np.bool_]
) -> list[NDArray[np.int64]]:
    """Return the nodes of a tree by their depth."""
    levels = [np.array([root], dtype=np.int64)]
    while len(inner := levels[-1][is_inner[levels[-1]]]):
        levels.append(children[inner].reshape(-1))
    return levels


def _add_up(
    nodes: NDArray[np.int64],
    children: NDArray[np.int64],
    weight: NDArray[np.float64],
    value: NDArray[np.floating] | None,
) -> None:
    """Give nodes the weight of their children, and the mean of their values."""
    parts = weight[children[nodes]]
    weight[nodes] = parts.sum(axis=1)
    if value is None:
        return
    sums = value[children[nodes]].astype(np.float64) * parts[:, :, None]
    if value.dtype == np.float32:
        # Shares of classes are mostly whole numbers of rows over the weight, rounded. Where they
        # are, the shares of inner nodes are so, too, as if one tree had grown.
        rows = np.rint(sums)
        is_whole = np.abs(sums - rows) <= _ROUNDING * parts[:, :, None]
        sums = np.where(is_whole, rows, sums)
    total = np.where(weight[nodes] > 0, weight[nodes], 1.0)
    value[nodes] = sums.sum(axis=1) / total[:, None]


def _depth_first(
    root: NDArray[np.int64], inner_levels: list[NDArray[np.int64]], children: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the place of each node in a tree that grew depth first, and the number of its split.

    The k-th split makes the nodes 1 + 2k and 2 + 2k. Places of nodes that are not in the tree
    are -1.
    """
    n_splits = np.zeros(len(children), dtype=np.int64)
    for level in reversed(inner_levels):
        n_splits[level] = 1 + n_splits[children[level]].sum(axis=1)
    place = np.full(len(children), -1, dtype=np.int64)
    split = np.zeros(len(children), dtype=np.int64)
    place[root] = 0
    for level in inner_levels:
        left, right = children[level].T
        place[left], place[right] = 1 + 2 * split[level], 2 + 2 * split[level]
        split[left] = split[level] + 1
        split[right] = split[left] + n_splits[left]
    return place, split

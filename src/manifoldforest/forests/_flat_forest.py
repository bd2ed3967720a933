"""All trees of a forest as flat arrays.

`docs/architecture.md` lists the arrays and what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NODE_ARRAYS = ("left", "kind", "threshold", "missing_left", "gain", "weight", "value", "atom_kind")
_SAMPLE_ARRAYS = ("leaf_of_row", "inbag")
# arrays that hold positions in another one
_OFFSETS = ("tree_offsets", "atom_offsets", "weight_offsets", "path_offsets")


class FlatForest:
    """The arrays of a forest, read-only.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The arrays that the core returns or a model file holds.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = dict(arrays)
        for array in self.arrays.values():
            array.flags.writeable = False

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self["tree_offsets"]) - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees."""
        return len(self["left"])

    @property
    def has_samples(self) -> bool:
        """Whether the leaves and in-bag counts of the training rows are stored."""
        return "leaf_of_row" in self.arrays

    def without_samples(self) -> FlatForest:
        """Return the forest without leaves and in-bag counts of the training rows."""
        return FlatForest({k: v for k, v in self.arrays.items() if k not in _SAMPLE_ARRAYS})

    def with_small_counts(self) -> FlatForest:
        """Return the forest with in-bag counts in the smallest signed integers that hold them."""
        if not self.has_samples:
            return self
        largest = int(self["inbag"].max(initial=0))
        dtype = next(d for d in (np.int8, np.int16, np.int32) if largest <= np.iinfo(d).max)
        return FlatForest(self.arrays | {"inbag": self["inbag"].astype(dtype, copy=False)})

    @classmethod
    def joined(cls, parts: Sequence[FlatForest]) -> FlatForest:
        """Return a forest of the trees of all parts, in their order, with one copy of each."""
        if len(parts) == 1:
            return parts[0]
        if any(part.arrays.keys() != parts[0].arrays.keys() for part in parts):
            raise ValueError("parts must all know where their training rows fell, or none of them")
        return cls(
            {
                name: (_joined_offsets if name in _OFFSETS else np.concatenate)(
                    [part[name] for part in parts]
                )
                for name in parts[0].arrays
            }
        )

    def first(self, n_trees: int) -> FlatForest:
        """Return the forest of the first trees, of those that know nothing of training rows."""
        n_nodes = int(self["tree_offsets"][n_trees])
        ends = {
            "tree_offsets": n_trees + 1,
            **dict.fromkeys(_NODE_ARRAYS, n_nodes),
            **dict.fromkeys(("atom_offsets", "weight_offsets"), n_nodes + 1),
            "atom_ints": int(self["atom_offsets"][n_nodes]),
            "atom_weights": int(self["weight_offsets"][n_nodes]),
            **dict.fromkeys(("rotation_dims", "rotations"), n_trees),
        }
        return FlatForest({name: array[: ends[name]] for name, array in self.arrays.items()})

    def one(self, index: int) -> FlatForest:
        """Return a forest of one tree, of those that know nothing of training rows."""
        per_tree = ("rotation_dims", "rotations")
        tree = self.tree(index)
        arrays = {name: tree[name] for name in self.arrays if name in tree and name not in per_tree}
        arrays |= {k: self[k][index : index + 1] for k in per_tree if k in self.arrays}
        return FlatForest({"tree_offsets": np.array([0, len(tree["left"])]), **arrays})

    def leaves_of_rows(self) -> NDArray[np.int64]:
        """Return the leaf of each training row in each tree, counted through all trees."""
        return np.asarray(self["leaf_of_row"] + self["tree_offsets"][:-1, None])

    def parents(self) -> NDArray[np.int64]:
        """Return the parent of each node, counted through all trees; -1 for roots."""
        offsets = self["tree_offsets"]
        inner = np.flatnonzero(self["left"])
        first = np.repeat(offsets[:-1], np.diff(offsets))[inner]
        left = first + self["left"][inner]
        parent = np.full(self.n_nodes, -1, dtype=np.int64)
        parent[left] = inner
        parent[left + 1] = inner
        return parent

    def depths(self) -> NDArray[np.int64]:
        """Return the depth of each node; roots have depth 0. One pass over all nodes per level."""
        return _depths(self.parents())

    def depths_of_tree(self, index: int) -> NDArray[np.int64]:
        """Return the depth of each node of one tree, without a look at the others."""
        left = self["left"][self["tree_offsets"][index] : self["tree_offsets"][index + 1]]
        inner = np.flatnonzero(left)
        parent = np.full(len(left), -1, dtype=np.int64)
        parent[left[inner]] = parent[left[inner] + 1] = inner
        return _depths(parent)

    def tree(self, index: int) -> dict[str, NDArray[Any]]:
        """Return read-only views of the arrays of one tree."""
        nodes = slice(self["tree_offsets"][index], self["tree_offsets"][index + 1])
        views = {name: self[name][nodes] for name in _NODE_ARRAYS}
        for offsets, content in (("atom_offsets", "atom_ints"), ("weight_offsets", "atom_weights")):
            ends = self[offsets][nodes.start : nodes.stop + 1]
            views[content] = self[content][ends[0] : ends[-1]]
            views[offsets] = ends - ends[0]
            views[offsets].flags.writeable = False
        per_tree = (*_SAMPLE_ARRAYS, "rotation_dims", "rotations")
        views |= {name: self[name][index] for name in per_tree if len(self.arrays.get(name, ()))}
        return views

    def check_samples(self) -> None:
        """Raise a ValueError unless training rows lie in the trees.

        A file may have a valid checksum and still not come from a forest. The rest of it is
        checked by the core, when a predictor is made.
        """
        if not self.has_samples:
            return
        leaf, inbag = self["leaf_of_row"], self["inbag"]
        if leaf.shape != inbag.shape or len(leaf) != self.n_trees:
            raise ValueError("leaf_of_row and inbag do not have one row for each tree")
        if leaf.dtype != np.int32 or inbag.dtype.kind != "i":
            raise ValueError("leaf_of_row and inbag must hold whole numbers")
        if not ((leaf >= 0) & (leaf < np.diff(self["tree_offsets"])[:, None])).all():
            raise ValueError("training rows lie outside of the trees")


def _depths(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many ancestors each node has."""
    depth = np.zeros(len(parent), dtype=np.int64)
    ancestor = parent
    while (alive := ancestor >= 0).any():
        depth += alive
        ancestor = np.where(alive, parent[ancestor], -1)
    return depth


def _joined_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the offsets into joined arrays; each part begins at 0 and ends with its length."""
    joined = np.zeros(1 + sum(len(part) - 1 for part in parts), dtype=np.int64)
    at = 0
    for part in parts:
        end = at + len(part) - 1
        np.add(part[1:], joined[at], out=joined[at + 1 : end + 1])
        at = end
    return joined

"""Grown trees as flat arrays, and read-only views of single ones.

`docs/architecture.md` lists the arrays and what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

_NODE_ARRAYS = ("left", "kind", "threshold", "missing_left", "gain", "weight", "value", "atom_kind")
_SAMPLE_ARRAYS = ("leaf_of_row", "inbag")
# arrays that hold positions in another one
_OFFSETS = ("tree_offsets", "atom_offsets", "weight_offsets")


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
        """Whether it is known where each training row fell."""
        return "leaf_of_row" in self.arrays

    def without_samples(self) -> FlatForest:
        """Return the forest without the memory of its training rows."""
        return FlatForest({k: v for k, v in self.arrays.items() if k not in _SAMPLE_ARRAYS})

    def with_small_counts(self) -> FlatForest:
        """Return the forest with in-bag counts in the smallest signed integers that hold them."""
        if not self.has_samples:
            return self
        largest = int(self["inbag"].max(initial=0))
        dtype = next(d for d in (np.int8, np.int16, np.int32) if largest <= np.iinfo(d).max)
        return FlatForest(self.arrays | {"inbag": self["inbag"].astype(dtype)})

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
        parent = self.parents()
        depth = np.zeros(self.n_nodes, dtype=np.int64)
        ancestor = parent
        while (alive := ancestor >= 0).any():
            depth += alive
            ancestor = np.where(alive, parent[ancestor], -1)
        return depth

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


def _joined_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the offsets into joined arrays; each part begins at 0 and ends with its length."""
    joined = np.zeros(1 + sum(len(part) - 1 for part in parts), dtype=np.int64)
    at = 0
    for part in parts:
        end = at + len(part) - 1
        np.add(part[1:], joined[at], out=joined[at + 1 : end + 1])
        at = end
    return joined


class TreeView:
    """One tree of a forest as flat, read-only arrays.

    Nodes are numbered from 0, the root. A row goes to the left child of a node if the value of the
    node's atom is at most `threshold`, and to the right one otherwise.

    Attributes
    ----------
    left, right : ndarray of int32, shape (n_nodes,)
        Children of each node, 0 for leaves.
    threshold : ndarray of float64, shape (n_nodes,)
        Thresholds.
    missing_left : ndarray of bool, shape (n_nodes,)
        Whether a row whose atom is missing goes left.
    gain : ndarray of float32, shape (n_nodes,)
        Impurity decrease times the node's share of the root's weight, bits for entropy; for
        responses of extreme size, in units of a power of two.
    weight : ndarray of float64, shape (n_nodes,)
        Sum of the weights of the training rows in each node.
    value : ndarray of shape (n_nodes, n_values)
        Class shares of all outputs side by side, or responses.
    depth : ndarray of int64, shape (n_nodes,)
        Steps from the root.
    arrays : dict of str to ndarray
        All arrays of the tree as the core stores them.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> forest = mf.ForestClassifier(1, projection="axis", bootstrap=False).fit(X, y)
    >>> tree = forest.trees_[0]
    >>> tree
    <tree with 3 nodes, 2 leaves, depth 1>
    >>> float(tree.threshold[0])
    1.5
    """

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        depth: NDArray[np.int64],
        expand: Callable[[], csr_matrix],
        atom_text: Callable[[int], str],
    ) -> None:
        self.arrays = arrays
        self.left = arrays["left"]
        self.right = np.where(self.left > 0, self.left + 1, 0).astype(np.int32)
        self.threshold = arrays["threshold"]
        self.missing_left = arrays["missing_left"].view(np.bool_)
        self.gain = arrays["gain"]
        self.weight = arrays["weight"]
        self.value = arrays["value"]
        self.depth = depth
        self._expand = expand
        self._atom_text = atom_text
        for array in (self.right, self.depth):
            array.flags.writeable = False

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.left)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return np.asarray(self.left == 0)

    def atoms(self) -> csr_matrix:
        """Return the direction of each split, one row of feature weights for each node.

        Raises
        ------
        ValueError
            If a split is on something else than a weighted sum of features.
        """
        return self._expand()

    def split_text(self, node: int) -> str:
        """Return the condition under which a row goes to the left child of a node.

        Parameters
        ----------
        node : int
            Number of a node that is no leaf.

        Returns
        -------
        text : str
            What is computed from the features x of an example, and the threshold. Features count
            from 0 in the order of a flattened example; rows, columns and other places of a patch
            include both ends.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> forest = mf.ForestClassifier(1, projection="axis", bootstrap=False).fit(X, y)
        >>> forest.trees_[0].split_text(0)
        'x[0] <= 1.5'
        """
        splits = np.flatnonzero(self.left)
        if not isinstance(node, Integral) or isinstance(node, bool) or node not in splits:
            raise ValueError(
                f"node must be the number of a split, of which this tree has {len(splits)}, "
                f"got {node!r}"
            )
        return f"{self._atom_text(int(node))} <= {float(self.threshold[node]):.6g}"

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to `node`, both included."""
        steps = [node]
        while steps[-1] > 0:
            child = steps[-1]
            steps.append(int(np.flatnonzero((self.left == child) | (self.right == child))[0]))
        return steps[::-1]

    def __repr__(self) -> str:
        return (
            f"<tree with {self.n_nodes} nodes, {int(self.is_leaf.sum())} leaves, "
            f"depth {int(self.depth.max())}>"
        )

"""Views of the trees of boundary forests and indexes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


class BoundaryTree:
    """One tree of a boundary forest, as read-only arrays with one entry per node.

    Nodes are in preorder: a node is followed by the subtree of its first child, then by that of the
    second; children are in order of insertion. The tree is a copy: it does not change if the forest
    learns more.

    Attributes
    ----------
    example : ndarray of int64
        The example at each node: its number in order of arrival, or its id in an index.
    parent : ndarray of int32
        Position of the parent of each node in these arrays; -1 for the root.
    label : ndarray or None
        Label or response of each example, with one column per output if there are several; None in
        an index.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> forest = mf.BoundaryForestClassifier(1).fit([[0.0], [1.0], [4.0], [5.0]], list("aabb"))
    >>> (tree,) = forest.trees_
    >>> tree.example, tree.parent, tree.label
    (array([0, 2]), array([-1,  0], dtype=int32), array(['a', 'b'], dtype='<U1'))
    >>> len(tree), tree.depth
    (2, 1)
    """

    def __init__(
        self,
        example: NDArray[np.int64],
        n_children: NDArray[np.int32],
        label: NDArray[Any] | None,
    ) -> None:
        self.example = _read_only(example)
        self.label = None if label is None else _read_only(label)
        self._n_children = n_children

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Position of the parent of each node in the arrays of the tree; -1 for the root.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex(1)
        >>> _ = index.add([[0.0], [1.0], [2.0], [-1.0]])
        >>> tree = index.trees_[0]
        >>> tree.example.tolist(), tree.parent.tolist()  # 1 and 3 are children of 0, 2 is one of 1
        ([0, 1, 2, 3], [-1, 0, 1, 0])
        """
        parents = np.empty(len(self.example), dtype=np.int32)
        open_parents: list[int] = []  # each node, once for each child that has not been read yet
        for node, n_children in enumerate(self._n_children.tolist()):
            parents[node] = open_parents.pop() if open_parents else -1
            open_parents += [node] * n_children
        return _read_only(parents)

    @cached_property
    def depth(self) -> int:
        """Number of steps from the root to the deepest node.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex(1)
        >>> _ = index.add([[0.0], [1.0], [2.0], [-1.0]])
        >>> index.trees_[0].depth
        2
        """
        depths: list[int] = []
        for parent in self.parent.tolist():
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return max(depths)

    def __len__(self) -> int:
        return len(self.example)

    def __repr__(self) -> str:
        return f"BoundaryTree({len(self)} nodes)"


def trees_in(record: Mapping[str, Any], point_labels: NDArray[Any] | None) -> list[BoundaryTree]:
    """Return the trees of a record of the core, given the label of each of its points."""
    trees = []
    offsets = record["tree_offsets"].tolist()
    for begin, end in zip(offsets[:-1], offsets[1:], strict=True):
        slots = record["node_slot"][begin:end]  # positions of the points in the record
        label = None if point_labels is None else point_labels[slots]
        n_children = record["node_children"][begin:end]
        trees.append(BoundaryTree(record["ids"][slots], n_children, label))
    return trees


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array

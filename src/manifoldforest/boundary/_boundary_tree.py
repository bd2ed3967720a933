"""Trees of boundary forests to look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


class BoundaryTree:
    """One tree of a boundary forest, as read-only arrays with one entry per node.

    Nodes are in preorder: a node is followed by its first child with all that is below it, then by
    the second; children are in order of insertion. The tree is as it was when it was asked for.

    Attributes
    ----------
    example : ndarray of int64
        The example at each node: its number in order of arrival, or its id in an index.
    parent : ndarray of int32
        Position of the parent of each node in these arrays, -1 for the root.
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
        """Position of the parent of each node, -1 for the root."""
        parents = np.empty(len(self.example), dtype=np.int32)
        awaiting: list[int] = []  # a node for each of its children that has not come yet
        for here, n_children in enumerate(self._n_children.tolist()):
            parents[here] = awaiting.pop() if awaiting else -1
            awaiting += [here] * n_children
        return _read_only(parents)

    @cached_property
    def depth(self) -> int:
        """Number of steps from the root to the deepest node."""
        depths: list[int] = []
        for parent in self.parent.tolist():
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return max(depths)

    def __len__(self) -> int:
        return len(self.example)

    def __repr__(self) -> str:
        return f"BoundaryTree({len(self)} nodes)"


def tree_views(
    record: Mapping[str, Any], labels_of: Callable[[NDArray[Any]], NDArray[Any]] | None
) -> list[BoundaryTree]:
    """Return the trees of a record; `labels_of` are the labels of some of its points."""
    views = []
    offsets = record["tree_offsets"].tolist()
    for begin, end in zip(offsets[:-1], offsets[1:], strict=True):
        slots = record["node_slot"][begin:end]
        label = None if labels_of is None else labels_of(slots)
        n_children = record["node_children"][begin:end]
        views.append(BoundaryTree(record["ids"][slots], n_children, label))
    return views


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array

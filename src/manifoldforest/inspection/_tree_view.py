"""One tree of a forest, for reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..validation._arrays import as_list
from ..validation._rules import Rule, check_argument, is_integer, shown


class TreeView:
    """One tree of a forest as flat, read-only arrays; forests have them as `trees_`.

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
        Class shares of all outputs side by side, or responses; with ``refine=True`` scores, which
        are added up over trees (those of inner nodes are weighted means of their children's).
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
        """Number of nodes, leaves included.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> forest = mf.ForestClassifier(1, projection="axis", bootstrap=False).fit(X, y)
        >>> forest.trees_[0].n_nodes
        3
        """
        return len(self.left)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves: an array of bool, shape (n_nodes,).

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> forest = mf.ForestClassifier(1, projection="axis", bootstrap=False).fit(X, y)
        >>> forest.trees_[0].is_leaf.tolist()
        [False, True, True]
        """
        return np.asarray(self.left == 0)

    def atoms(self) -> csr_matrix:
        """Return the direction of each split, one row of feature weights for each node.

        Returns
        -------
        atoms : csr_matrix of shape (n_nodes, n_features_in_)
            Weights of the features in the sum that is compared with the threshold; rows of
            leaves are empty.

        Raises
        ------
        ValueError
            If a split is on something else than a weighted sum of features.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0, 9.0], [1.0, 9.0], [2.0, 9.0], [3.0, 9.0]], [0, 0, 1, 1]
        >>> forest = mf.ForestClassifier(1, projection="axis", bootstrap=False, max_features=2)
        >>> forest.fit(X, y).trees_[0].atoms().toarray().tolist()
        [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
        """
        return self._expand()

    def split_text(self, node: int, feature_names: Sequence[str] | None = None) -> str:
        """Return the condition under which a row goes to the left child of a node.

        Parameters
        ----------
        node : int
            Number of a node that is no leaf.
        feature_names : sequence of str, optional
            Names to write in place of ``x[0]``, ``x[1]`` and so on, such as
            ``forest.feature_names_in_``; one for each feature.

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
        >>> forest.trees_[0].split_text(0, feature_names=["age"])
        'age <= 1.5'
        """
        splits = np.flatnonzero(self.left)
        expected = f"the number of a split, of which this tree has {len(splits)}"
        check_argument("node", node, Rule(expected, is_integer, lambda node: node in splits))
        atom = self._atom_text(int(node))
        if feature_names is not None:
            atom = with_names(atom, read_names(feature_names))
        return f"{atom} <= {float(self.threshold[node]):.6g}"

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both included.

        Parameters
        ----------
        node : int
            Number of a node of the tree.

        Returns
        -------
        nodes : list of int
            Numbers of the nodes on the way, 0 first.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 5.0, 6.0]
        >>> tree = mf.ForestRegressor(1, projection="axis", bootstrap=False).fit(X, y).trees_[0]
        >>> tree.path(6)
        [0, 2, 6]
        """
        expected = f"the number of a node, of which this tree has {self.n_nodes}"
        check_argument("node", node, Rule(expected, is_integer, lambda n: 0 <= n < self.n_nodes))
        steps = [int(node)]
        while steps[-1] > 0:
            child = steps[-1]
            steps.append(int(np.flatnonzero((self.left == child) | (self.right == child))[0]))
        return steps[::-1]

    def __repr__(self) -> str:
        return (
            f"<tree with {self.n_nodes} nodes, {int(self.is_leaf.sum())} leaves, "
            f"depth {int(self.depth.max())}>"
        )


def read_names(feature_names: Any) -> list[str]:
    """Return names of features, or raise a TypeError."""
    names = as_list(feature_names, "feature_names", "a sequence of str")
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"feature_names must be a sequence of str, got {shown(names)}")
    return names


def with_names(text: str, names: list[str]) -> str:
    """Return the text of an atom with names in place of the numbers of features."""

    def name_of(feature: re.Match[str]) -> str:
        number = int(feature[1])
        if number >= len(names):
            raise ValueError(
                f"feature_names must have a name for each feature, got {len(names)} names and a "
                f"split on feature {number}"
            )
        return names[number]

    return re.sub(r"x\[(\d+)\]", name_of, text)

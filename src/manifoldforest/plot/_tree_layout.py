"""Where the nodes of a tree are drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def tidy_layout(parent: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Place the nodes of a tree so that no two of a level are closer than 1.

    As Reingold and Tilford (1981): subtrees are put side by side, each as far to the left as its
    outline allows, and a parent is centred above its children.

    Parameters
    ----------
    parent : array-like of int, shape (n_nodes,)
        Parent of each node, -1 for the root, which comes first; parents come before their children
        and children are drawn from left to right in their order here.

    Returns
    -------
    x : ndarray of float64
        Horizontal places, the leftmost at 0.
    depth : ndarray of int64
        Levels; the root has 0.
    """
    parents = np.asarray(parent, dtype=np.int64)
    children: list[list[int]] = [[] for _ in parents]
    depth = np.zeros(len(parents), dtype=np.int64)
    for node in range(1, len(parents)):
        children[parents[node]].append(node)
        depth[node] = depth[parents[node]] + 1

    from_parent = np.zeros(len(parents))
    # leftmost and rightmost places of a subtree, level by level, seen from its root
    outline: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    for node in reversed(range(len(parents))):
        left, right = np.empty(0), np.empty(0)
        for child in children[node]:
            child_left, child_right = outline.pop(child)
            shared = min(len(right), len(child_left))
            shift = float(np.max(right[:shared] - child_left[:shared] + 1, initial=-np.inf))
            shift = 0.0 if shared == 0 else shift
            from_parent[child] = shift
            left = np.concatenate([left, child_left[shared:] + shift])
            right = np.concatenate([child_right + shift, right[len(child_right) :]])
        if children[node]:
            middle = (from_parent[children[node][0]] + from_parent[children[node][-1]]) / 2
            from_parent[children[node]] -= middle
            left, right = left - middle, right - middle
        outline[node] = (np.concatenate([[0.0], left]), np.concatenate([[0.0], right]))

    x = np.zeros(len(parents))
    for node in range(1, len(parents)):
        x[node] = x[parents[node]] + from_parent[node]
    return x - x.min(), depth

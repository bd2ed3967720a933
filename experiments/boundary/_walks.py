"""What a query costs in a boundary tree: distances, counted one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Walk:
    """The way of one query: how many distances were measured, and the least of them."""

    n_distances: int
    nearest: float  # of all nodes that were measured


class Walker:
    """Walks through a boundary tree as Mathy et al. (2015) describe it.

    Parameters
    ----------
    points : ndarray of shape (n_nodes, n_features)
        Where the nodes are.
    parent : ndarray of int, shape (n_nodes,)
        Parent of each node, -1 for the root, which comes first; children in order of insertion.
    max_children : int or None
        A node with so many children is never the end of a walk; None is no limit.
    """

    def __init__(
        self, points: NDArray[Any], parent: NDArray[Any], max_children: int | None
    ) -> None:
        self.points = points.astype(np.float64)
        self.children = 1 + np.argsort(parent[1:], kind="stable")  # of node 0, of node 1, ...
        self.first = np.searchsorted(parent[self.children], np.arange(len(parent) + 1))
        self.max_children = np.inf if max_children is None else max_children

    def walk(self, query: NDArray[Any]) -> Walk:
        """Go from the root to the closest child until the node itself is closer than those.

        The distance of a node is known from the step before, so each node on the way costs as
        many distances as it has children, and the root one more.
        """
        node, own = 0, float(np.linalg.norm(self.points[0] - query))
        n_distances, nearest = 1, own
        while True:
            children = self.children[self.first[node] : self.first[node + 1]]
            if not len(children):
                return Walk(n_distances, nearest)
            distances = np.linalg.norm(self.points[children] - query, axis=1)
            closest = int(distances.argmin())
            n_distances += len(children)
            nearest = min(nearest, float(distances[closest]))
            if own < distances[closest] and len(children) < self.max_children:
                return Walk(n_distances, nearest)
            node, own = int(children[closest]), float(distances[closest])

"""Projections for signals on a graph and for graphs themselves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from manifoldforest import _core
from manifoldforest.validation._parameters import INT32_MAX
from manifoldforest.validation._rules import Rule, integer, is_sequence, range_of

from ._base import Projection
from ._dictionary import dictionary_sampler
from ._matrices import read_adjacency

# All balls together have at most so many nodes for each edge of the graph, though always
# _FEWEST_ENTRIES and never more than _MOST_ENTRIES: a small file must not fill the memory.
_ENTRIES_PER_EDGE = 2**8
_FEWEST_ENTRIES = 2**24  # some 500 MB
_MOST_ENTRIES = 2**27

# Steps along edges that are taken at a time, in a fraction of a second.
_STEPS_AT_ONCE = 2**25


class GraphBalls(Projection):
    """Sums over balls of a graph whose nodes are the features.

    A candidate is the sum of the features within a number of steps from one node: what
    :class:`Patches` are on a grid. Node and radius are drawn uniformly.

    Parameters
    ----------
    adjacency : sparse or dense matrix of shape (n_features, n_features)
        A nonzero joins two features; direction and size do not matter.
    radius : int or (int, int), default=(1, 3)
        Radius in steps, or smallest and largest radius. Radius 0 is the node alone.

    Notes
    -----
    All balls are computed beforehand: memory is the sum of their sizes, some 30 bytes for each node
    of each ball. Graphs and radii for which there would be far more of them than edges, and more
    than 16 million (about 500 MB), are refused.
    A radius of more steps than there are features counts as that many.

    Examples
    --------
    A signal on a ring of 30 nodes, whose class is the sign of the sum over five neighbours:

    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> ring = np.roll(np.eye(30), 1, axis=1)
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> y = X[:, 10:15].sum(axis=1) > 0
    >>> projection = mf.projections.GraphBalls(ring, radius=2)
    >>> forest = mf.ForestClassifier(1, projection=projection, max_features=300, random_state=0)
    >>> forest.fit(X, y).trees_[0].split_text(0).split(" <= ")[0]
    'x[10] + x[11] + x[12] + x[13] + x[14]'
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"radius": range_of(integer(0))}

    def __init__(self, adjacency: Any, radius: int | Sequence[int] = (1, 3)) -> None:
        self.adjacency = adjacency
        self.radius = radius

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        smallest, largest = _ends(self.radius)
        edges = read_adjacency("GraphBalls.adjacency", self.adjacency, geometry.n_features)
        return dictionary_sampler(geometry, graph_balls(edges, smallest, largest))


class GraphEdges(Projection):
    """Sums over edges that meet in one node, for examples that are graphs.

    An example is an N×N matrix, the weight of the edge from node i to node k in row i and column
    k, or the same as a flat row. A candidate takes a node i uniformly among those with edges, a
    number of edges uniformly from `n_edges`, and sums that many distinct entries of row i; the
    diagonal is left out.

    Parameters
    ----------
    n_edges : int or (int, int), default=(1, 3)
        Number of edges, or smallest and largest number. A node with fewer edges gives all it has.
    adjacency : sparse or dense matrix of shape (N, N) or None, default=None
        Edges that exist: the nonzeros. None means all.

    Examples
    --------
    Graphs of 8 nodes, whose class tells whether node 3 has strong edges:

    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(size=(200, 8, 8))
    >>> y = X[:, 3].sum(axis=1) > 4
    >>> projection = mf.projections.GraphEdges(n_edges=(5, 7))
    >>> forest = mf.ForestClassifier(5, projection=projection, max_features=200, random_state=0)
    >>> importances = forest.fit(X, y).feature_importances_
    >>> int(importances.sum(axis=1).argmax())
    3
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"n_edges": range_of(integer(1, INT32_MAX))}

    def __init__(self, n_edges: int | Sequence[int] = (1, 3), *, adjacency: Any = None) -> None:
        self.n_edges = n_edges
        self.adjacency = adjacency

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        fewest, most = _ends(self.n_edges)
        n_nodes = math.isqrt(geometry.n_features)
        if feature_shape not in ((n_nodes, n_nodes), (n_nodes**2,)) or n_nodes < 2:
            raise ValueError(
                "GraphEdges expects examples of shape (N, N) or flat rows of N² features with "
                f"N >= 2, got examples of shape {feature_shape}"
            )
        offsets, features = node_edges(n_nodes, self.adjacency)
        return _core.edge_sampler(offsets, features, fewest, most)


def _ends(bounds: Any) -> tuple[int, int]:
    """Return the ends of a range, which one integer may be alone."""
    low, high = bounds if is_sequence(bounds) else (bounds, bounds)
    return int(low), int(high)


def graph_balls(edges: sparse.csr_array, smallest: int, largest: int) -> sparse.csc_array:
    """Return the balls around all nodes as columns of ones, ordered by node, then by radius.

    Radii beyond the number of nodes count as that: no ball grows any more.
    """
    n_nodes = edges.shape[0]
    smallest, largest = min(smallest, n_nodes), min(largest, n_nodes)
    nodes = np.arange(n_nodes)
    itself = sparse.csc_array((np.ones(n_nodes, dtype=np.bool_), (nodes, nodes)))
    step = _as_ones(edges + edges.T + itself)
    most = min(max(_FEWEST_ENTRIES, _ENTRIES_PER_EDGE * edges.nnz), _MOST_ENTRIES)
    parts = connected_components(edges, directed=False)[1]
    whole = np.bincount(parts)[parts]  # what the ball of each node can grow to

    ball, balls, n_entries = itself, [], 0
    for radius in range(largest + 1):
        if radius > 0 and (np.diff(ball.indptr) < whole).any():
            at_most = int(np.minimum(_n_reached(step, ball), whole).sum())
            _check_entries(n_entries + at_most, most, n_nodes, radius)
            ball = _grown(step, ball)
        if radius >= smallest:
            n_entries += ball.nnz
            _check_entries(n_entries, most, n_nodes, radius)
            balls.append(ball)
    return _by_node(balls)


def _check_entries(n_entries: int, most: int, n_nodes: int, radius: int) -> None:
    """Raise unless there is room for balls with so many nodes together."""
    if n_entries > most:
        raise ValueError(
            f"GraphBalls.radius must give balls that have at most {most} nodes together, got "
            f"{n_entries} or nearly as many for {n_nodes} nodes and radii up to {radius}: take a "
            "smaller radius, leave out nodes with very many edges, or write the sums that are of "
            "use as a Dictionary"
        )


def _n_reached(step: sparse.csc_array, ball: sparse.csc_array) -> NDArray[np.int64]:
    """Return the number of edges that leave the nodes of each ball."""
    degrees = np.diff(step.indptr).astype(np.int64)
    return np.add.reduceat(degrees[ball.indices], ball.indptr[:-1])


def _grown(step: sparse.csc_array, ball: sparse.csc_array) -> sparse.csc_array:
    """Return balls that are one step larger; some at a time, so that Ctrl-C is noticed."""
    cost = np.concatenate([[0], np.cumsum(_n_reached(step, ball))])
    n_chunks = 1 + int(cost[-1] // _STEPS_AT_ONCE)
    ends = np.unique(np.searchsorted(cost, np.linspace(0, cost[-1], n_chunks + 1)))
    chunks = [_as_ones(step @ ball[:, a:b]) for a, b in itertools.pairwise(ends)]
    return chunks[0] if len(chunks) == 1 else sparse.csc_array(sparse.hstack(chunks, format="csc"))


def _by_node(balls: list[sparse.csc_array]) -> sparse.csc_array:
    """Return balls of several radii side by side, those around one node together."""
    by_radius = sparse.hstack(balls, format="csc")
    n_nodes = balls[0].shape[1]
    order = np.arange(len(balls) * n_nodes).reshape(len(balls), n_nodes).T.ravel()
    by_node = sparse.csc_array(by_radius[:, order])
    by_node.data = by_node.data.astype(np.int8)
    return by_node


def node_edges(n_nodes: int, adjacency: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the features that are edges of each node, as offsets and features.

    Nodes without edges are left out: no candidate could come of them.
    """
    if adjacency is None:
        features = np.arange(n_nodes**2, dtype=np.int32).reshape(n_nodes, n_nodes)
        off_diagonal = features[~np.eye(n_nodes, dtype=np.bool_)]
        return np.arange(n_nodes + 1, dtype=np.int64) * (n_nodes - 1), off_diagonal
    edges = read_adjacency("GraphEdges.adjacency", adjacency, n_nodes)
    edges.sort_indices()
    degrees = np.diff(edges.indptr)
    if not degrees.any():
        raise ValueError("GraphEdges.adjacency must have an edge off the diagonal, got none")
    tails = np.repeat(np.arange(n_nodes), degrees)
    offsets = np.concatenate([[0], np.cumsum(degrees[degrees > 0])])
    return offsets.astype(np.int64), (tails * n_nodes + edges.indices).astype(np.int32)


def _as_ones(matrix: sparse.csc_array) -> sparse.csc_array:
    """Return a matrix with True where `matrix` has nonzeros.

    Products of booleans tell whether there is a path; numbers would count them, and a count that
    does not fit its type can become 0.
    """
    ones = sparse.csc_array(matrix)
    ones.data = np.ones(len(ones.data), dtype=np.bool_)
    return ones

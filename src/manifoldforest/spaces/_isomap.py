"""Distances along a manifold that is only known from the responses themselves."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra, minimum_spanning_tree
from sklearn.neighbors import NearestNeighbors

from manifoldforest.validation._rules import Rule, integer
from manifoldforest.validation._stack_level import caller_level

from ._base import Space, all_euclidean, as_rows, norms
from ._chunks import row_chunks, take_symmetric
from ._response_arrays import read_array
from ._typing import Floats, Responses

# Shortest paths that are found at a time, in a fraction of a second.
_PATHS_AT_ONCE = 2**19


class Isomap(Space):
    """Vectors near a manifold that is not known: splits use shortest paths between neighbours.

    Responses are an array of shape (n,) or (n, q). The distances that splits and medoids use are
    the lengths of shortest paths in the graph that joins every response with its nearest neighbours
    (Tenenbaum et al. 2000), with Euclidean edges. Equal responses are one vertex of this graph. If
    it falls into components, they are joined by the shortest edges between them, with a warning.
    Errors of predictions, which need not be among the responses, are Euclidean distances.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours, less than the number of responses. Two responses are joined if one is
        a neighbour of the other.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.spaces import Isomap
    >>> angles = np.linspace(0, np.pi, 100)
    >>> half_circle = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> space = Isomap(n_neighbors=2)
    >>> along, across = space.split_distances(half_circle), space.distances(half_circle)
    >>> float(along[0, -1].round(2)), float(across[0, -1].round(2))
    (3.14, 2.0)
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"n_neighbors": integer(1)}

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check parameters and responses, and return these as an array of the same shape.

        Parameters
        ----------
        Y : array-like of shape (n,) or (n, q)
            Numbers or vectors.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of float64, shape (n,) or (n, q)
            The same numbers.

        Examples
        --------
        >>> from manifoldforest.spaces import Isomap
        >>> Isomap(n_neighbors=2).check([[0, 0], [3, 4]]).shape
        (2, 2)
        """
        self._check_parameters()
        return read_array(Y, name, "numbers in an array of shape (n,) or (n, q)", (1, 2))

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        """Return all Euclidean distances between two sets of responses, or within one.

        Parameters
        ----------
        A, B : ndarray
            Responses in canonical form. B=None is the same as A.

        Returns
        -------
        distances : ndarray of shape (len(A), len(B))
            Distances straight through space; those along paths are :meth:`split_distances`.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Isomap
        >>> corner = np.array([[0.0, 3.0], [0.0, 0.0], [4.0, 0.0]])
        >>> Isomap(n_neighbors=1).distances(corner)[0].tolist()
        [0.0, 3.0, 5.0]
        """
        return all_euclidean(as_rows(A), None if B is None else as_rows(B))

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        """Return the Euclidean distance of every response to its partner.

        Parameters
        ----------
        A, B : ndarray
            As many responses in one as in the other, in canonical form.

        Returns
        -------
        distances : ndarray of shape (n,)
            Distance of A[i] to B[i], straight through space.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Isomap
        >>> corner = np.array([[0.0, 3.0], [0.0, 0.0], [4.0, 0.0]])
        >>> Isomap(n_neighbors=1).paired_distances(corner[:1], corner[2:]).tolist()
        [5.0]
        """
        return norms(as_rows(A) - as_rows(B))

    def split_distances(self, Y: Responses) -> Floats:
        """Return the lengths of shortest paths between all responses.

        Parameters
        ----------
        Y : ndarray of shape (n,) or (n, q)
            Responses in canonical form, more than `n_neighbors`.

        Returns
        -------
        distances : ndarray of shape (n, n)
            Symmetric, zero on the diagonal.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Isomap
        >>> corner = np.array([[0.0, 3.0], [0.0, 0.0], [4.0, 0.0]])
        >>> Isomap(n_neighbors=1).split_distances(corner)[0].tolist()
        [0.0, 3.0, 7.0]
        """
        if self.n_neighbors >= len(Y):
            raise ValueError(
                "Isomap.n_neighbors must be less than the number of responses, got "
                f"{self.n_neighbors} for {len(Y)} responses"
            )
        rows = as_rows(Y)
        points, vertex = np.unique(rows, axis=0, return_inverse=True)
        if len(points) == len(rows):
            return _path_lengths(rows, self.n_neighbors)
        vertex = vertex.reshape(-1)
        return _path_lengths(points, self.n_neighbors)[np.ix_(vertex, vertex)]


def _path_lengths(points: Floats, n_neighbors: int) -> Floats:
    """Return the lengths of shortest paths between points that are all different."""
    if len(points) == 1:
        return np.zeros((1, 1))
    graph = _neighbour_graph(points, min(n_neighbors, len(points) - 1))
    paths = _shortest_paths(_connected(graph, points, n_neighbors))
    take_symmetric(paths)  # the same edges in the other order may add up differently
    return paths


def _shortest_paths(graph: csr_matrix) -> Floats:
    """Return the lengths of all shortest paths, from some points at a time: Ctrl-C is noticed."""
    n = graph.shape[0]
    paths: Floats = np.empty((n, n))
    step = max(1, _PATHS_AT_ONCE // n)
    for first in range(0, n, step):
        some = slice(first, min(first + step, n))
        paths[some] = dijkstra(graph, indices=np.arange(n)[some])
    return paths


def _neighbour_graph(points: Floats, n_neighbors: int) -> csr_matrix:
    """Return the edges from every point to its neighbours and back."""
    neighbours = NearestNeighbors(n_neighbors=n_neighbors).fit(points).kneighbors()[1]
    return _graph(points, np.repeat(np.arange(len(points)), n_neighbors), neighbours.ravel())


def _graph(points: Floats, tails: NDArray[Any], heads: NDArray[Any]) -> csr_matrix:
    """Return the edges in both directions.

    Their lengths are computed from differences, as a search for neighbours does not always do. An
    edge that is too short to be told from zero stays an edge.
    """
    n = len(points)
    pairs = np.unique(np.minimum(tails, heads).astype(np.int64) * n + np.maximum(tails, heads))
    low, high = np.divmod(pairs, n)
    lengths = np.empty(len(pairs))
    for part in row_chunks(len(pairs), points.shape[1]):
        lengths[part] = norms(points[low[part]] - points[high[part]])
    ends = np.concatenate([low, high]), np.concatenate([high, low])
    return csr_matrix((np.concatenate([lengths, lengths]), ends), shape=(n, n))


def _connected(graph: csr_matrix, points: Floats, n_neighbors: int) -> csr_matrix:
    """Return the graph with the edges that join its components in the shortest way."""
    n_parts, part = connected_components(graph, directed=False)
    if n_parts == 1:
        return graph
    warnings.warn(
        f"the graph of the responses with n_neighbors={n_neighbors} has {n_parts} components; they "
        "are joined by the shortest edges between them",
        UserWarning,
        stacklevel=caller_level(),
    )
    lengths, tails = _shortest_between(points, part, n_parts)
    # not as a dense matrix, whose entries below 1e-8 SciPy takes for missing
    pairs = np.triu_indices(n_parts, 1)
    joins = minimum_spanning_tree(csr_matrix((lengths[pairs], pairs), lengths.shape)).tocoo()
    here = tails[joins.row, joins.col]
    there = [_nearest(points, i, part == b) for i, b in zip(here, joins.col, strict=True)]
    old = graph.tocoo()
    return _graph(points, np.concatenate([old.row, here]), np.concatenate([old.col, there]))


def _shortest_between(
    points: Floats, part: NDArray[Any], n_parts: int
) -> tuple[Floats, NDArray[np.intp]]:
    """Return the shortest edge from each component to each other: its length and its tail."""
    order = np.argsort(part, kind="stable")
    first = np.searchsorted(part[order], np.arange(n_parts))
    lengths = np.full((n_parts, n_parts), np.inf)
    tails = np.zeros((n_parts, n_parts), dtype=np.intp)
    for rows in row_chunks(len(points), len(points)):
        distances = all_euclidean(points[rows], points[order])
        nearest = np.minimum.reduceat(distances, first, axis=1)
        for i, found in enumerate(nearest, rows.start):
            shorter = found < lengths[part[i]]
            lengths[part[i], shorter] = found[shorter]
            tails[part[i], shorter] = i
    np.maximum(lengths, np.finfo(np.float64).tiny, out=lengths)  # zero would be no edge
    return lengths, tails


def _nearest(points: Floats, i: int, among: NDArray[np.bool_]) -> int:
    """Return the point nearest to point i among some."""
    candidates = np.flatnonzero(among)
    return int(candidates[np.argmin(all_euclidean(points[i : i + 1], points[candidates])[0])])

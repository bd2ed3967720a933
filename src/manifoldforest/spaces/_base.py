"""The base classes of response spaces."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from manifoldforest.validation._parameter_object import ParameterObject

from ._chunks import row_chunks
from ._response_arrays import read_weights
from ._typing import Floats, Responses


class Space(ParameterObject, ABC):
    """Base class of the spaces in which responses live.

    A space only stores its parameters; they are checked with the first responses. Spaces of one
    class with equal parameters are equal. All methods but :meth:`check`, :meth:`distance` and
    :meth:`project` take responses in the canonical form that :meth:`check` returns.

    Every space has distances. Some have more:

    * those that embed (`embeds`) turn responses into points whose Euclidean distances are the
      ones that splits minimise, and so never need a matrix of all pairs;
    * those with a mean (`has_mean`) give weighted Fréchet means, the points with the smallest
      weighted sum of squared distances to the responses.

    A space of your own has the methods :meth:`check`, :meth:`distances` and
    :meth:`paired_distances`, as in the last example; where a function of two responses suffices,
    :class:`FromCallable` is shorter.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.spaces import Circle, Space
    >>> space = Circle(period=24)
    >>> hours = space.check([23.5, 1.0, 12.0])
    >>> space.distances(hours)
    array([[ 0. ,  1.5, 11.5],
           [ 1.5,  0. , 11. ],
           [11.5, 11. ,  0. ]])
    >>> space.distance(23, 1)
    2.0
    >>> space == Circle(24, split="chordal")
    True

    Vectors with the sum of absolute differences:

    >>> class Manhattan(Space):
    ...     def check(self, Y, *, name="Y"):
    ...         return np.array(Y, dtype=np.float64)
    ...     def distances(self, A, B=None):
    ...         return np.abs(A[:, None] - (A if B is None else B)).sum(axis=2)
    ...     def paired_distances(self, A, B):
    ...         return np.abs(A - B).sum(axis=1)
    >>> Manhattan().distance([0, 0], [3, 4])
    7.0
    """

    @property
    def embeds(self) -> bool:
        """Whether splits use Euclidean distances between the points that :meth:`embed` returns.

        Examples
        --------
        >>> from manifoldforest.spaces import KendallShape, SPD
        >>> SPD().embeds, SPD("affine-invariant").embeds, KendallShape().embeds
        (True, False, False)
        """
        return False

    @property
    def splits_by_chords(self) -> bool:
        """Whether splits use chords: straight lines through the space around this one.

        Examples
        --------
        >>> from manifoldforest.spaces import Circle
        >>> Circle().splits_by_chords, Circle(split="geodesic").splits_by_chords
        (True, False)
        """
        return False

    @property
    def splits_in_chunks(self) -> bool:
        """Whether splits get their distances from :meth:`distances`, a few rows at a time.

        Examples
        --------
        >>> from manifoldforest.spaces import Isomap, Sphere
        >>> Sphere().splits_in_chunks, Isomap().splits_in_chunks  # paths are found all at once
        (True, False)
        """
        return False

    @property
    def has_mean(self) -> bool:
        """Whether the space has weighted Fréchet means.

        Examples
        --------
        >>> from manifoldforest.spaces import Circle, Precomputed
        >>> Circle().has_mean, Precomputed([[0, 1], [1, 0]]).has_mean
        (True, False)
        """
        return False

    @abstractmethod
    def check(self, Y: Any, *, name: str = "Y") -> Responses:
        """Check parameters and responses, and return these in canonical form.

        Parameters
        ----------
        Y : array-like or sequence
            At least one response.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray or list
            One response along the first axis. What is canonical already stays as it is, up to
            rounding.

        Examples
        --------
        >>> from manifoldforest.spaces import Circle
        >>> Circle(360).check([350, -20, 400]).tolist()
        [350.0, 340.0, 40.0]
        """

    def distance(self, a: Any, b: Any) -> float:
        """Return the distance between two responses.

        Parameters
        ----------
        a, b : object
            One response each, as they would stand in Y.

        Returns
        -------
        distance : float
            The distance. An index or a boundary forest can use the space as its metric.

        Examples
        --------
        >>> from manifoldforest.spaces import Circle
        >>> Circle(360).distance(350, 10)
        20.0
        """
        A, B = self.check([a], name="a"), self.check([b], name="b")
        if isinstance(A, np.ndarray) and A.shape[1:] != B.shape[1:]:
            raise ValueError(f"b must have the shape of a, {A.shape[1:]}, got {B.shape[1:]}")
        return float(self.paired_distances(A, B)[0])

    @abstractmethod
    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        """Return all distances between two sets of responses, or within one.

        Parameters
        ----------
        A, B : ndarray or list
            Responses in canonical form. B=None is the same as A.

        Returns
        -------
        distances : ndarray of shape (len(A), len(B))
            With B=None symmetric and zero on the diagonal.

        Examples
        --------
        >>> from manifoldforest.spaces import Circle
        >>> degrees = Circle(360)
        >>> directions = degrees.check([350, 10, 90])
        >>> degrees.distances(directions, directions[:1]).tolist()
        [[0.0], [20.0], [100.0]]
        >>> degrees.distances(directions).shape
        (3, 3)
        """

    @abstractmethod
    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        """Return the distance of every response to its partner.

        Parameters
        ----------
        A, B : ndarray or list
            As many responses in one as in the other, in canonical form.

        Returns
        -------
        distances : ndarray of shape (n,)
            Distance of A[i] to B[i].

        Examples
        --------
        >>> from manifoldforest.spaces import Circle
        >>> degrees = Circle(360)
        >>> degrees.paired_distances(degrees.check([350, 10]), degrees.check([10, 40])).tolist()
        [20.0, 30.0]
        """

    def embed(self, Y: Responses) -> Floats:
        """Return points with the distances that splits use, if the space embeds.

        Parameters
        ----------
        Y : ndarray or list
            Responses in canonical form.

        Returns
        -------
        points : ndarray of shape (n, r)
            Euclidean distances between the rows are those that splits use.

        Examples
        --------
        >>> from manifoldforest.spaces import Circle
        >>> space = Circle()
        >>> space.embed(space.check([0.0, 3.141592653589793])).round(6).tolist()
        [[1.0, 0.0], [-1.0, 0.0]]
        """
        if not self.embeds:
            raise NotImplementedError(f"{self!r} has no embedding of its responses")
        return self._embed(Y)

    def split_distances(self, Y: Responses) -> Floats:
        """Return the distances that splits and medoids use where the space does not embed.

        Parameters
        ----------
        Y : ndarray or list
            Responses in canonical form.

        Returns
        -------
        distances : ndarray of shape (n, n)
            Symmetric, zero on the diagonal.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Isomap
        >>> corner = np.array([[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
        >>> Isomap(n_neighbors=1).split_distances(corner).tolist()  # along the corner
        [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
        """
        return self.distances(Y)

    def split_distance_chunks(self, Y: Responses) -> Iterator[tuple[slice, Floats]]:
        """Yield the distances that splits use a few rows at a time.

        Parameters
        ----------
        Y : ndarray or list
            Responses in canonical form.

        Yields
        ------
        rows : slice
            Which responses.
        distances : ndarray of shape (n_rows, n)
            Their distances to all. A space that can do so makes no more than these at a time.

        Examples
        --------
        >>> from manifoldforest.spaces import Sphere
        >>> space = Sphere(split="geodesic")
        >>> axes = space.check([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> [(rows, part.shape) for rows, part in space.split_distance_chunks(axes)]
        [(slice(0, 3, None), (3, 3))]
        """
        if not self.splits_in_chunks:
            yield slice(0, len(Y)), self.split_distances(Y)
            return
        for rows in row_chunks(len(Y), len(Y)):
            yield rows, self.distances(Y[rows], Y)

    def vectors(self, Y: Responses) -> Floats | None:
        """Return responses as vectors that can be averaged, if there are any.

        Parameters
        ----------
        Y : ndarray or list
            Responses in canonical form.

        Returns
        -------
        vectors : ndarray of shape (n, q) or None
            None where responses are objects or indices.

        Examples
        --------
        >>> from manifoldforest.spaces import Frobenius
        >>> space = Frobenius()
        >>> space.vectors(space.check([[[1, 2], [3, 4]]])).tolist()
        [[1.0, 2.0, 3.0, 4.0]]
        """
        if isinstance(Y, list) or Y.dtype.kind != "f":
            return None
        return as_rows(Y)

    def from_vectors(self, vectors: Floats, like: Responses) -> Responses:
        """Return the responses nearest to vectors as of :meth:`vectors`.

        Parameters
        ----------
        vectors : ndarray of shape (k, q)
            Vectors, which need not stand for responses.
        like : ndarray
            Responses of the same shape.

        Returns
        -------
        responses : ndarray
            One response in canonical form for each vector.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Sphere
        >>> space = Sphere()
        >>> like = space.check([[1, 0]])
        >>> space.from_vectors(np.array([[3.0, 4.0]]), like).tolist()
        [[0.6, 0.8]]
        """
        return self.project(vectors.reshape(-1, *like.shape[1:]))

    def mean(self, Y: Responses, weights: csr_matrix) -> Responses:
        """Return weighted Fréchet means, if the space has them.

        Parameters
        ----------
        Y : ndarray or list
            Responses in canonical form.
        weights : sparse matrix of shape (q, n)
            Weights >= 0 of the responses, one row per mean; rows sum to 1.

        Returns
        -------
        means : ndarray or list
            One response in canonical form for each row of weights.

        Warns
        -----
        ConvergenceWarning
            If means are found by iteration and some have not converged, which happens to responses
            that are so far apart that they hardly have one.

        Examples
        --------
        >>> from scipy.sparse import csr_matrix
        >>> from manifoldforest.spaces import Circle
        >>> degrees = Circle(360)
        >>> weights = csr_matrix([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])  # two means of three responses
        >>> degrees.mean(degrees.check([350, 30, 50]), weights).round(6).tolist()
        [10.0, 40.0]
        """
        if not self.has_mean:
            raise NotImplementedError(f"{self!r} has no mean of its responses")
        return self._mean(Y, read_weights(weights, len(Y)))

    def project(self, values: Any) -> Responses:
        """Return the nearest responses of the space.

        Parameters
        ----------
        values : ndarray
            Arrays of the shape of responses, along the first axis. They need not belong to the
            space, and need not have been checked.

        Returns
        -------
        responses : ndarray
            Of the same shape.

        Examples
        --------
        >>> from manifoldforest.spaces import Sphere
        >>> Sphere().project([[3.0, 4.0]]).tolist()
        [[0.6, 0.8]]
        """
        return values

    def _embed(self, Y: Responses) -> Floats:
        raise NotImplementedError

    def _mean(self, Y: Responses, weights: csr_matrix) -> Responses:
        raise NotImplementedError


class CurvedSpace(Space):
    """A space inside a Euclidean one: splits use its chords, or arcs within the space."""

    split: str

    @property
    def embeds(self) -> bool:
        return self.split == "chordal"

    @property
    def splits_by_chords(self) -> bool:
        return self.embeds

    @property
    def splits_in_chunks(self) -> bool:
        return True

    @property
    def has_mean(self) -> bool:
        return True


class FlatSpace(Space):
    """A space that is a part of a Euclidean space: distances and splits are those of points."""

    @property
    def embeds(self) -> bool:
        return True

    @property
    def has_mean(self) -> bool:
        return True

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        points = self._embed(A)
        return all_euclidean(points, None if B is None else self._embed(B))

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        return norms(self._embed(A) - self._embed(B))

    def _embed(self, Y: Responses) -> Floats:
        return as_rows(Y)

    def _mean(self, Y: Responses, weights: csr_matrix) -> Responses:
        return average(Y, weights)


def each_query(weights: csr_matrix) -> Iterator[tuple[int, NDArray[np.intp], Floats]]:
    """Go through the rows of weights: their index, the responses that have weight, and these."""
    for i, (start, stop) in enumerate(zip(weights.indptr, weights.indptr[1:], strict=False)):
        yield i, weights.indices[start:stop], weights.data[start:stop]


def as_rows(Y: Floats) -> Floats:
    """Return responses as flat rows."""
    return Y.reshape(len(Y), math.prod(Y.shape[1:]))  # -1 is not defined for no responses


def norms(rows: Floats) -> Floats:
    """Return the Euclidean norm of every row."""
    lengths: Floats = np.sqrt(np.einsum("...i,...i->...", rows, rows))
    return lengths


def all_euclidean(A: Floats, B: Floats | None = None) -> Floats:
    """Return all Euclidean distances between rows; differences are taken, so none cancel."""
    found: Floats = cdist(A, A if B is None else B)
    return found


def average(Y: Floats, weights: csr_matrix) -> Floats:
    """Return weighted arithmetic means, one for each row of weights."""
    means: Floats = weights @ as_rows(Y)
    return means.reshape(-1, *Y.shape[1:])

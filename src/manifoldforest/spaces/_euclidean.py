"""Flat spaces: vectors and matrices."""

from __future__ import annotations

from typing import Any

from ._base import FlatSpace
from ._response_arrays import read_array
from ._typing import Floats


class Euclidean(FlatSpace):
    """Numbers or vectors with the ordinary distance.

    Responses are an array of shape (n,) or (n, q). Their mean is the weighted average, so a forest
    is an ordinary regression forest.

    Examples
    --------
    >>> from manifoldforest.spaces import Euclidean
    >>> space = Euclidean()
    >>> space.distances(space.check([[0, 0], [3, 4]]))
    array([[0., 5.],
           [5., 0.]])
    """

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check responses and return them as an array of the same shape.

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
        >>> from manifoldforest.spaces import Euclidean
        >>> Euclidean().check([[0, 0], [3, 4]]).dtype
        dtype('float64')
        """
        return read_array(Y, name, "numbers in an array of shape (n,) or (n, q)", (1, 2))


class Frobenius(FlatSpace):
    """Matrices with the Frobenius distance; graphs as their (weighted) adjacency matrices.

    Responses are an array of shape (n, a, b). Their mean is the weighted average.

    Examples
    --------
    >>> from manifoldforest.spaces import Frobenius
    >>> edge, no_edge = [[0, 1], [1, 0]], [[0, 0], [0, 0]]
    >>> round(Frobenius().distance(edge, no_edge), 4)
    1.4142
    """

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check responses and return them as an array of the same shape.

        Parameters
        ----------
        Y : array-like of shape (n, a, b)
            Matrices.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of float64, shape (n, a, b)
            The same numbers.

        Examples
        --------
        >>> from manifoldforest.spaces import Frobenius
        >>> Frobenius().check([[[0, 1, 2], [1, 0, 3]]]).shape
        (1, 2, 3)
        """
        return read_array(Y, name, "matrices in an array of shape (n, a, b)", (3,))

"""Any objects with a distance that the user writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from manifoldforest.validation._arrays import as_list
from manifoldforest.validation._distances import read_distance
from manifoldforest.validation._rules import Rule, any_callable, none

from ._base import Space, each_query
from ._typing import Floats, Responses

# Number of responses on which the function is tested for symmetry and zero distance to itself.
_FIRST = 4


class FromCallable(Space):
    """Any objects with a distance that is given as a function.

    Responses are a list of anything, or an array with one response along its first axis.

    Parameters
    ----------
    distance : callable
        ``distance(a, b)`` returns a finite number >= 0. It is taken to be symmetric and zero for a
        response and itself, so n responses take n (n - 1) / 2 calls, and a few more to check this
        for the first of them only. The triangle inequality is not needed.
    mean : callable or None, default=None
        ``mean(responses, weights)`` returns the weighted Fréchet mean of a list of responses, an
        object like them; weights are an array of positive numbers that sum to 1. Responses without
        weight are left out. None if there is none.

    Examples
    --------
    >>> from manifoldforest.spaces import FromCallable
    >>> def different(a, b):
    ...     return sum(x != y for x, y in zip(a, b))
    >>> words = FromCallable(different)
    >>> words.distances(words.check(["cart", "card", "bird"]))
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "distance": any_callable,
        "mean": any_callable | none,
    }

    def __init__(
        self,
        distance: Callable[[Any, Any], Any],
        mean: Callable[[list[Any], Floats], Any] | None = None,
    ) -> None:
        # under other names, because spaces have methods `distance` and `mean`
        self._distance = distance
        self._mean_of = mean

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the two functions by name.

        Parameters
        ----------
        deep : bool, default=True
            Without effect: functions have no parameters.

        Returns
        -------
        params : dict
            The functions.

        Examples
        --------
        >>> from manifoldforest.spaces import FromCallable
        >>> FromCallable(max).get_params()
        {'distance': <built-in function max>, 'mean': None}
        """
        return {"distance": self._distance, "mean": self._mean_of}

    def set_params(self, **params: Any) -> FromCallable:
        """Replace one or both functions.

        Parameters
        ----------
        **params : dict
            The functions by name.

        Returns
        -------
        self : FromCallable
            The space itself.

        Examples
        --------
        >>> from manifoldforest.spaces import FromCallable
        >>> space = FromCallable(lambda a, b: abs(a - b))
        >>> space.set_params(distance=lambda a, b: (a - b) ** 2).distance(1, 4)
        9.0
        """
        unknown = set(params) - {"distance", "mean"}
        if unknown:
            raise ValueError(f"parameters must be distance or mean, got {min(unknown)!r}")
        self._distance = params.get("distance", self._distance)
        self._mean_of = params.get("mean", self._mean_of)
        return self

    def __sklearn_clone__(self) -> FromCallable:
        return FromCallable(self._distance, self._mean_of)

    @property
    def has_mean(self) -> bool:
        return self._mean_of is not None

    def check(self, Y: Any, *, name: str = "Y") -> list[Any]:
        """Check parameters and return the responses as a list.

        Parameters
        ----------
        Y : sequence of objects, or array-like of shape (n, ...)
            At least one response.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : list
            The responses.

        Examples
        --------
        >>> from manifoldforest.spaces import FromCallable
        >>> FromCallable(lambda a, b: abs(len(a) - len(b))).check(("cart", "bird"))
        ['cart', 'bird']
        """
        self._check_parameters()
        responses = as_list(Y, name, "a sequence of responses")
        if not responses:
            raise ValueError(f"{name} must have at least one response, got none")
        return responses

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        if B is not None:
            return np.array(
                [[self._measure(a, b, (i, j)) for j, b in enumerate(B)] for i, a in enumerate(A)]
            ).reshape(len(A), len(B))
        self._try_first(A)
        found = np.zeros((len(A), len(A)))
        for i, j in combinations(range(len(A)), 2):
            found[i, j] = found[j, i] = self._measure(A[i], A[j], (i, j))
        return found

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        pairs = enumerate(zip(A, B, strict=True))
        return np.array([self._measure(a, b, (i, i)) for i, (a, b) in pairs])

    def _mean(self, Y: Responses, weights: csr_matrix) -> list[Any]:
        assert self._mean_of is not None
        means = []
        for i, among, w in each_query(weights):
            try:
                means.append(self._mean_of([Y[j] for j in among], w))
            except Exception as error:
                raise ValueError(f"FromCallable.mean failed for query {i}: {error}") from error
        return means

    def _measure(self, a: Any, b: Any, pair: tuple[int, int]) -> float:
        where = f" for responses {pair[0]} and {pair[1]}"
        try:
            distance = self._distance(a, b)
        except Exception as error:
            raise ValueError(f"FromCallable.distance failed{where}: {error}") from error
        return read_distance(distance, "FromCallable.distance", where)

    def _try_first(self, Y: list[Any]) -> None:
        """Raise if the function is no distance for the first few responses."""
        first = range(min(len(Y), _FIRST))
        for i in first:
            own = self._measure(Y[i], Y[i], (i, i))
            if own > 1e-6:
                raise ValueError(
                    "FromCallable.distance must be 0 for a response and itself, got "
                    f"{own} for response {i}"
                )
        for i, j in combinations(first, 2):
            there, back = self._measure(Y[i], Y[j], (i, j)), self._measure(Y[j], Y[i], (j, i))
            if abs(there - back) > 1e-6 * max(there, back):
                raise ValueError(
                    f"FromCallable.distance must be symmetric, got {there} for responses {i} and "
                    f"{j}, but {back} for {j} and {i}"
                )

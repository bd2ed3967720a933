"""Angles, hours of the day, days of the year: numbers that start again after a period."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import csr_matrix

from manifoldforest.validation._rules import Rule, one_of, real
from manifoldforest.validation._stack_level import caller_level

from ._base import CurvedSpace, each_query
from ._response_arrays import read_array
from ._typing import Floats, Responses

# Candidates for a mean whose spreads differ by less than this share of the period squared are ties.
_TIE = 1e-13

# Angles that span more periods than this are probably in another unit: 50 degrees, taken for
# radians, are 8 turns.
_MANY_PERIODS = 8


class Circle(CurvedSpace):
    """Angles, hours of the day and other numbers that start again after a period.

    Responses are an array of shape (n,) of any real numbers; their canonical form lies in
    [0, period). The distance is the length of the shorter arc, period / 2 at most. Responses that
    span more than 8 periods are probably in another unit, such as degrees, and give a warning.

    Parameters
    ----------
    period : float, default=2 pi
        Where the numbers start again: 360 for degrees, 24 for hours.
    split : {"chordal", "geodesic"}, default="chordal"
        The distances that splits use: straight through the circle, for which no matrix of all
        pairs is needed, or along it.

    Notes
    -----
    The mean is the exact Fréchet mean for arcs: all ways to cut the circle between two responses
    are compared. Where several angles are equally good, it is the smallest.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from manifoldforest.spaces import Circle
    >>> degrees = Circle(360)
    >>> directions = degrees.check([350, -20, 30])
    >>> directions
    array([350., 340.,  30.])
    >>> degrees.mean(directions, csr_matrix([[0.5, 0, 0.5]]))
    array([10.])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "period": real("(0, inf)"),
        "split": one_of("chordal", "geodesic"),
    }

    def __init__(
        self,
        period: float = 2 * np.pi,
        *,
        split: Literal["chordal", "geodesic"] = "chordal",
    ) -> None:
        self.period = period
        self.split = split

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check parameters and responses, and return these in [0, period).

        Parameters
        ----------
        Y : array-like of shape (n,)
            Numbers, in the unit of `period`.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of shape (n,)
            The same angles in [0, period).

        Examples
        --------
        >>> from manifoldforest.spaces import Circle
        >>> Circle(24).check([25, -1, 12]).tolist()
        [1.0, 23.0, 12.0]
        """
        self._check_parameters()
        values = read_array(Y, name, "numbers in an array of shape (n,)", (1,))
        self._warn_of_another_unit(values, name)
        return self.project(values)

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        return self._arcs(np.subtract.outer(A, A if B is None else B))

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        return self._arcs(A - B)

    def project(self, values: Any) -> Floats:
        """Return numbers as their canonical form in [0, period).

        Parameters
        ----------
        values : array-like of shape (n,)
            Numbers.

        Returns
        -------
        responses : ndarray of shape (n,)
            The same angles in [0, period).

        Examples
        --------
        >>> from manifoldforest.spaces import Circle
        >>> Circle(24).project([25, -1]).tolist()
        [1.0, 23.0]
        """
        angles: Floats = np.mod(values, self.period)
        # a negative number next to zero is rounded to the period itself
        return np.where(angles < self.period, angles, 0.0)

    def vectors(self, Y: Responses) -> Floats:
        """Return the points of the circle in the plane.

        Parameters
        ----------
        Y : ndarray of shape (n,)
            Responses in canonical form.

        Returns
        -------
        vectors : ndarray of shape (n, 2)
            Points on a circle around zero whose circumference is the period.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Circle
        >>> Circle().vectors(np.array([0.0, np.pi / 2])).round(6).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        return self._embed(Y)

    def from_vectors(self, vectors: Floats, like: Responses) -> Floats:
        """Return the directions of points in the plane.

        Parameters
        ----------
        vectors : ndarray of shape (k, 2)
            Points, which need not lie on the circle.
        like : ndarray
            Without effect: all responses are numbers.

        Returns
        -------
        responses : ndarray of shape (k,)
            Angles in [0, period).

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.spaces import Circle
        >>> points = np.array([[0.0, 5.0], [-1.0, 0.0]])
        >>> Circle(360).from_vectors(points, np.zeros(1)).round(6).tolist()
        [90.0, 180.0]
        """
        return self.project(np.arctan2(vectors[:, 1], vectors[:, 0]) * (self.period / (2 * np.pi)))

    def _warn_of_another_unit(self, values: Floats, name: str) -> None:
        n_periods = (values.max() - values.min()) / self.period
        if n_periods <= _MANY_PERIODS:
            return
        degrees = ", Circle(360) for degrees" if self.period == 2 * np.pi else ""
        warnings.warn(
            f"{name} spans {n_periods:.0f} periods of {self.period:g}: if it is in another unit, "
            f"set the period{degrees}; if it is not, pass {name} % {self.period:g}",
            stacklevel=caller_level(),
        )

    def _arcs(self, differences: Floats) -> Floats:
        np.abs(differences, out=differences)
        return np.minimum(differences, self.period - differences, out=differences)

    def _embed(self, Y: Responses) -> Floats:
        radius = self.period / (2 * np.pi)  # so that short chords are as long as their arcs
        return radius * np.column_stack([np.cos(Y / radius), np.sin(Y / radius)])

    def _mean(self, Y: Responses, weights: csr_matrix) -> Floats:
        order = np.argsort(Y, kind="stable")
        angles, weights = Y[order] / self.period, weights[:, order]
        weights.sort_indices()
        means = np.empty(weights.shape[0])
        for i, among, w in each_query(weights):
            means[i] = _mean_turn(angles[among], w)
        return self.project(means * self.period)


def _mean_turn(turns: Floats, w: Floats) -> float:
    """Return the Fréchet mean of ascending numbers in [0, 1), which start again at 1.

    Cutting the circle after the first k numbers adds 1 to them; the best mean on the line over all
    cuts is the mean on the circle, since the farthest point from a mean is where to cut it.
    """
    moved = np.concatenate([[0.0], np.cumsum(w)[:-1]])
    means = w @ turns + moved
    squares = np.concatenate([[0.0], np.cumsum(w * (2 * turns + 1))[:-1]])
    spreads = squares - means * means
    means = np.mod(means, 1.0)
    return float(means[spreads <= spreads.min() + _TIE].min())

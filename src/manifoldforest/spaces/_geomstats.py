"""Every manifold of the geomstats library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from manifoldforest.validation._rules import Rule

from ._base import Space, each_query
from ._chunks import mirror_upper, row_chunks
from ._response_arrays import check_each, read_array
from ._typing import Floats, Responses

# The default of geomstats, 1e-12, refuses points that were stored in single precision.
_TOLERANCE = 1e-6
# The default, 1e-4 after at most 32 steps, leaves errors in the second digit.
_SQUARED_STEP, _MAX_STEPS = 1e-14, 300


class FromGeomstats(Space):
    """A manifold of geomstats with its own distance and Fréchet mean (extra ``geometry``).

    Responses are an array of points of the manifold along the first axis.

    Parameters
    ----------
    manifold : geomstats manifold
        A manifold with a metric, such as ``Hyperboloid(2)``, computing with NumPy. Spaces are equal
        if they hold the same object; a clone of the space does.

    Notes
    -----
    Spaces of this package are several times faster where there is one for the same manifold.

    Examples
    --------
    >>> from geomstats.geometry.hyperboloid import Hyperboloid
    >>> from manifoldforest.spaces import FromGeomstats
    >>> space = FromGeomstats(Hyperboloid(2))
    >>> round(space.distance([1, 0, 0], [2**0.5, 1, 0]), 4)
    0.8814
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "manifold": Rule(
            "a manifold of geomstats with a metric",
            lambda value: (
                not isinstance(value, type)
                and all(hasattr(value, needed) for needed in ("shape", "belongs", "metric"))
            ),
        )
    }

    def __init__(self, manifold: Any) -> None:
        self.manifold = manifold

    def __sklearn_clone__(self) -> FromGeomstats:
        return FromGeomstats(self.manifold)

    @property
    def has_mean(self) -> bool:
        return True

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check that responses belong to the manifold.

        Parameters
        ----------
        Y : array-like of shape (n, ...)
            Points of the manifold.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of shape (n, ...)
            The same points.

        Examples
        --------
        >>> from geomstats.geometry.hyperboloid import Hyperboloid
        >>> from manifoldforest.spaces import FromGeomstats
        >>> FromGeomstats(Hyperboloid(2)).check([[1, 0, 0]]).tolist()
        [[1.0, 0.0, 0.0]]
        """
        shape = self._shape()
        expected = f"points of the manifold in an array of shape (n, {', '.join(map(str, shape))})"
        points = read_array(Y, name, expected, (len(shape) + 1,))
        if points.shape[1:] != shape:
            raise ValueError(f"{name} must be {expected}, got the shape {points.shape}")
        belongs = np.asarray(self.manifold.belongs(points, atol=_TOLERANCE)).reshape(-1)
        check_each(belongs, name, "points of the manifold", "{}", points)
        return points

    def distances(self, A: Responses, B: Responses | None = None) -> Floats:
        others = A if B is None else B
        found = np.empty((len(A), len(others)))
        for rows in row_chunks(len(A), len(others) * A[0].size):
            # within one set, the part below the diagonal is a mirror image
            first = rows.start if B is None else 0
            n, m = rows.stop - rows.start, len(others) - first
            i, j = np.divmod(np.arange(n * m), m)  # dist takes one axis of pairs, not two
            pairs = A[rows.start + i], others[first + j]
            found[rows, first:] = self.paired_distances(*pairs).reshape(n, m)
        if B is None:
            mirror_upper(found)
        return found

    def paired_distances(self, A: Responses, B: Responses) -> Floats:
        found = np.asarray(self.manifold.metric.dist(A, B), dtype=np.float64).reshape(len(A))
        check_each(np.isfinite(found), "FromGeomstats.manifold", "finite distances", "{}", found)
        return found

    def project(self, values: Any) -> Floats:
        """Return the manifold's own projection, if it has one, or the values as they are.

        Parameters
        ----------
        values : array-like of shape (n, ...)
            Arrays of the shape of points.

        Returns
        -------
        responses : ndarray of shape (n, ...)
            Points of the manifold.

        Examples
        --------
        >>> from geomstats.geometry.hypersphere import Hypersphere
        >>> from manifoldforest.spaces import FromGeomstats
        >>> FromGeomstats(Hypersphere(2)).project([[0.0, 3.0, 4.0]]).round(6).tolist()
        [[0.0, 0.6, 0.8]]
        """
        values = np.asarray(values, dtype=np.float64)
        if not hasattr(self.manifold, "projection"):
            return np.asarray(values)
        nearest: Floats = np.asarray(self.manifold.projection(values))
        return nearest

    def _mean(self, Y: Responses, weights: csr_matrix) -> Floats:
        from geomstats.learning.frechet_mean import FrechetMean

        means = np.empty((weights.shape[0], *Y.shape[1:]))
        for i, among, w in each_query(weights):
            estimator = FrechetMean(self.manifold)
            if hasattr(estimator, "optimizer"):  # not where the mean has a closed form
                estimator.set(epsilon=_SQUARED_STEP, max_iter=_MAX_STEPS)
            means[i] = estimator.fit(Y[among], weights=w).estimate_
        return means

    def _shape(self) -> tuple[int, ...]:
        """Return the shape of a point, or raise unless there is a manifold with a metric."""
        self._check_parameters()
        return tuple(int(side) for side in self.manifold.shape)

"""From coordinates of classical scaling back to responses, by Gaussian kernel ridge regression.

[DRF] section 2.3.3. The kernel of equation (9) does not connect the outputs, so that the system of
n q equations in (8) falls apart into q systems with the same n x n matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.spatial.distance import cdist

from ..spaces._chunks import row_chunks
from ..validation._rules import check_argument, one_of

RIDGES = ("objective", "eq8")

# Added to the diagonal, in units of its mean, where the matrix is not positive definite in
# floating point.
_JITTER = 1e-10


@dataclass(frozen=True)
class BackScoring:
    """A smooth map from coordinates to responses, learned from examples.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Coordinates of the training responses.
    coefficients : ndarray of shape (n, q)
        The matrix C of equation (7).
    divisor : float
        sigma_G of the kernel exp(-|v - w|^2 / sigma_G), a squared length.
    offset : ndarray of shape (q,)
        Added to every result.
    """

    points: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    divisor: float
    offset: NDArray[np.float64]

    @classmethod
    def fit(
        cls,
        Z: NDArray[np.float64],
        Y: NDArray[np.float64],
        *,
        bandwidth: float | None = None,
        smoothness: float = 1.0,
        ridge: str = "objective",
        center: bool = False,
    ) -> BackScoring:
        """Learn the map that minimises gamma sum_i |g(z_i) - y_i|^2 + |g|^2.

        It takes n^3 / 3 multiplications and 16 n^2 bytes.

        Parameters
        ----------
        Z : ndarray of shape (n, m)
            Coordinates.
        Y : ndarray of shape (n, q)
            Responses.
        bandwidth : float or None, default=None
            sigma of the kernel exp(-|v - w|^2 / (2 sigma^2)), so that sigma_G = 2 sigma^2; None
            makes sigma_G the mean squared distance between two of the points.
        smoothness : float, default=1.0
            gamma, the weight of the data against the smoothness of the map.
        ridge : {"objective", "eq8"}, default="objective"
            What is added to the diagonal: 1 / gamma, by which the sum above is smallest, or
            n / gamma, as equation (8) is printed.
        center : bool, default=False
            Whether to learn Y without its mean, which is added again. The map has no intercept of
            its own and goes to zero far from all points.

        Returns
        -------
        map : BackScoring
            The map.

        Examples
        --------
        >>> import numpy as np
        >>> Z = np.linspace(0, 3, 31)[:, None]
        >>> back = BackScoring.fit(Z, np.hstack([np.cos(Z), np.sin(Z)]), smoothness=1e4)
        >>> back.predict(np.array([[np.pi / 2]])).round(2) + 0.0
        array([[0., 1.]])
        """
        check_argument("ridge", ridge, one_of(*RIDGES))
        divisor = mean_squared_distance(Z) if bandwidth is None else _divisor(bandwidth)
        offset = Y.mean(axis=0) if center else np.zeros(Y.shape[1])
        matrix = _kernel(Z, Z, divisor)
        on_diagonal = (1.0 if ridge == "objective" else len(Z)) / smoothness
        matrix.flat[:: len(Z) + 1] += on_diagonal
        try:
            factor = cho_factor(matrix, lower=True)
        except LinAlgError:  # points that coincide, and a ridge close to zero
            matrix.flat[:: len(Z) + 1] += _JITTER * (1 + on_diagonal)
            factor = cho_factor(matrix, lower=True)
        return cls(Z, cho_solve(factor, Y - offset), divisor, offset)

    def predict(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the responses at new coordinates.

        Parameters
        ----------
        Z : ndarray of shape (k, m)
            Coordinates.

        Returns
        -------
        Y : ndarray of shape (k, q)
            Responses.
        """
        result = np.empty((len(Z), self.coefficients.shape[1]))
        for some in row_chunks(len(Z), len(self.points)):
            result[some] = _kernel(Z[some], self.points, self.divisor) @ self.coefficients
        return result + self.offset


def mean_squared_distance(Z: NDArray[np.float64]) -> float:
    """Return the mean squared distance between two different points, 1 if all are equal."""
    n = len(Z)
    if n < 2:
        return 1.0
    mean = 2 * float(np.sum((Z - Z.mean(axis=0)) ** 2)) / (n - 1)
    return mean if mean > 0 else 1.0


def _divisor(bandwidth: float) -> float:
    """Return 2 sigma^2, and the smallest normal number where that underflows."""
    return max(2 * bandwidth * bandwidth, float(np.finfo(np.float64).tiny))


def _kernel(V: NDArray[np.float64], W: NDArray[np.float64], divisor: float) -> NDArray[np.float64]:
    """Equation (9) of [DRF] for one output, whose sigma_G is the divisor."""
    if V.shape[1] == 0:
        return np.ones((len(V), len(W)))
    kernel = cdist(V, W, "sqeuclidean")
    with np.errstate(over="ignore"):  # the exponential of minus infinity is 0
        kernel *= -1 / divisor
    return np.asarray(np.exp(kernel, out=kernel))

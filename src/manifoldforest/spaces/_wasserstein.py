"""Distributions on the line, given by samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from manifoldforest.validation._arrays import as_list
from manifoldforest.validation._rules import Rule, integer

from ._base import FlatSpace
from ._response_arrays import check_finite
from ._typing import Floats, Responses


class Wasserstein1D(FlatSpace):
    """Distributions on the line with the Wasserstein distance of order 2.

    Responses are a list of samples of any lengths (at least 1), or an array of shape (n, m) with
    a sample in each row. Their canonical form, in which predictions come too, is an array of shape
    (n, n_quantiles): quantiles at (k + 1/2) / n_quantiles. The distance is the root mean squared
    difference of quantiles. Samples of `n_quantiles` numbers are only sorted, and the distance of
    their distributions is exact. The mean is the average of the quantiles.

    Parameters
    ----------
    n_quantiles : int, default=100
        Number of quantiles.

    Examples
    --------
    >>> from manifoldforest.spaces import Wasserstein1D
    >>> space = Wasserstein1D(n_quantiles=4)
    >>> space.check([[3, 1], [5, 6, 7, 8], [0]])
    array([[1., 1., 3., 3.],
           [5., 6., 7., 8.],
           [0., 0., 0., 0.]])
    >>> space.distance([1, 2, 3], [12, 13, 11])
    10.0
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"n_quantiles": integer(1)}

    def __init__(self, n_quantiles: int = 100) -> None:
        self.n_quantiles = n_quantiles

    def check(self, Y: Any, *, name: str = "Y") -> Floats:
        """Check parameters and samples, and return the quantiles of these.

        Parameters
        ----------
        Y : sequence of array-like, or array-like of shape (n, m)
            Samples of at least one number each.
        name : str, default="Y"
            What errors call the responses.

        Returns
        -------
        responses : ndarray of shape (n, n_quantiles)
            Quantiles at (k + 1/2) / n_quantiles, one sample in each row.

        Examples
        --------
        >>> from manifoldforest.spaces import Wasserstein1D
        >>> Wasserstein1D(n_quantiles=4).check([[3, 1], [8, 6, 7, 5]]).tolist()
        [[1.0, 1.0, 3.0, 3.0], [5.0, 6.0, 7.0, 8.0]]
        """
        self._check_parameters()
        expected = "a list of samples or an array of shape (n, m)"
        samples = as_list(Y, name, expected)
        if not samples:
            raise ValueError(f"{name} must be {expected}, got no samples")
        return np.stack([self._quantiles(_read(x, i, name)) for i, x in enumerate(samples)])

    def project(self, values: Any) -> Floats:
        """Return the nearest rows that do not decrease (isotonic regression).

        Parameters
        ----------
        values : array-like of shape (n, n_quantiles)
            Rows of numbers.

        Returns
        -------
        responses : ndarray of shape (n, n_quantiles)
            Quantiles of distributions.

        Examples
        --------
        >>> from manifoldforest.spaces import Wasserstein1D
        >>> Wasserstein1D(n_quantiles=3).project([[1.0, 3.0, 2.0]]).tolist()
        [[1.0, 2.5, 2.5]]
        """
        return np.stack([isotonic_regression(row) for row in np.asarray(values, dtype=float)])

    def _quantiles(self, sample: Floats) -> Floats:
        """Return the smallest numbers that the given shares of the sample do not exceed."""
        odd = 2 * np.arange(self.n_quantiles) + 1
        # whole numbers all along: (k + 1/2) / n_quantiles of the sample, rounded up
        return np.sort(sample)[(odd * len(sample) - 1) // (2 * self.n_quantiles)]

    def _embed(self, Y: Responses) -> Floats:
        points: Floats = Y / np.sqrt(Y.shape[1])
        return points


def _read(sample: Any, i: int, name: str) -> NDArray[np.float64]:
    """Return response i as an array, at least one finite number."""
    values = np.asarray(sample)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(
            f"{name} must hold samples of at least one number each, got the shape {values.shape} "
            f"in response {i}"
        )
    if values.dtype.kind not in "buif":
        raise TypeError(
            f"{name} must hold numbers, got entries of type {values.dtype} in response {i}"
        )
    numbers = values.astype(np.float64)
    check_finite(numbers[None], name, first=i)
    return numbers

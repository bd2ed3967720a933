"""Two normal classes whose means differ less and less with every feature."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._parameters import random_generator
from manifoldforest.validation._rules import check_argument, integer, real

from ._random_streams import Seed


def trunk_mean(n_features: int) -> NDArray[np.float64]:
    """Return the mean of class 1; the mean of class 0 is its negative."""
    mean: NDArray[np.float64] = 1 / np.sqrt(np.arange(1, n_features + 1))
    return mean


def make_trunk(
    n_samples: int,
    *,
    n_features: int = 10,
    covariance_factor: float = 1.0,
    random_state: Seed = None,
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Draw two normal classes with opposite means and unit covariance.

    The i-th coordinate (i = 1, 2, ...) of the mean is ``1 / sqrt(i)`` in class 1 and
    ``-1 / sqrt(i)`` in class 0: each further feature tells less, though all together separate the
    classes as well as one likes. Each class has probability 1/2.

    Parameters
    ----------
    n_samples : int
        Number of examples.
    n_features : int, default=10
        Number of features.
    covariance_factor : float, default=1.0
        Multiplies the covariance matrix.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float32
        The examples.
    y : ndarray of shape (n_samples,), int64
        The classes, 0 or 1, drawn at random.

    See Also
    --------
    add_outliers : Append points drawn with a larger `covariance_factor`.
    bayes_error : Lowest possible error.

    References
    ----------
    G. V. Trunk, "A problem of dimensionality: a simple example", IEEE Transactions on Pattern
    Analysis and Machine Intelligence, 1979.

    Examples
    --------
    >>> from manifoldforest.datasets import make_trunk
    >>> X, y = make_trunk(1000, n_features=4, covariance_factor=0, random_state=0)
    >>> X[y == 1][0].round(3)
    array([1.   , 0.707, 0.577, 0.5  ], dtype=float32)
    """
    n_samples = int(check_argument("n_samples", n_samples, integer(1)))
    n_features = int(check_argument("n_features", n_features, integer(1)))
    check_argument("covariance_factor", covariance_factor, real("[0, inf)"))
    rng = random_generator(random_state)

    y = rng.randint(2, size=n_samples, dtype=np.int64)
    sign = 2 * y[:, None] - 1
    noise = rng.standard_normal((n_samples, n_features))
    X = sign * trunk_mean(n_features) + math.sqrt(covariance_factor) * noise
    return X.astype(np.float32), y

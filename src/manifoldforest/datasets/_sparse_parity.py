"""The parity of three noisy bits among many."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._parameters import random_generator
from manifoldforest.validation._rules import check_argument, integer, real

from ._random_streams import Seed

N_PARITY_BITS = 3
NOISE_VARIANCE = 1 / 32


def make_sparse_parity(
    n_samples: int,
    *,
    n_features: int = 20,
    covariance_factor: float = 1.0,
    random_state: Seed = None,
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Draw noisy random bits whose first three decide the class by their parity.

    Every feature is a fair bit (0 or 1) plus normal noise of variance 1/32. The class is the
    parity of the first three bits before the noise, or of all of them if there are fewer. Any two
    features together carry no information on the class when there are three or more.

    Parameters
    ----------
    n_samples : int
        Number of examples.
    n_features : int, default=20
        Number of features.
    covariance_factor : float, default=1.0
        Multiplies the variance of the noise.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float32
        The noisy bits.
    y : ndarray of shape (n_samples,), int64
        The parities, 0 or 1.

    See Also
    --------
    add_outliers : Append points drawn with a larger `covariance_factor`.
    bayes_error : Lowest possible error.

    Examples
    --------
    >>> from manifoldforest.datasets import make_sparse_parity
    >>> X, y = make_sparse_parity(100, n_features=5, covariance_factor=0.1, random_state=0)
    >>> bits = X.round().astype(int)
    >>> bool((bits[:, :3].sum(axis=1) % 2 == y).all())
    True
    """
    n_samples = int(check_argument("n_samples", n_samples, integer(1)))
    n_features = int(check_argument("n_features", n_features, integer(1)))
    check_argument("covariance_factor", covariance_factor, real("[0, inf)"))
    variance = NOISE_VARIANCE * float(covariance_factor)
    rng = random_generator(random_state)

    bits = rng.randint(2, size=(n_samples, n_features))
    y = (bits[:, :N_PARITY_BITS].sum(axis=1) % 2).astype(np.int64)
    X = bits + math.sqrt(variance) * rng.standard_normal(bits.shape)
    return X.astype(np.float32), y

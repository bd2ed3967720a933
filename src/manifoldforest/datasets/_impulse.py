"""White noise against white noise with a decaying impulse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._parameters import random_generator
from manifoldforest.validation._rules import check_argument, integer

from ._random_streams import Seed

N_TIMES = 100
ONSET = 20
DECAY = 0.1


def impulse_curve() -> NDArray[np.float64]:
    """Return the mean of class 1; the mean of class 0 is zero."""
    curve = np.zeros(N_TIMES)
    curve[ONSET:] = np.exp(-DECAY * np.arange(N_TIMES - ONSET))
    return curve


def make_impulse(
    n_samples: int, *, random_state: Seed = None
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Draw time series of noise (class 0) or of an impulse in noise (class 1).

    At the times t = 0, ..., 99 the noise is standard normal. In class 1 the value
    ``exp(-0.1 * (t - 20))`` is added from t = 20 on.

    Parameters
    ----------
    n_samples : int
        Number of time series.
    random_state : int, RandomState or None, default=None
        Seed of the draw. For the same integer, a smaller `n_samples` gives the first rows of a
        larger one.

    Returns
    -------
    X : ndarray of shape (n_samples, 100), float32
        The time series.
    y : ndarray of shape (n_samples,), int64
        Classes 0, 1, 0, 1, ...: every even number of first rows is balanced.

    See Also
    --------
    bayes_error : Lowest possible error, here about 0.12.

    Examples
    --------
    >>> from manifoldforest.datasets import make_impulse
    >>> X, y = make_impulse(2000, random_state=0)
    >>> X.shape
    (2000, 100)
    >>> difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    >>> int(difference.argmax())
    20
    """
    n_samples = int(check_argument("n_samples", n_samples, integer(1)))
    rng = random_generator(random_state)

    y = np.arange(n_samples, dtype=np.int64) % 2
    X = rng.standard_normal((n_samples, N_TIMES)) + y[:, None] * impulse_curve()
    return X.astype(np.float32), y

"""Horizontal against vertical bars."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._parameters import random_generator
from manifoldforest.validation._rules import check_argument, integer

from ._random_streams import Seed

SIDE = 28
MEAN_BARS = 10.0


def make_bars(
    n_samples: int, *, random_state: Seed = None
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Draw images of horizontal bars (class 0) or vertical bars (class 1).

    An image of class 0 has a Poisson(10) number of bars, each one a full row of ones; the rows are
    drawn with replacement, so bars may coincide or touch. Images of class 1 are transposed.

    Parameters
    ----------
    n_samples : int
        Number of images.
    random_state : int, RandomState or None, default=None
        Seed of the draw. For the same integer, a smaller `n_samples` gives the first images of a
        larger one.

    Returns
    -------
    X : ndarray of shape (n_samples, 28, 28), uint8
        The images.
    y : ndarray of shape (n_samples,), int64
        Classes 0, 1, 0, 1, ...

    See Also
    --------
    bayes_error : Lowest possible error; only blank and full images are ambiguous.

    Examples
    --------
    >>> from manifoldforest.datasets import make_bars
    >>> X, y = make_bars(4, random_state=0)
    >>> X.shape
    (4, 28, 28)
    >>> bool((X[0] == X[0, :, :1]).all()), bool((X[1] == X[1, :1, :]).all())
    (True, True)
    """
    n_samples = int(check_argument("n_samples", n_samples, integer(1)))
    rng = random_generator(random_state)

    y = np.arange(n_samples, dtype=np.int64) % 2
    # Poisson(10) bars thrown on 28 rows are 28 independent Poisson(10/28) counts.
    has_bar = rng.poisson(MEAN_BARS / SIDE, size=(n_samples, SIDE)) > 0
    X = np.empty((n_samples, SIDE, SIDE), dtype=np.uint8)
    X[0::2] = has_bar[0::2, :, None]
    X[1::2] = has_bar[1::2, None, :]
    return X, y

"""Two segments on a ring, told apart by their lengths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._parameters import random_generator
from manifoldforest.validation._rules import check_argument, integer

from ._random_streams import Seed

N_POSITIONS = 100
N_OFFSETS = 89  # distances from the first start to the second that keep the segments apart


def make_circle(
    n_samples: int, *, random_state: Seed = None
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Draw two segments of ones on a ring of 100 positions.

    Both classes have ten ones. In class 0 the segments have lengths 5 and 5, in class 1 lengths 4
    and 6, so that no single position tells anything about the class: only neighbourhoods do. The
    segments lie anywhere on the ring, position 99 is next to position 0, and at least one zero
    separates them on either side.

    Parameters
    ----------
    n_samples : int
        Number of examples.
    random_state : int, RandomState or None, default=None
        Seed of the draw. For the same integer, a smaller `n_samples` gives the first rows of a
        larger one.

    Returns
    -------
    X : ndarray of shape (n_samples, 100), uint8
        The rings, cut open between positions 99 and 0.
    y : ndarray of shape (n_samples,), int64
        Classes 0, 1, 0, 1, ...: every even number of first rows is balanced.

    See Also
    --------
    bayes_error : Lowest possible error, here 0.

    Examples
    --------
    >>> from manifoldforest.datasets import make_circle
    >>> X, y = make_circle(6, random_state=0)
    >>> X.shape
    (6, 100)
    >>> y.tolist()
    [0, 1, 0, 1, 0, 1]
    >>> X.sum(axis=1).tolist()
    [10, 10, 10, 10, 10, 10]
    """
    n_samples = int(check_argument("n_samples", n_samples, integer(1)))
    rng = random_generator(random_state)

    y = np.arange(n_samples, dtype=np.int64) % 2
    first_length, second_length = 5 - y, 5 + y
    draws = rng.randint(0, (N_POSITIONS, N_OFFSETS), size=(n_samples, 2))
    first = draws[:, 0]
    second = first + (first_length + 1) + draws[:, 1]
    X = _segments(first, first_length) | _segments(second, second_length)
    return X.astype(np.uint8), y


def _segments(start: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark, in one row per segment, the positions from `start` on, around the ring."""
    steps_from_start = (np.arange(N_POSITIONS) - start[:, None]) % N_POSITIONS
    marked: NDArray[np.bool_] = steps_from_start < length[:, None]
    return marked

"""Responses on a rolled-up sheet in space."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._parameters import random_generator
from manifoldforest.validation._rules import check_argument, integer, real

from ._random_streams import Seed

N_IRRELEVANT = 4


def make_swiss_roll_responses(
    n_samples: int = 900, *, noise_variance: float = 0.5, random_state: Seed = None
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    r"""Draw a regression problem whose responses lie near a swiss roll.

    A point of the sheet has the coordinates t, uniform on [pi, 3 pi], and u, uniform on [0, 21].
    The response is ``(t cos t, u, t sin t)`` plus normal noise. The predictors are a smooth
    deformation of the flat sheet,

    .. math::

        x_1 = a \sqrt{1 - b^2 / 2}, \quad x_2 = b \sqrt{1 - a^2 / 2}, \quad
        a = (t - \bar t) / \max t, \quad b = (u - \bar u) / \max u,

    with means and maxima over the sample, and four standard normal features without information.

    Parameters
    ----------
    n_samples : int, default=900
        Number of examples.
    noise_variance : float, default=0.5
        Variance of the noise in each coordinate of the response. With the same integer seed, 0
        gives the points on the roll itself.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, 6), float32
        Two informative predictors, then four irrelevant ones.
    Y : ndarray of shape (n_samples, 3), float64
        The responses.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.datasets import make_swiss_roll_responses
    >>> X, Y = make_swiss_roll_responses(random_state=0)
    >>> X.shape, Y.shape
    ((900, 6), (900, 3))
    >>> _, on_roll = make_swiss_roll_responses(noise_variance=0, random_state=0)
    >>> radius = np.hypot(on_roll[:, 0], on_roll[:, 2])
    >>> bool((radius > np.pi).all() and (radius < 3 * np.pi).all())
    True
    """
    n_samples = int(check_argument("n_samples", n_samples, integer(1)))
    check_argument("noise_variance", noise_variance, real("[0, inf)"))
    rng = random_generator(random_state)

    t = rng.uniform(math.pi, 3 * math.pi, size=n_samples)
    u = rng.uniform(0, 21, size=n_samples)
    noise = rng.standard_normal((n_samples, 3))
    irrelevant = rng.standard_normal((n_samples, N_IRRELEVANT))

    Y = np.column_stack([t * np.cos(t), u, t * np.sin(t)]) + math.sqrt(noise_variance) * noise
    a = (t - t.mean()) / t.max()
    b = (u - u.mean()) / u.max()
    X = np.column_stack([a * np.sqrt(1 - b**2 / 2), b * np.sqrt(1 - a**2 / 2), irrelevant])
    return X.astype(np.float32), Y

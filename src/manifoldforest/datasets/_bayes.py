"""The lowest errors that are possible on the simulated problems."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from manifoldforest.validation._rules import check_argument, integer, one_of

from ._bars import MEAN_BARS, SIDE
from ._impulse import impulse_curve
from ._sparse_parity import N_PARITY_BITS, NOISE_VARIANCE
from ._trunk import trunk_mean

Problem = Literal["circle", "bars", "impulse", "sparse_parity", "trunk"]
DEFAULT_N_FEATURES = {"sparse_parity": 20, "trunk": 10}  # as in their generators


def bayes_error(problem: Problem, *, n_features: int | None = None) -> float:
    r"""Return the error of the best possible classifier, from its formula.

    Parameters
    ----------
    problem : {"circle", "bars", "impulse", "sparse_parity", "trunk"}
        The generator's name without ``make_``.
    n_features : int, optional
        Number of features, for ``"sparse_parity"`` (20 if not given) and ``"trunk"`` (10 if not
        given). The other problems have a fixed size.

    Returns
    -------
    float
        The probability of error on a new example.

    Notes
    -----
    With the standard normal distribution function :math:`\Phi`:

    * circle: 0, the classes share no example;
    * bars: half the probability that an image is blank or full, the only images that both classes
      produce;
    * impulse: :math:`\Phi(-\lVert s \rVert / 2)` for the curve s that is added in class 1;
    * sparse parity: a single bit is read wrongly with probability
      :math:`q = \Phi(-1 / (2 \sigma))`, the parity of k bits with :math:`(1 - (1 - 2q)^k) / 2`;
    * Trunk's problem: :math:`\Phi(-\lVert \mu \rVert)` for the class means :math:`\pm \mu`.

    Examples
    --------
    >>> from manifoldforest.datasets import bayes_error
    >>> round(bayes_error("impulse"), 4)
    0.1201
    >>> [round(bayes_error("trunk", n_features=p), 4) for p in (2, 10, 100)]
    [0.1103, 0.0435, 0.0114]
    """
    check_argument("problem", problem, one_of(*get_args(Problem)))
    if problem in DEFAULT_N_FEATURES:
        n_features = DEFAULT_N_FEATURES[problem] if n_features is None else n_features
        n_features = int(check_argument("n_features", n_features, integer(1)))
        return _trunk(n_features) if problem == "trunk" else _sparse_parity(n_features)
    if n_features is not None:
        raise ValueError(f"n_features must be None for problem {problem!r}, got {n_features!r}")
    if problem == "circle":
        return 0.0
    return _bars() if problem == "bars" else _impulse()


def _bars() -> float:
    row_is_empty = math.exp(-MEAN_BARS / SIDE)
    blank, full = row_is_empty**SIDE, (1 - row_is_empty) ** SIDE
    return (blank + full) / 2


def _impulse() -> float:
    return _normal_tail(float(np.linalg.norm(impulse_curve())) / 2)


def _sparse_parity(n_features: int) -> float:
    bit_error = _normal_tail(0.5 / math.sqrt(NOISE_VARIANCE))
    return (1 - (1 - 2 * bit_error) ** min(N_PARITY_BITS, n_features)) / 2


def _trunk(n_features: int) -> float:
    return _normal_tail(float(np.linalg.norm(trunk_mean(n_features))))


def _normal_tail(x: float) -> float:
    """Return the probability that a standard normal number is above x."""
    return math.erfc(x / math.sqrt(2)) / 2

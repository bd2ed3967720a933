"""Class shares as probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def probabilities(shares: NDArray[Any]) -> NDArray[np.float64]:
    """Return shares along the last axis divided by their sums.

    Shares are stored in single precision or added up in some order, so that a row adds up to 1 only
    within some 1e-8 and one of its entries may exceed 1 by a rounding error. A sum of numbers that
    are not negative is at least as large as each of them, in floating point as well: quotients lie
    in [0, 1], and the rows add up to 1 within the rounding of double precision. Rows of NaN stay.
    """
    divided: NDArray[np.float64] = shares / shares.sum(axis=-1, keepdims=True)
    return divided

"""Ranges of different sizes in flat arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ranges(begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``begin, begin + 1, ...`` of each range, one range after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    numbers: NDArray[np.int64] = np.repeat(begins - (ends - sizes), sizes) + np.arange(total)
    return numbers


def ends_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where ranges of these sizes begin, and where the last ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])

"""Numbers in tables and sentences."""

from __future__ import annotations

import math


def number_text(value: float) -> str:
    """Return about four digits of a number, or a dash if it is not defined."""
    if math.isnan(value):
        return "–"
    size = abs(value)
    if size == 0 or 1e-3 <= size < 10:
        return f"{value:.4f}"
    if size < 1e-3 or size >= 1e7:
        return f"{value:.3e}"
    return f"{value:.{_decimals(size, 4)}f}"


def short_text(value: float, like: float | None = None) -> str:
    """Return a number with three decimals, or fewer if it is large.

    With as many decimals as another one, if that is given: its standard error.
    """
    size = abs(value if like is None else like)
    if size >= 1e7 or 0 < size < 1e-3:
        return f"{value:.2e}"
    return f"{value:.{_decimals(size, 3)}f}"


def _decimals(size: float, most: int) -> int:
    """Return how many decimals leave a number of a size at most 1 + `most` digits."""
    before = len(str(int(size)))
    return max(0, most + 1 - before)

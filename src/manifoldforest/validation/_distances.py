"""Distances that functions of users have returned."""

from __future__ import annotations

import math
from typing import Any


def read_distance(distance: Any, name: str, where: str = "") -> float:
    """Return a distance as a float, or raise unless it is a finite number of at least 0.

    `name` is the function, `where` says between what it was measured.
    """
    try:
        number = float(distance)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must return a number, got {distance!r}{where}") from error
    except OverflowError as error:  # an integer beyond all floats
        raise ValueError(
            f"{name} must return finite numbers >= 0, got a number too large for a float{where}"
        ) from error
    if not 0 <= number < math.inf:  # NaN is not either
        raise ValueError(f"{name} must return finite numbers >= 0, got {number}{where}")
    return number

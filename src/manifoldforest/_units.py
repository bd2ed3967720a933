"""Powers of two that bring numbers of extreme size to where sums and squares of them have room."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Unit:
    """The unit ``2**exponent``. Changing to it and back loses nothing; most numbers need none."""

    exponent: int = 0

    @classmethod
    def of(cls, largest: float, *, low: float = 0.0, high: float) -> Unit:
        """Return the unit of numbers of which `largest` is the largest in size.

        It is 1, and so they stay as they are, if that is zero or between `low` and `high`;
        otherwise the largest number is between 0.5 and 1 in its unit.
        """
        if largest == 0 or low <= largest <= high:
            return cls()
        return cls(int(np.frexp(largest)[1]))

    def __pow__(self, power: int) -> Unit:
        """Return the unit of products of as many numbers."""
        return Unit(self.exponent * power)

    def down(self, values: Any) -> Any:
        """Return numbers in this unit."""
        return np.ldexp(values, -self.exponent) if self.exponent else values

    def up(self, values: Any) -> Any:
        """Return numbers that are in this unit as they are without one."""
        return np.ldexp(values, self.exponent) if self.exponent else values

    def limit(self, value: float) -> float:
        """Return a limit in this unit, the largest number if it is beyond that."""
        with np.errstate(over="ignore"):
            return min(float(self.down(float(value))), sys.float_info.max)

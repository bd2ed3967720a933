"""Columns of labels, one for each output."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def side_by_side(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Join label columns; those of different kinds keep their values in an array of objects."""
    alike = len({column.dtype.kind for column in columns}) == 1
    return np.stack(columns if alike else [c.astype(object) for c in columns], axis=1)

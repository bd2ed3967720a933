"""The `stacklevel` of warnings, which point at the line that called the package."""

from __future__ import annotations

import functools
import os
import sys

# where frames lie that the package makes; those of functools between them are of its properties
_OWN = (os.path.dirname(os.path.dirname(__file__)) + os.sep, functools.__file__)


def caller_level() -> int:
    """Return the `stacklevel` of a warning that shall point at the line that called the package.

    For warnings from functions that are called in several depths.
    """
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
        level += 1
    return level

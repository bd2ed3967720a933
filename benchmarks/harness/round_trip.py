"""How far apart two cores are, which decides what two threads that share data can reach."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

from harness.compiled import compiled

REPEATS = 5


@cache
def _library() -> ctypes.CDLL:
    library = compiled(Path(__file__).with_suffix(".cpp"))
    library.round_trip.restype = ctypes.c_double
    library.round_trip.argtypes = [ctypes.c_int, ctypes.c_int]
    return library


def round_trip() -> float:
    """Return the nanoseconds that a cache line takes to another core and back, at least.

    That is about 100 where cores share their last cache and several hundred where they do not. A
    virtual machine may be moved from one to the other at any time.
    """
    first, second = sorted(os.sched_getaffinity(0))[:2]
    return min(_library().round_trip(first, second) for _ in range(REPEATS))

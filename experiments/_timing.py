"""Seconds that do not depend on what else the machine does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what a function returns and the CPU seconds it took; runs have one thread."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start

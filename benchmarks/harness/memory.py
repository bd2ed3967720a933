"""Resident memory of this process on Linux."""

from __future__ import annotations

import mmap
from pathlib import Path


def resident_bytes() -> int:
    """Return the memory now."""
    return _status("VmRSS")


def peak_bytes() -> int:
    """Return the largest memory since the last :func:`forget_peak`."""
    return _status("VmHWM")


def forget_peak() -> None:
    """Start a new peak from the memory now: loading the data may have taken more than fit."""
    Path("/proc/self/clear_refs").write_text("5")


def touch_free_memory(n_bytes: int = 512 << 20) -> None:
    """Use free memory once, and give it back, so that the system has it at hand.

    A virtual machine may return free memory to its host. Its next use takes ten times as long, for
    whatever library happens to come first.
    """
    with mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        for page in range(0, n_bytes, mmap.PAGESIZE):
            memory[page] = 1


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise OSError(f"no {field} in /proc/self/status")

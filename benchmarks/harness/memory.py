"""Resident memory of this process on Linux."""

from __future__ import annotations

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


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise OSError(f"no {field} in /proc/self/status")

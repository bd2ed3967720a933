"""Small libraries in C++ that benchmarks call: compiled at the first use and kept."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import subprocess
from pathlib import Path

from harness.registry import FOLDER

LIBRARIES = FOLDER / ".environments"
COMMAND = ("g++", "-std=c++20", "-O3", "-march=native", "-shared", "-fPIC", "-pthread")


def compiled(source: Path) -> ctypes.CDLL:
    """Return the library of a file, compiled for this processor unless it has been before."""
    key = source.read_bytes() + " ".join(COMMAND).encode() + platform.processor().encode()
    path = LIBRARIES / f"{source.stem}-{hashlib.sha256(key).hexdigest()[:16]}.so"
    if not path.exists():
        LIBRARIES.mkdir(exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        subprocess.run([*COMMAND, str(source), "-o", str(fresh)], check=True)
        fresh.rename(path)
    return ctypes.CDLL(str(path))

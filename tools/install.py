"""Install the package with pip, and show how far the compiler is.

pip alone prints nothing for the minutes that the C++ core takes to compile. On a terminal one line
tells the file at work; elsewhere there is a line every tenth of the way. If pip fails, all
that it said is printed.

    python tools/install.py ".[demo]" [options of pip]
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TextIO

STEP = re.compile(r"\[\s*(\d+)/(\d+)\] (?:\S+ )*?(\S+)$")  # of Ninja
PERCENT = re.compile(r"\[\s*(\d+)%\] (?:\S+ )*?(\S+)$")  # of make


def progress(line: str) -> tuple[float, str] | None:
    """Return the share that is done, and the file, if a line of a build tool tells it."""
    if step := STEP.search(line):
        return int(step[1]) / int(step[2]), _name(step[3])
    if percent := PERCENT.search(line):
        return int(percent[1]) / 100, _name(percent[2])
    return None


def _name(path: str) -> str:
    return os.path.basename(path).removesuffix(".o")


def show(lines: Iterable[str], out: TextIO, *, live: bool) -> list[str]:
    """Report progress while lines come in, and return them all."""
    seen, tenths = [], 0
    for line in lines:
        seen.append(line)
        told = progress(line.rstrip())
        if told is None:
            continue
        share, name = told
        if live:
            out.write(f"\r\x1b[K  {share:4.0%} {name}")
        elif int(10 * share) > tenths:
            tenths = int(10 * share)
            out.write(f"  {share:4.0%} {name}\n")
        out.flush()
    if live:
        out.write("\r\x1b[K")
    return seen


def main(arguments: Sequence[str]) -> int:
    """Run ``pip install`` with the given arguments and return its exit status."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(
        f"Compiling the C++ core on {cores} cores, then installing (about two minutes on two "
        "cores, after downloads)",
        flush=True,
    )
    # make, unlike Ninja, compiles on one core unless it is told
    environment = {"CMAKE_BUILD_PARALLEL_LEVEL": str(cores), **os.environ}
    command = [sys.executable, "-m", "pip", "install", "--verbose", "--disable-pip-version-check"]
    started = time.monotonic()
    with subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    ) as pip:
        assert pip.stdout is not None
        output = show(pip.stdout, sys.stdout, live=sys.stdout.isatty())
    if pip.returncode != 0:
        print("".join(output), file=sys.stderr)
        return pip.returncode
    print(f"Done in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

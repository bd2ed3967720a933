"""Run the blocks of Python of Markdown pages."""

from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

FENCE = re.compile(r"^(?P<indent> *)```python\n(?P<code>.*?)^(?P=indent)```", re.M | re.S)
# the first line of a block that is shown and not run, or only where a package is installed
NOT_RUN = re.compile(r"# not run: \S")
NEEDS = re.compile(r"# needs (\w+)$", re.M)


class Block(NamedTuple):
    """A block of code and the number of its first line in the page."""

    line: int
    code: str


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a page that are run, in order."""
    found = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        block = Block(line, textwrap.dedent(match["code"]))
        if not NOT_RUN.match(block.code):
            found.append(block)
    return found


def run(page: Path, blocks: list[Block]) -> dict[str, object]:
    """Run blocks in one namespace and return it; tracebacks show the lines of the page."""
    needed = NEEDS.findall("\n".join(block.code for block in blocks))
    for package in needed:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    namespace: dict[str, object] = {"__name__": page.stem}
    with mpl.rc_context({"backend": "agg"}):
        for line, code in blocks:
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), namespace)
    plt.close("all")
    return namespace

"""How an installation tells its progress (tools/install.py)."""

from __future__ import annotations

import importlib.util
import io
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "install.py"

NINJA = "  [3/12] Building CXX object CMakeFiles/core.dir/cpp/core/tree/grower.cpp.o\n"
MAKE = "[ 25%] Building CXX object CMakeFiles/core.dir/cpp/core/tree/grower.cpp.o\n"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("install", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("line", [NINJA, MAKE])
def test_lines_of_build_tools_tell_progress(tool, line):
    assert tool.progress(line.rstrip()) == (0.25, "grower.cpp")


@pytest.mark.parametrize("line", ["Collecting numpy", "  -- Found Threads: TRUE", "[notice] x", ""])
def test_other_lines_tell_none(tool, line):
    assert tool.progress(line) is None


def test_a_log_gets_a_line_every_tenth_of_the_way(tool):
    lines = [f"[{step}/100] Building CXX object {step}.cpp.o\n" for step in range(1, 101)]
    out = io.StringIO()
    assert tool.show(lines, out, live=False) == lines
    told = out.getvalue().splitlines()
    assert [line.split()[0] for line in told] == [f"{ten}%" for ten in range(10, 101, 10)]


def test_a_terminal_gets_one_line_that_is_removed_at_the_end(tool):
    out = io.StringIO()
    tool.show(["pip says\n", NINJA], out, live=True)
    assert out.getvalue() == "\r\x1b[K   25% grower.cpp\r\x1b[K"


def test_a_failure_tells_all_that_pip_said_and_its_status(tmp_path):
    command = [sys.executable, str(TOOL), "--no-index", str(tmp_path / "nothing")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "nothing" in run.stderr
    assert "Done" not in run.stdout

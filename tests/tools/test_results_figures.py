"""The page of results and the program that draws its figures (tools/results_figures.py)."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "results_figures.py"
PAGE = ROOT / "docs" / "results.md"
FINDINGS = ROOT / "docs" / "results" / "findings.md"
MOST_BYTES = 60_000


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("results_figures", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not (ROOT / "docs/images").exists(), reason="an sdist has no pictures")
def test_the_page_shows_the_figures_that_are_kept_and_no_others(tool):
    shown = re.findall(r"\(images/results/([\w-]+)\.png\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(tool.KEPT)
    assert sorted(path.stem for path in tool.IMAGES.glob("*")) == sorted(tool.KEPT)


def test_figures_are_small():
    for path in (ROOT / "docs" / "images" / "results").glob("*.png"):
        assert path.stat().st_size <= MOST_BYTES, path.name


def test_the_table_g1_can_be_drawn(tool):
    sizes, rows = tool.table_of_page("G1")
    assert sizes == [1000, 10_000, 60_000]
    assert len(rows) == len(tool.G1_ROWS)
    for (name, _), row in zip(tool.G1_ROWS, rows, strict=True):
        errors = [error for error, _ in row]
        assert len(errors) == len(sizes)
        assert errors == sorted(errors, reverse=True), name  # more images, fewer errors
        assert all((seconds is None) == ("published" in name) for _, seconds in row)


def test_the_page_counts_the_findings_of_the_full_run():
    page, findings = (path.read_text(encoding="utf-8") for path in (PAGE, FINDINGS))
    lines = re.findall(r"^\| [^|]+ \| [^|]+ \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    total = [sum(map(int, column)) for column in zip(*lines, strict=True)]
    stated = re.search(r"(\d+) agree, (\d+) differ, (\d+) not judged", findings)
    assert stated is not None
    assert total == [int(number) for number in stated.groups()]
    assert " | ".join(f"**{number}**" for number in total) in page

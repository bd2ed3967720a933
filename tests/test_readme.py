"""What README.md and CONTRIBUTING.md tell to type works."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path

import pytest

from markdown_examples import blocks_of, run

ROOT = Path(__file__).parents[1]
PAGES = {
    name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")
}
ALL_TEXT = "\n".join(PAGES.values())


def _examples():
    """Return the blocks of each example; a block without imports goes on with the one before."""
    examples = []
    for block in blocks_of(PAGES["README.md"]):
        if "import manifoldforest" in block.code or not examples:
            examples.append([])
        examples[-1].append(block)
    return examples


@pytest.mark.parametrize(
    "example", [pytest.param(example, id=f"line {example[0].line}") for example in _examples()]
)
def test_examples_of_the_readme_run(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(ROOT / "README.md", example)
    assert capsys.readouterr().out.strip()  # every example prints something


def test_make_targets_that_are_named_exist():
    named = set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", ALL_TEXT, re.MULTILINE))
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert {"demo", "test", "lint"} <= named <= set(phony[1].split())


def test_extras_that_are_named_exist():
    named = re.findall(r"\.\[([a-z,]+)\]", ALL_TEXT)
    known = metadata("manifoldforest").get_all("Provides-Extra")
    assert {extra for group in named for extra in group.split(",")} <= set(known)

"""What README.md and CONTRIBUTING.md tell to type works."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path

import matplotlib as mpl
import pytest

ROOT = Path(__file__).parents[1]
PAGES = {
    name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")
}
ALL_TEXT = "\n".join(PAGES.values())


def _blocks(language):
    found = re.finditer(rf"^```{language}\n(.*?)^```", PAGES["README.md"], re.MULTILINE | re.DOTALL)
    return [(PAGES["README.md"].count("\n", 0, match.start(1)) + 1, match[1]) for match in found]


def _examples():
    """Return (line, code) of each example; a block without imports goes on with the one before."""
    examples = []
    for line, code in _blocks("python"):
        if "import manifoldforest" in code or not examples:
            examples.append((line, code))
        else:
            first, before = examples.pop()
            gap = line - first - before.count("\n")
            examples.append((first, before + "\n" * gap + code))
    return examples


@pytest.mark.parametrize(
    "example", [pytest.param(example, id=f"line {example[0]}") for example in _examples()]
)
def test_examples_of_the_readme_run(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line, code = example
    with mpl.rc_context({"backend": "agg"}):
        exec(compile("\n" * (line - 1) + code, str(ROOT / "README.md"), "exec"), {})
    assert capsys.readouterr().out.strip()  # every example prints something


def test_make_targets_that_are_named_exist():
    named = set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", ALL_TEXT, re.MULTILINE))
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert {"demo", "test", "lint"} <= named <= set(phony[1].split())


def test_extras_that_are_named_exist():
    named = re.findall(r"\.\[([a-z,]+)\]", ALL_TEXT)
    known = metadata("manifoldforest").get_all("Provides-Extra")
    assert {extra for group in named for extra in group.split(",")} <= set(known)

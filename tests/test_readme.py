"""What README.md and CONTRIBUTING.md tell to type works."""

from __future__ import annotations

import re
import shlex
from importlib.metadata import metadata
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

from manifoldforest.cli import main
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


def test_commands_of_the_readme_make_a_model_predictions_and_a_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flowers = load_iris(as_frame=True)
    table = flowers.data.assign(species=flowers.target_names[flowers.target])
    table.to_csv("flowers.csv", index=False)
    flowers.data.to_csv("new.csv", index=False)
    commands = re.findall(r"^manifoldforest (.*)$", PAGES["README.md"], re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["fit", "predict", "describe"]
    for command in commands:
        assert main(shlex.split(command)) == 0
    answers = Path("answers.csv").read_text(encoding="utf-8").splitlines()
    assert len(answers) == 151
    assert answers[0].startswith("species_prediction,")
    assert Path("flowers.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_make_targets_that_are_named_exist():
    named = set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", ALL_TEXT, re.MULTILINE))
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert {"demo", "test", "lint"} <= named <= set(phony[1].split())


def test_extras_that_are_named_exist():
    named = re.findall(r"\.\[([a-z,]+)\]", ALL_TEXT)
    known = metadata("manifoldforest").get_all("Provides-Extra")
    assert {extra for group in named for extra in group.split(",")} <= set(known)

"""The check of links in Markdown files (tools/check_links.py)."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "check_links.py"
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("check_links", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def repository(tmp_path):
    def make(pages, *, untracked=()):
        for name, text in {**pages, **dict(untracked)}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        subprocess.run(["git", "-C", tmp_path, "add", "--", *pages], check=True)
        return tmp_path

    return make


@pytest.mark.parametrize(
    "page",
    [
        "[a](docs/a.md), ![picture](docs/p.png), [folder](docs)",
        '![picture](docs/p.png "a title") and [a](<docs/a.md>)',
        "[a](docs/a.md#first-part), [here](#top)\n\n# Top",
        "[a](docs/a.md#first-part-1): the second heading of that name",
        "[a][1]\n\n[1]: docs/a.md",
        '<img src="docs/p.png">',
        "[root](/docs/a.md)",
        "[web](https://example.org/x), [mail](mailto:a@example.org)",
        "`[code](nowhere.md)`\n\n```\n[code](nowhere.md)\n```",
        "`src/a.py`, `a.py`, `src/*.py`, `src/NAME.py`, `src`, `f(x).py`\n\n```\n`b.py`\n```",
        "# Über `f(x)` & mehr\n\n[b](#über-fx--mehr)",
    ],
)
def test_links_into_the_repository_are_fine(tool, repository, page):
    a = "## First part\n\n## First part\n\n[up](../README.md)"
    pages = {"README.md": page, "docs/a.md": a, "docs/p.png": "", "src/a.py": ""}
    assert tool.broken(repository(pages)) == []


def test_pages_of_the_documentation_name_its_files_and_pictures_of_the_gallery(tool, repository):
    picture = "![p](/auto_examples/a/images/sphx_glr_plot_b_001.png)"
    pages = {"docs/a.md": f"{picture} [c](/c/d.md)", "docs/c/d.md": ""}
    assert tool.broken(repository(pages | {"examples/a/plot_b.py": ""})) == []


def test_a_picture_of_the_gallery_needs_its_example(tool, repository):
    path = "/auto_examples/a/images/sphx_glr_plot_b_001.png"
    complaints = tool.broken(repository({"docs/a.md": f"![p]({path})"}))
    assert complaints == [f"docs/a.md:1: {path}: is not in git"]


def test_what_a_role_of_sphinx_names_is_no_file(tool, repository):
    assert tool.broken(repository({"docs/a.md": "{ref}`sphx_glr_auto_examples_a_plot_b.py`"})) == []


def test_a_changelog_may_name_what_is_gone(tool, repository):
    assert tool.broken(repository({"CHANGELOG.md": "`gone.py`"})) == []


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("\n[a](nowhere.md)", "README.md:2: nowhere.md: is not in git"),
        ("![p](docs/here.png)", "README.md:1: docs/here.png: is not in git"),
        ("[p]\n\n[p]: docs/here.png", "README.md:3: docs/here.png: is not in git"),
        ('<img width="9" src="p.png">', "README.md:1: p.png: is not in git"),
        ("[out](../outside.md)", "README.md:1: ../outside.md: is not in git"),
        ("[a](docs/a.md#b)", "README.md:1: docs/a.md#b: docs/a.md has no heading #b"),
        ("# Top\n[a](#tip)", "README.md:2: #tip: README.md has no heading #tip"),
        ("\n`src/b.py`", "README.md:2: src/b.py: is not in git"),
        ("the file `b.hpp`", "README.md:1: b.hpp: is not in git"),
        ("`src/gone/`", "README.md:1: src/gone/: is not in git"),
        ("```\n# Top\n```\n[a](#top)", "README.md:4: #top: README.md has no heading #top"),
    ],
)
def test_links_that_lead_nowhere_are_named(tool, repository, page, complaint):
    root = repository(
        {"README.md": page, "docs/a.md": "# A"}, untracked={"docs/here.png": ""}.items()
    )
    assert tool.broken(root) == [complaint]

"""What the experiments may import, and how large they may be."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPERIMENTS = sorted((ROOT / "experiments").rglob("*.py"))
LIBRARY = sorted((ROOT / "src" / "manifoldforest").rglob("*.py"))
MOST_FILES = 75
MOST_LINES = 9200
PAPERS = [path for path in EXPERIMENTS if path.parent.name != "views"]  # those that they repeat


def imported(tree):
    """Yield the dotted names that a module imports, and those of its relative imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield from (f"{start}.{alias.name}" for alias in node.names)


def library_names(tree):
    """Return what a module calls the library and what it imports from it."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            for alias in node.names:
                if (module or alias.name).split(".")[0] == "manifoldforest":
                    names.add(alias.asname or alias.name.split(".")[0])
    return names


def chain(node):
    """Return `a.b.c` of an attribute of a name, or of a name."""
    if isinstance(node, ast.Attribute):
        return f"{chain(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def private_uses(tree):
    """Return names of the library with an underscore in front, however they are reached."""
    library = library_names(tree)
    nodes = list(ast.walk(tree))
    chains = [chain(node) for node in nodes if isinstance(node, ast.Attribute)]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    found = [
        *(name for name in imported(tree) if name.split(".")[0] == "manifoldforest"),
        *(name for name in chains if name.split(".")[0] in library),
        *(text for text in texts if isinstance(text, str) and text.startswith("manifoldforest.")),
    ]
    return [name for name in found if any(part.startswith("_") for part in name.split(".")[1:])]


@pytest.mark.parametrize(
    ("source", "private"),
    [
        ("import manifoldforest as mf\nmf.ForestClassifier()", []),
        ("from manifoldforest.plot import COLORS", []),
        ("from .drawing import panels", []),
        ("from manifoldforest.plot._style import COLORS", ["manifoldforest.plot._style.COLORS"]),
        ("from manifoldforest import _core", ["manifoldforest._core"]),
        ("import manifoldforest._core", ["manifoldforest._core"]),
        ("import manifoldforest as mf\nmf._core.x", ["mf._core.x", "mf._core"]),
        ("from manifoldforest import plot\nplot._style", ["plot._style"]),
        ("import_module('manifoldforest._core')", ["manifoldforest._core"]),
    ],
)
def test_private_names_of_the_library_are_recognised(source, private):
    assert private_uses(ast.parse(source)) == private


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_experiments_use_public_names_of_the_library_only(path):
    assert private_uses(ast.parse(path.read_text())) == []


def test_the_library_knows_nothing_of_the_experiments():
    assert LIBRARY
    for path in LIBRARY:
        names = list(imported(ast.parse(path.read_text())))
        assert not [n for n in names if n.split(".")[0] == "experiments"], path


def test_the_experiments_stay_small():
    assert 0 < len(PAPERS) <= MOST_FILES
    assert sum(len(path.read_text().splitlines()) for path in PAPERS) <= MOST_LINES

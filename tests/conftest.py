"""What single tests need: packages for examples in docstrings, and markers of scikit-learn."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem

# module of the docstring -> package that its examples need
NEEDS = {
    "manifoldforest.boundary._differentiable": "torch",
    "manifoldforest.spaces._geomstats": "geomstats",
}
# files that need single stages of the core: by stages.py, or by the reference that calls it
NEEDS_STAGES = re.compile(
    r"^(?:import stages|from stages import|from reference\.boundary import"
    r"|from reference import boundary)\b",
    re.MULTILINE,
)


def pytest_addoption(parser):
    parser.addoption(
        "--without-stages",
        action="store_true",
        help="leave out files that call single stages of the core, which no wheel contains",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("--without-stages") or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text(encoding="utf-8")
    return collection_path.name == "stages.py" or bool(NEEDS_STAGES.search(text)) or None


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: a marker of scikit-learn's own tests")


def pytest_collection_modifyitems(items):
    for item in items:
        if not isinstance(item, DoctestItem):
            continue
        for module, package in NEEDS.items():
            if item.name.startswith(module) and importlib.util.find_spec(package) is None:
                item.add_marker(pytest.mark.skip(reason=f"{package} is not installed"))

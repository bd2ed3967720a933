"""The reference lists every public name of the package, and nothing else."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import manifoldforest as mf

REFERENCE = Path(__file__).parents[2] / "docs" / "api"
MODULE = re.compile(r"\.\. (?:currentmodule|module):: (\S+)")
NAME = re.compile(r"   (\w+)|\.\. data:: (\w+)")


def _listed():
    """Return module.name for each entry of the pages."""
    names = []
    for page in sorted(REFERENCE.glob("*.md")):
        module = None
        for line in page.read_text(encoding="utf-8").splitlines():
            if match := MODULE.fullmatch(line):
                module = match[1]
            elif match := NAME.fullmatch(line):
                names.append(f"{module}.{match[1] or match[2]}")
    return names


def _public():
    """Return module.name for all public names; one that mf itself has is listed there alone.

    Those of manifoldforest.dask are others of the same names.
    """
    names = {name for name in mf.__all__ if name in mf._ORIGIN}
    public = {f"manifoldforest.{name}" for name in names}
    for module in mf._SUBMODULES:
        own = set(import_module(f"manifoldforest.{module}").__all__)
        if module != "dask":
            own -= names
        public |= {f"manifoldforest.{module}.{name}" for name in own}
    return public


def test_every_public_name_is_in_the_reference_once():
    listed = _listed()
    assert set(listed) == _public()
    assert len(listed) == len(set(listed))


def test_every_page_of_the_reference_is_in_its_contents():
    index = (REFERENCE / "index.md").read_text(encoding="utf-8")
    toctree = index.partition("```{toctree}")[2].split()
    assert {page.stem for page in REFERENCE.glob("*.md")} - {"index"} <= set(toctree)

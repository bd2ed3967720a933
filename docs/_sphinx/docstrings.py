"""Prepare docstrings for Sphinx.

They name attributes and shapes as code does: `(n, *feature_shape_)`, `n_features_in_`. In
reStructuredText a name that ends with _ is a link and * starts emphasis. Docstrings are read in
terminals and editors first, so they have no backslashes; here they get them.

Methods inherited from scikit-learn refer to pages of its manual, which are not ours: text is left.
"""

from __future__ import annotations

import re
from functools import cached_property
from importlib import import_module
from inspect import isclass
from pkgutil import iter_modules

from sphinx.application import Sphinx

import manifoldforest

CODE = re.compile(r"(`+[^`]+`+)")
LINK = re.compile(r"(?<=\w)_(?!\w)")
FOREIGN = re.compile(r":(?:ref|term):`([^`<]+?)(?: *<[^`>]*>)?`")
STAR = re.compile(r"\*(?=\w)(?![^*\n]*[\w.:?!]\*)")  # *this* stays emphasis


def escape(line: str) -> str:
    """Return a line of prose with names as plain text; what stands in backticks stays."""
    parts = CODE.split(line)
    parts[::2] = [STAR.sub(r"\\*", LINK.sub(r"\\_", part)) for part in parts[::2]]
    return "".join(parts)


def process(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Escape everything above the examples, which are code."""
    if (getattr(obj, "__module__", None) or "").startswith("sklearn."):
        lines[:] = FOREIGN.sub(r"\1", "\n".join(lines)).split("\n")
    end = lines.index("Examples") if "Examples" in lines else len(lines)
    lines[:end] = [escape(line) for line in lines[:end]]


def documented_attributes() -> dict[str, list[str]]:
    """Return the properties of public classes that have a docstring, by the name of the class.

    Parameters and other attributes are described in the docstring of the class: on a page of its
    own each would be a bare name.
    """
    public = [m.name for m in iter_modules(manifoldforest.__path__) if not m.name.startswith("_")]
    modules = [manifoldforest, *(import_module(f"manifoldforest.{name}") for name in public)]
    return {
        f"{module.__name__}.{name}": [
            attribute
            for attribute in dir(found)
            if isinstance(getattr(found, attribute, None), (property, cached_property))
            and getattr(found, attribute).__doc__
        ]
        for module in modules
        for name in dir(module)
        if isclass(found := getattr(module, name))
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Come before numpydoc, whose priority is the default, 500."""
    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

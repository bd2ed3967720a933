"""Constructors and docstrings of estimators that have the parameters of local ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..forests._base import BaseForest

if TYPE_CHECKING:
    from ._base import DaskForest

Class = TypeVar("Class", bound="type[DaskForest]")

_OWN = {"client": None, "rows": "replicated"}
_PARAMETERS = "Parameters\n----------\n"
_NEXT_SECTION = re.compile(r"\n\n(?=\w[^\n]*\n-{3,}\n)")


def parameters_of(local_class: type[BaseForest]) -> Callable[[Class], Class]:
    """Give a class the constructor of a local one, with `client` and `rows` after the others.

    The docstring of the class has entries for parameters that mean something else than there; the
    entries of all others are added.
    """

    def complete(new_class: Class) -> Class:
        new_class._local_class = local_class
        new_class.__init__ = _constructor(local_class)  # type: ignore[method-assign]
        if new_class.__doc__ and local_class.__doc__:  # python -OO leaves them out
            new_class.__doc__ = _with_parameters(new_class.__doc__, local_class.__doc__)
        return new_class

    return complete


def _constructor(local_class: type[BaseForest]) -> Callable[..., None]:
    local = inspect.signature(local_class.__init__)
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in _OWN.items()
    ]
    signature = local.replace(parameters=[*local.parameters.values(), *own])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name in list(signature.parameters)[1:]:
            setattr(self, name, bound.arguments[name])

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def _with_parameters(text: str, local_text: str) -> str:
    """Return a docstring with the entries of another, in whose order they come.

    Both are cleaned of their indentation first, as Python 3.13 and later do by themselves.
    """
    before, _, after = inspect.cleandoc(text).partition(_PARAMETERS)
    own, rest = _NEXT_SECTION.split(after, maxsplit=1)
    entries = _entries(_section(inspect.cleandoc(local_text))) | _entries(own)
    return f"{before}{_PARAMETERS}{''.join(entries.values()).rstrip()}\n\n{rest}\n"


def _section(text: str) -> str:
    return _NEXT_SECTION.split(text.partition(_PARAMETERS)[2], maxsplit=1)[0]


def _entries(section: str) -> dict[str, str]:
    """Return the entries of a section by the names of parameters."""
    found = re.split(r"^(?=\w)", section, flags=re.MULTILINE)
    return {entry.split(":")[0].strip(): entry.rstrip() + "\n" for entry in found if entry.strip()}

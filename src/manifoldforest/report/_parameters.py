"""The parameters of a model, those that are not at their defaults first."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..validation._parameter_object import same_value
from ._content import Fact, Section, Table
from ._wording import one_line

# No model depends on these.
_OF_NO_EFFECT = ("n_jobs", "verbose")
_LENGTH = 160  # letters of a value


def parameters_section(
    model: Any, params: Mapping[str, Any], facts: list[Fact] | None = None
) -> Section:
    """Return the section of parameters; `facts` say what some of them became."""
    signature = inspect.signature(type(model).__init__).parameters
    changed: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in params.items():
        if name in _OF_NO_EFFECT or name not in signature:
            continue
        default = signature[name].default
        (others if same_value(value, default) else changed)[name] = value
    notes = [] if changed else ["All parameters have their defaults."]
    details = None
    if others:
        rows = [(name, one_line(_shown(value), _LENGTH)) for name, value in others.items()]
        details = Table("Parameters at their defaults", ("parameter", "value"), rows)
    return Section(
        "parameters",
        "Parameters",
        facts=[
            *(
                Fact(name, _shown(value), one_line(_shown(value), _LENGTH), name)
                for name, value in changed.items()
            ),
            *(facts or []),
        ],
        details=details,
        notes=notes,
        data={"defaults": {name: _shown(value) for name, value in others.items()}},
    )


def _shown(value: Any) -> Any:
    """Return a parameter as it is written in code; functions by their names."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    return " ".join(repr(value).split())

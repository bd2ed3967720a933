"""Parameters of older model files in the meaning that they have now.

A file describes every object, forests and projections alike, as ``{"class": ..., "params": ...}``.
Where a format gave a parameter another meaning or name, `TRANSLATIONS` says for each class what
turns the parameters of all formats before it into those of this format.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Params = dict[str, Any]
Translation = Callable[[Params], Params]

_BELOW_ONE = math.nextafter(1.0, 0.0)


def in_present_meaning(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file with all parameters as this version understands them."""
    translated = dict(content)
    for number, by_class in sorted(TRANSLATIONS.items()):
        if content["format_version"] < number:
            translated = _translated(translated, by_class)
    return translated


def _translated(value: Any, by_class: Mapping[str, tuple[Translation, ...]]) -> Any:
    """Translate the parameters of all objects inside a JSON value."""
    if isinstance(value, list):
        return [_translated(item, by_class) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: _translated(item, by_class) for key, item in value.items()}
    if "params" in value:
        for translate in by_class.get(value["class"], ()):
            value["params"] = translate(value["params"])
    return value


def _share_that_splits(params: Params) -> Params:
    """Up to format 3 `honest_fraction` was the share of the rows that fill the leaves."""
    if "honest_fraction" not in params:
        return params
    return params | {"honest_fraction": min(1 - params["honest_fraction"], _BELOW_ONE)}


def _bandwidth_as_length(params: Params) -> Params:
    """Up to format 3 kernels were exp(-d^2 / bandwidth), now exp(-d^2 / (2 bandwidth^2))."""
    if params.get("bandwidth") is None:
        return params
    return params | {"bandwidth": math.sqrt(params["bandwidth"] / 2)}


def _order_by_name(params: Params) -> Params:
    """Up to format 3 `distance_order` was `rule`, and "decreasing" was "paper"."""
    if "rule" not in params:
        return params
    others = {name: value for name, value in params.items() if name != "rule"}
    rule = params["rule"]
    return others | {"distance_order": "decreasing" if rule == "paper" else rule}


def _without(name: str) -> Translation:
    """Return what leaves out a parameter that had one possible value up to format 3."""
    return lambda params: {key: value for key, value in params.items() if key != name}


TRANSLATIONS: Mapping[int, Mapping[str, tuple[Translation, ...]]] = {
    4: {
        "ForestClassifier": (_share_that_splits,),
        "ForestRegressor": (_share_that_splits, _without("stratify")),
        "MetricForestRegressor": (_share_that_splits, _bandwidth_as_length, _order_by_name),
        "KernelForestRegressor": (_share_that_splits,),
        "Patches": (_without("kernel"),),
    },
}

"""Rules for axes, colours and colour maps; they import matplotlib when they are checked."""

from __future__ import annotations

from typing import Any

from manifoldforest.validation._rules import Rule, none

from ._style import import_matplotlib


def _is_axes(value: Any) -> bool:
    return isinstance(value, import_matplotlib("axes").Axes)


def _is_color(value: Any) -> bool:
    return bool(import_matplotlib("colors").is_color_like(value))


def _is_color_map_or_name(value: Any) -> bool:
    return isinstance(value, str | import_matplotlib("colors").Colormap)


def _is_known_color_map(value: Any) -> bool:
    from matplotlib import colormaps

    return not isinstance(value, str) or value in colormaps


AXES = Rule("matplotlib Axes", _is_axes) | none
COLOR = Rule(
    "a colour of matplotlib",
    lambda value: isinstance(value, str | tuple | list) or _is_color(value),
    _is_color,
)
COLOR_MAP = Rule(
    "the name of a colour map of matplotlib, or a Colormap",
    _is_color_map_or_name,
    _is_known_color_map,
)

"""Rules for axes, colours and colour maps; they import matplotlib when they are checked."""

from __future__ import annotations

from typing import Any

from manifoldforest.validation._rules import Rule, none


def _is_axes(value: Any) -> bool:
    from matplotlib.axes import Axes

    return isinstance(value, Axes)


def _is_color(value: Any) -> bool:
    from matplotlib.colors import is_color_like

    return bool(is_color_like(value))


def _is_color_map_or_name(value: Any) -> bool:
    from matplotlib.colors import Colormap

    return isinstance(value, str | Colormap)


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

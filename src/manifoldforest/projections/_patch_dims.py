"""Parameters of patches from the names of axes (dims) of an array of xarray."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manifoldforest.validation._named_dims import feature_dims_of
from manifoldforest.validation._rules import Rule, is_integer, is_sequence, shown
from manifoldforest.validation._suggestions import did_you_mean


def parameters_by_dim(
    X: Any, *, channel: Any, wrap: Any, free: Any, sizes: Mapping[str, tuple[Any, Any, Rule]]
) -> dict[str, Any]:
    """Return the parameters of `Patches` that have an axis or an entry for each axis.

    `sizes` has, by the name of a parameter, what was given for it, its default and the rule of one
    size.
    """
    dims = feature_dims_of(X)
    if dims is None:
        raise TypeError(f"X must be a DataArray of xarray, got {shown(X)}")
    if not dims:
        raise ValueError(f"X must have at least one dim after that of the examples, got {X.dims}")
    channels = [] if channel is None or channel == "warn" else [channel]
    _check_dims("channel", channels, dims)
    places = tuple(dim for dim in dims if dim not in channels)
    params: dict[str, Any] = {"channel_axis": dims.index(channel) if channels else channel}
    around = _dims_in("wrap", wrap, places)
    loose = _dims_in("free", free, places)
    params["wrap"] = _for_all_or_each([dim in around for dim in places])
    params["contiguous"] = _for_all_or_each([dim not in loose for dim in places])
    for name, (given, default, rule) in sizes.items():
        params[name] = _size_by_axis(name, given, default, rule, places)
    return params


def _dims_in(name: str, given: Any, dims: tuple[str, ...]) -> list[str]:
    """Return dims from one of them or a sequence."""
    if not isinstance(given, str) and not is_sequence(given):
        raise TypeError(f"{name} must be a dim or a sequence of dims, got {shown(given)}")
    several = [given] if isinstance(given, str) else list(given)
    _check_dims(name, several, dims)
    return several


def _check_dims(name: str, given: Sequence[Any], dims: tuple[str, ...]) -> None:
    for dim in given:
        expected = f"{name} must be among the dims {', '.join(map(repr, dims))}, got {shown(dim)}"
        if not isinstance(dim, str):
            raise TypeError(expected)
        if dim not in dims:
            raise ValueError(expected + did_you_mean(dim, dims))


def _size_by_axis(name: str, given: Any, default: Any, rule: Rule, dims: tuple[str, ...]) -> Any:
    """Return a size for all axes as it is, and one for each axis if it is given by dims."""
    if given is None or is_integer(given):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be {rule.expected} or a mapping from dims to these, got {shown(given)}"
        )
    _check_dims(name, list(given), dims)
    return [given.get(dim, default) for dim in dims]


def _for_all_or_each(flags: list[bool]) -> bool | list[bool]:
    """Return one flag if all are equal, so that it stays one where nothing was said of axes."""
    return flags[0] if len(set(flags)) == 1 else flags

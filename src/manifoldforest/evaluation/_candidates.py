"""Projections that may suit examples of a shape, the simplest first."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..projections import Axis, ImagePatches, Patches, Projection, Rotation, Sporf
from ..projections._image_patches import MOST_CHANNELS
from ..projections._recipes import table_projection
from ..views import Difference, Spectrum

# A rotation looks at all columns in every split.
_MOST_ROTATED = 60
# Shorter rows have no neighbourhoods to speak of, and too few frequencies or differences.
_SHORTEST_ROW, _SHORTEST_SERIES = 8, 16
# Examples with two axes may be channels × time if time is so much longer.
_SERIES_RATIO = 2


class Candidate(NamedTuple):
    """A projection and its name for people, which follows "Patches on gradients: error …"."""

    name: str
    projection: Projection


def candidates_for(feature_shape: tuple[int, ...]) -> list[Candidate]:
    """Return projections for examples of a shape; simpler ones come before others.

    Parameters
    ----------
    feature_shape : tuple of int
        Shape of one example.

    Returns
    -------
    candidates : list of Candidate
        Single features come first.
    """
    if len(feature_shape) == 1:
        return [*_of_any_shape(table=True), *_of_rows(feature_shape[0])]
    if len(feature_shape) == 2:
        height, width = feature_shape
        both = _of_images(None) if min(height, width) > 1 else []
        if width >= max(_SERIES_RATIO * height, _SHORTEST_SERIES):
            both += _of_series(channel_axis=0, where=" along time")
        return [*_of_any_shape(), *both]
    if len(feature_shape) == 3 and feature_shape[-1] <= MOST_CHANNELS:
        return [*_of_any_shape(), *_of_images(-1)]
    return [*_of_any_shape(), Candidate("patches", Patches(channel_axis=None))]


def _of_any_shape(*, table: bool = False) -> list[Candidate]:
    scaled = [Candidate("sporf, scaled", table_projection())] if table else []
    return [Candidate("axis", Axis()), *scaled, Candidate("sporf", Sporf())]


def _of_rows(n_features: int) -> list[Candidate]:
    """Return what looks at rows as a whole, or at columns that are neighbours."""
    candidates = []
    if 1 < n_features <= _MOST_ROTATED:
        candidates.append(Candidate("rotation", Rotation()))
    if n_features >= _SHORTEST_ROW:
        candidates += [
            Candidate("patches", Patches()),
            Candidate("patches on a circle", Patches(wrap=True)),
        ]
    if n_features >= _SHORTEST_SERIES:
        candidates += _of_views_of_series(None)
    return candidates


def _of_series(*, channel_axis: int, where: str) -> list[Candidate]:
    patches = Candidate(f"patches{where}", Patches(channel_axis=channel_axis))
    return [patches, *_of_views_of_series(channel_axis)]


def _of_views_of_series(channel_axis: int | None) -> list[Candidate]:
    return [
        Candidate("patches on differences", Patches(view=Difference(), channel_axis=channel_axis)),
        Candidate("patches on the spectrum", Patches(view=Spectrum(), channel_axis=channel_axis)),
    ]


def _of_images(channel_axis: int | None) -> list[Candidate]:
    return [
        Candidate("patches", Patches(channel_axis=channel_axis)),
        Candidate("patches on gradients", ImagePatches(raw=False, channel_axis=channel_axis)),
        Candidate(
            "patches on gradients and pixels", ImagePatches(raw=True, channel_axis=channel_axis)
        ),
    ]


def described(feature_shape: tuple[int, ...]) -> str:
    """Return how a text calls examples of a shape."""
    if len(feature_shape) == 1:
        return f"rows of {math.prod(feature_shape)} features"
    return f"examples of shape {feature_shape}"

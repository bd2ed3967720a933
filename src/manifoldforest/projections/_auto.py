"""The projection that the shape of examples stands for."""

from __future__ import annotations

from dataclasses import replace

from manifoldforest.validation._rules import check_argument, instance_of, one_of

from ._base import Projection
from ._names import MEANT, NAMES, as_projection
from ._patches import Patches
from ._random_combinations import Sporf

_RULE_WITH_AUTO = replace(
    one_of("auto", *NAMES) | instance_of(Projection, "a Projection object"), words=MEANT
)

# Examples of shape (height, width, channels) are images if they have at most so many channels.
_MOST_CHANNELS = 4
_LARGEST_PATCH = 12


def auto_projection(feature_shape: tuple[int, ...]) -> Projection:
    """Return the projection that examples of a shape get if none is chosen.

    Parameters
    ----------
    feature_shape : tuple of int
        Shape of one example: ``(n_features,)`` is a row of a table, ``(height, width)`` and
        ``(height, width, channels)`` with at most 4 channels are images.

    Returns
    -------
    projection : Projection
        Sparse combinations of features, or patches of an image.
    """
    if len(feature_shape) == 1:
        return Sporf()
    if len(feature_shape) == 2:
        return _patches_of_images(feature_shape, channel_axis=None)
    if len(feature_shape) == 3 and feature_shape[2] <= _MOST_CHANNELS:
        return _patches_of_images(feature_shape[:2], channel_axis=-1)
    raise ValueError(
        "projection must not be 'auto' for examples of shape "
        f"{feature_shape}: it knows rows of a table, images of shape (height, width) and images "
        f"of shape (height, width, channels) with at most {_MOST_CHANNELS} channels. Write what "
        "splits may look at, such as projection=Patches(max_size=5) for patches along all axes, "
        "or projection='sporf' for combinations of any entries"
    )


def projection_for(spec: str | Projection, feature_shape: tuple[int, ...]) -> Projection:
    """Return the projection that `spec`, which may be ``"auto"``, stands for."""
    if isinstance(spec, str) and spec == "auto":
        return auto_projection(feature_shape)
    check_argument("projection", spec, _RULE_WITH_AUTO)
    return as_projection(spec)


def _patches_of_images(shape: tuple[int, ...], *, channel_axis: int | None) -> Patches:
    """Return patches of moderate size that fit into images of a shape."""
    largest = min(_LARGEST_PATCH, *shape)
    return Patches(
        min_size=min(2, largest),
        max_size=largest,
        placement="interior",
        channel_axis=channel_axis,
    )

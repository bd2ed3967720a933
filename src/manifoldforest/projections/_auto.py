"""The projection that the shape of examples stands for."""

from __future__ import annotations

from dataclasses import replace

from manifoldforest.validation._rules import check_argument, instance_of, one_of

from ._base import Projection
from ._image_patches import MOST_CHANNELS, ImagePatches
from ._names import MEANT, NAMES, as_projection
from ._recipes import table_projection

_RULE_WITH_AUTO = replace(
    one_of("auto", *NAMES) | instance_of(Projection, "a Projection object"), words=MEANT
)


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
        Sparse combinations of features in any units, or patches of images.
    """
    if len(feature_shape) == 1:
        return table_projection()
    is_colour = len(feature_shape) == 3 and feature_shape[2] <= MOST_CHANNELS
    if len(feature_shape) == 2 or is_colour:
        return ImagePatches()
    raise ValueError(
        "projection must not be 'auto' for examples of shape "
        f"{feature_shape}: it knows rows of a table, images of shape (height, width) and images "
        f"of shape (height, width, channels) with at most {MOST_CHANNELS} channels. Write what "
        "splits may look at, such as projection=Patches(max_size=5) for patches along all axes, "
        "or projection='sporf' for combinations of any entries"
    )


def check_projection(spec: str | Projection) -> None:
    """Raise an error unless `spec` is a projection, the name of one, or ``"auto"``."""
    check_argument("projection", spec, _RULE_WITH_AUTO)


def projection_for(spec: str | Projection, feature_shape: tuple[int, ...]) -> Projection:
    """Return the projection that `spec`, which may be ``"auto"``, stands for."""
    check_projection(spec)
    if isinstance(spec, str) and spec == "auto":
        return auto_projection(feature_shape)
    return as_projection(spec)

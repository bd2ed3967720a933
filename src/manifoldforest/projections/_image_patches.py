"""The projection for images: patches on gradient orientations, and on pixels where that helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from manifoldforest import _core
from manifoldforest.validation._rules import Rule, boolean, integer, none, one_of
from manifoldforest.views import Gradients

from ._base import Projection
from ._composition import Mixture
from ._patches import Patches

# Examples of shape (height, width, channels) are images if they have at most so many channels.
MOST_CHANNELS = 4
# Patches of at least two cells a side, up to half of the image but no more than this.
_LARGEST = 12
# Share of candidates that look at pixels, if any do.
_RAW_SHARE = 0.25


class ImagePatches(Projection):
    """Patches on the gradient orientations of images, and on their pixels where that is better.

    The projection of ``named_forest("image")`` and, for images, of ``projection="auto"``. It stands
    for :class:`Patches` on the view :class:`~manifoldforest.views.Gradients` that lie inside the
    image, with sizes that suit it, alone or mixed with patches on the pixels themselves.

    Parameters
    ----------
    max_size : int or None, default=None
        Largest height and width of a patch; None is half of the shorter side, at least 2 and at
        most 12. Patches have at least 2 cells a side where the image has.
    orientations : int, default=8
        Number of gradient orientations.
    raw : bool or "auto", default="auto"
        Whether one of four candidates is a patch on the pixels. ``"auto"`` lets a fit decide: two
        forests of 100 trees are grown, on at most 2000 rows, and it is True if that takes the
        out-of-bag error down by a tenth. As a part of a sum or mixture it is False.
    channel_axis : int, None or "auto", default="auto"
        Axis of the channels of an example; None means that there is none. ``"auto"`` takes examples
        with two axes as grey images, and with three axes as colour images whose last axis, of at
        most 4, has the channels.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> images = digits.images.astype("uint8")
    >>> projection = mf.projections.ImagePatches(raw=False)
    >>> forest = mf.ForestClassifier(20, projection=projection, random_state=0)
    >>> forest.fit(images[:500], digits.target[:500]).projection_
    Patches(channel_axis=None, max_size=4, min_size=2, placement='interior',
            view=Gradients())
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "max_size": integer(1) | none,
        "orientations": integer(2),
        "raw": boolean | one_of("auto"),
        "channel_axis": integer() | none | one_of("auto"),
    }

    def __init__(
        self,
        *,
        max_size: int | None = None,
        orientations: int = 8,
        raw: bool | Literal["auto"] = "auto",
        channel_axis: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.max_size = max_size
        self.orientations = orientations
        self.raw = raw
        self.channel_axis = channel_axis

    def _alternatives(self, feature_shape: tuple[int, ...]) -> list[Projection]:
        self._check_parameters()
        raw = self.raw
        choices = [False, True] if isinstance(raw, str) else [bool(raw)]
        return [self._resolved(feature_shape, choice) for choice in choices]

    def _learned(
        self,
        rows: NDArray[np.generic],
        feature_shape: tuple[int, ...],
        weight: NDArray[np.float64],
    ) -> Projection:
        """Return what it stands for as a part of a sum or mixture, which chooses nothing."""
        return self._alternatives(feature_shape)[0]._learned(rows, feature_shape, weight)

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        return self._alternatives(feature_shape)[0]._build(geometry, feature_shape)

    def _grids(self, feature_shape: tuple[int, ...]) -> list[str]:
        return self._alternatives(feature_shape)[0]._grids(feature_shape)

    def _resolved(self, feature_shape: tuple[int, ...], raw: bool) -> Projection:
        channel_axis = self._axis(feature_shape)
        channels = None if channel_axis is None else channel_axis % 3
        sides = [side for axis, side in enumerate(feature_shape) if axis != channels]
        largest = self.max_size
        if largest is None:
            largest = min(max(2, min(_LARGEST, min(sides) // 2)), *sides)
        params: dict[str, Any] = {
            "min_size": min(2, int(largest)),
            "max_size": int(largest),
            "placement": "interior",
            "channel_axis": channel_axis,
        }
        gradients = Patches(view=Gradients(orientations=self.orientations), **params)
        if not raw:
            return gradients
        parts = [("gradients", gradients, 1 - _RAW_SHARE), ("raw", Patches(**params), _RAW_SHARE)]
        return Mixture(parts)

    def _axis(self, feature_shape: tuple[int, ...]) -> int | None:
        axis: Any = self.channel_axis
        expected = 2 if axis is None else 3
        if isinstance(axis, str):
            if len(feature_shape) == 2:
                return None
            if len(feature_shape) == 3 and feature_shape[-1] <= MOST_CHANNELS:
                return -1
            raise ValueError(
                "ImagePatches needs images of shape (height, width), or (height, width, channels) "
                f"with at most {MOST_CHANNELS} channels, got examples of shape {feature_shape}: "
                "reshape flat rows, or set channel_axis"
            )
        if len(feature_shape) != expected or (axis is not None and not -3 <= int(axis) < 3):
            raise ValueError(
                f"ImagePatches.channel_axis must leave two axes of an image, got {axis!r} for "
                f"examples of shape {feature_shape}"
            )
        return None if axis is None else int(axis)

"""The example itself."""

from __future__ import annotations

from manifoldforest import _core

from ._base import CellGrid, View


class Identity(View):
    """The example as it is: patches on it are those without a view.

    It stands for the raw image or series where views are compared or tuned.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.views import Identity
    >>> Identity().transform(np.ones((1, 2, 3), dtype=np.uint8)).shape
    (1, 2, 3)
    """

    _kind = "identity"  # which the core does not have

    def _cell_grid(self, shape: tuple[int, ...], channel_axis: int | None) -> CellGrid:
        return CellGrid(shape, channel_axis)

    def _add_to(
        self, geometry: _core.Geometry, shape: tuple[int, ...], channel_axis: int | None
    ) -> int:
        return -1

"""A row or table of axes for pictures of boundary trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from manifoldforest.plot._style import pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def panels(n_rows: int, n_columns: int, size: tuple[float, float]) -> tuple[Figure, NDArray[Any]]:
    """Return a new figure, `size` (width, height) in inches, and its axes."""
    figure, grid = pyplot().subplots(
        n_rows, n_columns, figsize=size, squeeze=False, layout="constrained"
    )
    return figure, grid


def plain(axes: Axes) -> None:
    """Leave a light grid and two of the four spines."""
    axes.grid(color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)

"""Heat maps of errors over ranges of patch sizes and candidates per node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from manifoldforest.plot._style import pyplot

from ._tuning_grid import Grid, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE = {"font.size": 10, "axes.titlesize": 11}


def draw_grids(drawn: Sequence[tuple[Grid, Table]]) -> Figure:
    """Draw one panel for each grid."""
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure: Figure
        width = min(10.0, 3.4 * len(drawn) + 0.6)
        figure, axes = plt.subplots(
            1, len(drawn), figsize=(width, 4.3), layout="constrained", squeeze=False
        )
        figure.suptitle("Error of MORF over its parameters", fontsize=13, fontweight="bold")
        for ax, (grid, table) in zip(axes[0], drawn, strict=True):
            _draw_panel(ax, grid, table)
        axes[0][0].set_ylabel("patch sizes of MORF, and other forests")
    return figure


def _draw_panel(ax: Axes, grid: Grid, table: Table) -> None:
    errors: NDArray[np.float64] = np.array(
        [[row.get(d, np.nan) for d in grid.candidates] for row in table.values()]
    )
    # One to three times the lowest error is from light to dark, alike in all panels.
    relative = np.log(errors / max(float(np.nanmin(errors)), 1e-4))
    ax.imshow(relative, cmap="YlOrRd", vmin=0, vmax=np.log(3), aspect="auto")
    for place in np.argwhere(np.isfinite(errors)):
        row, column = int(place[0]), int(place[1])
        dark = relative[row, column] > 0.65 * np.log(3)
        text = f"{errors[row, column]:.3f}".lstrip("0")
        ax.text(column, row, text, ha="center", va="center", color="w" if dark else "k")
    names = list(table)
    ax.set_xticks(range(len(grid.candidates)), [str(d) for d in grid.candidates])
    ax.set_yticks(range(len(names)), names)
    ax.set(title=f"{grid.name}, n = {grid.n}", xlabel="candidates per node d")
    n_patches = sum(name in grid.patches for name in names)
    if 0 < n_patches < len(names):
        ax.axhline(n_patches - 0.5, color="k", linewidth=2)
    if grid.chosen[0] in names:
        row, column = names.index(grid.chosen[0]), grid.candidates.index(grid.chosen[1])
        frame = pyplot().Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, linewidth=2.2)
        ax.add_patch(frame)

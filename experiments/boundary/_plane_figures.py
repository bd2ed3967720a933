"""Figures of boundary trees on classes in the plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from manifoldforest.plot._style import class_colors, method_colors

from .._results import Results, Row
from ._borders import MOST_CLASSES
from ._growth import draw_growth
from ._panels import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_maps(rows: list[Row]) -> Figure:
    """Draw what trees and forests say, and what single trees keep."""
    pictures = list(dict.fromkeys(str(row.get("picture")) for row in rows))
    sizes = sorted({int(row.get("trees") or 0) for row in rows})
    width, height = 2.4 * len(sizes), 2.6 * len(pictures)
    figure, grid = panels(len(pictures), len(sizes), (width, height))
    for axes in grid.flat:
        axes.set_axis_off()
    for row in rows:
        trees = int(row.get("trees") or 0)
        axes = grid[pictures.index(str(row.get("picture"))), sizes.index(trees)]
        _draw_map(axes, row)
        axes.set_title(f"{row.get('picture')}, {_trees(trees)}", fontsize=10)
    return figure


def _trees(count: int) -> str:
    return f"{count} tree{'s' * (count > 1)}"


def _draw_map(axes: Axes, row: Row) -> None:
    arrays = row.arrays
    colors = class_colors(MOST_CLASSES)
    pale = 1 - 0.35 * (1 - colors)
    axes.imshow(pale[arrays["map"]], origin="lower", extent=(0, 1, 0, 1), interpolation="nearest")
    if "kept" in arrays:
        own = colors[arrays["kept_label"]]
        x, y = arrays["kept"].T
        axes.scatter(x, y, s=4, c=own, linewidths=0)
    axes.set(xlim=(0, 1), ylim=(0, 1))


def draw_all_growth(results: Results, published: Mapping[int, int]) -> Figure:
    """Draw nodes over examples, a panel for each picture."""
    pictures = results.by("picture")
    figure, grid = panels(1, len(pictures), (1 + 3.6 * len(pictures), 3.8))
    for axes, (picture, rows) in zip(grid[0], pictures.items(), strict=True):
        curves = {
            f"{_trees(trees)}, k = {children}": sub
            for trees, of_trees in rows.by("trees").items()
            for children, sub in of_trees.by("max_children").items()
        }
        draw_growth(axes, curves, method_colors(list(curves)), list(published.items()))
        axes.set(ylabel="nodes of a tree", title=picture)
        axes.legend(frameon=False, fontsize=9)
    return figure

"""Figures of a boundary tree that describes a surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from manifoldforest.plot._style import pyplot

from .._results import Results, Row
from ._growth import GRID, draw_growth, grid_points
from ._panels import panels, plain
from ._surface_findings import Shown, nodes_by_eps
from ._surfaces import Surface

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def closest_to(slides: Shown, results: Results) -> list[Row]:
    """Return for each surface the run whose map is there and whose nodes are as published."""
    chosen = []
    for rows in results.by("surface").values():
        shown = [row for row in rows if "map" in row.arrays]
        if shown:
            nodes = np.array([row.metrics[f"nodes_{slides.examples}"] for row in shown])
            chosen.append(shown[int(np.abs(np.log(nodes / slides.nodes)).argmin())])
    return chosen


def draw_surfaces(rows: list[Row], surfaces: Mapping[str, Surface], slides: Shown) -> Figure:
    """Draw each surface, what a tree says of it, and the examples that the tree keeps."""
    figure, grid = panels(len(rows), 3, (7.6, 2.6 * len(rows)))
    for line, row in zip(grid, rows, strict=True):
        surface, eps = str(row.get("surface")), float(row.get("eps") or 0)
        kept = row.arrays["kept"].astype(float)
        truth = surfaces[surface](grid_points()).reshape(GRID, GRID)
        titles = (
            f"{surface}: the surface",
            f"one tree, eps {100 * eps:g} %",
            f"{len(kept)} of {slides.examples} kept",
        )
        for axes, title, values in zip(
            line, titles, (truth, row.arrays["map"], truth), strict=True
        ):
            axes.imshow(values.astype(float), origin="lower", extent=(0, 1, 0, 1), vmin=-1, vmax=1)
            axes.set_title(title, fontsize=10)
            axes.set_axis_off()
        line[2].images[0].set_alpha(0.45)
        line[2].scatter(*kept.T, s=5, c="black", linewidths=0)
        line[2].set(xlim=(0, 1), ylim=(0, 1))
        bar = figure.colorbar(line[0].images[0], ax=list(line), shrink=0.85, label="response")
        bar.set_ticks([-1, 0, 1])
    return figure


def draw_nodes(results: Results, slides: Shown) -> Figure:
    """Draw nodes over examples, and below over the tolerance."""
    surfaces = results.by("surface")
    figure, grid = panels(2, len(surfaces), (1 + 3.6 * len(surfaces), 7))
    shades = pyplot().get_cmap("viridis")
    for (above, below), (surface, rows) in zip(grid.T, surfaces.items(), strict=True):
        curves = {f"{100 * eps:g} %": sub for eps, sub in rows.by("eps").items()}
        colors = {name: shades(i / max(1, len(curves))) for i, name in enumerate(curves)}
        draw_growth(above, curves, colors, [(slides.examples, slides.nodes)])
        above.set(ylabel="nodes of the tree", title=surface)
        _name_ends(above, curves, "eps ")
        _draw_over_eps(below, rows, slides)
    return figure


def _draw_over_eps(axes: Axes, rows: Results, slides: Shown) -> None:
    eps, means = nodes_by_eps(rows, slides.examples)
    axes.plot(100 * eps, means, color="0.2", marker="o", linewidth=1.8, label="ours")
    axes.axhline(slides.nodes, color="0.2", linestyle="--", linewidth=1, label="published")
    axes.set(xscale="log", yscale="log", xlabel="eps, % of the range")
    ticks = (1, 2, 5, 10, 20)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_ylabel(f"nodes after {slides.examples} examples")
    plain(axes)
    axes.legend(frameon=False)


def _name_ends(axes: Axes, curves: Mapping[str, Results], before: str) -> None:
    """Write names of curves behind their ends, and the published point into a legend."""
    for i, (line, name) in enumerate(zip(axes.lines, curves, strict=False)):
        place = np.asarray(line.get_xydata())[-1]
        style: dict[str, Any] = {"color": line.get_color(), "fontsize": 9, "va": "center"}
        text = (before if i == 0 else "") + name
        axes.annotate(text, tuple(place), (4, 0), textcoords="offset points", **style)
    axes.legend(handles=axes.lines[-1:], frameon=False, loc="upper left")

"""Predicted directions of space: points of the unit sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._rules import check_argument, one_of

from ._panels import (
    add_legend,
    add_title,
    argument,
    as_given,
    checked,
    checked_predictions,
    panel_axes,
)
from ._sphere_map import MapName, SphereMap, graticule, great_circle
from ._style import method_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NORM_TOLERANCE = 1e-6
_FAR = 0.22  # opacity of what is behind the sphere


def draw_sphere(
    truth: ArrayLike,
    predicted: Any,
    ax: Any,
    *,
    projection: MapName = "mollweide",
    view: ArrayLike | None = None,
    legend: bool,
) -> Any:
    """Draw true and predicted points of the sphere and the arcs between them on a map."""
    check_argument("projection", projection, one_of(*get_args(MapName)))
    points = _unit_vectors("truth", checked("truth", truth, ("n", 3)))
    methods = {
        name: _unit_vectors(argument(predicted, name), values)
        for name, values in checked_predictions(predicted, points.shape).items()
    }
    sphere = SphereMap(projection, _middle(points, projection) if view is None else view)
    colors = method_colors(list(methods))

    size = (4.6, 2.9) if projection == "mollweide" else (3.1, 3.5)
    panels = panel_axes(ax, len(methods), size=size)
    for axes, (name, values) in zip(panels, methods.items(), strict=True):
        _draw_globe(axes, sphere)
        _draw_arcs(axes, sphere, points, values, colors[name])
        _draw_points(axes, sphere, points, "0.25", "truth", hollow=True)
        _draw_points(axes, sphere, values, colors[name], name)
        angles = np.arctan2(
            np.linalg.norm(np.cross(points, values), axis=1), (points * values).sum(axis=1)
        )
        add_title(axes, name, colors[name], f"mean error {np.rad2deg(angles.mean()):#.3g}°")
    if legend:
        add_legend(panels[0], _handles(), new=ax is None)
    return as_given(panels, predicted)


def _unit_vectors(name: str, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    norms = np.linalg.norm(vectors, axis=1)
    off = np.abs(norms - 1) > _NORM_TOLERANCE
    if off.any():
        worst = int(np.flatnonzero(off)[0])
        raise ValueError(
            f"{name} must hold unit vectors, got the norm {norms[worst]:.6g} at index {worst}"
        )
    unit: NDArray[np.float64] = vectors / norms[:, None]
    return unit


def _middle(points: NDArray[np.float64], projection: MapName) -> NDArray[np.float64]:
    """Return where to look from: at longitude 0, or at the half with most of the points."""
    mean: NDArray[np.float64] = points.mean(axis=0)
    if projection == "mollweide" or np.linalg.norm(mean) < 1e-6:
        return np.array([1.0, 0.0, 0.0])
    return mean


def _draw_globe(axes: Axes, sphere: SphereMap) -> None:
    from matplotlib.collections import LineCollection

    near = [piece for line in graticule() for piece in sphere.pieces(line)[0]]
    axes.add_collection(LineCollection(near, colors="0.88", linewidths=0.7, zorder=0))
    axes.plot(*sphere.outline().T, color="0.6", linewidth=0.9, zorder=1)
    for letter, axis in zip("xyz", np.eye(3), strict=True):
        if sphere.in_sight(axis):
            x, y = sphere(axis)
            axes.text(x, y, letter, ha="center", va="center", color="0.5", style="italic", zorder=1)
    width = sphere.half_width
    axes.set(xlim=(-1.04 * width, 1.04 * width), ylim=(-1.04, 1.04), xticks=[], yticks=[])
    axes.set_aspect("equal")
    axes.spines[:].set_visible(False)


def _draw_arcs(
    axes: Axes,
    sphere: SphereMap,
    points: NDArray[np.float64],
    values: NDArray[np.float64],
    color: str,
) -> None:
    """Draw one collection of lines for the arcs in sight and one for those behind."""
    from matplotlib.collections import LineCollection

    parts = [sphere.pieces(great_circle(*pair)) for pair in zip(points, values, strict=True)]
    for which, opacity in ((0, 0.8), (1, _FAR)):
        lines = [piece for part in parts for piece in part[which]]
        axes.add_collection(
            LineCollection(lines, colors=color, linewidths=1.1, alpha=opacity, zorder=2)
        )


def _draw_points(
    axes: Axes,
    sphere: SphereMap,
    points: NDArray[np.float64],
    color: str,
    label: str,
    *,
    hollow: bool = False,
) -> None:
    from matplotlib.colors import to_rgba

    opacity = np.where(sphere.in_sight(points), 1.0, _FAR)
    edges = [to_rgba(color, alpha) for alpha in opacity]
    x, y = sphere(points).T
    axes.scatter(
        x,
        y,
        s=15,
        c=[to_rgba("white", alpha) for alpha in opacity] if hollow else edges,
        edgecolors=edges,
        linewidths=0.8,
        zorder=3,
        label=label,
    )


def _handles() -> list[Any]:
    from matplotlib.lines import Line2D

    dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4.5}
    return [
        Line2D([], [], color="0.25", markerfacecolor="white", label="truth", **dot),
        Line2D([], [], color="0.25", label="prediction", **dot),
    ]

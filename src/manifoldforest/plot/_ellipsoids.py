"""Symmetric positive definite matrices of two or three rows, as ellipses or ellipsoids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._panels import (
    Grid,
    add_legend,
    argument,
    axes_array,
    checked_predictions,
    grid_axes,
    numbers,
    panel_axes,
)
from ._sphere_map import frame
from ._style import method_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OBLIQUE = (1.0, -1.6, 0.9)  # all three axes can be seen
_LARGE = 0.9  # at their positions, this share does not reach the neighbours
_FILL = 0.46  # longest half axis in a cell of size 1
_PIXELS = 96  # of the picture of one ellipsoid
_SYMMETRY = 1e-8
_AXIS_COLORS = ((0.92, 0.12, 0.12), (0.10, 0.72, 0.18), (0.12, 0.28, 0.95))  # x, y, z
_ROUND = 0.65  # grey of what has no principal direction


def draw_ellipsoids(
    truth: ArrayLike,
    predicted: Any,
    ax: Any,
    *,
    positions: ArrayLike | None = None,
    view: ArrayLike | None = None,
    columns: int = 10,
    legend: bool,
) -> Any:
    """Draw true and predicted matrices, in a grid or each method at the positions."""
    matrices = {"truth": _matrices("truth", truth)}
    for name, values in checked_predictions(predicted, matrices["truth"].shape).items():
        matrices[name] = _matrices(argument(predicted, name), values)
    d = matrices["truth"].shape[1]
    if d == 2 and view is not None:
        raise ValueError("view must not be given for 2 x 2 matrices, which lie in the plane")
    places = None if positions is None else _positions(positions, len(matrices["truth"]))
    flat = places is not None and places.shape[1] == 2
    camera = frame(((0, 0, 1) if flat else _OBLIQUE) if view is None else view)

    if places is None:
        panels = [_draw_grid(matrices, ax, columns, camera)]
    else:
        panels = _draw_at(matrices, ax, places, camera)
    if legend:
        add_legend(panels[0], _handles(d), new=ax is None, title="colour: longest axis along")
    return panels[0] if places is None else axes_array(panels)


def _matrices(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = numbers(name, values)
    if not array.size or array.ndim != 3 or array.shape[1:] not in ((2, 2), (3, 3)):
        raise ValueError(f"{name} must have the shape (n, 2, 2) or (n, 3, 3), got {array.shape}")
    other = array.transpose(0, 2, 1)
    largest = np.abs(array).max(axis=(1, 2))
    skew = np.abs(array - other).max(axis=(1, 2)) > _SYMMETRY * largest
    if skew.any():
        raise ValueError(f"{name} must be symmetric, index {int(np.flatnonzero(skew)[0])} is not")
    smallest = np.linalg.eigvalsh(array)[:, 0]
    if (smallest <= 0).any():
        worst = int(np.flatnonzero(smallest <= 0)[0])
        raise ValueError(
            f"{name} must be positive definite, got the eigenvalue {smallest[worst]:.3g} at index "
            f"{worst}"
        )
    return array


def _positions(positions: ArrayLike, n: int) -> NDArray[np.float64]:
    array = numbers("positions", positions)
    if array.ndim != 2 or array.shape[1] not in (2, 3) or len(array) != n:
        raise ValueError(
            f"positions must have the shape ({n}, 2) or ({n}, 3), one for each matrix, got "
            f"{array.shape}"
        )
    return array


def _draw_grid(
    matrices: dict[str, NDArray[np.float64]], ax: Any, columns: int, camera: NDArray[np.float64]
) -> Axes:
    """Draw the truth and the methods by rows, examples by columns, each on a scale of its own."""
    grid = Grid(list(matrices), len(matrices["truth"]), columns)
    longest = np.max([_half_axes(values).max(axis=1) for values in matrices.values()], axis=0)
    inches = min(0.95, 12 / grid.n_across)
    size = (inches * grid.n_across + 0.9, inches * grid.height + 0.6)
    axes = grid_axes(ax, size)
    grid.label(axes)
    for row, values in enumerate(matrices.values()):
        _draw(axes, values, grid.places(row) + 0.5, _FILL / longest, camera, flip=True)
    axes.set(xlim=(0, grid.n_across), ylim=(grid.height, 0))
    axes.set_aspect("equal")
    return axes


def _draw_at(
    matrices: dict[str, NDArray[np.float64]],
    ax: Any,
    places: NDArray[np.float64],
    camera: NDArray[np.float64],
) -> list[Axes]:
    """Draw a panel for the truth and one for each method, all on one scale."""
    colors = {**method_colors(list(matrices)[1:]), "truth": "black"}
    at, depth = places[:, :2], np.zeros(len(places))
    if places.shape[1] == 3:
        seen = places @ camera.T
        at, depth = seen[:, :2], seen[:, 2]
    longest = float(
        np.quantile([_half_axes(values).max(axis=1) for values in matrices.values()], _LARGE)
    )
    room = _spacing(places) / 2
    low, high = at.min(axis=0) - 1.2 * room, at.max(axis=0) + 1.2 * room
    ratio = float((high[1] - low[1]) / (high[0] - low[0]))
    panels = panel_axes(
        ax, len(matrices), size=(3.1, 3.1 * min(max(ratio, 0.3), 2) + 0.4), of="truth and methods"
    )
    order = np.argsort(depth, kind="stable")  # the nearest last
    for axes, (name, values) in zip(panels, matrices.items(), strict=True):
        scale = np.full(len(values), 0.98 * room / longest)
        _draw(axes, values[order], at[order], scale, camera)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[])
        axes.set_aspect("equal")
        axes.set_title(name, color=colors[name], fontweight="bold")
        axes.spines[:].set_color("0.8")
    return panels


def _spacing(places: NDArray[np.float64]) -> float:
    """Return the median distance to the nearest other position, 1 of a single one."""
    from scipy.spatial import cKDTree

    if len(places) == 1:
        return 1.0
    nearest = float(np.median(cKDTree(places).query(places, k=2)[0][:, 1]))
    if nearest == 0:
        raise ValueError("positions must be different: most matrices have the same")
    return nearest


def _half_axes(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.sqrt(np.linalg.eigvalsh(matrices))
    return lengths


def _draw(
    axes: Axes,
    matrices: NDArray[np.float64],
    places: NDArray[np.float64],
    scale: NDArray[np.float64],
    camera: NDArray[np.float64],
    *,
    flip: bool = False,
) -> None:
    """Draw ellipses or ellipsoids with their middles at the places; flip: y points down."""
    scaled = matrices * scale[:, None, None] ** 2
    colors = direction_colors(matrices)
    if matrices.shape[1] == 2:
        _draw_ellipses(axes, scaled, places, colors, flip=flip)
        return
    for matrix, (x, y), color in zip(scaled, places, colors, strict=True):
        picture, (right, up) = shaded_ellipsoid(camera @ matrix @ camera.T, color)
        up = -up if flip else up
        axes.imshow(
            picture,
            extent=(x - right, x + right, y - up, y + up),
            origin="lower",
            interpolation="bilinear",
        )


def _draw_ellipses(
    axes: Axes,
    matrices: NDArray[np.float64],
    places: NDArray[np.float64],
    colors: NDArray[np.float64],
    *,
    flip: bool,
) -> None:
    from matplotlib.collections import EllipseCollection

    values, vectors = np.linalg.eigh(matrices)
    angles = np.rad2deg(np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
    lengths = 2 * np.sqrt(values)
    axes.add_collection(
        EllipseCollection(
            lengths[:, 1],
            lengths[:, 0],
            -angles if flip else angles,
            units="xy",
            offsets=places,
            offset_transform=axes.transData,
            facecolors=colors,
            edgecolors=0.6 * colors,
            linewidths=0.6,
        )
    )


def direction_colors(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one colour for each matrix, by the direction of its longest axis.

    The rounder, the greyer: of two equally long axes neither is the principal one.
    """
    values, vectors = np.linalg.eigh(matrices)
    pure = _pure_colors(vectors[:, :, -1])
    sure = np.sqrt(np.clip(1 - values[:, -2] / values[:, -1], 0, 1))[:, None]
    return np.asarray(sure * pure + (1 - sure) * _ROUND, dtype=np.float64)


def _pure_colors(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return colours of axes: a wheel of hues in the plane; in space red, green, blue for x, y, z.

    The latter is what pictures of diffusion tensors have.
    """
    from matplotlib.colors import hsv_to_rgb

    if directions.shape[1] == 3:
        return np.asarray(np.minimum(np.abs(directions) @ np.array(_AXIS_COLORS), 1))
    hue = np.arctan2(directions[:, 1], directions[:, 0]) % math.pi / math.pi
    return np.asarray(hsv_to_rgb(np.stack([hue, np.full_like(hue, 0.78), 0 * hue + 0.85], axis=1)))


def shaded_ellipsoid(
    matrix: NDArray[np.float64], color: Sequence[float] | NDArray[np.float64]
) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return a picture (red, green, blue, opacity) of an ellipsoid seen along the third axis.

    The ellipsoid is ``x' inverse(matrix) x <= 1``. Under every pixel its nearest point is the
    larger root of a quadratic in the depth, and the gradient there is the normal that is lit.

    Returns
    -------
    picture : ndarray of shape (96, 96, 4)
        The lowest row first.
    size : (float, float)
        Half of its width and of its height.
    """
    size = 1.04 * math.sqrt(matrix[0, 0]), 1.04 * math.sqrt(matrix[1, 1])
    middle = (np.arange(_PIXELS) + 0.5) / _PIXELS * 2 - 1
    x, y = np.meshgrid(size[0] * middle, size[1] * middle)
    inverse = np.linalg.inv(matrix)
    a, b = inverse[2, 2], inverse[0, 2] * x + inverse[1, 2] * y
    c = inverse[0, 0] * x**2 + 2 * inverse[0, 1] * x * y + inverse[1, 1] * y**2 - 1
    discriminant = b**2 - a * c
    inside = discriminant / a  # 1 in the middle, 0 at the edge, less outside
    z = (-b + np.sqrt(np.maximum(discriminant, 0))) / a
    normal = np.stack([x, y, z], axis=-1) @ inverse
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    light = np.array([-0.45, 0.6, 0.66])
    lit = 0.55 + 0.5 * np.maximum(normal @ light / np.linalg.norm(light), 0)
    picture = np.empty((_PIXELS, _PIXELS, 4))
    picture[..., :3] = np.clip(lit[..., None] * np.asarray(color), 0, 1)
    picture[..., 3] = np.clip(0.5 + inside * _PIXELS / 4, 0, 1)  # an edge of a pixel
    return picture, size


def _handles(d: int) -> list[Any]:
    from matplotlib.patches import Patch

    if d == 2:
        angles = np.arange(4) * math.pi / 4
        names = ["0°", "45°", "90°", "135°"]
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    else:
        names, directions = ["x", "y", "z"], np.eye(3)
    colors = _pure_colors(directions)
    return [Patch(color=color, label=name) for name, color in zip(names, colors, strict=True)]

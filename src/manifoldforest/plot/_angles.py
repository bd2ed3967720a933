"""Predicted directions of the plane: angles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._rules import check_argument, real

from ._panels import (
    add_legend,
    add_title,
    as_given,
    axes_array,
    checked,
    checked_predictions,
    given_axes,
    panel_axes,
)
from ._style import method_colors, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_N_BINS = 24  # of the rose
_SIDE = 2.4  # of a panel of a new figure, in inches
_INNER, _OUTER = 0.55, 1.0  # radii of the ring


def draw_angles(
    truth: ArrayLike, predicted: Any, ax: Any, *, period: float = 2 * math.pi, legend: bool
) -> Any:
    """Draw predicted over true angles, and below the rose of the errors."""
    angles, methods = _angles(truth, predicted, period)
    colors = method_colors(list(methods))

    panels, roses = _panels(ax, len(methods))
    for axes, (name, values) in zip(panels, methods.items(), strict=True):
        errors = _difference(values, angles, period)
        _draw_band(axes, float(np.median(np.abs(errors))), period)
        axes.scatter(
            angles, values, s=14, color=colors[name], alpha=0.65, linewidths=0, zorder=2, label=name
        )
        _scale(axes, period)
        add_title(axes, name, colors[name], _mean_error(errors, period))
    shares = {
        name: _shares(_difference(values, angles, period) / period)
        for name, values in methods.items()
    }
    for rose, name in zip(roses, methods, strict=bool(roses)):
        _draw_rose(rose, shares[name], colors[name], period)
        rose.set_ylim(0, 1.04 * math.sqrt(max(values.max() for values in shares.values())))
    for axes in panels[1:] if ax is None else ():
        axes.set_ylabel("")
        axes.tick_params(labelleft=False)
    if legend:
        add_legend(panels[0], _band_handles(), new=ax is None)
    if not roses:
        return as_given(panels, predicted)
    both = [axes_array(panels), axes_array(roses)]
    return np.stack(both) if isinstance(predicted, Mapping) else np.concatenate(both)


def draw_ring(
    truth: ArrayLike, predicted: Any, ax: Any, *, period: float = 2 * math.pi, legend: bool
) -> Any:
    """Draw a line from every true angle, on an inner circle, to its prediction on an outer one."""
    angles, methods = _angles(truth, predicted, period)
    colors = method_colors(list(methods))

    panels = panel_axes(ax, len(methods), size=(3.1, 3.5))
    for axes, (name, values) in zip(panels, methods.items(), strict=True):
        errors = _difference(values, angles, period)
        _draw_circles(axes, period)
        _draw_spirals(axes, angles / period, errors / period, colors[name])
        add_title(axes, name, colors[name], _mean_error(errors, period))
    if legend:
        add_legend(panels[0], _ring_handles(), new=ax is None)
    return as_given(panels, predicted)


def _draw_circles(axes: Axes, period: float) -> None:
    """Draw the two circles of a ring, and angles around it."""
    for radius in (_INNER, _OUTER):
        x, y = _on_circle(np.linspace(0, 1, 181), radius).T
        axes.plot(x, y, color="0.8", linewidth=0.8, zorder=0)
    for share in (0, 0.25, 0.5, 0.75):
        x, y = _on_circle(share, 1.13)
        label = _label(share, period)
        axes.text(x, y, label, ha="center", va="center", fontsize="small", color="0.35")
    axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set_visible(False)


def _draw_spirals(
    axes: Axes, turns: NDArray[np.float64], errors: NDArray[np.float64], color: str
) -> None:
    """Draw the ways from the inner to the outer circle; those without an error are straight."""
    from matplotlib.collections import LineCollection

    along = np.linspace(0, 1, 24)
    radius = _INNER + (_OUTER - _INNER) * along
    paths = _on_circle(turns[:, None] + errors[:, None] * along, radius)
    axes.add_collection(
        LineCollection(list(paths), colors=color, linewidths=1.0, alpha=0.6, zorder=1)
    )
    for end, end_color, size in ((0, "0.45", 9), (-1, color, 12)):
        x, y = paths[:, end].T
        axes.scatter(x, y, s=size, color=end_color, linewidths=0, zorder=2)


def _on_circle(turns: Any, radius: Any) -> NDArray[np.float64]:
    """Return points (..., 2) on circles around the origin."""
    angle = 2 * math.pi * np.asarray(turns)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)


def _panels(ax: Any, n: int) -> tuple[list[Axes], list[Any]]:
    """Return axes for the angles, and polar ones for the roses, which given axes may lack."""
    if ax is not None:
        given = given_axes(ax)
        if len(given) not in (n, 2 * n):
            raise ValueError(
                f"ax must be {n} axes, one for each of the methods, or {2 * n} with polar ones for "
                f"the errors after them, got {len(given)}"
            )
        if not all(hasattr(rose, "set_theta_zero_location") for rose in given[n:]):
            raise ValueError(f"ax must be polar for the errors, from the axes {n} on")
        return given[:n], given[n:]
    return _new_panels(n)


def _new_panels(n: int) -> tuple[list[Axes], list[Any]]:
    """Return n panels beside each other and n polar ones, centred below them, placed by inches."""
    side = _SIDE if n > 1 else 1.25 * _SIDE
    diameter = 0.58 * side
    width = 0.75 + n * (side + 0.35)
    low = 0.65  # room for the legend
    middle = low + diameter + 1.0  # title of the rose, labels of the angles
    height = middle + side + 0.6
    figure = pyplot().figure(figsize=(width, height))
    panels: list[Axes] = []
    roses: list[Any] = []
    for i in range(n):
        left = 0.75 + i * (side + 0.35)
        box = (left / width, middle / height, side / width, side / height)
        panels.append(figure.add_axes(box))
        start = left + (side - diameter) / 2
        box = (start / width, low / height, diameter / width, diameter / height)
        roses.append(figure.add_axes(box, polar=True))
    for axes in panels[1:]:
        axes.sharex(panels[0])
        axes.sharey(panels[0])
    return panels, roses


def _angles(
    truth: ArrayLike, predicted: Any, period: Any
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Return angles in [0, period)."""
    check_argument("period", period, real("(0, inf)"))
    angles = checked("truth", truth, ("n",))
    methods = checked_predictions(predicted, angles.shape)
    turn = float(period)
    return np.mod(angles, turn), {name: np.mod(values, turn) for name, values in methods.items()}


def _difference(
    values: NDArray[np.float64], angles: NDArray[np.float64], period: float
) -> NDArray[np.float64]:
    """Return signed errors in [-period / 2, period / 2)."""
    return (values - angles + period / 2) % period - period / 2


def _draw_band(axes: Axes, half: float, period: float) -> None:
    """Draw the line of equal angles in a band; both go on at the other end."""
    line = np.array([-period, 2 * period])
    for shift in (-period, 0.0, period):
        middle = line + shift
        axes.fill_between(line, middle - half, middle + half, color="0.85", linewidth=0, zorder=0)
        axes.plot(line, middle, color="0.45", linewidth=0.8, zorder=1)


def _scale(axes: Axes, period: float) -> None:
    quarters = np.arange(5) / 4
    labels = [_label(quarter, period) for quarter in quarters]
    axes.set(xlim=(0, period), ylim=(0, period), xlabel="true angle", ylabel="predicted angle")
    axes.set_xticks(quarters * period, labels)
    axes.set_yticks(quarters * period, labels)
    axes.set_aspect("equal")


def _shares(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the errors, in turns, around each of the middles of the bins."""
    bins = np.rint(turns * _N_BINS).astype(np.int64) % _N_BINS
    return np.bincount(bins, minlength=_N_BINS) / len(turns)


def _draw_rose(rose: Any, shares: NDArray[np.float64], color: str, period: float) -> None:
    """Draw the histogram of errors around a circle; areas, not radii, show the shares."""
    rose.bar(
        2 * math.pi * np.arange(_N_BINS) / _N_BINS,
        np.sqrt(shares),
        width=2 * math.pi / _N_BINS,
        color=color,
        edgecolor="white",
        linewidth=0.5,
    )
    rose.set_theta_zero_location("N")
    quarters = [_label(quarter, period, signed=True) for quarter in (0, 0.25, 0.5, 0.75)]
    rose.set_xticks(np.arange(4) * math.pi / 2, quarters)
    rose.tick_params(axis="x", labelsize="x-small", labelcolor="0.35", pad=-2)
    rose.set_yticks([])
    rose.grid(color="0.9", linewidth=0.8)
    rose.spines[:].set_color("0.8")
    rose.set_title("errors", fontsize="small", color="0.35", pad=3)


def _label(share: float, period: float, *, signed: bool = False) -> str:
    """Return the angle that is a share of the period, of errors with its sign."""
    if signed and share > 0:
        sign = "±" if share == 0.5 else "+" if share < 0.5 else "−"
        return sign + _label(min(share, 1 - share), period)
    if math.isclose(period, 2 * math.pi):
        return {0: "0", 0.25: "π/2", 0.5: "π", 0.75: "3π/2", 1: "2π"}[share]
    return f"{share * period:g}" + ("°" if period == 360 else "")


def _mean_error(errors: NDArray[np.float64], period: float) -> str:
    unit = " rad" if math.isclose(period, 2 * math.pi) else "°" if period == 360 else ""
    return f"mean error {np.abs(errors).mean():#.3g}{unit}"


def _band_handles() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Line2D([], [], color="0.45", linewidth=0.8, label="equal angles"),
        Patch(color="0.85", label="half of the predictions"),
    ]


def _ring_handles() -> list[Any]:
    from matplotlib.lines import Line2D

    dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4}
    return [
        Line2D([], [], color="0.45", label="truth (inside)", **dot),
        Line2D([], [], color="0.3", marker="o", markersize=4, label="its prediction (outside)"),
    ]

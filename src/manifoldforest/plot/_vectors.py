"""Errors of predicted points, as arrows in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._rules import Rule, check_argument, integer, sequence_of

from ._panels import (
    add_legend,
    add_title,
    as_given,
    checked,
    checked_predictions,
    keep_outer_labels,
    panel_axes,
)
from ._style import method_colors


def draw_vectors(
    truth: ArrayLike,
    predicted: Any,
    ax: Any,
    *,
    plane: Sequence[int] = (0, 1),
    background: ArrayLike | None = None,
    legend: bool,
) -> Any:
    """Draw an arrow from every true point to its prediction, one panel for each method."""
    points = _points("truth", truth)
    first, second = _plane(plane, points.shape[1])
    methods = checked_predictions(predicted, points.shape)
    faint = points if background is None else _points("background", background, points.shape[1])
    colors = method_colors(list(methods))

    panels = panel_axes(ax, len(methods), size=(3.1, 3.4), share=True)
    for axes, (name, values) in zip(panels, methods.items(), strict=True):
        axes.scatter(
            faint[:, first], faint[:, second], s=9, color="0.72", alpha=0.7, linewidths=0, zorder=1
        )
        errors = values - points
        arrows = axes.quiver(
            points[:, first],
            points[:, second],
            errors[:, first],
            errors[:, second],
            angles="xy",
            scale_units="xy",
            scale=1,
            color=colors[name],
            width=0.0045,
            headwidth=4.5,
            headlength=5,
            headaxislength=4.5,
            zorder=2,
        )
        arrows.set_label(name)
        _set_limits(
            axes, [faint[:, [first, second]], *(v[:, [first, second]] for v in methods.values())]
        )
        add_title(
            axes, name, colors[name], f"mean error {np.linalg.norm(errors, axis=1).mean():#.3g}"
        )
        axes.set_aspect("equal")
        axes.set_xlabel(f"$y_{{{first + 1}}}$")
        axes.set_ylabel(f"$y_{{{second + 1}}}$")
        axes.spines[["top", "right"]].set_visible(False)
    if ax is None:
        keep_outer_labels(panels)
    if legend:
        add_legend(panels[0], _handles(background is not None), new=ax is None)
    return as_given(panels, predicted)


def _points(
    name: str, values: ArrayLike, width: int | str = "n_coordinates"
) -> NDArray[np.float64]:
    points = checked(name, values, ("n", width))
    if points.shape[1] < 2:
        raise ValueError(
            f"{name} must have at least 2 coordinates to be drawn in a plane, got shape "
            f"{points.shape}"
        )
    return points


def _plane(plane: Sequence[int], n_coordinates: int) -> tuple[int, int]:
    coordinates = sequence_of(integer(0, n_coordinates - 1))
    two = Rule(
        f"two different coordinates in 0..{n_coordinates - 1}",
        coordinates.admits,
        lambda value: len(value) == 2 and coordinates.accepts(value) and value[0] != value[1],
    )
    first, second = check_argument("plane", plane, two)
    return int(first), int(second)


def _set_limits(axes: Any, drawn: list[NDArray[np.float64]]) -> None:
    """Show every point: autoscaling knows only where arrows begin."""
    both = np.concatenate(drawn)
    low, high = both.min(axis=0), both.max(axis=0)
    margin = np.where(high > low, 0.04 * (high - low), 0.5)
    axes.set_xlim(low[0] - margin[0], high[0] + margin[0])
    axes.set_ylim(low[1] - margin[1], high[1] + margin[1])


def _handles(has_background: bool) -> list[Any]:
    from matplotlib.lines import Line2D

    dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4, "color": "0.72"}
    return [
        Line2D([], [], label="background" if has_background else "true responses", **dot),
        Line2D(
            [], [], color="0.3", marker=">", markersize=5, label="from the truth to the prediction"
        ),
    ]

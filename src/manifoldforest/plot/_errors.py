"""Test errors over the number of training examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._arrays import as_numbers
from manifoldforest.validation._rules import (
    any_mapping,
    boolean,
    check_argument,
    none,
    real,
    shown,
)

from ._rules import AXES
from ._style import MARKERS, colors_of, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DIGIT_WIDTH, _TICK_GAP = 6.4, 5.0  # of numbers at the axis, in points


def error_curves(
    n_samples: ArrayLike,
    errors: Mapping[str, ArrayLike],
    *,
    published: Mapping[str, ArrayLike] | None = None,
    bayes_error: float | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw test errors of several methods over the number of training examples.

    Parameters
    ----------
    n_samples : array-like of shape (n_sizes,)
        Numbers of training examples.
    errors : mapping of str to array-like of shape (n_sizes,) or (n_sizes, n_repetitions)
        Errors by name of the method. Of repetitions the mean is drawn, in a band of one standard
        error on either side.
    published : mapping of str to array-like of shape (n_sizes,), optional
        Errors to compare with, drawn as hollow markers; NaN where there is none.
    bayes_error : float, optional
        The lowest error that is possible, drawn as a dashed line.
    legend : bool, default=True
        Whether to add a legend.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib Axes
        The number of examples is on a logarithmic scale.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> ax = mf.plot.error_curves(
    ...     [100, 200, 400],
    ...     {"RF": [0.49, 0.48, 0.48], "MORF": [[0.31, 0.28], [0.13, 0.11], [0.06, 0.07]]},
    ...     published={"MORF": [0.304, 0.126, 0.073]},
    ...     bayes_error=0.0,
    ... )
    >>> ax.get_xscale()
    'log'
    """
    check_argument("errors", errors, any_mapping)
    check_argument("published", published, any_mapping | none)
    check_argument("bayes_error", bayes_error, real("[0, 1]") | none)
    check_argument("legend", legend, boolean)
    check_argument("ax", ax, AXES)
    expected = "a 1-D array of positive numbers"
    sizes = as_numbers(n_samples, "n_samples", expected).astype(float)
    if sizes.ndim != 1 or not len(sizes) or not (sizes > 0).all():
        raise ValueError(f"n_samples must be {expected}, got {shown(n_samples)}")
    curves = {name: _curve("errors", name, values, sizes) for name, values in errors.items()}
    points = {name: _curve("published", name, v, sizes)[0] for name, v in (published or {}).items()}
    color = colors_of([*curves, *points])

    axes = new_axes() if ax is None else ax
    if bayes_error is not None:
        axes.axhline(bayes_error, color="0.35", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        axes.annotate(
            "Bayes error",
            (1, bayes_error),
            xytext=(-3, -3),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize="small",
            color="0.35",
        )
    for name, (mean, spread) in curves.items():
        style: dict[str, Any] = {"color": color[name], "marker": MARKERS.get(name, "D")}
        if spread is not None:
            axes.fill_between(
                sizes, mean - spread, mean + spread, color=color[name], alpha=0.18, linewidth=0
            )
        axes.plot(sizes, mean, label=name, linewidth=1.8, markersize=4.5, clip_on=False, **style)
    for name, values in points.items():
        axes.plot(
            sizes,
            values,
            label=f"{name}, published",
            linestyle="none",
            marker=MARKERS.get(name, "D"),
            markersize=9,
            markerfacecolor="none",
            markeredgecolor=color[name],
            markeredgewidth=1.2,
            clip_on=False,
            zorder=4,
        )

    axes.set_xscale("log")
    axes.set_xticks(sizes, _tick_labels(axes, sizes))
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=0)
    axes.set(xlabel="training examples", ylabel="test error")
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(frameon=False)
    return axes


def _tick_labels(axes: Axes, sizes: NDArray[np.float64]) -> list[str]:
    """Return the numbers as texts, empty where they would touch the one before."""
    places = axes.transData.transform(np.stack([sizes, np.ones(len(sizes))], axis=1))[:, 0]
    texts = [f"{size:g}" for size in sizes]
    labels, free = [""] * len(sizes), -np.inf
    for k in np.argsort(places, kind="stable"):
        half = (len(texts[k]) * _DIGIT_WIDTH + _TICK_GAP) / 2 * axes.figure.dpi / 72
        if places[k] - half >= free:
            labels[k], free = texts[k], places[k] + half
    return labels


def _curve(
    argument: str, name: str, values: ArrayLike, sizes: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return the mean at every size and, of two or more repetitions, its standard error."""
    array = as_numbers(values, f"{argument}[{name!r}]", "an array of numbers").astype(float)
    if array.ndim not in (1, 2) or array.shape[0] != len(sizes) or not array.size:
        raise ValueError(
            f"{argument}[{name!r}] must have one entry or row for each of the {len(sizes)} "
            f"n_samples, got shape {array.shape}"
        )
    if array.ndim == 1:
        return array, None
    mean = array.mean(axis=1)
    if array.shape[1] == 1:
        return mean, None
    return mean, array.std(axis=1, ddof=1) / np.sqrt(array.shape[1])

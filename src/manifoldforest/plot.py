"""Pictures of forests and of their errors; they need the extra ``manifoldforest[plot]``.

Every function draws into the axes it is given, or into a new figure, and returns the axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["error_curves", "importance_map"]

# Okabe and Ito's colours, told apart with any kind of colour vision. Grey is the baseline.
COLORS = {"RF": "#5F5F5F", "SPORF": "#0072B2", "MORF": "#D55E00"}
OTHER_COLORS = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = {"RF": "s", "SPORF": "^", "MORF": "o"}


def importance_map(
    importance: Any,
    ax: Axes | None = None,
    *,
    kind: Literal["usage", "gain"] = "usage",
    shape: Sequence[int] | None = None,
    cmap: str | None = None,
    color: str | None = None,
    limit: float | None = None,
) -> Axes:
    """Draw the importance of features where the features lie: an image, or a curve.

    Parameters
    ----------
    importance : fitted forest or array-like
        A forest, or numbers in the shape of one example: importances of your own, the mean of a
        class, the difference of two means.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    kind : {"usage", "gain"}, default="usage"
        For a forest: how often splits look at a feature (`feature_usage_`) or what they gain from
        it (`feature_importances_`).
    shape : sequence of int, optional
        Shape of one example, for a forest that was fitted on flat rows.
    cmap : str, optional
        Colours of an image. By default white to dark for numbers of one sign, and two colours that
        meet in white at zero for numbers of both signs.
    color : str, optional
        Colour of a curve.
    limit : float, optional
        The number at the end of the scale, the same in pictures that are to be compared. By
        default the largest absolute value.

    Returns
    -------
    ax : matplotlib Axes
        An image is ``ax.images[0]``, from which ``ax.figure.colorbar`` makes a scale.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_bars(50, random_state=0)
    >>> forest = mf.ForestClassifier(5, projection="patches", random_state=0).fit(X, y)
    >>> ax = mf.plot.importance_map(forest)
    >>> ax.images[0].get_array().shape
    (28, 28)
    """
    values = _feature_values(importance, kind, shape)
    axes = _new_axes() if ax is None else ax
    largest = float(np.nanmax(np.abs(values), initial=0.0)) if limit is None else float(limit)
    largest = largest if largest > 0 else 1.0  # all zero: nothing is important
    both_signs = bool(np.nanmin(values, initial=0.0) < 0)
    low = -largest if both_signs else 0.0

    if values.ndim == 1:
        places = np.arange(len(values))
        axes.fill_between(places, values, step="mid", color=color, linewidth=0)
        axes.set(xlim=(-0.5, len(values) - 0.5), ylim=(1.05 * low, 1.05 * largest))
        return axes
    colors = cmap or ("RdBu_r" if both_signs else "Greys")
    axes.imshow(values, cmap=colors, vmin=low, vmax=largest, interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    return axes


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
    sizes = np.asarray(n_samples, dtype=float)
    if sizes.ndim != 1 or not len(sizes) or not (sizes > 0).all():
        raise ValueError(f"n_samples must be a 1-D array of positive numbers, got {n_samples!r}")
    curves = {name: _curve("errors", name, values, sizes) for name, values in errors.items()}
    points = {name: _curve("published", name, v, sizes)[0] for name, v in (published or {}).items()}
    color = _colors([*curves, *points])

    axes = _new_axes() if ax is None else ax
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
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=0)
    axes.set(xlabel="training examples", ylabel="test error")
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(frameon=False)
    return axes


# ------------------------------------------------------------------------------------ arguments


def _feature_values(
    importance: Any, kind: Literal["usage", "gain"], shape: Sequence[int] | None
) -> NDArray[np.float64]:
    """Return numbers with one or two axes."""
    if kind not in ("usage", "gain"):
        raise ValueError(f"kind must be 'usage' or 'gain', got {kind!r}")
    if hasattr(importance, "fit"):
        check_is_fitted(importance)
        attribute = "feature_usage_" if kind == "usage" else "feature_importances_"
        importance = getattr(importance, attribute)
    values = np.asarray(importance, dtype=float)
    if shape is not None:
        if values.size != np.prod(shape):
            raise ValueError(f"shape must have {values.size} elements, got {tuple(shape)}")
        values = values.reshape(tuple(shape))
    if values.ndim not in (1, 2) or not values.size:
        raise ValueError(
            "importance must have one axis (a curve) or two (an image), got shape "
            f"{values.shape}: sum over the others, or draw one channel at a time"
        )
    return values


def _curve(
    argument: str, name: str, values: ArrayLike, sizes: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return the mean at every size and, of two or more repetitions, its standard error."""
    array = np.asarray(values, dtype=float)
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


def _colors(names: Sequence[str]) -> dict[str, str]:
    """Give every method its colour: the one it always has, or the next that is free."""
    others = [name for name in dict.fromkeys(names) if name not in COLORS]
    free = {name: OTHER_COLORS[i % len(OTHER_COLORS)] for i, name in enumerate(others)}
    return {**COLORS, **free}


# ----------------------------------------------------------------------------------- matplotlib


def _new_axes() -> Axes:
    axes: Axes = _pyplot().subplots()[1]
    return axes


def _pyplot() -> ModuleType:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"drawing needs {missing.name}, which is not installed: "
            "pip install 'manifoldforest[plot]'",
            name=missing.name,
        ) from missing
    return plt

"""What predictions leave unexplained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._rules import check_argument

from ._panels import numbers
from ._rules import AXES
from ._style import COLORS, class_colors, import_matplotlib, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PER_BIN = 25  # points of which a quantile is taken, at least
_MOST_BINS = 20
_FEW_BINS = 4  # with fewer there is no band
_MOST_OUTPUTS = 10


def residuals(y_true: ArrayLike, y_pred: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the differences between true and predicted numbers over the predicted ones.

    Good predictions leave a cloud around zero without a shape. A trend says that predictions are
    biased, a cloud that widens that errors grow with what is predicted.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Numbers: what is true, and what was predicted. At most 10 outputs.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib Axes
        The points of each output are one of ``ax.collections``. From 100 points of one output on, a
        line shows the median, and a band the middle 80 %, of points beside each other: up to 20
        groups of equally many.

    Examples
    --------
    >>> import numpy as np
    >>> import manifoldforest as mf
    >>> truth = np.linspace(0, 1, 200)
    >>> ax = mf.plot.residuals(truth, truth + 0.1 * np.sin(9 * truth))
    >>> ax.get_ylabel()
    'residual: true minus predicted'
    """
    import_matplotlib("axes")
    true, predicted = numbers("y_true", y_true), numbers("y_pred", y_pred)
    check_argument("ax", ax, AXES)
    if true.ndim not in (1, 2) or not true.size:
        raise ValueError(
            "y_true must have the shape (n_samples,) or (n_samples, n_outputs) and not be empty, "
            f"got {true.shape}"
        )
    if predicted.shape != true.shape:
        raise ValueError(
            f"y_pred must have the shape of y_true, {true.shape}, got {predicted.shape}"
        )
    if true.ndim == 2 and true.shape[1] > _MOST_OUTPUTS:
        raise ValueError(f"y_true must have at most {_MOST_OUTPUTS} outputs, got {true.shape[1]}")
    differences = (true - predicted).reshape(len(true), -1)
    places = predicted.reshape(len(true), -1)
    n_outputs = places.shape[1]
    colors = [COLORS["SPORF"]] if n_outputs == 1 else list(class_colors(n_outputs))

    axes = new_axes((6.4, 4.8)) if ax is None else ax
    axes.axhline(0, color="0.3", linewidth=1, linestyle="--", zorder=1)
    for k, color in enumerate(colors):
        axes.scatter(
            *(places[:, k], differences[:, k]),
            s=9,
            color=color,
            alpha=float(np.clip(40 / np.sqrt(len(true)), 0.05, 0.6)),
            linewidths=0,
            zorder=2,
            label=f"output {k}",
        )
    n_bins = min(_MOST_BINS, len(true) // _PER_BIN)
    if n_outputs == 1 and n_bins >= _FEW_BINS:
        _draw_band(axes, places[:, 0], differences[:, 0], n_bins)
    if n_outputs > 1:
        axes.legend(framealpha=0.9, edgecolor="none", markerscale=2)
    axes.set(xlabel="predicted", ylabel="residual: true minus predicted")
    axes.grid(color="0.93", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _draw_band(
    axes: Axes, places: NDArray[np.float64], differences: NDArray[np.float64], n_bins: int
) -> None:
    """Draw the median and the middle 80 % of groups of points beside each other."""
    groups = np.array_split(np.argsort(places, kind="stable"), n_bins)
    middle = [float(places[group].mean()) for group in groups]
    low, median, high = np.array(
        [np.quantile(differences[group], [0.1, 0.5, 0.9]) for group in groups]
    ).T
    style: dict[str, Any] = {"color": COLORS["MORF"], "zorder": 3}
    axes.fill_between(middle, low, high, alpha=0.2, linewidth=0, label="middle 80 %", **style)
    axes.plot(middle, median, linewidth=1.8, label="median", **style)
    handles, labels = axes.get_legend_handles_labels()
    shown = [i for i, label in enumerate(labels) if label in ("middle 80 %", "median")]
    shown_handles, shown_labels = [handles[i] for i in shown], [labels[i] for i in shown]
    axes.legend(shown_handles, shown_labels, framealpha=0.9, edgecolor="none")

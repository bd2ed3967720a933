"""Importance of features, drawn where the features lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ._style import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    axes = new_axes() if ax is None else ax
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

"""Examples in the plane, close together where a forest sees them as alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from manifoldforest._fitted_state import snapshot
from manifoldforest.inspection._proximity_embedding import proximity_coordinates
from manifoldforest.validation._rules import Rule, boolean, check_argument

from ._label_arrays import codes_of, read_label_array
from ._panels import checked
from ._rules import AXES
from ._style import class_colors, import_matplotlib, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 20_000
_MOST_IN_LEGEND = 12  # classes
_FOREST = Rule(
    "a forest of trees that has apply",
    lambda value: not isinstance(value, type) and hasattr(value, "apply"),
)


def proximity_embedding(
    forest: Any,
    X: Any,
    y: Any = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw examples as points of a plane, close together if they share the leaves of many trees.

    The points are a classical scaling: of all points in the plane, theirs explain most of the
    squared distances, and the squared distance of two examples is 1 minus their proximity, the
    share of trees in which they fall into the same leaf.

    Parameters
    ----------
    forest : fitted forest
        Its trees tell which examples are alike.
    X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
        Examples, from 3 to 20 000. Those that the forest was not fitted on give a fair picture:
        training examples of different classes rarely share a leaf whatever they look like.
    y : array-like of shape (n_samples,), optional
        Labels of the examples if the forest is a classifier, numbers otherwise; colours show them.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    legend : bool, default=True
        Whether to add a legend of the classes, if there are at most 12, or a colour bar of the
        numbers.

    Returns
    -------
    ax : matplotlib Axes
        The points are ``ax.collections[0]``. Labels of the axes tell how much of the squared
        distances each dimension explains.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = mf.ForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> ax = mf.plot.proximity_embedding(forest, X[1::2], y[1::2])
    >>> ax.collections[0].get_offsets().shape
    (75, 2)
    """
    import_matplotlib("axes")
    check_argument("forest", forest, _FOREST)
    check_argument("ax", ax, AXES)
    check_argument("legend", legend, boolean)
    check_is_fitted(forest)
    fitted = snapshot(forest)
    leaves = fitted.apply(X)
    if not 3 <= len(leaves) <= _MOST_ROWS:
        raise ValueError(f"X must have 3 to {_MOST_ROWS} examples, got {len(leaves)}")
    classes, values = _read_colors(fitted, y, len(leaves))
    offsets = fitted._model.trees["tree_offsets"]
    coordinates, shares = proximity_coordinates(leaves + offsets[:-1], int(offsets[-1]))

    axes = new_axes((6.4, 4.8)) if ax is None else ax
    style: dict[str, Any] = {"s": 14, "linewidths": 0, "alpha": 0.75}
    x, up = coordinates.T
    if values is None:
        axes.scatter(x, up, color="0.3", **style)
    elif classes is None:
        points = axes.scatter(x, up, c=values, cmap="viridis", **style)
        if legend:
            axes.figure.colorbar(points, ax=axes, label="y")
    else:
        colors = class_colors(len(classes))
        axes.scatter(x, up, c=colors[values], **style)
        if legend and len(classes) <= _MOST_IN_LEGEND:
            _draw_legend(axes, classes, colors)
    for axis, share, number in zip((axes.xaxis, axes.yaxis), shares, (1, 2), strict=True):
        axis.set_label_text(f"dimension {number}, {share:.0%} of squared distances")
    axes.set_aspect("equal", adjustable="datalim")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _read_colors(
    forest: Any, y: Any, n_rows: int
) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
    """Return classes and the place of each label among them, or None and numbers."""
    if y is None:
        return None, None
    known = getattr(forest, "classes_", None)
    if known is None:
        return None, checked("y", y, (n_rows,))
    labels = read_label_array("y", y, n_rows)
    classes = np.unique(labels) if isinstance(known, list) else known
    return classes, codes_of("y", labels, classes)


def _draw_legend(axes: Axes, classes: NDArray[Any], colors: NDArray[np.float64]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=tuple(color), linestyle="none", marker="o", label=str(name))
        for name, color in zip(classes, colors, strict=True)
    ]
    axes.legend(handles=handles, framealpha=0.85, handletextpad=0.2)

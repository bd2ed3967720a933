"""What a view shows of an example, and what a forest looks at in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from manifoldforest.validation._arrays import as_numbers
from manifoldforest.validation._rules import check_argument, integer, none, shown
from manifoldforest.views import View

from ._importance import importance_map
from ._panels import panel_axes
from ._rules import COLOR_MAP
from ._style import import_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PANEL = (1.7, 1.9)  # width and height in inches


def view_map(
    source: Any,
    example: Any = None,
    ax: Any = None,
    *,
    view: int = 0,
    channel_axis: int | None = None,
    cmap: str | None = None,
) -> list[Axes]:
    """Draw the cells of a view, one panel for each of its channels.

    A view draws the cells of an example: the edges of an image in each orientation. A forest draws
    how much its splits gain from each cell (`view_importances_`) or, with an example,
    that example's cells as the forest sees them.

    Parameters
    ----------
    source : fitted forest or View
        A forest with patches on a view, or a view.
    example : array-like, optional
        One example in its own shape. A view needs it.
    ax : matplotlib Axes or array of them, optional
        Where to draw, one for each channel; a new figure if not given.
    view : int, default=0
        Which view of a forest, in the order of `view_importances_`.
    channel_axis : int, optional
        For a view: the axis of an example that counts channels, such as -1 for colour images.
    cmap : str, optional
        Colours of images, white to dark if not given.

    Returns
    -------
    axes : list of matplotlib Axes
        One for each channel: images with one scale for all, or the curve of a series. Cells that
        have no channels are one panel.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_bars(50, random_state=0)
    >>> edges = mf.projections.Patches(view=mf.views.Gradients(orientations=4))
    >>> forest = mf.ForestClassifier(5, projection=edges, random_state=0).fit(X, y)
    >>> axes = mf.plot.view_map(forest)
    >>> [panel.get_title() for panel in axes]
    ['0°', '90°', '180°', '270°']
    >>> axes = mf.plot.view_map(mf.views.Gradients(), X[0])
    >>> len(axes)
    8
    """
    import_matplotlib("axes")
    check_argument("view", view, integer(0))
    check_argument("channel_axis", channel_axis, integer() | none)
    check_argument("cmap", cmap, COLOR_MAP | none)
    if isinstance(source, View):
        cells, names = _cells_of_view(source, example, channel_axis)
    else:
        cells, names = _cells_of_forest(source, example, view)
    axes = panel_axes(ax, len(cells), size=_PANEL, of="channels")
    limit = float(np.nanmax(np.abs(cells), initial=0.0))
    for panel, values, name in zip(axes, cells, names, strict=True):
        importance_map(values, panel, limit=limit, cmap=cmap or "Greys")
        panel.set_title(name)
    return axes


def _cells_of_view(
    view: View, example: Any, channel_axis: int | None
) -> tuple[NDArray[np.float64], list[str]]:
    if example is None:
        raise ValueError("example must be given to draw its cells in a view, got None")
    X = _one(example)
    cells = view.transform(X, channel_axis=channel_axis)
    return by_channel(cells[0], view._kind)


def _cells_of_forest(
    forest: Any, example: Any, number: int
) -> tuple[NDArray[np.float64], list[str]]:
    if isinstance(forest, type) or not hasattr(type(forest), "view_importances_"):
        raise TypeError(
            f"source must be a fitted forest with patches on a view, or a View, got {shown(forest)}"
        )
    check_is_fitted(forest)
    if forest._model.bank is not None:
        raise ValueError(
            "source must be a forest with patches on a view, got one that splits on statistics of "
            "series, which lie on no grid: draw importance_map(forest)"
        )
    views = forest._model.geometry.views
    if number >= len(views):
        raise ValueError(
            f"view must be below the number of views of the forest, {len(views)}, got {number}"
        )
    kind = views[number][0]
    if example is None:
        return by_channel(forest.view_importances_[number], kind)
    return by_channel(forest._model.cells(forest._rows(_one(example)), number)[0], kind)


def _one(example: Any) -> NDArray[Any]:
    """Return an example as the only one of an array."""
    array = as_numbers(example, "example", "one example, an array of numbers")
    if array.ndim == 0:
        raise ValueError("example must have at least one axis, got a number")
    return array[None]


def by_channel(cells: NDArray[Any], kind: str) -> tuple[NDArray[np.float64], list[str]]:
    """Return images or curves, one for each channel, and their names."""
    values = np.asarray(cells, dtype=np.float64)
    if kind == "gradients":
        return values, [f"{360 * k / len(values):g}°" for k in range(len(values))]
    n_places = 1 if kind in ("difference", "spectrum") else 2  # of a curve, or an image
    if values.ndim <= n_places:
        return values[None], [""]
    values = values.reshape(-1, *values.shape[values.ndim - n_places :])
    return values, [f"channel {k}" for k in range(len(values))]

"""Small multiples: panels beside each other, or the rows and columns of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._arrays import as_numbers, check_each_finite
from manifoldforest.validation._rules import check_argument, integer

from ._style import import_matplotlib, method_colors, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_WIDTH = 13.0  # of a new figure, in inches
_SINGLE = 1.35  # how much larger a panel is that is alone
_ROW_GAP = 0.5  # between two groups of rows of a grid, in rows


def panel_axes(
    ax: Any, n: int, *, size: tuple[float, float], share: bool = False, of: str = "methods"
) -> list[Axes]:
    """Return the axes that were given, one for each of n panels, or those of a new figure.

    Parameters
    ----------
    ax : None, Axes or array of Axes
        The argument of the public function.
    n : int
        Number of panels.
    size : (width, height)
        Of one panel of a new figure, in inches; a single one is larger.
    share : bool
        Whether panels of a new figure have the same limits.
    of : str
        What the panels show, for the message of an error.
    """
    if ax is not None:
        given = given_axes(ax)
        if len(given) != n:
            raise ValueError(f"ax must be {n} axes, one for each of the {of}, got {len(given)}")
        return given
    down = -(-n // max(int(_MAX_WIDTH / size[0]), 1))
    across = -(-n // down)
    scale = _SINGLE if n == 1 else 1.0
    # "compressed" is the layout that knows of panels with a fixed ratio of height to width
    figure, grid = pyplot().subplots(
        down,
        across,
        figsize=(size[0] * across * scale, size[1] * down * scale + 0.3),
        sharex=share,
        sharey=share,
        squeeze=False,
        layout="compressed",
    )
    figure.get_layout_engine().set(wspace=0.06, hspace=0.06)
    for unused in grid.ravel()[n:]:
        unused.remove()
    return list(grid.ravel()[:n])


def given_axes(ax: Any) -> list[Axes]:
    """Return the axes that were given, in an array of any shape."""
    axes = import_matplotlib("axes").Axes
    given = list(np.asarray(ax, dtype=object).ravel())
    for one in given:
        if not isinstance(one, axes):
            raise TypeError(f"ax must be matplotlib axes or an array of these, got {one!r}")
    return given


def keep_outer_labels(panels: Sequence[Axes]) -> None:
    """Hide labels of the scales between panels of a new figure, which share them."""
    place: Any = panels[0].get_subplotspec()
    across = place.get_gridspec().ncols
    for i, axes in enumerate(panels):
        below, left = i + across < len(panels), i % across > 0
        axes.tick_params(labelbottom=not below, labelleft=not left)
        axes.set_xlabel("" if below else axes.get_xlabel())
        axes.set_ylabel("" if left else axes.get_ylabel())


def axes_array(axes: Sequence[Axes]) -> NDArray[np.object_]:
    """Return axes as an array."""
    array = np.empty(len(axes), dtype=object)
    array[:] = list(axes)
    return array


def as_given(axes: Sequence[Axes], predicted: Any) -> Any:
    """Return one axes for one prediction, an array for methods by name."""
    return axes_array(axes) if isinstance(predicted, Mapping) else axes[0]


def named_predictions(predicted: Any) -> dict[str, Any]:
    """Return predictions by the name of the method."""
    if not isinstance(predicted, Mapping):
        return {"prediction": predicted}
    if not predicted:
        raise ValueError("predicted must hold at least one method, got an empty mapping")
    if "truth" in predicted:
        raise ValueError("predicted must have no method that is called 'truth'")
    return {str(name): values for name, values in predicted.items()}


def numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return an array of finite numbers."""
    array = as_numbers(values, name, "an array of numbers").astype(np.float64)
    check_each_finite(array, name)
    return array


def checked(name: str, values: ArrayLike, shape: Sequence[int | str]) -> NDArray[np.float64]:
    """Return finite numbers in a shape; a word stands for any length but zero."""
    array = numbers(name, values)
    fits = array.ndim == len(shape) and all(
        found > 0 if isinstance(length, str) else found == length
        for found, length in zip(array.shape, shape, strict=True)
    )
    if not fits:
        wanted = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        raise ValueError(f"{name} must have the shape ({wanted}), got {array.shape}")
    return array


def checked_predictions(
    predicted: Any, shape: Sequence[int | str]
) -> dict[str, NDArray[np.float64]]:
    """Return the predictions of every method, all in the shape of the truth."""
    return {
        name: checked(argument(predicted, name), values, shape)
        for name, values in named_predictions(predicted).items()
    }


def argument(predicted: Any, name: str) -> str:
    """Return how a message names the predictions of one method."""
    return f"predicted[{name!r}]" if isinstance(predicted, Mapping) else "predicted"


def add_title(axes: Axes, name: str, color: str, remark: str) -> None:
    """Write the name of a method above its panel, and under it a remark in small letters."""
    axes.set_title(name, color=color, fontweight="bold", pad=17)
    axes.annotate(
        remark,
        (0.5, 1),
        xytext=(0, 4),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize="small",
        color="0.35",
    )


def add_legend(axes: Axes, handles: Sequence[Any], *, new: bool, **params: Any) -> None:
    """Add one legend for all panels: under them in a new figure, else in the given axes."""
    if new:
        where: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
        axes.figure.legend(
            handles=list(handles), ncols=len(handles), fontsize="small", **where, **params
        )
    else:
        axes.legend(handles=list(handles), fontsize="small", **params)


def grid_axes(ax: Any, size: tuple[float, float]) -> Axes:
    """Return the one axes that was given, or that of a new figure, for a whole grid."""
    if ax is None:
        axes: Axes = pyplot().subplots(figsize=size, layout="compressed")[1]
        return axes
    return panel_axes(ax, 1, size=size, of="grids")[0]


class Grid:
    """Rows for the truth and the methods, columns for examples.

    Examples that do not fit in `columns` columns go to another group of rows below.

    Parameters
    ----------
    rows : sequence of str
        Names, the first one is the truth.
    n : int
        Number of examples.
    columns : int
        Examples beside each other.
    """

    def __init__(self, rows: Sequence[str], n: int, columns: Any) -> None:
        check_argument("columns", columns, integer(1))
        self.rows = list(rows)
        self.n_across = min(int(columns), n)
        self.n_groups = -(-n // self.n_across)
        self._n = n

    @property
    def height(self) -> float:
        """Height in rows."""
        return self.n_groups * len(self.rows) + (self.n_groups - 1) * _ROW_GAP

    def places(self, row: int) -> NDArray[np.float64]:
        """Return column and distance from the top, of the examples in one row, (n, 2)."""
        example = np.arange(self._n)
        group = example // self.n_across
        return np.stack([example % self.n_across, self._top(group, row)], axis=1)

    def label(self, axes: Axes, height: float = 1.0) -> None:
        """Write the names of the rows on the left; rows are `height` high and begin at 0."""
        colors = {**method_colors(self.rows[1:]), self.rows[0]: "black"}
        places, names = [], []
        for group in range(self.n_groups):
            for row, name in enumerate(self.rows):
                places.append((float(self._top(group, row)) + 0.5) * height)
                names.append(name)
        axes.set_yticks(places, names)
        axes.set_xticks([])
        axes.tick_params(axis="y", length=0, pad=6)
        for tick, name in zip(axes.get_yticklabels(), names, strict=True):
            tick.set_color(colors[name])
            tick.set_fontweight("bold")
        axes.spines[:].set_visible(False)

    def _top(self, group: Any, row: int) -> Any:
        return group * (len(self.rows) + _ROW_GAP) + row

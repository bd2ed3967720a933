"""Which classes are taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._rules import check_argument, none, one_of

from ._label_arrays import codes_of, read_classes, read_label_array
from ._panels import grid_axes
from ._rules import AXES, COLOR_MAP
from ._style import import_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CELL = 0.42  # side of a cell of a new figure, in inches
_SMALLEST, _LARGEST = 2.2, 8.0  # sides of the matrix in a new figure, in inches
_LARGEST_TEXT, _SMALLEST_TEXT = 10.0, 5.0  # sizes of numbers in cells, in points
_TEXT_WIDTH = 0.62  # of a digit, in sizes
_NAME_HEIGHT = 13.0  # of the name of a class at an axis, in points
_NAME_WIDTH = 7.0  # of one of its letters
_SCALE = {
    None: "examples",
    "true": "share of the true class",
    "predicted": "share of the predicted class",
    "all": "share of all examples",
}
_DARK = 0.55  # share of the scale above which numbers are white


def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    ax: Axes | None = None,
    *,
    labels: ArrayLike | None = None,
    normalize: Literal["true", "predicted", "all"] | None = None,
    cmap: str = "Blues",
) -> Axes:
    """Draw how many examples of each class are taken for each class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels: what is true, and what was predicted.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    labels : array-like of shape (n_classes,), optional
        All classes in the order of the rows and columns. By default those that occur, ascending.
    normalize : {"true", "predicted", "all"}, optional
        What the numbers are shares of: all examples of the true class (rows sum to 1), all that
        were taken for the predicted class (columns sum to 1), or all examples. By default they
        are counts.
    cmap : str, default="Blues"
        Colours, from light to dark.

    Returns
    -------
    ax : matplotlib Axes
        The image is ``ax.images[0]``. Numbers but zeros are written into
        cells that are large enough.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> ax = mf.plot.confusion_matrix(["cat", "dog", "dog"], ["cat", "dog", "cat"])
    >>> ax.images[0].get_array()
    masked_array(
      data=[[1., 0.],
            [1., 1.]],
      mask=False,
      fill_value=1e+20)
    """
    import_matplotlib("axes")
    true = read_label_array("y_true", y_true)
    predicted = read_label_array("y_pred", y_pred, len(true))
    check_argument("ax", ax, AXES)
    check_argument("normalize", normalize, one_of("true", "predicted", "all") | none)
    check_argument("cmap", cmap, COLOR_MAP)
    if (true.dtype.kind in "US") != (predicted.dtype.kind in "US"):
        raise TypeError(
            f"y_pred must hold labels of the type of y_true, {true.dtype}, got {predicted.dtype}"
        )
    classes = read_classes(labels, true, predicted)
    n = len(classes)
    rows, columns = codes_of("y_true", true, classes), codes_of("y_pred", predicted, classes)
    counts = np.bincount(rows * n + columns, minlength=n * n).reshape(n, n).astype(np.float64)
    values = _normalized(counts, normalize)

    side = min(max(_SMALLEST, _CELL * n), _LARGEST)
    axes = grid_axes(ax, (side + 1.9, side + 1.1))
    largest = float(np.max(values))
    image = axes.imshow(values, cmap=cmap, vmin=0, vmax=largest, interpolation="nearest")
    _write_names(axes, [str(label) for label in classes.tolist()])
    axes.set(xlabel="predicted class", ylabel="true class")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    _write_numbers(axes, values, counted=normalize is None)
    if ax is None:
        axes.figure.colorbar(image, ax=axes, label=_SCALE[normalize])
    return axes


def _normalized(counts: NDArray[np.float64], normalize: str | None) -> NDArray[np.float64]:
    """Return shares of rows, columns or all; zero where nothing is to be divided."""
    if normalize is None:
        return counts
    total: Any = {
        "true": counts.sum(axis=1, keepdims=True),
        "predicted": counts.sum(axis=0, keepdims=True),
        "all": counts.sum(),
    }[normalize]
    return np.asarray(counts / np.maximum(total, 1.0))


def _cell_side(axes: Axes, n: int) -> float:
    """Return the side of a cell in points."""
    box = axes.get_window_extent()
    return float(min(box.width, box.height)) * 72 / axes.figure.dpi / n


def _write_names(axes: Axes, names: list[str]) -> None:
    """Write the names of classes at the axes, of so many that they do not touch."""
    n, side = len(names), _cell_side(axes, len(names))
    widest = max(len(name) for name in names) * _NAME_WIDTH
    step = max(1, int(np.ceil(_NAME_HEIGHT / side)))
    places = np.arange(0, n, step)
    written = [names[i] for i in places]
    axes.set_xticks(places, written, rotation=90 if widest > step * side else 0)
    axes.set_yticks(places, written)


def _write_numbers(axes: Axes, values: NDArray[np.float64], *, counted: bool) -> None:
    """Write numbers but zeros into the cells, as large as fits; none if none could be read.

    Shares that round to zero are left out, too.
    """
    digits = 0 if counted else 2
    texts = [f"{value:.{digits}f}" for value in values.ravel()]
    side = _cell_side(axes, len(values))
    size = min(_LARGEST_TEXT, 0.8 * side / (_TEXT_WIDTH * max(map(len, texts))), 0.6 * side)
    if size < _SMALLEST_TEXT:
        return
    largest = float(np.max(values))
    for place, text in enumerate(texts):
        row, column = divmod(place, len(values))
        if not float(text):
            continue
        dark = values[row, column] > _DARK * largest
        axes.text(
            *(column, row, text),
            ha="center",
            va="center",
            fontsize=size,
            color="white" if dark else "0.15",
        )

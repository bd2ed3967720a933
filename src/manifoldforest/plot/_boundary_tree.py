"""A boundary tree with the examples that it keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from manifoldforest.validation._rules import (
    Rule,
    boolean,
    check_argument,
    integer,
    none,
    sequence_of,
)

from ._rules import AXES, COLOR_MAP
from ._style import class_codes, class_colors, new_axes, pyplot
from ._tree_drawing import MAX_LEGEND, Places, draw_class_legend, draw_edges, points_per_unit
from ._tree_layout import tidy_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEVEL = 1.7  # height of a level where neighbours of one are 1 apart
_SIDE = 0.84  # of an image or a dot, likewise
_LETTER = 0.3  # width of a letter of a text, likewise
_MAX_LETTERS = 12
_SMALLEST_FONT = 4.0  # points

_FOREST = Rule(
    "a fitted boundary forest or differentiable boundary tree",
    lambda value: hasattr(value, "trees_") and hasattr(value, "stored_examples_"),
)


def boundary_tree(
    forest: Any,
    ax: Axes | None = None,
    *,
    tree: int = 0,
    shape: Sequence[int] | None = None,
    max_depth: int | None = None,
    max_nodes: int = 60,
    cmap: str = "Greys",
    legend: bool = True,
) -> Axes:
    """Draw a boundary tree: the examples it keeps, and which was stored below which.

    Examples that are images are drawn as images, texts as texts, and all others as dots with their
    label. The colour is the class. Of a large tree the nodes next to the root are drawn; ``+12``
    below a node means that it has 12 descendants which are not.

    Parameters
    ----------
    forest : fitted boundary forest or differentiable boundary tree
        Where the tree is from.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of a suitable size if not given.
    tree : int, default=0
        Which tree of the forest.
    shape : sequence of int, optional
        Shape of one example, for images that were given as flat rows: ``(height, width)``, or
        ``(height, width, 3)`` in colour.
    max_depth : int or None, default=None
        Deepest level that is drawn; the root is level 0. None is no limit.
    max_nodes : int, default=60
        Largest number of nodes that are drawn, level by level.
    cmap : str, default="Greys"
        Colours of images with one channel.
    legend : bool, default=True
        Whether to add a legend of the classes, if there are at most 12.

    Returns
    -------
    ax : matplotlib Axes
        Neighbours on a level are 1 apart, levels 1.7.

    See Also
    --------
    decision_boundary : what a classifier says about points of the plane.
    boundary_growth : how trees grow.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> forest = mf.BoundaryForestClassifier(5).fit(digits.images, digits.target)
    >>> ax = mf.plot.boundary_tree(forest, max_nodes=20)
    >>> len(ax.images)
    20
    """
    check_argument("ax", ax, AXES)
    check_argument("shape", shape, none | sequence_of(integer(1)))
    check_argument("max_depth", max_depth, integer(0) | none)
    check_argument("max_nodes", max_nodes, integer(1))
    check_argument("cmap", cmap, COLOR_MAP)
    check_argument("legend", legend, boolean)
    drawing = _drawing(forest, tree, shape, max_depth, max_nodes)
    x, depth = tidy_layout(drawing.parent)
    x, y = x * drawing.spacing, -_LEVEL * depth
    axes = new_axes(_size(x, y)) if ax is None else ax
    margin = drawing.spacing / 2 + 0.2
    limits = (x.min() - margin, x.max() + margin), (y.min() - 1.0, 0.7)
    axes.set(xlim=limits[0], ylim=limits[1], aspect="equal")
    axes.set_axis_off()
    unit = points_per_unit(axes)

    # across below the numbers of hidden nodes
    draw_edges(axes, x, y, drawing.parent, turn=y + _LEVEL / 2 - 0.12)
    if drawing.is_image:
        _draw_images(axes, x, y, drawing, cmap)
    else:
        _draw_marks(axes, x, y, drawing, unit)
    _draw_hidden(axes, x, y, drawing, unit)
    axes.set(xlim=limits[0], ylim=limits[1])  # again: an image moves them
    if legend and drawing.classes is not None and len(drawing.classes) <= MAX_LEGEND:
        draw_class_legend(axes, drawing.classes)
    return axes


def boundary_tree_size(forest: Any, max_nodes: int) -> tuple[float, float]:
    """Return how wide and high the picture of the first tree is, in units of its layout."""
    drawing = _drawing(forest, 0, None, None, max_nodes)
    x, depth = tidy_layout(drawing.parent)
    return float(x.max() + 1.4) * drawing.spacing, 1.7 + _LEVEL * float(depth.max())


# ------------------------------------------------------------------------------ what is drawn


@dataclass(frozen=True)
class _Drawing:
    """The nodes that are drawn, parents before children."""

    parent: NDArray[np.int64]
    examples: Any  # one per node
    colors: NDArray[np.float64]  # likewise
    labels: list[str]  # likewise; empty if there are none
    classes: NDArray[Any] | None
    n_hidden: NDArray[np.int64]  # descendants that are not drawn, at their nearest drawn ancestor
    n_nodes: int  # of the whole tree

    @property
    def is_image(self) -> bool:
        """Whether examples have the form of images."""
        return is_image(np.shape(self.examples)[1:])

    @property
    def is_text(self) -> bool:
        """Whether examples are strings."""
        return isinstance(self.examples[0], str)

    @property
    def texts(self) -> list[str]:
        """What is written at the nodes."""
        if not self.is_text:
            return self.labels
        return [
            text if len(text) <= _MAX_LETTERS else text[: _MAX_LETTERS - 1] + "…"
            for text in self.examples
        ]

    @property
    def spacing(self) -> float:
        """Distance of neighbours on a level."""
        return max(1.0, 0.5 + _LETTER * max(map(len, self.texts))) if self.is_text else 1.0


def is_image(shape: tuple[int, ...]) -> bool:
    """Whether examples of a shape are drawn as images."""
    return len(shape) == 2 or is_colour_image(shape)


def is_colour_image(shape: tuple[int, ...]) -> bool:
    """Whether examples of a shape are images in colour."""
    return len(shape) == 3 and shape[2] in (3, 4)


def _drawing(
    forest: Any, tree: int, shape: Sequence[int] | None, max_depth: int | None, max_nodes: int
) -> _Drawing:
    if hasattr(forest, "fit"):
        check_is_fitted(forest)
    check_argument("forest", forest, _FOREST)
    trees = forest.trees_
    check_argument("tree", tree, integer(0, len(trees) - 1))
    view = trees[tree]
    parent = np.asarray(view.parent, dtype=np.int64)
    drawn = _top(parent, max_depth, max_nodes)
    place = np.full(len(parent), -1)
    place[drawn] = np.arange(len(drawn))

    stored, labels = forest.stored_examples_
    rows = np.searchsorted(forest.stored_, np.asarray(view.example)[drawn])
    examples = stored[rows] if hasattr(stored, "dtype") else [stored[row] for row in rows]
    if shape is not None:
        examples = _reshaped(examples, shape)
    classes = getattr(forest, "classes_", None)
    own = None if labels is None else np.asarray(labels)[rows]
    return _Drawing(
        parent=np.where(parent[drawn] < 0, -1, place[parent[drawn]]),
        examples=examples,
        colors=_node_colors(len(drawn), own, classes, labels),
        labels=[] if own is None else [_short(label) for label in own],
        classes=classes,
        n_hidden=_hidden(parent, place)[drawn],
        n_nodes=len(parent),
    )


def _top(parent: NDArray[np.int64], max_depth: int | None, max_nodes: int) -> NDArray[np.int64]:
    """Return the nodes that are drawn: level by level, as many as may be, in their old order."""
    depth = np.zeros(len(parent), dtype=np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    by_level = np.argsort(depth, kind="stable")[:max_nodes]
    if max_depth is not None:
        by_level = by_level[depth[by_level] <= max_depth]
    return np.sort(by_level)


def _hidden(parent: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the descendants of each node that have no place."""
    count = np.zeros(len(parent), dtype=np.int64)
    for node in range(len(parent) - 1, 0, -1):  # children before parents
        if place[node] < 0:
            count[parent[node]] += count[node] + 1
    return count


def _reshaped(examples: Any, shape: Sequence[int]) -> NDArray[Any]:
    rows = np.asarray(examples)
    if rows[0].size != np.prod(shape):
        raise ValueError(f"shape must have {rows[0].size} elements, got {tuple(shape)}")
    return rows.reshape(len(rows), *shape)


def _node_colors(n_nodes: int, own: Any, classes: Any, labels: Any) -> NDArray[np.float64]:
    """Return the colour of every node's label: of its class, or on a scale of numbers."""
    if own is None:
        return np.full((n_nodes, 3), 0.55)
    if classes is not None:
        return class_colors(len(classes))[class_codes(np.asarray(classes), own)]
    low, high = np.min(labels), np.max(labels)
    first = own if own.ndim == 1 else own[:, 0]  # of several outputs
    share = (first - low) / (high - low if high > low else 1.0)
    return np.asarray(pyplot().get_cmap("viridis")(share)[:, :3], dtype=np.float64)


def _short(label: Any) -> str:
    if np.ndim(label):
        return ", ".join(map(_short, label))
    return f"{label:.2g}" if isinstance(label, float | np.floating) else str(label)


# -------------------------------------------------------------------------------- how it is drawn


def _size(x: Places, y: Places) -> tuple[float, float]:
    """Return the size of a new figure: half an inch for a node if that is not too wide."""
    width, height = x.max() + 1.4, 1.7 - y.min()
    inch = min(max(0.5, 5.0 / width), 1.0, 18.0 / width)
    return max(4.0, inch * width), max(2.0, inch * height) + 0.7


def _draw_images(axes: Axes, x: Places, y: Places, drawing: _Drawing, cmap: str) -> None:
    from matplotlib.patches import Rectangle

    images = np.asarray(drawing.examples)
    height, width = images.shape[1:3]
    half_height, half_width = _SIDE / 2 * np.array([height, width]) / max(height, width)
    low, high = images.min(), images.max()
    for image, column, row, color in zip(images, x, y, drawing.colors, strict=True):
        left, right = column - half_width, column + half_width
        bottom, top = row - half_height, row + half_height
        extent = (left, right, bottom, top)
        axes.imshow(image, cmap=cmap, vmin=low, vmax=high, extent=extent, zorder=2)
        frame = Rectangle((left, bottom), right - left, top - bottom, zorder=3)
        frame.set(facecolor="none", edgecolor=color, linewidth=1.8)
        axes.add_patch(frame)


def _draw_marks(axes: Axes, x: Places, y: Places, drawing: _Drawing, unit: float) -> None:
    """Draw boxes with texts, or dots with labels, as large as the layout has room for."""
    from matplotlib.patches import Circle, FancyBboxPatch

    texts = drawing.texts
    longest = max(1, *map(len, texts)) if texts else 1
    height = 0.55
    # letters are about 0.6 times as wide as high
    font = unit * (_LETTER / 0.62 if drawing.is_text else min(0.45, 0.95 / longest))
    for node, (column, row, color) in enumerate(zip(x, y, drawing.colors, strict=True)):
        if drawing.is_text:
            width = 0.2 + _LETTER * len(texts[node])
            corner = (column - width / 2, row - height / 2)
            axes.add_patch(
                FancyBboxPatch(corner, width, height, "round,pad=0,rounding_size=0.15", zorder=2)
            )
        else:
            axes.add_patch(Circle((column, row), 0.4 * _SIDE, zorder=2))
        axes.patches[-1].set(facecolor=color, edgecolor="none")
        if texts and font >= _SMALLEST_FONT:
            ink = "white" if color @ (0.299, 0.587, 0.114) < 0.55 else "black"
            style: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 3}
            style["parse_math"] = False  # a dollar sign is a dollar sign
            axes.text(column, row, texts[node], fontsize=font, color=ink, **style)


def _draw_hidden(axes: Axes, x: Places, y: Places, drawing: _Drawing, unit: float) -> None:
    """Write how many nodes are not drawn: below each node, and of the whole tree."""
    font = min(unit * 0.34, 9.0)
    for node in np.flatnonzero(drawing.n_hidden) if font >= _SMALLEST_FONT else ():
        place = (x[node] + 0.06, y[node] - _SIDE / 2 - 0.06)  # beside the edge to children
        axes.text(*place, f"+{drawing.n_hidden[node]}", va="top", fontsize=font, color="0.35")
    n_drawn, n_nodes = len(x), drawing.n_nodes
    if n_drawn < n_nodes:
        text = f"{n_drawn} of {n_nodes} nodes, {n_nodes - n_drawn} hidden"
        axes.set_title(text, fontsize="medium", color="0.35")

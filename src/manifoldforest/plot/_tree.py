"""One tree of a forest: its splits, and what its leaves say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.inspection._atoms import atom_of
from manifoldforest.inspection._node_outcomes import Outcomes, outcomes_of, weight_text
from manifoldforest.inspection._tree_view import TreeView
from manifoldforest.validation._rules import boolean, check_argument, integer

from ._atom_picture import AtomPicture, draw_picture, size_in
from ._atoms import names_of, picture_of_split
from ._rules import AXES
from ._style import class_colors, new_axes, pyplot
from ._tree_drawing import (
    MAX_LEGEND,
    Places,
    draw_class_legend,
    draw_edges,
    points_per_unit,
    short,
)
from ._tree_layout import tidy_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GAP = 0.42  # between levels, where neighbours of one are 1 apart
_WIDTH = 0.94  # of a node, likewise
_SIDE = 0.62  # of a picture, likewise
_BAR = 0.13  # height of class shares, likewise
_LINE = 0.125  # height of a line of text, likewise
_PAD = 0.07  # around text in a frame, likewise
_LETTERS = 20  # of a line
_MAX_LINES = 4
_LARGEST = 0.104  # font
_INCH = 1.3  # of a unit, in a new figure


def tree(
    forest: Any,
    tree: int = 0,
    ax: Axes | None = None,
    *,
    max_depth: int = 3,
    feature_names: Sequence[str] | None = None,
    output: int = 0,
    legend: bool = True,
) -> Axes:
    """Draw one tree of a forest, from its root down to some depth.

    A split on a patch or a direction is a little picture of the features that it adds (blue) or
    subtracts (orange), a split on columns of a table is their sum. Examples of which the condition
    is true go to the left. Leaves show the shares of the classes of their training rows, or the
    number that they predict. Where the picture ends above the leaves, the last nodes are drawn like
    leaves, with the number of nodes below them.

    Parameters
    ----------
    forest : fitted forest
        Where the tree is from.
    tree : int, default=0
        Which tree of the forest.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of a suitable size if not given.
    max_depth : int, default=3
        Deepest level that is drawn; the root is level 0.
    feature_names : sequence of str, optional
        Names of the features. By default `feature_names_in_`, if the forest has it.
    output : int, default=0
        Which output to show in the leaves, where a forest predicts several.
    legend : bool, default=True
        Whether to add a legend of the classes, if there are at most 12.

    Returns
    -------
    ax : matplotlib Axes
        Neighbours on a level are 1 apart; pictures of splits are ``ax.images``.

    See Also
    --------
    atoms : on what the splits of all trees look most.
    boundary_tree : the same for boundary forests.

    Notes
    -----
    Leaves of boosted forests, and of those with ``refine=True``, hold scores, which are added up
    over all trees: the class with the largest one is written. Leaves of forests for responses on
    manifolds hold nothing but training rows.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> forest = mf.ForestClassifier(1, projection="axis", bootstrap=False).fit(X, y)
    >>> ax = mf.plot.tree(forest, feature_names=["age"])
    >>> [text.get_text() for text in ax.texts]
    ['yes', 'no', 'age ≤ 1.5', 'a: 100 %', '2 rows', 'b: 100 %', '2 rows']
    """
    check_argument("ax", ax, AXES)
    names = names_of(forest, feature_names)
    check_argument("tree", tree, integer(0, len(forest) - 1))
    check_argument("max_depth", max_depth, integer(0))
    check_argument("output", output, integer(0, forest.n_outputs_ - 1))
    check_argument("legend", legend, boolean)
    drawing = _drawing(forest, int(tree), names, int(max_depth), int(output))
    x, top, height = _layout(drawing)
    width, depth = _extent(x, top - height)
    if ax is None:
        inch = min(_INCH, 18.0 / width)
        axes = new_axes((max(3.5, inch * width), inch * depth + 0.9))
    else:
        axes = ax
    axes.set(xlim=(-0.55, width - 0.55), ylim=(0.06 - depth, 0.06), aspect="equal")
    axes.set_axis_off()
    letters = max(node.letters for node in drawing.nodes)
    font = min(10.0, min(_LARGEST, _WIDTH / (0.56 * letters)) * points_per_unit(axes))
    turn = top + 0.55 * _GAP
    draw_edges(axes, x, top, drawing.parent, turn, top=top, bottom=top - height - 0.02)
    _label_root(axes, x, turn, drawing.parent, font)
    for place, node in enumerate(drawing.nodes):
        node.draw(axes, float(x[place]), float(top[place]), font)
    if len(drawing.nodes) < drawing.n_nodes:
        title = f"{len(drawing.nodes)} of {drawing.n_nodes} nodes"
        axes.set_title(title, fontsize="medium", color="0.35")
    classes = drawing.classes
    if legend and classes is not None and len(classes) <= MAX_LEGEND:
        draw_class_legend(axes, classes)
    return axes


def tree_size(forest: Any, number: int, max_depth: int) -> tuple[float, float]:
    """Return how wide and high the picture of a tree is, where neighbours are 1 apart."""
    drawing = _drawing(forest, number, names_of(forest, None), max_depth, 0)
    x, top, height = _layout(drawing)
    return _extent(x, top - height)


def _layout(drawing: _Drawing) -> tuple[Places, Places, Places]:
    """Return the middles, tops and heights of nodes."""
    x, depth = tidy_layout(drawing.parent)
    height = np.array([node.height for node in drawing.nodes])
    return x, -(height.max() + _GAP) * depth.astype(np.float64), height


def _extent(x: Places, bottom: Places) -> tuple[float, float]:
    return float(x.max()) + 1.1, 0.11 - float(bottom.min())


# ------------------------------------------------------------------------------ what is drawn


class _Node:
    """A node that can be drawn below a point."""

    @property
    def height(self) -> float:
        """Height, where neighbours on a level are 1 apart."""
        raise NotImplementedError

    @property
    def letters(self) -> int:
        """Letters of the longest line."""
        raise NotImplementedError

    def draw(self, axes: Axes, x: float, top: float, font: float) -> None:
        """Draw the node, its middle at x."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Drawing:
    """The nodes that are drawn, parents before children."""

    parent: NDArray[np.int64]
    nodes: list[_Node]
    classes: NDArray[Any] | None  # whose colours appear
    n_nodes: int  # of the whole tree


def _drawing(
    forest: Any, number: int, names: list[str] | None, max_depth: int, output: int
) -> _Drawing:
    model = forest._model
    view: TreeView = model.tree_view(number)
    drawn = np.flatnonzero(view.depth <= max_depth)
    place = np.full(view.n_nodes, -1)
    place[drawn] = np.arange(len(drawn))
    parent = np.full(view.n_nodes, -1)
    splits = np.flatnonzero(view.left)
    parent[view.left[splits]] = parent[view.right[splits]] = splits
    outcomes = outcomes_of(forest, view, output)
    n_below = _descendants(view, parent)
    nodes: list[_Node] = []
    for node in drawn:
        if view.left[node] and view.depth[node] < max_depth:
            nodes.append(_split(model, number, view, int(node), names))
        else:
            nodes.append(_end(outcomes, int(node), view, int(n_below[node])))
    above = parent[drawn]
    return _Drawing(
        parent=np.where(above < 0, -1, place[above]),
        nodes=nodes,
        classes=outcomes.classes if outcomes.kind == "shares" else None,
        n_nodes=view.n_nodes,
    )


def _descendants(view: TreeView, parent: NDArray[np.int64]) -> NDArray[np.int64]:
    count = np.zeros(view.n_nodes, dtype=np.int64)
    for node in np.argsort(-view.depth, kind="stable"):  # children before parents
        if parent[node] >= 0:
            count[parent[node]] += count[node] + 1
    return count


# -------------------------------------------------------------------------------- splits


@dataclass(frozen=True)
class _TextSplit(_Node):
    """A sum of columns, in a frame."""

    lines: list[str]

    @property
    def height(self) -> float:
        return _LINE * len(self.lines) + 2 * _PAD

    @property
    def letters(self) -> int:
        return max(map(len, self.lines)) + 1

    def draw(self, axes: Axes, x: float, top: float, font: float) -> None:
        _draw_box(axes, x, top, self.height, facecolor="white", edgecolor="0.6")
        middle = top - self.height / 2
        text = "\n".join(self.lines)
        axes.text(x, middle, text, fontsize=font, linespacing=1.2, va="center", **_TEXT)


@dataclass(frozen=True)
class _PictureSplit(_Node):
    """A picture, with the threshold below it."""

    picture: AtomPicture
    lines: list[str]

    @property
    def size(self) -> tuple[float, float]:
        return size_in(self.picture, _SIDE)

    @property
    def height(self) -> float:
        return self.size[1] + _LINE * len(self.lines) + 0.06

    @property
    def letters(self) -> int:
        return max(map(len, self.lines))

    def draw(self, axes: Axes, x: float, top: float, font: float) -> None:
        draw_picture(axes, self.picture, x, top, self.size)
        text, below = "\n".join(self.lines), top - self.size[1] - 0.04
        axes.text(x, below, text, fontsize=font, linespacing=1.2, va="top", **_TEXT)


def _split(model: Any, number: int, view: TreeView, node: int, names: list[str] | None) -> _Node:
    threshold = f"≤ {float(view.threshold[node]):.4g}".replace("-", "−")
    picture = picture_of_split(model, number, node)
    if picture is None:
        atom = atom_of(model, number, node)
        terms = atom.terms(names) if atom.words is None else atom.words.split()
        return _TextSplit(_lines(terms, threshold))
    what = "weighted sum" if picture.is_signed else "sum"
    if np.count_nonzero(picture.weights) == 1:
        what = "value"
    note = [picture.note] if picture.note else []
    return _PictureSplit(picture, [*note, f"{what} {threshold}"])


def _lines(terms: list[str], threshold: str) -> list[str]:
    """Return a sum and its threshold in short lines; a sign stays with its summand."""
    lines = [""]
    for term in [short(term, _LETTERS) for term in terms]:
        together = f"{lines[-1]} {term}".strip()
        if len(together) <= _LETTERS:
            lines[-1] = together
        else:
            lines.append(term)
    lines = [line for line in lines if line] or ["0"]
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], f"+ … ({len(terms)} in all)"]
    last = f"{lines[-1]} {threshold}"
    return [*lines[:-1], last] if len(last) <= _LETTERS else [*lines, threshold]


# -------------------------------------------------------------------------------- ends


@dataclass(frozen=True)
class _End(_Node):
    """A leaf, or a node whose subtree is not drawn."""

    text: str  # what the node says
    remarks: list[str]  # rows, nodes below
    shares: NDArray[np.float64]  # of classes; empty if there are none
    fill: Any  # colour of a frame around the text; None if there is none

    @property
    def height(self) -> float:
        if len(self.shares):
            head = _BAR + 0.04 + _LINE
        elif self.fill is not None:
            head = _LINE + 2 * _PAD + 0.03
        else:
            head = _LINE if self.text else 0.0
        return head + _LINE * len(self.remarks) + 0.02

    @property
    def letters(self) -> int:
        return max(len(self.text), *map(len, self.remarks))

    def draw(self, axes: Axes, x: float, top: float, font: float) -> None:
        below = top
        if self.fill is not None:
            height = _LINE + 2 * _PAD
            _draw_box(axes, x, top, height, facecolor=self.fill, edgecolor="0.6")
            axes.text(x, top - height / 2, self.text, fontsize=font, va="center", **_TEXT)
            below -= height + 0.03
        else:
            if len(self.shares):
                _draw_shares(axes, x, top, self.shares)
                below -= _BAR + 0.04
            if self.text:
                axes.text(x, below, self.text, fontsize=font, va="top", **_TEXT)
                below -= _LINE
        style = {**_TEXT, "color": "0.4", "fontsize": 0.92 * font, "linespacing": 1.2}
        axes.text(x, below, "\n".join(self.remarks), va="top", **style)


def _end(outcomes: Outcomes, node: int, view: TreeView, n_below: int) -> _End:
    remarks = [weight_text(float(view.weight[node]))]
    if n_below:
        remarks.append(f"+ {n_below} nodes")
    fill: Any = None
    if outcomes.kind == "numbers":
        fill = _tint(outcomes, node)
    elif outcomes.kind == "scores":
        fill = "0.96"
    text = short(outcomes.text(node), _LETTERS + 2)
    return _End(text, remarks, outcomes.shares(node), fill)


def _tint(outcomes: Outcomes, node: int) -> tuple[float, float, float]:
    """Return a light colour that tells how large a number is among those of the tree."""
    low, high = outcomes.range
    number = outcomes.number(node)
    share = (number - low) / (high - low) if high > low else 0.5
    red, green, blue, _ = pyplot().get_cmap("Blues")(0.05 + 0.4 * min(max(share, 0.0), 1.0))
    return (red, green, blue)


# -------------------------------------------------------------------------------- how it is drawn

_TEXT: dict[str, Any] = {"ha": "center", "zorder": 3, "parse_math": False}


def _draw_box(axes: Axes, x: float, top: float, height: float, **style: Any) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = (x - _WIDTH / 2, top - height)
    box = FancyBboxPatch(corner, _WIDTH, height, "round,pad=0,rounding_size=0.05", zorder=2)
    box.set(linewidth=0.8, **style)
    axes.add_patch(box)


def _draw_shares(axes: Axes, x: float, top: float, shares: NDArray[np.float64]) -> None:
    """Draw a bar that is divided among the classes."""
    from matplotlib.patches import Rectangle

    ends = np.concatenate([[0.0], np.cumsum(shares)])
    for k, color in enumerate(class_colors(len(shares))):
        if shares[k] > 0:
            left = x + _WIDTH * (ends[k] - 0.5)
            part = Rectangle((left, top - _BAR), _WIDTH * shares[k], _BAR, zorder=2)
            part.set(facecolor=color, linewidth=0)
            axes.add_patch(part)


def _label_root(
    axes: Axes, x: Places, turn: Places, parent: NDArray[np.int64], font: float
) -> None:
    """Write "yes" and "no" at the edges of the root."""
    for child, word in zip(np.flatnonzero(parent == 0), ("yes", "no"), strict=False):
        middle = (x[child] + x[0]) / 2
        style: dict[str, Any] = {"ha": "center", "va": "bottom", "color": "0.4"}
        axes.text(middle, turn[child] + 0.02, word, fontsize=font, **style)

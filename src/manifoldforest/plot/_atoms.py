"""The atoms on which a forest splits most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from manifoldforest.inspection._atoms import atom_of, leading_atoms
from manifoldforest.inspection._node_outcomes import small_percent
from manifoldforest.inspection._tree_view import read_names
from manifoldforest.validation._rules import Rule, check_argument, integer, none, one_of

from ._atom_picture import AtomPicture, draw_picture, picture_of, size_in
from ._rules import AXES, COLOR
from ._style import COLORS, new_axes
from ._tree_drawing import points_per_unit, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOREST = Rule(
    "a fitted forest",
    lambda value: not isinstance(value, type) and hasattr(value, "feature_usage_"),
)
_KINDS = {"gain": "share of the gain of all splits", "usage": "share of all splits"}
_SIDE = 0.86  # of a picture, where neighbours are 1 apart
_CAPTION = 0.17  # height of a line below a picture, likewise
_MAX_LETTERS = 60  # of a sum


def atoms(
    forest: Any,
    n: int = 12,
    ax: Axes | None = None,
    *,
    kind: Literal["gain", "usage"] = "gain",
    columns: int = 6,
    feature_names: Sequence[str] | None = None,
    color: str | None = None,
) -> Axes:
    """Draw the atoms on which a forest splits most: patches, directions, sums of features.

    Where features have a place, each atom is a little picture: features that it adds are blue,
    those that it subtracts are orange, the stronger the larger their weight. Sums of a few columns
    of a table are written out beside bars that show their shares. Splits on the same atom, with
    whatever threshold, count together.

    Parameters
    ----------
    forest : fitted forest
        Where the atoms are from.
    n : int, default=12
        Largest number of atoms.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of a suitable size if not given.
    kind : {"gain", "usage"}, default="gain"
        Which atoms come first: those whose splits together gain most, or those that most splits
        have. The share in all splits of the forest is written at each.
    columns : int, default=6
        Pictures beside each other.
    feature_names : sequence of str, optional
        Names of the columns of a table. By default `feature_names_in_`, if the forest has it.
    color : str, optional
        Colour of the bars.

    Returns
    -------
    ax : matplotlib Axes
        Each picture is one of ``ax.images``, or each bar one of ``ax.patches``.

    See Also
    --------
    tree : one tree with its splits.
    importance_map : how much each feature matters in all splits together.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_bars(50, random_state=0)
    >>> forest = mf.ForestClassifier(5, projection="patches", random_state=0).fit(X, y)
    >>> ax = mf.plot.atoms(forest, n=8)
    >>> len(ax.images)
    8
    """
    check_argument("ax", ax, AXES)
    check_argument("n", n, integer(1))
    check_argument("kind", kind, one_of(*_KINDS))
    check_argument("columns", columns, integer(1))
    check_argument("color", color, COLOR | none)
    names = names_of(forest, feature_names)
    model = forest._model
    ranked = leading_atoms(model, int(n), kind)
    pictures = [picture_of_split(model, atom.tree, atom.node) for atom in ranked]
    drawn = [picture for picture in pictures if picture is not None]
    shares = [atom.share for atom in ranked]
    if len(drawn) == len(ranked):
        axes = _draw_mosaic(ax, drawn, shares, int(columns))
    else:
        texts = [sum_text(model, atom.tree, atom.node, names) for atom in ranked]
        axes = new_axes((7.0, 0.7 + 0.3 * len(texts))) if ax is None else ax
        _draw_bars(axes, texts, shares, color or COLORS["SPORF"])
    axes.set_title(
        _KINDS[kind] if ranked else "no tree has a split", fontsize="medium", color="0.35"
    )
    return axes


def names_of(forest: Any, feature_names: Any) -> list[str] | None:
    """Return the names of the features of a fitted forest, or raise an error."""
    if hasattr(forest, "fit") and not isinstance(forest, type):
        check_is_fitted(forest)
    check_argument("forest", forest, FOREST)
    if feature_names is None:
        own = getattr(forest, "feature_names_in_", None)
        return None if own is None else [str(name) for name in own]
    names = read_names(feature_names)
    if len(names) != forest.n_features_in_:
        raise ValueError(
            f"feature_names must have one name for each of the {forest.n_features_in_} features, "
            f"got {len(names)}"
        )
    return names


def picture_of_split(model: Any, tree: int, node: int) -> AtomPicture | None:
    """Return the picture of the atom of a split; None if it is a sum to be written."""
    atom = atom_of(model, tree, node)
    view = model.geometry.views[atom.view][0] if atom.view >= 0 else None
    return picture_of(atom, view)


def sum_text(model: Any, tree: int, node: int, names: list[str] | None) -> str:
    """Return the atom of a split in words."""
    atom = atom_of(model, tree, node)
    if atom.is_patch:
        return short(model.atom_text(tree, node), _MAX_LETTERS)
    return short(" ".join(atom.terms(names)), _MAX_LETTERS)


def _draw_bars(axes: Axes, texts: list[str], shares: list[float], color: str) -> None:
    places = np.arange(len(texts))
    axes.barh(places, shares, height=0.62, color=color)
    axes.set_yticks(places, texts, parse_math=False)
    axes.set_ylim(len(texts) - 0.4, -0.6)
    axes.set_xlim(0, 1.18 * max(shares, default=1.0))
    for place, share in zip(places, shares, strict=True):
        axes.annotate(
            small_percent(share),
            (share, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
            color="0.35",
        )
    axes.set_xticks([])
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.spines["left"].set_color("0.7")


def mosaic_size(pictures: list[AtomPicture], columns: int) -> tuple[float, float]:
    """Return how wide and high pictures are together, where neighbours are 1 apart."""
    across = max(min(columns, len(pictures)), 1)
    down = -(-max(len(pictures), 1) // across)
    return float(across), down * _row_height(pictures) + 0.04


def _row_height(pictures: list[AtomPicture]) -> float:
    """Return the height of the highest picture with its caption."""
    highest = max((size_in(picture, _SIDE)[1] for picture in pictures), default=_SIDE)
    return highest + (2 if any(picture.note for picture in pictures) else 1) * _CAPTION + 0.12


def _draw_mosaic(
    ax: Axes | None, pictures: list[AtomPicture], shares: list[float], columns: int
) -> Axes:
    """Draw pictures in rows, each with its caption below."""
    across, down = mosaic_size(pictures, columns)
    row = _row_height(pictures)
    axes = new_axes((1.3 * across + 0.2, 1.3 * down + 0.4)) if ax is None else ax
    axes.set(xlim=(-0.5, across - 0.5), ylim=(0.04 - down, 0.04), aspect="equal")
    axes.set_axis_off()
    font = min(9.0, 0.11 * points_per_unit(axes))
    for place, (picture, share) in enumerate(zip(pictures, shares, strict=True)):
        size = size_in(picture, _SIDE)
        x, top = place % int(across), -row * (place // int(across))
        draw_picture(axes, picture, x, top, size)
        caption = small_percent(share)
        if picture.note:
            caption = f"{picture.note}\n{caption}"
        style: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": font, "color": "0.25"}
        axes.text(x, top - size[1] - 0.04, caption, linespacing=1.15, **style)
    return axes

"""The error of a forest over the number of its trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from manifoldforest._fitted_state import snapshot
from manifoldforest.validation._rules import Rule, check_argument

from ._rules import AXES
from ._style import COLORS, import_matplotlib, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from manifoldforest.inspection._error_over_trees import TreeErrors

_FOREST = Rule(
    "a forest of trees that were grown for classes, numbers or responses",
    lambda value: not isinstance(value, type) and hasattr(value, "_tree_errors"),
)
_COLOR = {
    "out of bag": COLORS["SPORF"],
    "training": COLORS["RF"],
    "held out": COLORS["SPORF"],
    "given examples": COLORS["MORF"],
}


def error_over_trees(
    forest: Any,
    X: Any = None,
    y: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the error of the first trees of a forest over their number.

    A curve that is flat at its end says that more trees would change little.

    Parameters
    ----------
    forest : fitted forest
        Its first trees are asked in turn; nothing is fitted again. The error is the share of wrong
        labels (in any output), the root mean squared error of numbers (all outputs together), or
        the root mean squared distance of responses of a metric space. Of a boosted forest it is
        the loss after each round, of the rows that it learned from and of those that it held out.
    X, y : array-like, optional
        Examples and what is true of them. Without them each training row is predicted by those of
        the first trees that have not seen it, which needs a forest that keeps its samples
        (``keep_samples``); rows that all of them have seen are left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given. A second call with the same axes adds a curve.

    Returns
    -------
    ax : matplotlib Axes
        One line for each kind of rows. A dotted line marks the last tree that a boosted forest
        keeps, if it grew more.

    Notes
    -----
    Of responses in a metric space every number of trees takes a whole prediction: about 16 numbers
    are tried, and shown as markers.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_trunk(300, n_features=10, random_state=0)
    >>> forest = mf.ForestClassifier(50, random_state=0).fit(X[:200], y[:200])
    >>> ax = mf.plot.error_over_trees(forest)
    >>> ax = mf.plot.error_over_trees(forest, X[200:], y[200:], ax=ax)
    >>> [line.get_label() for line in ax.lines]
    ['out of bag', 'given examples']
    """
    import_matplotlib("axes")
    check_argument("forest", forest, _FOREST)
    check_argument("ax", ax, AXES)
    check_is_fitted(forest)
    if (X is None) != (y is None):
        missing, given = ("y", "X") if y is None else ("X", "y")
        raise ValueError(f"{missing} must be given together with {given}, got None")
    errors: TreeErrors = snapshot(forest)._tree_errors(X, y)

    axes = new_axes((6.4, 4.8)) if ax is None else ax
    draw_tree_errors(axes, errors, boosted=hasattr(forest, "train_loss_"))
    return axes


def draw_tree_errors(axes: Axes, errors: TreeErrors, *, boosted: bool) -> None:
    """Draw errors over the number of trees, or losses over that of rounds."""
    sparse = len(errors.n_trees) < errors.n_trees[-1] or len(errors.n_trees) == 1
    for name, curve in errors.curves.items():
        known = np.isfinite(curve)
        axes.plot(
            errors.n_trees[known],
            curve[known],
            color=_COLOR[name],
            linewidth=1.6,
            marker="o" if sparse else None,
            markersize=4,
            label=name,
        )
    if errors.n_kept is not None:
        axes.axvline(
            errors.n_kept, color="0.4", linestyle=":", linewidth=1.2, label="last tree kept"
        )
    if not boosted:
        axes.set_ylim(bottom=0, auto=True)  # a further curve may be higher
    axes.set(xlabel="rounds" if boosted else "trees", ylabel=errors.measure)
    axes.xaxis.set_major_locator(import_matplotlib("ticker").MaxNLocator(integer=True))
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(framealpha=0.9, edgecolor="none")

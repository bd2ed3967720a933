"""How many examples boundary trees keep of those they have seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from manifoldforest.validation._arrays import as_numbers
from manifoldforest.validation._rules import Rule, boolean, check_argument, shown

from ._rules import AXES
from ._style import colors_of, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PER_DECADE = 20  # numbers of examples at which nodes are counted
_DECADES = 2  # the last ones give the slope
_FOREST = Rule(
    "a boundary forest or a mapping of str to these",
    lambda value: hasattr(value, "n_passes_") and hasattr(value, "n_seen_"),
)


def boundary_growth(
    forests: Any,
    ax: Axes | None = None,
    *,
    published: Iterable[tuple[float, float]] | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the number of nodes of boundary trees over the number of examples they have seen.

    Where classes meet along a smooth border in the plane, a tree keeps about the square root of
    the examples: on two logarithmic scales a line of slope 0.5.

    Parameters
    ----------
    forests : fitted boundary forest, or mapping of str to these
        Forests by name, trained online, that is in one pass. The line is the mean of the trees of
        a forest, the band reaches from the smallest to the largest tree.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    published : iterable of (n_seen, n_nodes), optional
        Numbers to compare with, drawn as hollow markers.
    legend : bool, default=True
        Whether to add a legend, with the slope of each line over the last two decades.

    Returns
    -------
    ax : matplotlib Axes
        Both scales are logarithmic.

    Notes
    -----
    Nothing is trained: a tree knows which examples it keeps, so it knows how many nodes it had
    after each of them. The curve begins when every tree has a root.

    Examples
    --------
    >>> import numpy as np
    >>> import manifoldforest as mf
    >>> X = np.random.default_rng(0).random((2000, 2))
    >>> y = X[:, 1] > 0.5 + 0.25 * np.sin(6 * X[:, 0])
    >>> forest = mf.BoundaryForestClassifier(5).fit(X, y)
    >>> ax = mf.plot.boundary_growth(forest)
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    check_argument("ax", ax, AXES)
    check_argument("legend", legend, boolean)
    named = forests if isinstance(forests, Mapping) else {"nodes": forests}
    curves = {name: _growth(forest) for name, forest in named.items()}
    colors = colors_of(list(curves))
    points = None if published is None else _published(published)

    axes = new_axes() if ax is None else ax
    for name, (n_seen, n_nodes) in curves.items():
        mean = n_nodes.mean(axis=1)
        slope = _slope(n_seen, mean)
        label = name if slope is None else f"{name}, slope {slope:.2f}"
        if n_nodes.shape[1] > 1:
            axes.fill_between(
                n_seen,
                n_nodes.min(axis=1),
                n_nodes.max(axis=1),
                color=colors[name],
                alpha=0.18,
                linewidth=0,
            )
        axes.plot(n_seen, mean, color=colors[name], linewidth=1.8, label=label)
    if points is not None:
        axes.plot(
            *points.T,
            label="published",
            linestyle="none",
            marker="o",
            markersize=8,
            markerfacecolor="none",
            markeredgecolor="black",
            markeredgewidth=1.2,
        )
    axes.set(xscale="log", yscale="log", xlabel="examples seen", ylabel="nodes of a tree")
    axes.grid(color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(frameon=False)
    return axes


def _growth(forest: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return numbers of examples seen, and of nodes then, one column for each tree."""
    if hasattr(forest, "fit"):
        check_is_fitted(forest)
    check_argument("forests", forest, _FOREST)
    if forest.n_passes_ > 1:
        raise ValueError(
            "forests must have been trained in one pass (passes=1): it is not known when a node "
            f"was added in later ones, got n_passes_={forest.n_passes_}"
        )
    total, trees = int(forest.n_seen_), forest.trees_
    first = min(len(trees), total)  # before, trees are made anew with every example
    n_steps = 2 + int(_PER_DECADE * np.log10(total / first))
    n_seen = np.unique(np.geomspace(first, total, n_steps).round().astype(np.int64))
    kept = [np.sort(tree.example) for tree in trees]
    return n_seen, np.stack([np.searchsorted(examples, n_seen) for examples in kept], axis=1)


def _slope(n_seen: NDArray[np.int64], n_nodes: NDArray[np.float64]) -> float | None:
    """Return the exponent of the growth by least squares; None of fewer than two numbers."""
    late = n_seen >= n_seen[-1] / 10**_DECADES
    if np.count_nonzero(late) < 2:
        return None
    return float(np.polyfit(np.log(n_seen[late]), np.log(n_nodes[late]), 1)[0])


def _published(published: Iterable[tuple[float, float]]) -> NDArray[np.float64]:
    expected = "pairs (n_seen, n_nodes) of numbers"
    points = as_numbers(published, "published", expected).astype(np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not (points > 0).all():
        raise ValueError(f"published must be {expected}, got {shown(published)}")
    return points

"""Between which numbers a response lies, over one feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from manifoldforest.validation._rules import (
    Rule,
    check_argument,
    integer,
    real,
    sequence_of,
)

from ._panels import checked
from ._rules import AXES
from ._style import COLORS, import_matplotlib, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_PLACES = 40  # along the feature; more are averaged
_FOREST = Rule(
    "a fitted forest that has predict_quantiles",
    lambda value: not isinstance(value, type) and hasattr(value, "predict_quantiles"),
)
_PROBABILITIES = sequence_of(real("(0, 1)"), at_least=2)
_QUANTILES = Rule(
    "two or more ascending numbers in (0, 1)",
    lambda value: _PROBABILITIES.admits(value),
    lambda value: _PROBABILITIES.accepts(value) and all(np.diff(np.asarray(value)) > 0),
)


def quantile_band(
    forest: Any,
    X: Any,
    y: Any = None,
    feature: int | str = 0,
    quantiles: Sequence[float] = (0.05, 0.5, 0.95),
    ax: Axes | None = None,
) -> Axes:
    """Draw quantiles of the predicted distribution of a response over one feature.

    Parameters
    ----------
    forest : fitted ForestRegressor
        A forest of one output that has kept its samples: its `predict_quantiles` is asked.
    X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
        Examples. Other features than the one that is drawn keep the values they have there, and
        make the edges of the band rough where they matter.
    y : array-like of shape (n_samples,), optional
        True numbers, drawn as points. The legend then tells how many of them lie in the band; for
        examples that the forest has not seen, that should be about what the quantiles promise.
    feature : int or str, default=0
        The feature along the horizontal axis: its place in the flat example, or its name.
    quantiles : sequence of float, default=(0.05, 0.5, 0.95)
        Ascending probabilities. Bands reach from the first to the last, from the second to the
        second last, and so on; a line shows the middle one if their number is odd.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib Axes
        Quantiles are means over examples with the same value of the feature, and over neighbours
        where there are more than 40 different ones.

    Examples
    --------
    >>> import numpy as np
    >>> import manifoldforest as mf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 6, size=(400, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * X[:, 0] * rng.normal(size=400)
    >>> forest = mf.ForestRegressor(50, min_samples_leaf=5, random_state=0).fit(X[::2], y[::2])
    >>> ax = mf.plot.quantile_band(forest, X[1::2], y[1::2])
    >>> len(ax.lines), len(ax.collections)
    (1, 2)
    """
    import_matplotlib("axes")
    check_argument("forest", forest, _FOREST)
    check_argument("quantiles", quantiles, _QUANTILES)
    check_argument("ax", ax, AXES)
    check_is_fitted(forest)
    if forest.n_outputs_ != 1:
        raise ValueError(f"forest must have one output, got {forest.n_outputs_}")
    column, name = _feature(forest, feature)
    predicted = np.asarray(forest.predict_quantiles(X, list(map(float, quantiles))))
    places = _numbers_of(X, column, len(predicted))
    truth = None if y is None else checked("y", y, (len(predicted),))
    known = ~np.isnan(places)
    if not known.any():
        raise ValueError(f"X must have values of feature {feature!r}, got missing ones only")
    x, means = _along(places[known], predicted[known])

    axes = new_axes((6.4, 4.8)) if ax is None else ax
    color, n = COLORS["SPORF"], len(quantiles)
    if truth is not None:
        axes.scatter(
            places[known], truth[known], s=8, color="0.25", alpha=0.5, linewidths=0, label="y"
        )
    for k in range(n // 2):
        low, high = k, n - 1 - k
        label = f"{quantiles[low]:g} to {quantiles[high]:g}"
        if truth is not None:
            inside = (truth >= predicted[:, low]) & (truth <= predicted[:, high])
            label += f", holds {inside.mean():.0%} of y"
        axes.fill_between(
            x, means[:, low], means[:, high], color=color, alpha=0.22, linewidth=0, label=label
        )
    if n % 2:
        label = "median" if quantiles[n // 2] == 0.5 else f"{quantiles[n // 2]:g}"
        axes.plot(x, means[:, n // 2], color=color, linewidth=1.8, label=label)
    axes.set(xlabel=name, ylabel="response")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(framealpha=0.9, edgecolor="none", markerscale=2)
    return axes


def _feature(forest: Any, feature: Any) -> tuple[int, str]:
    """Return the place of a feature in the flat example, and its name."""
    names = getattr(forest, "feature_names_in_", None)
    if isinstance(feature, str):
        known = [] if names is None else list(names)
        if feature not in known:
            raise ValueError(
                "feature must be the name of a column that the forest was fitted on, or its "
                f"place, got {feature!r}"
            )
        return known.index(feature), feature
    n_features = int(forest.n_features_in_)
    check_argument("feature", feature, integer(0, n_features - 1))
    return int(feature), f"feature {feature}" if names is None else str(names[feature])


def _numbers_of(X: Any, column: int, n_rows: int) -> NDArray[np.float64]:
    """Return the values of one feature, which the forest has accepted already."""
    return np.asarray(X, dtype=np.float64).reshape(n_rows, -1)[:, column]


def _along(
    places: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ascending places, and means of the values there."""
    distinct, group = np.unique(places, return_inverse=True)
    if len(distinct) > _MOST_PLACES:
        order = np.argsort(places, kind="stable")
        group = np.empty(len(places), dtype=np.int64)
        group[order] = np.arange(len(places)) * _MOST_PLACES // len(places)
    count = np.bincount(group)
    x = np.bincount(group, places) / count
    means = np.stack([np.bincount(group, column) / count for column in values.T], axis=1)
    return x, means

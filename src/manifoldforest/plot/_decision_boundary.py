"""What a classifier says about the points of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from manifoldforest.validation._arrays import as_array, as_numbers
from manifoldforest.validation._rules import (
    Rule,
    boolean,
    check_argument,
    integer,
    none,
    one_of,
    real,
    sequence_of,
)

from ._rules import AXES
from ._style import class_codes, class_colors, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PALE = 0.32  # share of a class's colour in its region; the rest is white
_MAX_LEGEND = 12  # classes

_CLASSIFIER = Rule(
    "a fitted classifier", lambda value: hasattr(value, "predict") and hasattr(value, "fit")
)
_NUMBERS = sequence_of(real("(-inf, inf)"))
_LIMITS = Rule(
    "(left, right, bottom, top) with left < right and bottom < top",
    _NUMBERS.admits,
    lambda value: (
        len(value) == 4 and _NUMBERS.accepts(value) and value[0] < value[1] and value[2] < value[3]
    ),
)


def decision_boundary(
    classifier: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    kind: Literal["class", "proba"] = "class",
    limits: Sequence[float] | None = None,
    resolution: int = 200,
    stored: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw the regions of the classes that a classifier finds in the plane.

    Parameters
    ----------
    classifier : fitted classifier
        Any with two features, of this package or not.
    X : array-like of shape (n_samples, 2), optional
        Points to show, drawn small and faint.
    y : array-like of shape (n_samples,), optional
        Their labels; without, they are grey.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    kind : {"class", "proba"}, default="class"
        Whether regions show the predicted class, or colours mixed by `predict_proba`.
    limits : (left, right, bottom, top), optional
        The part of the plane. By default the points that are drawn and a margin.
    resolution : int, default=200
        Number of places at which the classifier is asked, along each axis.
    stored : bool, default=True
        Whether to mark the examples that a boundary forest keeps (`stored_examples_`).
    legend : bool, default=True
        Whether to add a legend of the classes, if there are at most 12.

    Returns
    -------
    ax : matplotlib Axes
        The regions are ``ax.images[0]``.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> forest = mf.ForestClassifier(10, random_state=0).fit(X, y)
    >>> ax = mf.plot.decision_boundary(forest, X, y, resolution=50)
    >>> ax.images[0].get_array().shape
    (50, 50, 3)
    """
    check_argument("classifier", classifier, _CLASSIFIER)
    check_argument("ax", ax, AXES)
    check_argument("kind", kind, one_of("class", "proba"))
    check_argument("limits", limits, _LIMITS | none)
    check_argument("resolution", resolution, integer(2))
    check_argument("stored", stored, boolean)
    check_argument("legend", legend, boolean)
    check_is_fitted(classifier)
    n_features = getattr(classifier, "n_features_in_", 2)
    if n_features != 2:
        raise ValueError(f"classifier must have 2 features, got {n_features}")
    classes = np.asarray(classifier.classes_)
    points = None if X is None else _points(X)
    codes = None if y is None else _codes(y, classes, points)
    kept, kept_codes = _stored(classifier, classes) if stored else (None, None)
    left, right, bottom, top = _limits(limits, [points, kept])

    across = _centres(left, right, resolution)
    upward = _centres(bottom, top, resolution)
    places = np.stack(np.meshgrid(across, upward), axis=-1).reshape(-1, 2)
    colors = class_colors(len(classes))
    pale = 1 - _PALE * (1 - colors)
    if kind == "class":
        regions = pale[class_codes(classes, np.asarray(classifier.predict(places)))]
    else:
        regions = classifier.predict_proba(places) @ pale
    regions = np.clip(regions, 0, 1).reshape(resolution, resolution, 3)

    axes = new_axes() if ax is None else ax
    axes.imshow(
        regions,
        extent=(left, right, bottom, top),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        zorder=0,
    )
    if points is not None:
        own: Any = "0.35" if codes is None else colors[codes]
        x, y_up = points.T
        axes.scatter(x, y_up, s=6, c=own, alpha=0.45, linewidths=0, zorder=1)
    if kept is not None:
        x, y_up = kept.T
        kept_colors = colors[kept_codes]
        axes.scatter(x, y_up, s=30, c=kept_colors, edgecolors="white", linewidths=0.9, zorder=2)
    axes.set(xlim=(left, right), ylim=(bottom, top))
    if ax is None:
        xlabel, ylabel = getattr(classifier, "feature_names_in_", ("feature 0", "feature 1"))
        axes.set(xlabel=xlabel, ylabel=ylabel)
    if legend and len(classes) <= _MAX_LEGEND:
        _draw_legend(axes, classes, colors, stored=kept is not None, seen=points is not None)
    return axes


def _points(X: ArrayLike) -> NDArray[np.float64]:
    expected = "an array of numbers of shape (n_samples, 2)"
    points = as_numbers(X, "X", expected).astype(np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"X must be {expected}, got the shape {points.shape}")
    return points


def _codes(
    y: ArrayLike, classes: NDArray[Any], points: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    labels = as_array(y, "y", "an array of labels")
    if points is None or labels.shape != (len(points),):
        n = "no" if points is None else len(points)
        raise ValueError(f"y must have one label for each row of X, got {labels.shape} for {n}")
    codes = class_codes(classes, labels)
    if (classes[codes] != labels).any():
        unknown = labels[classes[codes] != labels][0]
        raise ValueError(f"y must hold labels that the classifier knows, got {unknown!r}")
    return codes


def _stored(
    classifier: Any, classes: NDArray[Any]
) -> tuple[NDArray[np.float64] | None, NDArray[np.int64] | None]:
    """Return the points that a boundary forest keeps and their classes.

    None of other classifiers, and of forests that keep points of another space (an embedding).
    """
    if not hasattr(classifier, "stored_examples_"):
        return None, None
    examples, labels = classifier.stored_examples_
    if np.shape(examples)[1:] != (2,):
        return None, None
    return _points(examples), class_codes(classes, np.asarray(labels))


def _limits(limits: Sequence[float] | None, drawn: list[Any]) -> tuple[float, float, float, float]:
    if limits is not None:
        left, right, bottom, top = map(float, limits)
        return left, right, bottom, top
    present = [points for points in drawn if points is not None]
    if not present:
        raise ValueError("limits or X must be given: nothing says which part of the plane to draw")
    low = np.min([points.min(axis=0) for points in present], axis=0)
    high = np.max([points.max(axis=0) for points in present], axis=0)
    margin = np.where(high > low, 0.06 * (high - low), 0.5)
    (left, bottom), (right, top) = low - margin, high + margin
    return left, right, bottom, top


def _centres(low: float, high: float, n: int) -> NDArray[np.float64]:
    """Return the centres of n equal parts of an interval: of the pixels that show them."""
    return low + (high - low) * (np.arange(n) + 0.5) / n


def _draw_legend(
    axes: Axes, classes: NDArray[Any], colors: NDArray[np.float64], *, stored: bool, seen: bool
) -> None:
    from matplotlib.lines import Line2D

    style: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 6}
    handles = [
        Line2D([], [], color=color, label=str(name), **style)
        for name, color in zip(classes, colors, strict=True)
    ]
    style |= {"color": "0.4"}
    if stored:
        handles.append(Line2D([], [], label="kept", **style))
    if stored and seen:
        style["markersize"] = 2.5
        handles.append(Line2D([], [], label="seen", alpha=0.6, **style))
    axes.legend(handles=handles, loc="upper right", framealpha=0.85, handletextpad=0.2)

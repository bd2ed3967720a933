"""Whether predicted probabilities are what happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._arrays import as_numbers
from manifoldforest.validation._rules import check_argument, integer

from ._label_arrays import codes_of, read_classes, read_label_array
from ._rules import AXES
from ._style import COLORS, import_matplotlib, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROUNDING = 1e-6  # by which probabilities may leave [0, 1] or their sum 1
_DEVIATES = 1.96  # of a normal variable: about 95 % lie within
_LEGEND_RIGHT, _LEGEND_BOTTOM = 0.65, 0.82  # of the legend in the upper left corner
_BAR_SHARE = 0.22  # height of the largest bar of counts, as a share of the picture


class _Bins(NamedTuple):
    """Bins of predicted probabilities that are not empty."""

    middle: NDArray[np.float64]
    n: NDArray[np.int64]  # examples
    predicted: NDArray[np.float64]  # mean probability
    observed: NDArray[np.float64]  # share of the event

    @property
    def mean_gap(self) -> float:
        """Mean distance between predicted and observed shares, over examples."""
        gaps = np.abs(self.predicted - self.observed)
        return float(np.sum(self.n * gaps) / self.n.sum())

    def interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return Wilson's 95 % intervals of the observed shares."""
        n, z2 = self.n, _DEVIATES**2
        centre = (self.observed + z2 / (2 * n)) / (1 + z2 / n)
        spread = self.observed * (1 - self.observed) / n + z2 / (4 * n**2)
        half = _DEVIATES * np.sqrt(spread) / (1 + z2 / n)
        # the ends are the share itself where it is 0 or 1, but for rounding
        low, high = np.minimum(centre - half, self.observed), np.maximum(centre + half, 0)
        return low, np.maximum(high, self.observed)


def calibration(
    y_true: ArrayLike,
    proba: ArrayLike,
    ax: Axes | None = None,
    *,
    n_bins: int = 10,
    labels: ArrayLike | None = None,
) -> Axes:
    """Draw how often something happens over how probable it was said to be.

    Of two classes the event is the second one, and the probability is that of the second class.
    Of more classes the event is that the most probable class is right, and the probability is the
    largest one (calibration of the confidence). Points on the diagonal are calibrated; below it
    predictions are too sure of the event.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities as of ``predict_proba``, of examples that the forest has not seen; with one
        axis those of the second of two classes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    n_bins : int, default=10
        Number of bins of equal width, over probabilities from 0 to 1.
    labels : array-like of shape (n_classes,), optional
        Classes in the order of the columns, as `classes_`. By default those in `y_true`, ascending,
        of which there must be as many as columns.

    Returns
    -------
    ax : matplotlib Axes
        The points, ``ax.lines[-1]``, have the mean probability of each bin and the share of the
        event in it, with Wilson's 95 % interval. Bars at the bottom are the numbers of examples in
        the bins, with their scale on the right. The legend tells the mean gap: the distance of
        points to the diagonal, mean over examples (expected calibration error).

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_trunk(400, n_features=10, random_state=0)
    >>> forest = mf.ForestClassifier(50, random_state=0).fit(X[:200], y[:200])
    >>> ax = mf.plot.calibration(y[200:], forest.predict_proba(X[200:]))
    >>> ax.get_xlabel()
    'predicted probability of class 1'
    """
    import_matplotlib("axes")
    true = read_label_array("y_true", y_true)
    check_argument("ax", ax, AXES)
    check_argument("n_bins", n_bins, integer(1))
    shares = _read_probabilities(proba, len(true))
    classes = read_classes(labels, true)
    if len(classes) != shares.shape[1]:
        raise ValueError(
            f"labels must name the classes of the {shares.shape[1]} columns of proba, got "
            f"{len(classes)} {'in y_true' if labels is None else 'of them'}"
        )
    codes = codes_of("y_true", true, classes)
    if len(classes) == 2:
        words = f"probability of class {classes[1]}", f"share of class {classes[1]}"
    else:
        words = "probability of the most probable class", "share of right predictions"
    bins = binned(codes, shares, int(n_bins))

    axes = new_axes((5.4, 4.6)) if ax is None else ax
    color = COLORS["SPORF"]
    _draw_counts(axes, bins, 1 / n_bins)
    axes.plot([0, 1], [0, 1], color="0.5", linestyle="--", linewidth=1, label="calibrated")
    low, high = bins.interval()
    axes.vlines(bins.predicted, low, high, color=color, linewidth=1.2, alpha=0.6)
    axes.plot(
        bins.predicted,
        bins.observed,
        color=color,
        marker="o",
        markersize=5,
        linewidth=1.4,
        clip_on=False,
        label=f"observed, mean gap {bins.mean_gap:.3f}",
    )
    axes.set(
        xlim=(0, 1), ylim=(0, 1), xlabel=f"predicted {words[0]}", ylabel=f"observed {words[1]}"
    )
    axes.spines[["top", "right"]].set_visible(False)
    taken = (high > _LEGEND_BOTTOM)[bins.predicted < _LEGEND_RIGHT].any()
    if taken:
        axes.legend(
            framealpha=0.85, edgecolor="none", loc="lower right", bbox_to_anchor=(1, _BAR_SHARE)
        )
    else:
        axes.legend(frameon=False, loc="upper left")
    return axes


def _read_probabilities(proba: Any, n: int) -> NDArray[np.float64]:
    """Return probabilities of two or more classes, rows × classes."""
    expected = "probabilities of shape (n_samples,) or (n_samples, n_classes)"
    shares = as_numbers(proba, "proba", expected).astype(np.float64)
    if shares.ndim == 2 and shares.shape[1] < 2:
        raise ValueError(
            f"proba must have a column for each of two or more classes, got {shares.shape}"
        )
    if shares.ndim not in (1, 2) or len(shares) != n:
        raise ValueError(f"proba must be {expected} with {n} rows, got the shape {shares.shape}")
    if not ((shares >= -_ROUNDING) & (shares <= 1 + _ROUNDING)).all():
        raise ValueError("proba must hold numbers from 0 to 1, got others")
    if shares.ndim == 1:
        return np.stack([1 - shares, shares], axis=1)
    if np.abs(shares.sum(axis=1) - 1).max() > 1e-3:
        raise ValueError("proba must have rows that sum to 1, got others")
    return shares


def binned(codes: NDArray[np.int64], shares: NDArray[np.float64], n_bins: int) -> _Bins:
    """Return the bins of the event: the second of two classes, or that the prediction is right.

    `codes` are the numbers of the true classes, `shares` their probabilities.
    """
    if shares.shape[1] == 2:
        probability, event = shares[:, 1], codes == 1
    else:
        probability, event = shares.max(axis=1), codes == shares.argmax(axis=1)
    place = np.clip((probability * n_bins).astype(np.int64), 0, n_bins - 1)
    count = np.bincount(place, minlength=n_bins)
    some = np.flatnonzero(count)
    sums = [np.bincount(place, values, n_bins)[some] for values in (probability, event)]
    return _Bins((some + 0.5) / n_bins, count[some], *(part / count[some] for part in sums))


def _draw_counts(axes: Axes, bins: _Bins, width: float) -> None:
    """Draw the numbers of examples as bars at the bottom, with a scale on the right."""
    most = int(bins.n.max())
    right = axes.twinx()
    right.bar(bins.middle, bins.n, width=0.94 * width, color="0.86", linewidth=0)
    right.set_ylim(0, most / _BAR_SHARE)
    right.set_yticks([0, most])
    right.tick_params(colors="0.45", labelsize="small")
    right.set_ylabel("examples in bin", color="0.45", fontsize="small", loc="bottom")
    right.spines[["top"]].set_visible(False)
    right.spines[["left", "right", "bottom"]].set_color("0.7")
    # the curve is drawn above the bars
    axes.set_zorder(right.get_zorder() + 1)
    axes.patch.set_visible(False)

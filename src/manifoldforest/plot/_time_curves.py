"""Where in time, and at which frequencies, a forest on series looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from manifoldforest._fitted_state import snapshot
from manifoldforest.inspection import TimeCurves
from manifoldforest.inspection import time_curves as curves_of
from manifoldforest.validation._arrays import as_numbers
from manifoldforest.validation._rules import (
    boolean,
    check_argument,
    integer,
    none,
    one_of,
    sequence_of,
)

from ._importance import checked_names
from ._panels import panel_axes
from ._style import COLORS, class_colors, import_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ONE_COLUMN, _TWO_COLUMNS = (7.0, 1.9), (5.5, 1.9)  # width and height of a panel in inches
_LABEL = {"time": "time", "frequency": "frequency (cycles per point)"}


def time_curves(
    forest: Any,
    X: Any = None,
    ax: Any = None,
    *,
    kinds: Sequence[str] | None = None,
    by_kind: bool = False,
    raw: bool = False,
    channels: Sequence[int] | None = None,
    channel_names: Sequence[str] | None = None,
) -> list[Axes]:
    """Draw the importance of cells of series over time and frequency, channel by channel.

    Parameters
    ----------
    forest : fitted forest
        With a projection that makes cells of series: `Intervals` or `DilatedKernels`.
    X : array-like, optional
        One example, or several, whose mean is drawn in grey behind the curves over time.
    ax : matplotlib Axes or array of them, optional
        Where to draw, one for each panel; a new figure if not given.
    kinds : sequence of str, optional
        Kinds of cells, of those of :func:`manifoldforest.inspection.time_curves` over time and
        frequency; all by default.
    by_kind : bool, default=False
        Whether each kind has a curve of its own, not all of them one.
    raw : bool, default=False
        Whether to draw shares of importance, which are smaller near the ends of a series as fewer
        cells depend on these, in place of importance relative to that of an average cell. A dashed
        line is what equal cells would have.
    channels : sequence of int, optional
        Which channels, the series of an example, are drawn; all by default.
    channel_names : sequence of str, optional
        Titles of these channels; "channel 0", "channel 1" and so on if not given.

    Returns
    -------
    axes : list of matplotlib Axes
        For each channel a panel over time and, if there are cells of spectra, one over frequency
        beside it.

    See Also
    --------
    manifoldforest.inspection.time_curves : gives the numbers.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> series, labels = np.random.default_rng(0).normal(size=(60, 2, 32)), np.repeat([0, 1], 30)
    >>> series[30:, 1, 8:16] += 2
    >>> forest = mf.named_forest("QUANT", n_estimators=20, random_state=0).fit(series, labels)
    >>> axes = mf.plot.time_curves(forest, series[30:])
    >>> [panel.get_xlabel() for panel in axes[-2:]]
    ['time', 'frequency (cycles per point)']
    """
    import_matplotlib("axes")
    check_argument("by_kind", by_kind, boolean)
    check_argument("raw", raw, boolean)
    curves = _curves(forest)
    known = [name for curve in curves for name in curve.kinds]
    check_argument("kinds", kinds, sequence_of(one_of(*known), at_least=1) | none)
    curves = [curve for curve in curves if kinds is None or set(kinds) & set(curve.kinds)]
    n_channels = curves[0].importance.shape[1]
    check_argument("channels", channels, sequence_of(integer(0, n_channels - 1), at_least=1) | none)
    shown = list(range(n_channels)) if channels is None else [int(c) for c in channels]
    titles = _titles(channel_names, shown, n_channels)
    behind = None if X is None else _mean_series(forest, X)

    size = _ONE_COLUMN if len(curves) == 1 else _TWO_COLUMNS
    drawn = [name for name in known if kinds is None or name in kinds]
    colors = dict(zip(drawn, class_colors(len(drawn)).tolist(), strict=True)) if by_kind else {}
    axes = panel_axes(
        ax, len(shown) * len(curves), size=size, of="channels, over time or frequency"
    )
    for column, curve in enumerate(curves):
        panels = axes[column :: len(curves)]
        chosen = [name for name in curve.kinds if kinds is None or name in kinds]
        lines = [_values(curve, [name], raw) for name in chosen] if by_kind else []
        lines = lines or [_values(curve, chosen, raw)]
        hues = {name: colors[name] for name in chosen} if by_kind else {}
        expected = _expected(curve, chosen, raw, by_kind)
        top = max(float(np.nanmax(line[shown])) for line in lines) or 1.0
        for channel, panel in zip(shown, panels, strict=True):
            of_channel = [line[channel] for line in lines]
            _draw_panel(panel, curve.places, of_channel, hues)
            if expected is not None:
                panel.plot(curve.places, expected[channel], "--", color="0.4", linewidth=1)
            panel.set_ylim(0, 1.08 * top)
            if behind is not None and curve.over == "time":
                _draw_behind(panel, behind[channel])
        _label(panels, curve.over, "importance" if raw else "relative importance")
    for panel, title in zip(axes[:: len(curves)], titles, strict=True):
        panel.set_title(title, loc="left", fontsize="medium")
    if by_kind:
        _add_legend(axes[0], colors, new=ax is None)
    return axes


def _curves(forest: Any) -> list[TimeCurves]:
    """Return the curves over time and over frequency, those that there are."""
    found, refused = [], []
    for over in ("time", "frequency"):
        try:
            found.append(curves_of(forest, over))
        except ValueError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return found


def _values(curve: TimeCurves, kinds: Sequence[str], raw: bool) -> NDArray[np.float64]:
    """Return one curve for each channel, of some kinds together."""
    if not raw:
        return curve.of_channels(kinds)
    return np.asarray(curve.importance[[curve.kinds.index(name) for name in kinds]].sum(axis=0))


def _expected(
    curve: TimeCurves, kinds: Sequence[str], raw: bool, by_kind: bool
) -> NDArray[np.float64] | None:
    """Return what equal cells would have, where it is one curve."""
    if not raw:
        return np.ones(curve.importance.shape[1:])
    if by_kind:
        return None
    return np.asarray(curve.expected[[curve.kinds.index(name) for name in kinds]].sum(axis=0))


def _titles(channel_names: Any, shown: Sequence[int], n_channels: int) -> list[str]:
    if channel_names is None:
        return [f"channel {c}" if n_channels > 1 else "" for c in shown]
    names = checked_names(channel_names)
    if len(names) != len(shown):
        raise ValueError(f"channel_names must have {len(shown)} entries, got {len(names)}")
    return names


def _mean_series(forest: Any, X: Any) -> NDArray[np.float64]:
    """Return one example, or the mean of several, channels × times; NaN where all are missing."""
    check_is_fitted(forest)
    shape = tuple(snapshot(forest).feature_shape_)
    values = as_numbers(X, "X", "one example or several, an array of numbers").astype(np.float64)
    if values.shape == shape:
        values = values[None]
    if values.shape[1:] != shape or not len(values):
        raise ValueError(
            f"X must be one example of shape {shape} or several of them, got {values.shape}"
        )
    if np.isinf(values).any():
        raise ValueError("X must hold finite numbers, or NaN where there is none, got inf")
    known = np.isfinite(values)
    n_known = known.sum(axis=0)
    sums = np.where(known, values, 0.0).sum(axis=0)
    mean = np.where(n_known > 0, sums / np.maximum(n_known, 1), np.nan)
    return np.asarray(mean).reshape(-1, shape[-1])


def _draw_panel(
    panel: Axes,
    places: NDArray[Any],
    curves: Sequence[NDArray[np.float64]],
    colors: Mapping[str, Any],
) -> None:
    """Draw one filled curve, or a line for each kind that has a colour."""
    if not colors:
        values = np.nan_to_num(curves[0])
        panel.fill_between(places, values, step="mid", color=COLORS["SPORF"], alpha=0.25, lw=0)
        panel.plot(places, values, drawstyle="steps-mid", color=COLORS["SPORF"], linewidth=1.4)
        return
    for values, color in zip(curves, colors.values(), strict=True):
        panel.plot(places, np.nan_to_num(values), drawstyle="steps-mid", color=tuple(color))


def _add_legend(axes: Axes, colors: Mapping[str, Any], *, new: bool) -> None:
    """Add one legend of kinds for all panels: under them in a new figure, else in the first."""
    line = import_matplotlib("lines").Line2D
    handles = [line([], [], color=tuple(color), label=name) for name, color in colors.items()]
    if new:
        place: dict[str, Any] = {"loc": "outside lower center", "ncols": 2, "frameon": False}
        figure: Any = axes.figure
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + 0.22 * -(-len(handles) // 2))
        figure.legend(handles=handles, fontsize="small", **place)
    else:
        axes.legend(handles=handles, fontsize="small", framealpha=0.9, edgecolor="none")


def _draw_behind(panel: Axes, series: NDArray[np.float64]) -> None:
    """Draw a series on a scale of its own, under the curves."""
    times = np.flatnonzero(np.isfinite(series))
    if not len(times):
        return
    under = panel.twinx()
    under.plot(times, series[times], color="0.65", linewidth=1)
    under.set_axis_off()
    under.set_zorder(panel.get_zorder() - 1)
    panel.patch.set_visible(False)


def _label(panels: Sequence[Axes], over: str, label: str) -> None:
    for panel in panels:
        panel.margins(x=0)
        panel.set_ylabel(label)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelbottom=panel is panels[-1])
    panels[-1].set_xlabel(_LABEL[over])

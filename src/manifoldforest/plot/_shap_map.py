"""How much each feature moves the prediction of one example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manifoldforest.explanation import ShapValues
from manifoldforest.validation._rules import (
    boolean,
    check_argument,
    instance_of,
    integer,
    none,
    one_of,
    real,
)

from ._rules import AXES
from ._style import COLORS, import_matplotlib, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOUR_CHANNELS = (3, 4)
_FEW_FEATURES = 30  # one axis of more features without names is a series
_UP, _DOWN = COLORS["MORF"], COLORS["SPORF"]
_COLOR_MAP = "RdBu_r"
_VALUES = {
    "probability": "SHAP value (probability)",
    "response": "SHAP value",
    "score": "SHAP value (score)",
}


class _Explained(NamedTuple):
    """One example, and the values of its features for one output."""

    values: NDArray[np.float64]
    example: NDArray[Any]
    base: float
    label: str  # of the scale


def shap_map(
    explained: ShapValues,
    ax: Axes | None = None,
    *,
    example: int = 0,
    output: int | str | None = None,
    kind: Literal["auto", "image", "series", "bars"] = "auto",
    n_features: int = 10,
    limit: float | None = None,
    colorbar: bool | None = None,
) -> Axes:
    """Draw which features move the prediction of one example up, and which down.

    An image is drawn in grey, with the values over it: red where a pixel moves the prediction up,
    blue where it moves it down. A series is a line whose points have these colours. The features
    of a table are bars.

    Parameters
    ----------
    explained : ShapValues
        What :func:`manifoldforest.shap_values` returns.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    example : int, default=0
        Which of the examples.
    output : int or str, optional
        Which class or output: its number or one of ``explained.output_names``. By default the one
        for which the example's prediction is the largest.
    kind : {"auto", "image", "series", "bars"}, default="auto"
        ``"auto"`` is an image for examples of two axes (and one of 3 or 4 colours behind them, over
        which values are summed); for those of one axis bars if features have names or are at
        most 30, and otherwise a series.
    n_features : int, default=10
        Number of bars: those of the largest values in size; one more bar is the sum of all others.
    limit : float, optional
        The number at both ends of the scale, the same in pictures that are to be compared. By
        default the largest value in size.
    colorbar : bool, optional
        Whether an image or a series gets a colour bar. By default it does in a new figure, and not
        in axes that are given.

    Returns
    -------
    ax : matplotlib Axes
        Values over an image are ``ax.images[1]``, points of a series ``ax.collections[0]``, bars
        ``ax.patches``, the largest last.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_bars(50, random_state=0)
    >>> forest = mf.ForestClassifier(5, projection="patches", random_state=0).fit(X, y)
    >>> ax = mf.plot.shap_map(mf.shap_values(forest, X[:2]), example=1)
    >>> ax.images[1].get_array().shape
    (28, 28)
    """
    import_matplotlib("axes")
    check_argument(
        "explained", explained, instance_of(ShapValues, "what manifoldforest.shap_values returns")
    )
    check_argument("ax", ax, AXES)
    check_argument("kind", kind, one_of("auto", "image", "series", "bars"))
    check_argument("n_features", n_features, integer(1))
    check_argument("limit", limit, real("(0, inf)") | none)
    check_argument("colorbar", colorbar, boolean | none)
    check_argument("example", example, integer(0, len(explained.data) - 1))
    one = _one_example(explained, example, _chosen_output(explained, output, example))
    chosen = _chosen_kind(kind, one.example.shape, explained.feature_names)
    if limit is None:
        limit = float(np.abs(one.values).max(initial=0.0)) or 1.0
    if chosen == "bars":
        return _draw_bars(ax, one, explained.feature_names, n_features)
    axes = new_axes() if ax is None else ax
    with_bar = ax is None if colorbar is None else bool(colorbar)
    draw = _draw_image if chosen == "image" else _draw_series
    drawn = draw(axes, one, float(limit))
    if with_bar:
        axes.figure.colorbar(drawn, ax=axes, label=one.label)
    return axes


def _chosen_output(explained: ShapValues, output: Any, example: int) -> int | None:
    """Return the place of an output along the last axis of values, None if there is no such."""
    names = explained.output_names
    if names is None:
        check_argument("output", output, integer(0, 0) | none)
        return None
    check_argument("output", output, integer(0, len(names) - 1) | one_of(*names) | none)
    if output is None:
        features = tuple(range(explained.data.ndim - 1))
        predicted = explained.base_values[example] + explained.values[example].sum(axis=features)
        return int(np.argmax(predicted))
    return names.index(output) if isinstance(output, str) else int(output)


def _one_example(explained: ShapValues, number: int, output: int | None) -> _Explained:
    values, base = explained.values[number], explained.base_values[number]
    label = _VALUES[explained.scale]
    if output is not None:
        assert explained.output_names is not None
        values, base = values[..., output], base[output]
        label += f" of {explained.output_names[output]}"
    example = explained.data[number].astype(float)
    if example.ndim == 3 and example.shape[-1] in _COLOUR_CHANNELS:
        values, example = values.sum(axis=-1), example[..., :3].mean(axis=-1)
    return _Explained(values, example, float(base), label)


def _chosen_kind(kind: str, shape: tuple[int, ...], names: list[str] | None) -> str:
    if kind == "auto":
        if len(shape) == 1:
            return "bars" if names is not None or shape[0] <= _FEW_FEATURES else "series"
        kind = "image" if len(shape) == 2 else "bars"
    n_axes = {"image": 2, "series": 1}.get(kind)
    if n_axes is not None and len(shape) != n_axes:
        raise ValueError(
            f"kind must be one that examples of shape {shape} can be drawn as, got {kind!r}"
        )
    return kind


def _draw_image(axes: Axes, one: _Explained, limit: float) -> Any:
    axes.imshow(np.nan_to_num(one.example), cmap="Greys", alpha=0.3, interpolation="nearest")
    # values near zero leave the image as it is
    opacity = np.clip(np.abs(one.values) / limit, 0, 1) ** 0.5
    image = axes.imshow(
        one.values,
        cmap=_COLOR_MAP,
        vmin=-limit,
        vmax=limit,
        alpha=opacity,
        interpolation="nearest",
    )
    axes.set(xticks=[], yticks=[])
    return image


def _draw_series(axes: Axes, one: _Explained, limit: float) -> Any:
    places = np.arange(len(one.example))
    there = np.isfinite(one.example)
    axes.plot(places[there], one.example[there], color="0.75", linewidth=1, zorder=1)
    points = axes.scatter(
        places[there],
        one.example[there],
        c=one.values[there],
        cmap=_COLOR_MAP,
        vmin=-limit,
        vmax=limit,
        s=18,
        edgecolors="0.6",
        linewidths=0.3,
        zorder=2,
    )
    axes.set(xlabel="place along the series", ylabel="value")
    return points


def _draw_bars(ax: Axes | None, one: _Explained, names: list[str] | None, n_features: int) -> Axes:
    values, example = one.values.ravel(), one.example.ravel()
    order = np.argsort(-np.abs(values), kind="stable")
    shown, others = order[:n_features], order[n_features:]
    if names is None:
        labels = [f"x{[int(i) for i in np.unravel_index(k, one.values.shape)]}" for k in shown]
    else:
        labels = [names[k] for k in shown]
    labels = [f"{label} = {example[k]:.4g}" for label, k in zip(labels, shown, strict=True)]
    lengths = [float(values[k]) for k in shown]
    if len(others):
        plural = "" if len(others) == 1 else "s"
        labels.append(f"{len(others)} other feature{plural}")
        lengths.append(float(values[others].sum()))
    labels, lengths = labels[::-1], lengths[::-1]
    axes = new_axes((6.4, 1.2 + 0.32 * len(labels))) if ax is None else ax
    colors = [_UP if length > 0 else _DOWN for length in lengths]
    axes.barh(np.arange(len(labels)), lengths, color=colors, height=0.7)
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.set_yticks(np.arange(len(labels)), labels)
    axes.set_xlabel(f"{one.label}, from a mean of {one.base:.4g}")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return axes

"""Pictures of predictions on a swiss roll, seen along its axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manifoldforest import plot
from manifoldforest.plot._style import MARKERS, method_colors, pyplot

from .._experiment import Picture
from .._results import Results
from ._methods import Array
from ._roll import T_MAX, T_MIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Step = dict[str, Array]

_PLANE = [0, 2]
_NEW: dict[str, Any] = {"marker": "*", "s": 170, "color": "#D55E00", "edgecolors": "white"}
_TRUE: dict[str, Any] = {"marker": "X", "s": 70, "color": "black", "edgecolors": "white"}
_CIRCLE: dict[str, Any] = {"s": 110, "facecolors": "none", "edgecolors": "#0072B2"}


# ------------------------------------------------------------------------------------ Figure 1


def draw_steps(results: Results) -> Picture | None:
    """Draw what dRF does for one test input, as Figure 1 of the paper; None without the run."""
    found = [row.arrays for row in results if row.arrays]
    if not found:
        return None
    figure, axes = pyplot().subplots(3, 2, figsize=(8, 9.2), layout="constrained")
    for draw, panel in zip(_STEPS, axes.ravel(), strict=True):
        draw(panel, found[0])
    caption = (
        "The steps of dRF for one test input (the paper's Figure 1 is a sketch of these). "
        "Responses are seen along the axis of the roll, where the error of this one is the median."
    )
    return Picture(figure, caption)


def _draw_graph(axes: Axes, step: Step) -> None:
    from matplotlib.collections import LineCollection

    flat = step["responses"][:, _PLANE]
    axes.add_collection(LineCollection(list(flat[step["edges"]]), colors="0.8", linewidths=0.5))
    _dots(axes, flat, step["position"], "viridis", "place along the roll, t")
    _finish(axes, "(a) Training responses and the\ngraph of their neighbours", "y_1", "y_3")


def _draw_distances(axes: Axes, step: Step) -> None:
    image = axes.imshow(step["paths"], cmap="magma_r", interpolation="nearest", aspect="auto")
    axes.figure.colorbar(image, ax=axes, label="shortest path")
    axes.set_title("(b) Distances D along the graph,\nby which trees are grown", fontsize=10)
    axes.set(xlabel="responses along the roll", ylabel="responses along the roll")
    axes.set(xticks=[], yticks=[])
    axes.set_box_aspect(0.85)


def _draw_affinities(axes: Axes, step: Step) -> None:
    inputs, affinity = step["inputs"], step["affinity"]
    is_mate = affinity > 0
    axes.scatter(inputs[~is_mate, 0], inputs[~is_mate, 1], color="0.88", s=9)
    _dots(axes, inputs[is_mate], affinity[is_mate], "viridis_r", "affinity a: share of trees")
    _mark(axes, step["new_input"], _NEW)
    title = "(c) A new input (star) and how\noften training inputs share its leaf"
    _finish(axes, title, "x_1", "x_2")


def _draw_new_distances(axes: Axes, step: Step) -> None:
    flat = step["responses"][:, _PLANE]
    _dots(axes, flat, step["distances"], "magma_r", "predicted distance")
    _mark(axes, flat[np.argmin(step["distances"])], _CIRCLE)
    title = "(d) Its distances: those of the response\nwith the largest affinity (circle)"
    _finish(axes, title, "y_1", "y_3")


def _draw_embedding(axes: Axes, step: Step) -> None:
    _dots(axes, step["embedding"], step["position"], "viridis", "place along the roll, t")
    _mark(axes, step["new_place"], _NEW)
    _finish(axes, "(e) Its place (star) in the embedding,\nthe unrolled sheet", "z_1", "z_2")


def _draw_back_scoring(axes: Axes, step: Step) -> None:
    flat = step["responses"][:, _PLANE]
    axes.scatter(flat[:, 0], flat[:, 1], color="0.8", s=9)
    _mark(axes, step["truth"][_PLANE], _TRUE | {"label": "true response"})
    _mark(axes, step["predicted"][_PLANE], _NEW | {"label": "prediction"})
    axes.legend(fontsize=8, loc="center", frameon=False)
    _finish(axes, "(f) Back-scoring: from the\nembedding to the roll", "y_1", "y_3")


_STEPS = (
    _draw_graph,
    _draw_distances,
    _draw_affinities,
    _draw_new_distances,
    _draw_embedding,
    _draw_back_scoring,
)


def _dots(axes: Axes, points: Array, values: Array, cmap: str, label: str) -> None:
    dots = axes.scatter(points[:, 0], points[:, 1], c=values, cmap=cmap, s=9, zorder=2)
    axes.figure.colorbar(dots, ax=axes, label=label)


def _mark(axes: Axes, point: Array, style: dict[str, Any]) -> None:
    axes.scatter(point[:1], point[1:2], zorder=5, linewidths=1.5, **style)


def _finish(axes: Axes, title: str, x: str, y: str) -> None:
    """Let one unit be as long in both directions, in panels of equal shape."""
    axes.set_title(title, fontsize=10)
    axes.set(xlabel=f"${x}$", ylabel=f"${y}$")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_box_aspect(0.85)
    axes.spines[["top", "right"]].set_visible(False)


# ------------------------------------------------------------------------------------ Figure 2


def draw_error_vectors(results: Results, methods: list[str]) -> Picture | None:
    """Draw arrows from true responses to predictions, one panel for each method."""
    found = {row.get("method"): row.arrays for row in results.where(seed=0) if row.arrays}
    found = {method: found[method] for method in methods if method in found}
    if not found:
        return None
    truth = next(iter(found.values()))["truth"]
    predicted = {str(method): arrays["predicted"] for method, arrays in found.items()}
    panels = plot.responses(truth, predicted, plane=_PLANE)
    t = np.linspace(T_MIN, T_MAX, 300)
    for axes in panels:
        axes.plot(t * np.cos(t), t * np.sin(t), color="black", linewidth=0.9, zorder=3)
    figure: Any = panels[0].figure
    caption = (
        "Errors of the test points of the first repetition in the plane of the paper's Figure 2; "
        "the line is the roll without noise."
    )
    return Picture(figure, caption)


# ---------------------------------------------------------------------------- over the noise


def draw_noise(results: Results, methods: list[str], of_paper: float) -> Picture | None:
    """Draw the distance to the roll, and to the right place, over the noise."""
    variances = sorted(results.distinct("noise_variance"))
    methods = [m for m in methods if m != "5NN" and len(results.where(method=m))]
    if not methods or len(variances) < 2:
        return None
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    _draw_over_noise(left, results, "to_roll", methods)
    _draw_over_noise(right, results, "to_truth", methods)
    themselves = [results.where(noise_variance=v).mean("responses_to_roll") for v in variances]
    left.plot(np.sqrt(variances), themselves, color="black", linestyle=":", label="test responses")
    for axes in (left, right):
        axes.axvline(np.sqrt(of_paper), color="0.6", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        axes.set_xticks(np.sqrt(variances), [f"{v:g}" for v in variances], fontsize=8)
        axes.set_xlabel("variance of the noise in the responses")
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color="0.9", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
    left.set_title("Mean distance of predictions to the roll", fontsize=10)
    right.set_title("RMSE against responses without noise", fontsize=10)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    caption = (
        "Over the noise, with bands of one standard deviation over repetitions; the dashed line "
        "is the noise of the paper. The scale is that of the standard deviation of the noise."
    )
    left_out = results.where(method="5NN").values("to_roll")
    if len(left_out):
        caption += f" 5NN, {left_out.mean():.2f} from the roll, is left out."
    return Picture(figure, caption)


def _draw_over_noise(axes: Axes, results: Results, metric: str, methods: list[str]) -> None:
    colors = method_colors(methods)
    for method in methods:
        by_noise = sorted(results.where(method=method).by("noise_variance").items())
        x = np.sqrt([variance for variance, _ in by_noise])
        mean = np.array([some.mean(metric) for _, some in by_noise])
        spread = np.nan_to_num([some.std(metric) for _, some in by_noise])
        style: dict[str, Any] = {
            "color": colors[method],
            "marker": MARKERS.get(method, "D"),
            "markersize": 5,
        }
        axes.plot(x, mean, label=method, **style)
        axes.fill_between(
            x, mean - spread, mean + spread, color=colors[method], alpha=0.18, linewidth=0
        )

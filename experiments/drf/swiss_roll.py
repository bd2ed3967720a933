"""The swiss roll (t cos t, u, t sin t), pi <= t <= 3 pi, 0 <= u <= 21, and what dRF does on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh

from manifoldforest import plot
from manifoldforest.datasets import make_swiss_roll_responses
from manifoldforest.plot import MARKERS, method_colors
from manifoldforest.spaces import Isomap

from ..drawing import band, light_grid, panels
from ..experiment import Outcome, Picture
from ..results import Results
from .methods import Array, Forests, without_isomap_warnings

T_MIN, T_MAX, U_MIN, U_MAX = math.pi, 3 * math.pi, 0.0, 21.0
GRID = np.linspace(T_MIN, T_MAX, 2001)
N_QUERIES = 20  # inputs for which Algorithm 1 is followed literally
N_SHOWN = 120  # rows and columns of the matrix of distances that are drawn
PLANE = [0, 2]
MARK: dict[str, Any] = {"zorder": 5, "linewidths": 1.5}  # of single points
NEW = {**MARK, "marker": "*", "s": 170, "color": "#D55E00", "edgecolors": "white"}
TRUE = {**MARK, "marker": "X", "s": 70, "color": "black", "edgecolors": "white"}
CIRCLE = {**MARK, "s": 110, "facecolors": "none", "edgecolors": "#0072B2"}


class RollSplit(NamedTuple):
    """Inputs and responses of the training and of the test points, and where these belong."""

    X_train: Array
    Y_train: Array
    X_test: Array
    Y_test: Array
    on_roll_train: Array  # without noise
    on_roll_test: Array


def draw_split(n_train: int, n_test: int, noise_variance: float, seed: int) -> RollSplit:
    """Draw points and divide them at random; the noise does not change the points on the roll."""
    n = n_train + n_test
    X, Y = make_swiss_roll_responses(n, noise_variance=noise_variance, random_state=seed)
    _, on_roll = make_swiss_roll_responses(n, noise_variance=0, random_state=seed)
    order = np.random.default_rng(seed).permutation(n)
    train, test = order[:n_train], order[n_train:]
    return RollSplit(X[train], Y[train], X[test], Y[test], on_roll[train], on_roll[test])


def roll_metrics(predicted: Array, split: RollSplit) -> dict[str, float]:
    """Return how far predictions are from the roll, and from where they should be on it."""
    return {
        "to_roll": float(distance_to_roll(predicted).mean()),
        "rmse": root_mean_square(predicted - split.Y_test),
        "to_truth": root_mean_square(predicted - split.on_roll_test),
        "radius_error": float((radius(predicted) - radius(split.on_roll_test)).mean()),
        "responses_to_roll": float(distance_to_roll(split.Y_test).mean()),
    }


def root_mean_square(errors: Array) -> float:
    """Return the root of the mean squared length of error vectors."""
    return float(np.sqrt(np.mean(np.sum(errors**2, axis=1))))


def radius(points: Array) -> Array:
    """Return the distance from the axis of the roll; on the roll it is t."""
    return np.asarray(np.hypot(points[:, 0], points[:, 2]))


def distance_to_roll(points: Array) -> Array:
    """Return the distance of each point to the nearest point of the roll without noise."""
    across = points[:, 1] - np.clip(points[:, 1], U_MIN, U_MAX)  # from the nearest u
    flat = points[:, [0, 2]]
    best = np.argmin(_squared(flat[:, None], GRID[None]), axis=1)
    low, high = GRID[np.maximum(best - 1, 0)], GRID[np.minimum(best + 1, len(GRID) - 1)]
    for _ in range(40):  # thirds: there is one minimum between the neighbours of the best
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left = _squared(flat, a) < _squared(flat, b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    return np.asarray(np.sqrt(across**2 + _squared(flat, (low + high) / 2)))


def _squared(flat: Array, t: Array) -> Array:
    away = (flat[..., 0] - t * np.cos(t)) ** 2 + (flat[..., 1] - t * np.sin(t)) ** 2
    return np.asarray(away)


def graph_distances(responses: Array, n_neighbors: int) -> tuple[Array, Array]:
    """Return lengths of shortest paths in the graph of Isomap, and its pairs of neighbours."""
    with without_isomap_warnings():
        paths = Isomap(n_neighbors=n_neighbors).split_distances(responses)
    # between neighbours, the path is the straight line
    straight = np.linalg.norm(responses[:, None] - responses, axis=2)
    return paths, np.argwhere(np.triu(np.isclose(paths, straight, rtol=1e-9), k=1))


def count_shortcuts(split: RollSplit, n_neighbors: int) -> int:
    """Return how many neighbours in the graph are half a turn of the roll or more apart."""
    _, edges = graph_distances(split.Y_train, n_neighbors)
    ends = radius(split.on_roll_train)[edges]
    return int(np.sum(np.abs(ends[:, 0] - ends[:, 1]) >= math.pi))


def follow_steps(split: RollSplit, forests: Forests, n_trees: int, leaf: int, seed: int) -> Outcome:
    """Go through the steps of section 2.3 for the test input whose error across the roll is median.

    The metric "deviation" tells how far the distances of Algorithm 1 are from a copy of those of
    the training response with the largest affinity.
    """
    model = forests.model("dRF", n_trees, leaf, seed)
    with without_isomap_warnings():
        predicted = model.fit(split.X_train, split.Y_train).predict(split.X_test)
    paths, edges = graph_distances(split.Y_train, forests.n_neighbors)
    affinity = model.proximity(split.X_test).toarray()
    weights = model.forest_weights(split.X_test).toarray()
    # of several responses with the largest affinity, the one with the largest weight
    nearest = np.where(affinity == affinity.max(axis=1, keepdims=True), weights, -1).argmax(axis=1)
    errors = np.linalg.norm((predicted - split.Y_test)[:, [0, 2]], axis=1)  # those that are seen
    chosen = int(np.argsort(errors)[len(errors) // 2])
    distances = algorithm_1(nearest[chosen], paths)
    copies = {i: np.abs(algorithm_1(i, paths) - paths[i]) for i in nearest[:N_QUERIES]}
    deviation = max(float(np.delete(difference, i).max()) for i, difference in copies.items())
    embedding, place, negative_share = classical_scaling(paths**2, distances**2, 2)

    position = radius(split.on_roll_train)
    shown = np.argsort(position)[np.linspace(0, len(position) - 1, N_SHOWN).astype(int)]
    arrays: dict[str, Array] = {
        "inputs": split.X_train[:, :2],
        "responses": split.Y_train,
        "position": position,
        "edges": edges.astype(np.int16),
        "paths": paths[np.ix_(shown, shown)],
        "affinity": affinity[chosen],
        "distances": distances,
        "embedding": embedding,
        "new_input": split.X_test[chosen, :2],
        "new_place": place,
        "predicted": predicted[chosen],
        "truth": split.Y_test[chosen],
    }
    metrics = {
        "deviation": deviation,
        "queries": float(len(nearest[:N_QUERIES])),
        "negative_share": negative_share,
        "largest_affinity": float(affinity[chosen].max()),
    }
    small = {n: a.astype(np.float32) if a.dtype.kind == "f" else a for n, a in arrays.items()}
    return Outcome(metrics, small)


def algorithm_1(nearest: int, distances: Array) -> Array:
    """Return the distances of the new response, literally as Algorithm 1 of the paper has them."""
    found = np.full(len(distances), np.nan)
    found[nearest] = distances[~np.eye(len(distances), dtype=bool)].min()
    order = np.argsort(-distances[nearest], kind="stable")  # those far from the nearest first
    known = [nearest]
    for response in order[order != nearest]:
        found[response] = np.maximum(found[known], distances[known, response]).min()
        known.append(response)
    return found


def classical_scaling(squared: Array, new: Array, n_dims: int) -> tuple[Array, Array, float]:
    """Place responses and a new one (section 2.3.2); also return the share of negative inertia."""
    means = squared.mean(axis=1)
    values, vectors = eigh(-0.5 * (squared - means[:, None] - (means - means.mean())))
    largest, directions = values[: -n_dims - 1 : -1], vectors[:, : -n_dims - 1 : -1]
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(n_dims)])
    places = directions * signs * np.sqrt(largest)
    new_place = (means - new) @ (0.5 * places / largest)
    return places, new_place, float(-values[values < 0].sum() / np.abs(values).sum())


def draw_steps(results: Results) -> list[Picture]:
    """Draw what dRF does for one test input, as Figure 1 of the paper; nothing without the run."""
    found = [row.arrays for row in results if row.arrays]
    if not found:
        return []
    step = found[0]
    responses, inputs, affinity = step["responses"][:, PLANE], step["inputs"], step["affinity"]
    figure, table = panels(3, 2, (8, 9.2))
    graph, matrix, neighbours, distances, embedding, back = table.flat

    from matplotlib.collections import LineCollection

    graph.add_collection(LineCollection(responses[step["edges"]], colors="0.8", linewidths=0.5))
    _dots(graph, responses, step["position"], "viridis", "place along the roll, t")
    _finish(graph, "(a) Training responses and the\ngraph of their neighbours", "y_1", "y_3")
    image = matrix.imshow(step["paths"], cmap="magma_r", interpolation="nearest", aspect="auto")
    figure.colorbar(image, ax=matrix, label="shortest path")
    matrix.set_title("(b) Distances D along the graph,\nby which trees are grown", fontsize=10)
    matrix.set(xlabel="responses along the roll", ylabel="responses along the roll")
    matrix.set(xticks=[], yticks=[], box_aspect=0.85)
    shares = affinity > 0
    neighbours.scatter(*inputs[~shares].T, color="0.88", s=9)
    _dots(neighbours, inputs[shares], affinity[shares], "viridis_r", "affinity a: share of trees")
    neighbours.scatter(*step["new_input"], **NEW)
    title = "(c) A new input (star) and how\noften training inputs share its leaf"
    _finish(neighbours, title, "x_1", "x_2")
    _dots(distances, responses, step["distances"], "magma_r", "predicted distance")
    distances.scatter(*responses[np.argmin(step["distances"])], **CIRCLE)
    title = "(d) Its distances: those of the response\nwith the largest affinity (circle)"
    _finish(distances, title, "y_1", "y_3")
    _dots(embedding, step["embedding"], step["position"], "viridis", "place along the roll, t")
    embedding.scatter(*step["new_place"], **NEW)
    _finish(embedding, "(e) Its place (star) in the embedding,\nthe unrolled sheet", "z_1", "z_2")
    back.scatter(*responses.T, color="0.8", s=9)
    back.scatter(*step["truth"][PLANE], label="true response", **TRUE)
    back.scatter(*step["predicted"][PLANE], label="prediction", **NEW)
    back.legend(fontsize=8, loc="center", frameon=False)
    _finish(back, "(f) Back-scoring: from the\nembedding to the roll", "y_1", "y_3")
    caption = (
        "The steps of dRF for one test input (the paper's Figure 1 is a sketch of these). "
        "Responses are seen along the axis of the roll, where the error of this one is the median."
    )
    return [Picture(figure, caption)]


def _dots(axes: Any, points: Array, values: Array, cmap: str, label: str) -> None:
    dots = axes.scatter(points[:, 0], points[:, 1], c=values, cmap=cmap, s=9, zorder=2)
    axes.figure.colorbar(dots, ax=axes, label=label)


def _finish(axes: Any, title: str, x: str, y: str) -> None:
    """Let one unit be as long in both directions, in panels of equal shape."""
    axes.set_title(title, fontsize=10)
    axes.set(xlabel=f"${x}$", ylabel=f"${y}$")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_box_aspect(0.85)
    axes.spines[["top", "right"]].set_visible(False)


def draw_error_vectors(results: Results, methods: Sequence[str]) -> list[Picture]:
    """Draw arrows from true responses to predictions, one panel for each method (Figure 2)."""
    found = {row.get("method"): row.arrays for row in results.where(seed=0) if row.arrays}
    predicted = {method: found[method]["predicted"] for method in methods if method in found}
    if not predicted:
        return []
    drawn = plot.responses(found[next(iter(predicted))]["truth"], predicted, plane=PLANE)
    t = np.linspace(T_MIN, T_MAX, 300)
    for axes in drawn:
        axes.plot(t * np.cos(t), t * np.sin(t), color="black", linewidth=0.9, zorder=3)
    figure: Any = drawn[0].figure
    caption = (
        "Errors of the test points of the first repetition in the plane of the paper's Figure 2; "
        "the line is the roll without noise."
    )
    return [Picture(figure, caption)]


def draw_noise(results: Results, methods: Sequence[str], of_paper: float) -> list[Picture]:
    """Draw the distance to the roll, and to the right place, over the noise."""
    variances = sorted(results.distinct("noise_variance"))
    methods = [m for m in methods if m != "5NN" and len(results.where(method=m))]
    if not methods or len(variances) < 2:
        return []
    figure, ((left, right),) = panels(1, 2, (9, 4.2))
    for axes, metric in ((left, "to_roll"), (right, "to_truth")):
        for method, color in method_colors(methods).items():
            by_noise = sorted(results.where(method=method).by("noise_variance").items())
            x = np.sqrt([variance for variance, _ in by_noise])
            mean = np.array([some.mean(metric) for _, some in by_noise])
            spread = np.nan_to_num([some.std(metric) for _, some in by_noise])
            style = {"color": color, "marker": MARKERS.get(method, "D"), "markersize": 5}
            band(axes, x, mean - spread, mean, mean + spread, label=method, **style)
        axes.axvline(np.sqrt(of_paper), color="0.6", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        axes.set_xticks(np.sqrt(variances), [f"{v:g}" for v in variances], fontsize=8)
        axes.set_xlabel("variance of the noise in the responses")
        axes.set_ylim(bottom=0)
        light_grid(axes, "y")
    themselves = [results.where(noise_variance=v).mean("responses_to_roll") for v in variances]
    left.plot(np.sqrt(variances), themselves, color="black", linestyle=":", label="test responses")
    left.set_title("Mean distance of predictions to the roll", fontsize=10)
    right.set_title("RMSE against responses without noise", fontsize=10)
    where: dict[str, Any] = {"loc": "outside lower center", "ncols": len(methods) + 1}
    figure.legend(*left.get_legend_handles_labels(), frameon=False, **where)
    caption = (
        "Over the noise, with bands of one standard deviation over repetitions; the dashed line "
        "is the noise of the paper. The scale is that of the standard deviation of the noise."
    )
    left_out = results.where(method="5NN").values("to_roll")
    if len(left_out):
        caption += f" 5NN, {left_out.mean():.2f} from the roll, is left out."
    return [Picture(figure, caption)]

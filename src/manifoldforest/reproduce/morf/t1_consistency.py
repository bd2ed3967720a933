"""T1: honest forests come close to the Bayes error, and cells are convex (thesis, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._named import named_forest
from ...datasets import bayes_error, make_impulse
from ...datasets._impulse import impulse_curve
from ...plot._style import pyplot
from ...projections import Patches
from .._datasets import Array
from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet, Value
from .._papers import THESIS
from .._results import Results, Row
from ._learning_curve import Simulated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..._classifier import ForestClassifier

BAYES_ERROR = bayes_error("impulse")
METHODS = ("MORF", "honest MORF", "honest SPORF")
CONVEX = ("MORF", "SPORF", "RF")
SIZES = {"quick": (100, 400, 1600), "full": (100, 400, 1600, 6400, 25_600, 102_400)}
TREES = {"quick": 50, "full": 100}
REPETITIONS = {"quick": 2, "full": 4}
N_TEST = {"quick": 4000, "full": 20_000}
CONVEX_SIZE = 400  # training examples where cells are looked at
N_PAIRS = 20_000
PLANE = 160  # pixels a side of the picture of cells

# The theorem needs subsamples of s examples with s -> inf and s / n -> 0 (Specification 1A v),
# a share of the parent's examples in each child (ii), and single features among the projections
# (Assumption 1): widths from 1.
SUBSAMPLE_EXPONENT, MIN_BALANCE = 0.9, 0.05
COLORS = {"MORF": "#D55E00", "honest MORF": "#882255", "honest SPORF": "#0072B2"}
MARKERS = {"MORF": "o", "honest MORF": "D", "honest SPORF": "^"}
STYLE = {"font.size": 10, "axes.titlesize": 11, "legend.fontsize": 9.5}


def forest_of(method: str, n: int, trees: int, seed: int) -> ForestClassifier:
    """Return a forest for n training examples, not fitted yet."""
    name = method.removeprefix("honest ")
    params: dict[str, Any] = {"n_estimators": trees, "random_state": seed, "n_jobs": 1}
    if name == "MORF":
        params |= {"projection": Patches(1, 12), "max_features": 30}
    if name != method:
        params |= {
            "honest": True,
            "bootstrap": False,
            "max_samples": round(n**SUBSAMPLE_EXPONENT),
            "min_balance": MIN_BALANCE,
        }
    forest: ForestClassifier = named_forest(name, **params)
    return forest


def excess_error(predicted: Array, X: Array) -> float:
    """Return how much the error is above the Bayes error, given where the test examples lie.

    The probability of class 1 at x is known: its logarithmic odds are s·x − s·s / 2 for the curve
    s of the impulse. Where a prediction p differs from the better class, it is wrong with
    probability P(better | x) in place of P(p | x). Labels are not used, and add no noise.
    """
    curve = impulse_curve()
    odds = X @ curve - curve @ curve / 2
    costs = np.abs(np.tanh(odds / 2))  # difference of both probabilities
    return float(np.mean(costs * (predicted != (odds > 0))))


def share_of_convex(
    leaves_of: Callable[[Array], NDArray[Any]], X: Array, n_pairs: int, seed: int
) -> tuple[float, int]:
    """Return how often a point between two points of one cell lies in it, and the pairs tried.

    `leaves_of` tells the cell of each point in each tree. The point between is anywhere on the
    line; if all cells are convex, the share is 1.
    """
    leaves = leaves_of(X)
    rng = np.random.default_rng(seed)
    same, tried = 0, 0
    for tree, first, second in _pairs(leaves, n_pairs, rng):
        weight = rng.random((len(first), 1))
        between = weight * X[first].astype(float) + (1 - weight) * X[second].astype(float)
        same += int(np.sum(leaves_of(between)[:, tree] == leaves[first, tree]))
        tried += len(first)
    return (same / tried if tried else float("nan")), tried


def _pairs(
    leaves: NDArray[Any], n_pairs: int, rng: np.random.Generator
) -> list[tuple[int, NDArray[Any], NDArray[Any]]]:
    """Return, for each tree, rows that share a leaf: each with the next of a random order."""
    n_rows, n_trees = leaves.shape
    pairs = []
    for tree in range(n_trees):
        shuffled = rng.permutation(n_rows)
        order = shuffled[np.argsort(leaves[shuffled, tree], kind="stable")]
        together = np.flatnonzero(leaves[order[:-1], tree] == leaves[order[1:], tree])
        together = rng.permutation(together)[: -(-n_pairs // n_trees)]
        pairs.append((tree, order[together], order[together + 1]))
    return pairs


@dataclass(frozen=True, kw_only=True)
class Consistency(Experiment):
    """Errors of honest forests over the training size, and a test of the cells' shape."""

    def runs(self, setting: Setting) -> list[Run]:
        """Return one run for each forest and size, and one for each forest's cells."""
        trees = TREES[setting.preset]
        runs = []
        for seed in range(REPETITIONS[setting.preset]):
            for method in CONVEX:
                cells: dict[str, Value] = {
                    "part": "cells",
                    "method": method,
                    "n": CONVEX_SIZE,
                    "trees": 10,
                }
                runs.append(Run(seed, cells))
            for n in SIZES[setting.preset]:
                for method in METHODS:
                    curve: dict[str, Value] = {
                        "part": "error",
                        "method": method,
                        "n": n,
                        "trees": trees,
                    }
                    runs.append(Run(seed, curve))
        return runs

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Grow one forest and look at its errors, or at its cells."""
        n, trees = int(run.parameters["n"] or 0), int(run.parameters["trees"] or 0)
        draw = Simulated(make_impulse, N_TEST[setting.preset])
        X, y, X_test, y_test = draw(n, run.seed, setting)
        forest = forest_of(str(run.parameters["method"]), n, trees, run.seed).fit(X, y)
        if run.parameters["part"] == "cells":
            share, tried = share_of_convex(forest.apply, X_test, N_PAIRS, run.seed)
            metrics = {"convex": share, "pairs": float(tried)}
            return Outcome(metrics, {} if run.seed else {"plane": _plane_of_cells(forest, X_test)})
        predicted = forest.predict(X_test)
        excess = excess_error(predicted, X_test)
        error = float(np.mean(predicted != y_test))
        return Outcome({"error": error, "excess": excess})

    def findings(self, results: Results) -> list[Finding]:
        """Judge Theorem 2, its corollary and Theorem 1."""
        curves = excess_curves(results)
        found = [
            _consistency("honest MORF", "Theorem 2", curves),
            _consistency("honest SPORF", "Corollary 1", curves),
        ]
        return [*found, _price_of_honesty(curves), _convexity(results)]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return excess errors, and the test of the cells."""
        curves = excess_curves(results)
        sizes = sorted({n for curve in curves.values() for n in curve})
        rows = tuple(
            (method, *(f"{curve[n]:.4f}" if n in curve else "–" for n in sizes))
            for method, curve in curves.items()
        )
        title = f"Error above the Bayes error {BAYES_ERROR:.4f}"
        errors = Sheet(title, ("forest", *(f"n = {n}" for n in sizes)), rows)
        cells = Sheet(
            "Points between two points of one cell",
            ("forest", "tried", "in the same cell"),
            tuple(
                (method, f"{some.values('pairs').sum():.0f}", f"{some.mean('convex'):.6f}")
                for method, some in results.where(part="cells").by("method").items()
            ),
        )
        return [sheet for sheet in (errors, cells) if sheet.rows]

    def figures(self, results: Results) -> list[Picture]:
        """Draw errors over the training size, and cells of single trees in a plane."""
        curves = excess_curves(results)
        planes = {
            str(row.get("method")): row.arrays["plane"] for row in results if "plane" in row.arrays
        }
        pictures = []
        if curves:
            caption = (
                "Left: error over training size; the Bayes error is what no classifier is below. "
                "Right: the distance to it, both axes logarithmic. Means over training sets; bands "
                "from the lowest to the highest. Errors are computed from the known probabilities "
                "of the classes at the test examples, so the labels add no noise."
            )
            pictures.append(Picture(_draw_curves(results, curves), caption))
        if planes:
            caption = (
                "Cells of the first tree of each forest in a plane through three test examples: "
                "each area is one leaf. Cells of straight cuts are convex polygons."
            )
            pictures.append(Picture(_draw_planes(planes), caption))
        return pictures


def excess_curves(results: Results) -> dict[str, dict[int, float]]:
    """Return the mean excess error by method and training size."""
    rows = results.where(part="error")
    curves = {}
    for method in METHODS:
        sizes = rows.where(method=method).by("n")
        if sizes:
            curves[method] = {int(n): sizes[n].mean("excess") for n in sorted(sizes)}
    return curves


# ------------------------------------------------------------------------------------- findings


def _consistency(method: str, theorem: str, curves: Mapping[str, Mapping[int, float]]) -> Finding:
    curve = curves.get(method, {})
    claim = f"The error of {method} converges to the Bayes error ({theorem})"
    published = f"limit {BAYES_ERROR:.4f}"
    if len(curve) < 2:
        return Finding(claim, "too few sizes", published, None)
    sizes, values = np.array(list(curve)), np.array(list(curve.values()))
    slope = float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-6)), 1)[0])
    falling = bool(np.all(np.diff(values) < 0))
    return Finding(
        claim,
        f"error above it: {values[0]:.4f} at n = {sizes[0]}, {values[-1]:.4f} at n = {sizes[-1]}; "
        f"it falls like n^{slope:.2f}",
        published,
        falling,
        "Agrees if it falls from each size to the next; a limit cannot be seen. Subsamples of "
        f"n^{SUBSAMPLE_EXPONENT:g} examples, half of them to fill the leaves. Assumption 4, a "
        "density between bounds, is not met by normal noise.",
    )


def _price_of_honesty(curves: Mapping[str, Mapping[int, float]]) -> Finding:
    honest, plain = curves.get("honest MORF", {}), curves.get("MORF", {})
    common = [n for n in honest if n in plain]
    claim = "Honesty is “a mild constraint”"
    if not common:
        return Finding(claim, "not measured", "–", None)
    n = common[-1]
    return Finding(
        claim,
        f"at n = {n}: {BAYES_ERROR + honest[n]:.4f} with it, {BAYES_ERROR + plain[n]:.4f} without",
        "no numbers: not used in the thesis's experiments",
        None,
        "MORF without honesty draws bootstraps of all examples.",
    )


def _convexity(results: Results) -> Finding:
    rows = results.where(part="cells")
    tried = float(rows.values("pairs").sum())
    outside = sum(round((1 - r.metrics["convex"]) * r.metrics["pairs"]) for r in _with_pairs(rows))
    return Finding(
        "Trees partition the space into convex polytopes (Theorem 1)",
        f"{outside} of {tried:.0f} points between two points of one cell lie outside of it"
        if tried
        else "not measured",
        "0",
        outside <= 1e-5 * tried if tried else None,
        "Trees of " + ", ".join(rows.distinct("method")) + ". A point that rounding puts on the "
        "other side of a threshold would be counted as outside; up to 1 in 100 000 are allowed."
        if tried
        else "",
    )


def _with_pairs(rows: Results) -> list[Row]:
    return [row for row in rows if row.metrics.get("pairs", 0) > 0]


# --------------------------------------------------------------------------------------- figure


def _plane_of_cells(forest: ForestClassifier, X: Array) -> NDArray[np.int16]:
    """Return the leaf in the first tree at the points of a plane through three examples."""
    origin, first, second = X[:3].astype(float)
    steps = np.linspace(-0.5, 1.5, PLANE)
    u, v = np.meshgrid(steps, steps[::-1])
    points = origin + u.reshape(-1, 1) * (first - origin) + v.reshape(-1, 1) * (second - origin)
    leaves = forest.apply(points)[:, 0].reshape(PLANE, PLANE)
    return leaves.astype(np.int16)


def _draw_curves(results: Results, curves: Mapping[str, Mapping[int, float]]) -> Figure:
    plt = pyplot()
    sizes = sorted({n for curve in curves.values() for n in curve})
    with plt.rc_context(STYLE):
        figure: Figure
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
        figure.suptitle("Impulse: honest forests", fontsize=13, fontweight="bold")
        for ax, base in ((left, BAYES_ERROR), (right, 0.0)):
            for method, curve in curves.items():
                _draw_curve(ax, results.where(part="error", method=method), method, curve, base)
            ax.set_xscale("log")
            ax.set_xticks(sizes, [f"{n / 1000:g}k" if n >= 1000 else str(n) for n in sizes])
            ax.set_xticks([], minor=True)
            ax.set_xlabel("training examples n")
            ax.grid(color="0.9", linewidth=0.8)
            ax.spines[["top", "right"]].set_visible(False)
        left.axhline(BAYES_ERROR, color="0.2", linestyle=":", linewidth=1.4)
        left.annotate(
            f"Bayes error {BAYES_ERROR:.4f}",
            (0.02, BAYES_ERROR),
            xytext=(0, -4),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="top",
        )
        left.set_ylim(bottom=0.1)
        left.set(title="error", ylabel="test error")
        right.set(title="error above the Bayes error", yscale="log", ylabel="excess error")
        ticks = [tick for tick in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if _in(right, tick)]
        right.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        right.set_yticks([], minor=True)
        left.legend(frameon=False)
    return figure


def _in(ax: Axes, value: float) -> bool:
    low, high = ax.get_ylim()
    return bool(low <= value <= high)


def _draw_curve(
    ax: Axes, rows: Results, method: str, curve: Mapping[int, float], base: float
) -> None:
    sizes = list(curve)
    spread = [rows.where(n=n).values("excess") + base for n in sizes]
    low, high = [float(v.min()) for v in spread], [float(v.max()) for v in spread]
    ax.fill_between(sizes, low, high, color=COLORS[method], alpha=0.15, linewidth=0)
    ax.plot(
        sizes,
        [curve[n] + base for n in sizes],
        color=COLORS[method],
        marker=MARKERS[method],
        linewidth=2,
        markersize=5.5,
        label=method,
    )


def _draw_planes(planes: Mapping[str, Array]) -> Figure:
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure: Figure
        figure, axes = plt.subplots(
            1, len(planes), figsize=(3.2 * len(planes), 3.9), layout="constrained", squeeze=False
        )
        figure.suptitle("Cells of one tree in a plane", fontsize=13, fontweight="bold")
        for ax, (method, leaves) in zip(axes[0], planes.items(), strict=True):
            cells = np.unique(leaves, return_inverse=True)[1].reshape(leaves.shape)
            ax.imshow(cells % 20, cmap="tab20", vmin=0, vmax=19, interpolation="nearest")
            edges = np.zeros(cells.shape)
            edges[:, 1:] += cells[:, 1:] != cells[:, :-1]
            edges[1:] += cells[1:] != cells[:-1]
            ax.imshow(np.zeros(cells.shape), cmap="Greys_r", alpha=(edges > 0).astype(float))
            ax.set(xticks=[], yticks=[], title=method)
    return figure


T1 = Consistency(
    id="T1",
    title="Honest forests converge to the Bayes error, and cells are convex",
    paper=THESIS,
    source="Theorems 1 and 2, Corollary 1 (section 4 and appendix)",
    question="Honest trees fill their leaves with examples that did not choose the splits. Does "
    "the error of such forests fall to the lowest possible? Are the cells of trees convex?",
)

"""T1: honest forests come close to the Bayes error, and cells are convex (thesis, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from manifoldforest.datasets import bayes_error, make_impulse
from manifoldforest.projections import Patches

from ..datasets import Array
from ..drawing import light_grid, panels
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from ..registry import THESIS
from ..results import Results
from .data import IMPULSE_CURVE, simulated
from .errors import Errors, errors_in, sheet
from .learning_curve import draw_curve, mark_bayes_error, size_axis
from .methods import forest

STYLES: dict[str, dict[str, Any]] = {
    "MORF": {"color": "#D55E00", "marker": "o"},
    "honest MORF": {"color": "#882255", "marker": "D"},
    "honest SPORF": {"color": "#0072B2", "marker": "^"},
}
SIZES = {"quick": (100, 400, 1600), "full": (100, 400, 1600, 6400, 25_600, 102_400)}
TREES = {"quick": 50, "full": 100}
REPETITIONS = {"quick": 2, "full": 4}
DRAW = {preset: simulated(make_impulse, n) for preset, n in (("quick", 4000), ("full", 20_000))}
BAYES_ERROR = bayes_error("impulse")
# Forests whose cells are looked at.
CELLS_METHODS, CELLS_SIZE, CELLS_TREES = ("MORF", "SPORF", "RF"), 400, 10
N_PAIRS, PLANE = 20_000, 160  # points between two others; pixels a side of the picture of cells
# The theorem needs subsamples of s examples with s -> inf and s / n -> 0 (Specification 1A v),
# a share of the parent's examples in each child (ii), and single features among the projections
# (Assumption 1): widths from 1.
SUBSAMPLE_EXPONENT, MIN_BALANCE = 0.9, 0.05


@dataclass(frozen=True, kw_only=True)
class _Consistency(Experiment):
    """Errors of honest forests over the training size, and a test of the cells' shape."""

    def runs(self, setting: Setting) -> list[Run]:
        cells = product(["cells"], [CELLS_SIZE], CELLS_METHODS, [CELLS_TREES])
        curves = product(["error"], SIZES[setting.preset], STYLES, [TREES[setting.preset]])
        parameters = [
            {"part": part, "method": method, "n": n, "trees": trees}
            for part, n, method, trees in (*cells, *curves)
        ]
        return [Run(seed, p) for seed in range(REPETITIONS[setting.preset]) for p in parameters]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        n, trees = int(run.parameters["n"] or 0), int(run.parameters["trees"] or 0)
        X, y, X_test, y_test = DRAW[setting.preset](n, run.seed, setting)
        model = forest_of(str(run.parameters["method"]), n, trees, run.seed).fit(X, y)
        if run.parameters["part"] == "cells":
            share, tried = share_of_convex(model.apply, X_test, N_PAIRS, run.seed)
            metrics = {"convex": share, "pairs": float(tried)}
            return Outcome(
                metrics, {} if run.seed else {"plane": _plane_of_cells(model.apply, X_test)}
            )
        predicted = model.predict(X_test)
        error = float(np.mean(predicted != y_test))
        return Outcome({"error": error, "excess": excess_error(predicted, X_test)})

    def findings(self, results: Results) -> list[Finding]:
        curves = excess_in(results).means()
        honest, plain = curves.get("honest MORF", {}), curves.get("MORF", {})
        return [
            _consistency("honest MORF", "Theorem 2", honest),
            _consistency("honest SPORF", "Corollary 1", curves.get("honest SPORF", {})),
            _price_of_honesty(honest, plain),
            _convexity(results.where(part="cells")),
        ]

    def sheets(self, results: Results) -> list[Sheet]:
        excess, cells = excess_in(results), results.where(part="cells").by("method")
        title = f"Error above the Bayes error {BAYES_ERROR:.4f}"
        rows = {m: {n: f"{e:.4f}" for n, e in c.items()} for m, c in excess.means().items()}
        above = sheet(title, "forest", {n: f"n = {n}" for n in excess.sizes()}, rows)
        title, heads = "Points between two points of one cell", ("tried", "in the same cell")
        shares = tuple(
            (method, f"{of.values('pairs').sum():.0f}", f"{of.mean('convex'):.6f}")
            for method, of in cells.items()
        )
        return [s for s in (above, Sheet(title, ("forest", *heads), shares)) if s.rows]

    def figures(self, results: Results) -> list[Picture]:
        excess = excess_in(results)
        pictures = [_excess_picture(excess)] if excess.ours else []
        planes = {str(r.get("method")): r.arrays["plane"] for r in results if "plane" in r.arrays}
        return [*pictures, _cells_picture(planes)] if planes else pictures


def forest_of(method: str, n: int, trees: int, seed: int) -> Any:
    """Return a forest for n training examples, not fitted yet."""
    name = method.removeprefix("honest ")
    patches: dict[str, Any] = {"projection": Patches(min_size=1, max_size=12), "max_features": 30}
    params = patches if name == "MORF" else {}
    if name != method:
        params |= {"honest": True, "bootstrap": False, "min_balance": MIN_BALANCE}
        params |= {"max_samples": round(n**SUBSAMPLE_EXPONENT)}
    return forest(name, trees, seed, **params)


def excess_error(predicted: Array, X: Array) -> float:
    """Return how much the error is above the Bayes error, given where the test examples lie.

    The probability of class 1 at x is known: its logarithmic odds are s·x − s·s / 2 for the curve
    s of the impulse. Where a prediction p differs from the better class, it is wrong with
    probability P(better | x) in place of P(p | x). Labels are not used, and add no noise.
    """
    odds = X @ IMPULSE_CURVE - IMPULSE_CURVE @ IMPULSE_CURVE / 2
    costs = np.abs(np.tanh(odds / 2))  # difference of both probabilities
    return float(np.mean(costs * (predicted != (odds > 0))))


def excess_in(results: Results) -> Errors:
    """Return the excess errors by method and training size."""
    found = errors_in(results.where(part="error"), {}, metric="excess").ours
    return Errors({method: found[method] for method in STYLES if method in found}, {})


def share_of_convex(
    leaves_of: Callable[[Array], Array], X: Array, n_pairs: int, seed: int
) -> tuple[float, int]:
    """Return how often a point between two points of one cell lies in it, and the pairs tried.

    `leaves_of` tells the cell of each point in each tree. The point between is anywhere on the
    line; if all cells are convex, the share is 1.
    """
    leaves = leaves_of(X)
    rng = np.random.default_rng(seed)
    same, tried = 0, 0
    pairs = [_pairs(of_tree, -(-n_pairs // leaves.shape[1]), rng) for of_tree in leaves.T]
    for tree, (first, second) in enumerate(pairs):
        weight = rng.random((len(first), 1))
        between = weight * X[first].astype(float) + (1 - weight) * X[second].astype(float)
        same += int(np.sum(leaves_of(between)[:, tree] == leaves[first, tree]))
        tried += len(first)
    return (same / tried if tried else float("nan")), tried


def _pairs(leaves: Array, n_pairs: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return rows that share a leaf of a tree: each with the next of a random order."""
    shuffled = rng.permutation(len(leaves))
    order = shuffled[np.argsort(leaves[shuffled], kind="stable")]
    together = np.flatnonzero(leaves[order[:-1]] == leaves[order[1:]])
    together = rng.permutation(together)[:n_pairs]
    return order[together], order[together + 1]


def _plane_of_cells(leaves_of: Callable[[Array], Array], X: Array) -> Array:
    """Return the leaf in the first tree at the points of a plane through three examples."""
    origin, first, second = X[:3].astype(float)
    steps = np.linspace(-0.5, 1.5, PLANE)
    u, v = (grid.reshape(-1, 1) for grid in np.meshgrid(steps, steps[::-1]))
    leaves = leaves_of(origin + u * (first - origin) + v * (second - origin))
    return leaves[:, 0].reshape(PLANE, PLANE).astype(np.int16)


def _consistency(method: str, theorem: str, curve: Mapping[int, float]) -> Finding:
    """Tell whether the error falls towards the Bayes error."""
    claim = f"The error of {method} converges to the Bayes error ({theorem})"
    published = f"limit {BAYES_ERROR:.4f}"
    if len(curve) < 2:
        return Finding(claim, "too few sizes", published, None)
    sizes, values = np.array(list(curve)), np.array(list(curve.values()))
    slope = float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-6)), 1)[0])
    return Finding(
        claim,
        f"error above it: {values[0]:.4f} at n = {sizes[0]}, {values[-1]:.4f} at n = {sizes[-1]}; "
        f"it falls like n^{slope:.2f}",
        published,
        bool(np.all(np.diff(values) < 0)),
        "Agrees if it falls from each size to the next; a limit cannot be seen. Subsamples of "
        f"n^{SUBSAMPLE_EXPONENT:g} examples, half of them to fill the leaves. Assumption 4, a "
        "density between bounds, is not met by normal noise.",
    )


def _price_of_honesty(honest: Mapping[int, float], plain: Mapping[int, float]) -> Finding:
    """Compare the errors of MORF with honesty and without."""
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


def _convexity(cells: Results) -> Finding:
    """Count points between two points of a cell that are outside of it."""
    claim = "Trees partition the space into convex polytopes (Theorem 1)"
    tried = float(cells.values("pairs").sum())
    if not tried:
        return Finding(claim, "not measured", "0", None)
    counts = [(row.metrics["convex"], row.metrics["pairs"]) for row in cells]
    outside = sum(round((1 - share) * pairs) for share, pairs in counts if pairs)
    return Finding(
        claim,
        f"{outside} of {tried:.0f} points between two points of one cell lie outside of it",
        "0",
        outside <= 1e-5 * tried,
        "Trees of " + ", ".join(cells.distinct("method")) + ". A point that rounding puts on the "
        "other side of a threshold would be counted as outside; up to 1 in 100 000 are allowed.",
    )


def _excess_picture(excess: Errors) -> Picture:
    figure, axes = panels(1, 2, (10, 4.6), "Impulse: honest forests")
    left, right = axes[0]
    for ax, base in ((left, BAYES_ERROR), (right, 0.0)):
        for method, curve in excess.ours.items():
            values = {n: of_size + base for n, of_size in curve.items()}
            draw_curve(ax, values, label=method, linewidth=2, **STYLES[method])
        size_axis(ax, excess.sizes())
        light_grid(ax)
    mark_bayes_error(left, BAYES_ERROR, f"Bayes error {BAYES_ERROR:.4f}")
    left.set_ylim(bottom=0.1)
    left.set(title="error", ylabel="test error")
    right.set(title="error above the Bayes error", yscale="log", ylabel="excess error")
    low, high = right.get_ylim()
    ticks = [tick for tick in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if low <= tick <= high]
    right.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    right.set_yticks([], minor=True)
    left.legend(frameon=False)
    return Picture(
        figure,
        "Left: error over training size; the Bayes error is what no classifier is below. "
        "Right: the distance to it, both axes logarithmic. Means over training sets; bands "
        "from the lowest to the highest. Errors are computed from the known probabilities "
        "of the classes at the test examples, so the labels add no noise.",
    )


def _cells_picture(planes: Mapping[str, Array]) -> Picture:
    size = (3.2 * len(planes), 3.9)
    figure, axes = panels(1, len(planes), size, "Cells of one tree in a plane")
    for ax, (method, leaves) in zip(axes[0], planes.items(), strict=True):
        cells = np.unique(leaves, return_inverse=True)[1].reshape(leaves.shape)
        ax.imshow(cells % 20, cmap="tab20", vmin=0, vmax=19, interpolation="nearest")
        edges = np.zeros(cells.shape)
        edges[:, 1:] += cells[:, 1:] != cells[:, :-1]
        edges[1:] += cells[1:] != cells[:-1]
        ax.imshow(np.zeros(cells.shape), cmap="Greys_r", alpha=(edges > 0).astype(float))
        ax.set(xticks=[], yticks=[], title=method)
    return Picture(
        figure,
        "Cells of the first tree of each forest in a plane through three test examples: "
        "each area is one leaf. Cells of straight cuts are convex polygons.",
    )


T1 = _Consistency(
    id="T1",
    title="Honest forests converge to the Bayes error, and cells are convex",
    paper=THESIS,
    source="Theorems 1 and 2, Corollary 1 (section 4 and appendix)",
    question="Honest trees fill their leaves with examples that did not choose the splits. Does "
    "the error of such forests fall to the lowest possible? Are the cells of trees convex?",
)

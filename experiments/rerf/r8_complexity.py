"""R8: how training time and model size grow with the numbers of rows and of features."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import linregress

import manifoldforest as mf
from manifoldforest.plot import method_colors

from ..drawing import panels, plain_numbers
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet, timed
from ..registry import RERF
from ..results import Results
from .oob_study import VARIANT

Array = NDArray[Any]

METHODS = ("RF", "RerF", "RotRF")
EXTRA = "RotRF − RF"
METRICS = {
    "train_seconds": "training time per tree (CPU ms)",
    "model_bytes": "model file per tree (kB)",
    "memory_bytes": "arrays in memory per tree (kB)",
}
THOUSANDTH = {"train_seconds": 1e3, "model_bytes": 1e-3, "memory_bytes": 1e-3}  # to the units above
NOTES = {
    "rows": "n log n has an exponent of about 1.1 here",
    "features": "trees on noise have fewer nodes the more candidates they choose from",
}
SAME = 0.1  # exponents that differ by less are the same
LINES = {"RF": "s--", "RerF": "o-", "RotRF": "x-.", EXTRA: ":"}

# As section 4.2 counts: fully grown trees, and as many candidates per node as features.
COMMON: dict[str, Any] = {"max_features": None, "keep_samples": False, "n_jobs": 1}


class Slope(NamedTuple):
    """An exponent with its standard error, which is NaN for fewer than three points."""

    value: float
    error: float

    def __str__(self) -> str:
        # an exponent of -0.001 reads as 0, not as -0
        value = f"{round(self.value, 2) + 0.0:.2f}"
        return value if math.isnan(self.error) else f"{value} ± {self.error:.2f}"


def fit_slope(sizes: ArrayLike, costs: ArrayLike) -> Slope | None:
    """Fit ``cost = factor * size ** slope`` to positive costs by least squares of logarithms.

    None for fewer than two different sizes.
    """
    size, cost = np.asarray(sizes, float), np.asarray(costs, float)
    x, y = np.log(size[cost > 0]), np.log(cost[cost > 0])
    if len(np.unique(x)) < 2:
        return None
    line = linregress(x, y)
    return Slope(float(line.slope), float(line.stderr) if len(x) > 2 else math.nan)


class Sweep(NamedTuple):
    """One size that changes while the other stays."""

    over: str  # "rows" or "features"
    values: tuple[int, ...]
    fixed: int
    slope_from: int  # smaller sizes are drawn, but costs that do not grow weigh too much in them

    def size(self, value: int) -> dict[str, int]:
        """Return the numbers of rows and features of a training set."""
        over_rows = self.over == "rows"
        rows, features = (value, self.fixed) if over_rows else (self.fixed, value)
        return {"rows": rows, "features": features}

    @property
    def label(self) -> str:
        """What changes and what stays."""
        return f"{self.over} ({self.fixed} {'features' if self.over == 'rows' else 'rows'})"

    def costs(self, metric: str, method: str, results: Results) -> tuple[Array, Array]:
        """Return sizes and costs of one method, or what RotRF costs more than RF."""
        found: dict[tuple[Any, int], dict[Any, float]] = {}
        for row in results.where(over=self.over):
            by_method = found.setdefault((row.get(self.over), row.seed), {})
            by_method[row.get("method")] = row.metrics[metric]
        for costs in found.values():
            if {"RF", "RotRF"} <= costs.keys():
                costs[EXTRA] = costs["RotRF"] - costs["RF"]
        chosen = {size: costs[method] for size, costs in found.items() if method in costs}
        return np.array([size for size, _ in chosen], float), np.array(list(chosen.values()))

    def slope(self, metric: str, method: str, results: Results) -> Slope | None:
        """Return the exponent of one method's growth over the larger sizes."""
        sizes, costs = self.costs(metric, method, results)
        large = sizes >= self.slope_from
        return fit_slope(sizes[large], costs[large])


SWEEPS = {
    "quick": (
        Sweep("rows", (250, 500, 1000, 2000), 20, 500),
        Sweep("features", (10, 30, 100, 200), 200, 30),
    ),
    "full": (
        Sweep("rows", (250, 500, 1000, 2000, 4000, 8000, 16_000), 20, 1000),
        Sweep("features", (10, 20, 50, 100, 200, 500, 1000), 500, 50),
    ),
}
TREES = {"quick": 10, "full": 20}
SEEDS = {"quick": 2, "full": 3}


def noise(rows: int, features: int, seed: int) -> tuple[Array, Array]:
    """Draw normal features and classes by fair coins, so that trees have O(n) nodes at any size."""
    rng = np.random.default_rng([seed, rows, features])
    X = rng.standard_normal((rows, features), dtype=np.float32)
    return X, rng.integers(2, size=rows)


def memory(forest: mf.ForestClassifier) -> int:
    """Return the number of bytes of the trees' arrays in memory."""
    return sum(array.nbytes for tree in forest.trees_ for array in tree.arrays.values())


@dataclass(frozen=True, kw_only=True)
class Complexity(Experiment):
    """Costs over sizes, and their exponents."""

    def runs(self, setting: Setting) -> list[Run]:
        trees = TREES[setting.preset]
        return [
            Run(seed, {"over": sweep.over, "method": m, **sweep.size(value), "trees": trees})
            for seed in range(SEEDS[setting.preset])
            for sweep in SWEEPS[setting.preset]
            for value in sweep.values
            for m in METHODS
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        parameters: dict[str, Any] = dict(run.parameters)
        method, trees = parameters["method"], parameters["trees"]
        params = {
            "n_estimators": trees,
            "random_state": run.seed,
            **COMMON,
            **VARIANT.get(method, {}),
        }
        forest = mf.named_forest(method, **params)
        X, y = noise(parameters["rows"], parameters["features"], run.seed)
        _, seconds = timed(lambda: forest.fit(X, y))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "forest.mf")
            forest.save(path)
            costs = dict(zip(METRICS, (seconds, path.stat().st_size, memory(forest)), strict=True))
        return Outcome({name: cost * (1 / trees) for name, cost in costs.items()})

    def findings(self, results: Results) -> list[Finding]:
        """Compare the exponents with those of section 4.2."""
        rows, features = SWEEPS[results.preset]
        return [
            *_same_slope(rows, "train_seconds", "O(n log n) in practice, for both", results),
            *_same_slope(features, "train_seconds", "O(p), for both", results),
            *_same_slope(rows, "model_bytes", "O(n log n), for both", results),
            *_same_slope(features, "model_bytes", "does not depend on p, for both", results),
            *_rotation_findings(features, results),
        ]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return all exponents, and all costs."""
        sweeps = product(METRICS, SWEEPS[results.preset])
        slopes = tuple(_slope_row(sweep, metric, results) for metric, sweep in sweeps)
        costs = []
        for sweep, metric in product(SWEEPS[results.preset], METRICS):
            title = f"{METRICS[metric]} over {sweep.label}"
            if rows := tuple(_cost_rows(sweep, metric, results)):
                costs.append(Sheet(title, (sweep.over, *METHODS), rows))
        heads = ("cost", "from", *METHODS, EXTRA)
        return [Sheet("Exponents ± standard errors", heads, slopes), *costs]

    def figures(self, results: Results) -> list[Picture]:
        """Draw time above and file size below on logarithmic scales, a column for each sweep."""
        figure, table = panels(2, 2, (8, 7))
        shown = product(("train_seconds", "model_bytes"), SWEEPS[results.preset])
        for ax, (metric, sweep) in zip(table.flat, shown, strict=True):
            ax.set_visible(len(results.where(over=sweep.over)) > 0)
            if ax.get_visible():
                _draw_costs(ax, sweep, metric, results)
        caption = (
            "Training time and size of the model file of fully grown trees on noise; means and "
            "ranges over training sets. In the legends: exponents of the growth with their "
            "standard errors, fitted to the sizes from the thin vertical line on."
        )
        return [Picture(figure, caption)]


def _same_slope(sweep: Sweep, metric: str, published: str, results: Results) -> Iterator[Finding]:
    rf, rerf = (sweep.slope(metric, method, results) for method in ("RF", "RerF"))
    if rf and rerf:
        what = "training time" if metric == "train_seconds" else "model size"
        yield Finding(
            f"{what} grows with {sweep.over} alike for RF and RerF",
            f"exponents RF {rf}, RerF {rerf}",
            published,
            abs(rf.value - rerf.value) < SAME,
            f"{sweep.over} from {sweep.slope_from}; exponents that differ by less than {SAME} "
            "count as alike; " + NOTES[sweep.over],
        )


def _rotation_findings(sweep: Sweep, results: Results) -> Iterator[Finding]:
    if time := sweep.slope("train_seconds", EXTRA, results):
        yield Finding(
            "rotations cost RotRF extra training time that grows with p² to p³",
            f"exponent of the time beyond that of RF: {time}",
            "O(p³) to draw a rotation, O(np²) to apply it",
            2 - SAME <= time.value <= 3 + SAME,
            f"p from {sweep.slope_from}, n = {sweep.fixed}; the part in np² should lead "
            "while p is well below n",
        )
    if room := sweep.slope("model_bytes", EXTRA, results):
        sizes, costs = sweep.costs("model_bytes", EXTRA, results)
        p = sizes.max()
        yield Finding(
            "RotRF stores a rotation of p² numbers with each tree",
            f"exponent of the size beyond that of RF: {room}; at p = {p:.0f} "
            f"{costs[sizes == p].mean() / p**2:.2f} bytes × p²",
            "O(p²)",
            abs(room.value - 2) < SAME,
            "our numbers have 4 bytes",
        )


def _slope_row(sweep: Sweep, metric: str, results: Results) -> tuple[str, ...]:
    slopes = [sweep.slope(metric, method, results) for method in (*METHODS, EXTRA)]
    if sweep.over == "rows":
        slopes[-1] = None  # a rotation does not depend on the rows: nothing grows
    cells = ("-" if slope is None else str(slope) for slope in slopes)
    return (f"{METRICS[metric]} over {sweep.label}", str(sweep.slope_from), *cells)


def _cost_rows(sweep: Sweep, metric: str, results: Results) -> Iterator[tuple[str, ...]]:
    for value in sweep.values:
        at = results.where(over=sweep.over, **sweep.size(value))
        if len(at):
            costs = (THOUSANDTH[metric] * at.where(method=m).mean(metric) for m in METHODS)
            cells = (f"{c:.3g}" if c < 100 else "-" if math.isnan(c) else f"{c:.0f}" for c in costs)
            yield (str(value), *cells)


def _draw_costs(ax: Any, sweep: Sweep, metric: str, results: Results) -> None:
    colors = method_colors(METHODS)
    colors[EXTRA] = colors["RotRF"]
    for method in (*METHODS, EXTRA) if sweep.over == "features" else METHODS:
        sizes, costs = sweep.costs(metric, method, results)
        at = np.unique(sizes)
        groups = [THOUSANDTH[metric] * costs[sizes == size] for size in at]
        mean = np.array([group.mean() for group in groups])
        slope = sweep.slope(metric, method, results)
        shown = mean > 0  # the extra time of a few features may be none
        label = method if slope is None else f"{method}: {slope}"
        (line,) = ax.plot(at[shown], mean[shown], LINES[method], markersize=5, label=label)
        line.set(color=colors[method], linewidth=1.5)
        if method != EXTRA and len(at):
            ends = [g.min() for g in groups], [g.max() for g in groups]
            ax.fill_between(at, *ends, color=colors[method], alpha=0.18, linewidth=0)
    ax.axvline(sweep.slope_from, color="0.7", linewidth=0.8)
    ax.set(xscale="log", yscale="log")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.3)  # room for the legend
    plain_numbers(ax.xaxis)
    plain_numbers(ax.yaxis)
    ax.set_xlabel(sweep.label, fontsize=9)
    ax.set_ylabel(METRICS[metric], fontsize=9)
    ax.tick_params(labelsize=8)
    ax.grid(alpha=0.25)
    ax.legend(title="exponents", fontsize=8, title_fontsize=8, loc="upper left")


R8 = Complexity(
    id="R8",
    title="Complexity of training and storing",
    paper=RERF,
    source="Section 4.2",
    question="Do training time and model size of RerF grow with rows and features like those of "
    "RF, and how much more do the rotations of RotRF cost?",
)

"""B8: how many distances a query measures, over the number of stored examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from manifoldforest.boundary import BoundaryIndex
from manifoldforest.plot._style import OTHER_COLORS

from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from .._papers import BOUNDARY
from .._results import Results
from ._panels import panels, plain
from ._walks import Walker

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LIMITS = (2, 5, 10, 50, None)  # k, the largest number of children; None is no limit
MOST = 65_535  # what our trees take for no limit; none of them gets near
DIMENSIONS = (3, 20)  # of the cube: not given; a node gets 50 children in many dimensions only
SIZES = (1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000)
N_QUERIES = 500
# Growth per doubling of N over the later half of SIZES, divided by that over the earlier half, is 1
# for a + b log N, 1.29 for (log N)^2, 1.6 for N^0.2 and 3.3 for N^0.5.
STRAIGHT = 1.1
MIN_SIZES = 3  # for a line and its bend


@dataclass(frozen=True)
class Line:
    """Comparisons as a straight line over log N, and how straight they are."""

    intercept: float
    per_doubling: float
    bend: float  # growth in the later half of the sizes over that in the earlier


@dataclass(frozen=True, kw_only=True)
class QueryCost(Experiment):
    """Queries in trees that keep every point of a cube."""

    def runs(self, setting: Setting) -> list[Run]:
        """One run for each dimension, k and number of points."""
        sizes, n_seeds = (SIZES, 10) if setting.preset == "full" else (SIZES[:5], 2)
        return [
            Run(seed, {"dimension": dimension, "max_children": limit, "n": n})
            for dimension in DIMENSIONS
            for limit in LIMITS
            for n in sizes
            for seed in range(n_seeds)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Store all points in one tree and walk through it in NumPy."""
        n, dimension = int(run.parameters["n"] or 0), int(run.parameters["dimension"] or 0)
        given = run.parameters["max_children"]
        limit = None if given is None else int(given)
        points = _cube(n, dimension, run.seed)
        queries = _cube(N_QUERIES, dimension, 1_000_000 + run.seed)
        index = BoundaryIndex(1, max_children=limit or MOST, n_jobs=1, random_state=run.seed)
        index.add(points)
        (tree,) = index.trees_
        walker = Walker(points[tree.example], tree.parent, limit)
        walks = [walker.walk(query) for query in queries]
        counts = np.array([walk.n_distances for walk in walks])
        nearest = np.array([walk.nearest for walk in walks])
        truly = np.concatenate([cdist(some, points).min(axis=1) for some in np.split(queries, 20)])
        return Outcome(
            {
                "comparisons": float(counts.mean()),
                "most_comparisons": float(counts.max()),
                "depth": float(index.depth_[0]),
                "most_children": float(np.bincount(tree.parent[1:]).max()),
                "distance_ratio": float(np.mean(nearest / truly)),
            }
        )

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Tell for each k whether the growth is logarithmic."""
        found = []
        for dimension, rows in results.by("dimension").items():
            found += _limited_findings(dimension, rows)
            found += _unlimited_findings(dimension, rows.where(max_children=None))
        return found

    def sheets(self, results: Results) -> list[Sheet]:
        """Comparisons for each k and number of points, and what the trees are like."""
        sizes = sorted(results.distinct("n"))
        columns = ("dimensions", "k", *map(str, sizes), "a", "b per doubling", "bend")
        of_trees = ("depth", "most children", "comparisons at most", "distance / nearest")
        lines, trees = [], []
        for dimension, of_dimension in results.by("dimension").items():
            for limit, rows in of_dimension.by("max_children").items():
                head = (str(dimension), _name(limit))
                cells = [f"{rows.where(n=n).mean('comparisons'):.1f}" for n in sizes]
                n, comparisons = by_size(rows)
                fit = ("-", "-", "-")
                if len(n) >= MIN_SIZES:
                    line = straight_line(n, comparisons)
                    fit = (f"{line.intercept:.1f}", f"{line.per_doubling:.2f}", f"{line.bend:.2f}")
                lines.append((*head, *cells, *fit))
                largest = rows.where(n=max(rows.distinct("n")))
                trees.append(
                    (
                        *(*head, str(max(rows.distinct("n")))),
                        f"{largest.mean('depth'):.1f}",
                        f"{largest.mean('most_children'):.1f}",
                        f"{largest.mean('most_comparisons'):.0f}",
                        f"{largest.mean('distance_ratio'):.2f}",
                    )
                )
        return [
            Sheet("Comparisons per query, by stored points N; a + b log2 N", columns, tuple(lines)),
            Sheet("The largest trees", ("dimensions", "k", "N", *of_trees), tuple(trees)),
        ]

    def figures(self, results: Results) -> list[Picture]:
        """Comparisons over the number of points."""
        caption = (
            "Distances measured by a query in one tree whose nodes have at most k children: mean "
            "over queries and samples, bands of one standard deviation over samples. Dashed: "
            "a + b log N."
        )
        return [Picture(_draw(results), caption)]


def _cube(n: int, dimension: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng([dimension, seed]).random((n, dimension), dtype=np.float32)


def by_size(rows: Results) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return numbers of points in ascending order, and mean comparisons."""
    sizes = sorted(rows.distinct("n"))
    means = [rows.where(n=n).mean("comparisons") for n in sizes]
    return np.array(sizes, dtype=float), np.array(means, dtype=float)


def straight_line(n: NDArray[np.float64], comparisons: NDArray[np.float64]) -> Line:
    """Fit comparisons = a + b log2 N to at least MIN_SIZES numbers."""
    doublings = np.log2(n)
    slope, intercept = np.polyfit(doublings, comparisons, 1)
    half = len(n) // 2
    early = (comparisons[half] - comparisons[0]) / (doublings[half] - doublings[0])
    late = (comparisons[-1] - comparisons[half]) / (doublings[-1] - doublings[half])
    return Line(float(intercept), float(slope), float(late / early))


def _name(limit: int | None) -> str:
    return "no limit" if limit is None else str(limit)


_BEND = (
    "bend: growth per doubling of N in the later half of the sizes over that in the earlier; it is "
    f"1 for log N, and judged to be more above {STRAIGHT}"
)


def _limited_findings(dimension: int, results: Results) -> list[Finding]:
    lines, idle = {}, {}  # idle limits are those that no node reaches
    for limit, rows in results.by("max_children").items():
        n, comparisons = by_size(rows)
        if limit is None or len(n) < MIN_SIZES:
            continue
        most = rows.where(n=int(n[-1])).mean("most_children")
        if most < limit:
            idle[limit] = most
        else:
            lines[limit] = straight_line(n, comparisons)
    if not lines:
        return []
    told = [f"{x.per_doubling:.1f} for k = {k} (bend {x.bend:.2f})" for k, x in lines.items()]
    unjudged = [f". No node has {k} children yet, but at most {m:.0f}" for k, m in idle.items()]
    return [
        Finding(
            f"with at most k children per node, a query takes log N ({dimension} dimensions)",
            "comparisons added per doubling of N: " + ", ".join(told),
            "log N",
            all(line.bend <= STRAIGHT for line in lines.values()),
            _BEND + "".join(unjudged),
        )
    ]


def _unlimited_findings(dimension: int, rows: Results) -> list[Finding]:
    n, comparisons = by_size(rows)
    if len(n) < MIN_SIZES:
        return []
    line = straight_line(n, comparisons)
    return [
        Finding(
            f"without a limit a query takes more than log N ({dimension} dimensions)",
            f"{comparisons[0]:.0f} comparisons at {n[0]:.0f} points, {comparisons[-1]:.0f} at "
            f"{n[-1]:.0f}, bend {line.bend:.2f}",
            "a limit is needed",
            bool(line.bend > STRAIGHT),
            _BEND + "; 1.3 for its square, 3.3 for √N",
        )
    ]


def _draw(results: Results) -> Figure:
    cubes = results.by("dimension")
    figure, grid = panels(1, len(cubes), (1 + 3.6 * len(cubes), 4))
    for axes, (dimension, rows) in zip(grid[0], cubes.items(), strict=True):
        _draw_panel(axes, rows)
        axes.set_title(f"cube of {dimension} dimensions")
    return figure


def _draw_panel(axes: Axes, results: Results) -> None:
    for limit, rows in results.by("max_children").items():
        color = OTHER_COLORS[LIMITS.index(limit)]
        n, mean = by_size(rows)
        std = np.nan_to_num([rows.where(n=size).std("comparisons") for size in n])
        axes.fill_between(n, mean - std, mean + std, color=color, alpha=0.18, linewidth=0)
        # often the same as for 50, so that both must be seen
        style = ":" if limit is None else "-"
        label = f"k = {_name(limit)}" if limit else "no limit"
        axes.plot(n, mean, style, color=color, marker="o", markersize=4, label=label)
        if len(n) >= MIN_SIZES:
            line = straight_line(n, mean)
            fitted = line.intercept + line.per_doubling * np.log2(n)
            axes.plot(n, fitted, color=color, linestyle="--", linewidth=0.9)
    axes.set(xscale="log", xlabel="stored points N", ylabel="comparisons per query", ylim=(0, None))
    plain(axes)
    axes.legend(frameon=False, fontsize=9)


B8 = QueryCost(
    id="B8",
    title="What a query costs",
    paper=BOUNDARY,
    source="slides, general performance",
    question=(
        "How many distances does a query measure in a tree of N stored points? About log N, if the "
        "number of children of a node is limited. To learn an example costs the same."
    ),
)

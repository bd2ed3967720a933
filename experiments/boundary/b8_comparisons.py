"""B8: how many distances a query measures, over the number of stored examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

import manifoldforest as mf

from ..datasets import Array
from ..drawing import band, light_grid, panels
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from ..registry import BOUNDARY
from ..results import Results
from .tables import groups

LIMITS = (2, 5, 10, 50, None)  # k, the largest number of children; None is no limit
MOST = 65_535  # what our trees take for no limit; none of them gets near
DIMENSIONS = (3, 20)  # of the cube: not given; a node gets 50 children in many dimensions only
SIZES = (1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000)
N_QUERIES = 500
STRAIGHT = 1.1  # a bend below is a line; it is 1.29 for (log N)^2, 1.6 for N^0.2, 3.3 for N^0.5
BEND = (
    "bend: growth per doubling of N in the later half of the sizes over that in the earlier; it is "
    f"1 for log N, and judged to be more above {STRAIGHT}"
)
MIN_SIZES = 3  # for a line and its bend


def walks(queries: Array, points: Array, parent: Array, limit: int | None) -> tuple[Array, Array]:
    """Return how many distances each query measures in a boundary tree, and the least of them.

    A query goes from the root, which comes first, to the closest child until the node itself is
    closer than those (Mathy et al., 2015). A node with `limit` children is never the end. A node
    on the way costs as many distances as it has children, and the root one more.
    """
    places = points.astype(np.float64)
    by_parent = 1 + np.argsort(parent[1:], kind="stable")  # children of node 0, of node 1, ...
    children = np.split(by_parent, np.searchsorted(parent[by_parent], np.arange(1, len(parent))))
    n_distances, nearest = np.ones(len(queries), dtype=np.int64), np.empty(len(queries))
    for i, query in enumerate(queries):
        node, own = 0, np.linalg.norm(places[0] - query)
        nearest[i] = own
        while len(children[node]):
            distances = np.linalg.norm(places[children[node]] - query, axis=1)
            n_distances[i] += len(distances)
            nearest[i] = min(nearest[i], distances.min())
            if own < distances.min() and (limit is None or len(distances) < limit):
                break
            node, own = children[node][distances.argmin()], distances.min()
    return n_distances, nearest


class Line(NamedTuple):
    """Comparisons as a straight line over log N, and how straight they are."""

    intercept: float
    per_doubling: float
    bend: float  # growth in the later half of the sizes over that in the earlier


class QueryCost(Experiment):
    """Queries in trees that keep every point of a cube."""

    def runs(self, setting: Setting) -> list[Run]:
        sizes, n_seeds = (SIZES, 10) if setting.preset == "full" else (SIZES[:5], 2)
        return [
            Run(seed, {"dimension": dimension, "max_children": limit, "n": n})
            for dimension in DIMENSIONS
            for limit in LIMITS
            for n in sizes
            for seed in range(n_seeds)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        given: Any = run.parameters
        limit = given["max_children"]
        points = _cube(given["n"], given["dimension"], run.seed)
        queries = _cube(N_QUERIES, given["dimension"], 1_000_000 + run.seed)
        index = mf.BoundaryIndex(1, max_children=limit or MOST, n_jobs=1, random_state=run.seed)
        index.add(points)
        (tree,) = index.trees_
        counts, nearest = walks(queries, points[tree.example], tree.parent, limit)
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

    def findings(self, results: Results) -> list[Finding]:
        """Tell for each k whether the growth is logarithmic."""
        cubes = results.by("dimension").items()
        return [found for dimension, rows in cubes for found in _findings(dimension, rows)]

    def sheets(self, results: Results) -> list[Sheet]:
        """Comparisons for each k and number of points, and what the trees are like."""
        sizes = sorted(results.distinct("n"))
        columns = ("dimensions", "k", *map(str, sizes), "a", "b per doubling", "bend")
        of_trees = ("depth", "most children", "comparisons at most", "distance / nearest")
        digits = {"depth": 1, "most_children": 1, "most_comparisons": 0, "distance_ratio": 2}
        lines, trees = [], []
        for dimension, limit, rows in groups(results, "dimension", "max_children"):
            head = (str(dimension), "no limit" if limit is None else str(limit))
            cells = [f"{rows.where(n=n).mean('comparisons'):.1f}" for n in sizes]
            n, comparisons = _by_size(rows)
            fit = ("-", "-", "-")
            if len(n) >= MIN_SIZES:
                line = straight_line(n, comparisons)
                fit = (f"{line.intercept:.1f}", f"{line.per_doubling:.2f}", f"{line.bend:.2f}")
            lines.append((*head, *cells, *fit))
            largest = rows.where(n=int(n[-1]))
            numbers = (f"{largest.mean(name):.{of}f}" for name, of in digits.items())
            trees.append((*head, f"{n[-1]:.0f}", *numbers))
        return [
            Sheet("Comparisons per query, by stored points N; a + b log2 N", columns, tuple(lines)),
            Sheet("The largest trees", ("dimensions", "k", "N", *of_trees), tuple(trees)),
        ]

    def figures(self, results: Results) -> list[Picture]:
        """Comparisons over the number of points."""
        names = {limit: f"k = {limit}" if limit else "no limit" for limit in LIMITS}
        colors = mf.plot.method_colors(list(names.values()))
        cubes = results.by("dimension")
        figure, grid = panels(1, len(cubes), (1 + 3.6 * len(cubes), 4))
        for axes, (dimension, of_cube) in zip(grid[0], cubes.items(), strict=True):
            for limit, rows in of_cube.by("max_children").items():
                n, mean = _by_size(rows)
                std = np.nan_to_num([rows.where(n=size).std("comparisons") for size in n])
                # often the same as for 50, so that both must be seen
                style: dict[str, Any] = {
                    "linestyle": ":" if limit is None else "-",
                    "color": colors[names[limit]],
                }
                style |= {"marker": "o", "markersize": 4, "label": names[limit]}
                band(axes, n, mean - std, mean, mean + std, **style)
                if len(n) >= MIN_SIZES:
                    line = straight_line(n, mean)
                    fitted = line.intercept + line.per_doubling * np.log2(n)
                    axes.plot(n, fitted, color=style["color"], linestyle="--", linewidth=0.9)
            axes.set(title=f"cube of {dimension} dimensions", xscale="log", ylim=(0, None))
            axes.set(xlabel="stored points N", ylabel="comparisons per query")
            light_grid(axes)
            axes.legend(frameon=False, fontsize=9)
        caption = (
            "Distances measured by a query in one tree whose nodes have at most k children: mean "
            "over queries and samples, bands of one standard deviation over samples. Dashed: "
            "a + b log N."
        )
        return [Picture(figure, caption)]


def _cube(n: int, dimension: int, seed: int) -> Array:
    return np.random.default_rng([dimension, seed]).random((n, dimension), dtype=np.float32)


def _by_size(rows: Results) -> tuple[Array, Array]:
    """Return numbers of points in ascending order, and mean comparisons."""
    sizes = sorted(rows.distinct("n"))
    means = [rows.where(n=n).mean("comparisons") for n in sizes]
    return np.array(sizes, dtype=float), np.array(means, dtype=float)


def straight_line(n: Array, comparisons: Array) -> Line:
    """Fit comparisons = a + b log2 N to at least MIN_SIZES numbers."""
    doublings = np.log2(n)
    slope, intercept = np.polyfit(doublings, comparisons, 1)
    half = len(n) // 2
    early = (comparisons[half] - comparisons[0]) / (doublings[half] - doublings[0])
    late = (comparisons[-1] - comparisons[half]) / (doublings[-1] - doublings[half])
    return Line(float(intercept), float(slope), float(late / early))


def _findings(dimension: int, results: Results) -> Iterator[Finding]:
    lines, idle = {}, {}  # idle limits are those that no node reaches
    for limit, rows in results.by("max_children").items():
        n, comparisons = _by_size(rows)
        most = rows.where(n=int(n[-1])).mean("most_children")
        if len(n) < MIN_SIZES:
            continue
        if limit is not None and most < limit:
            idle[limit] = f". No node has {limit} children yet, but at most {most:.0f}"
        else:
            lines[limit] = straight_line(n, comparisons)
    unlimited = lines.pop(None, None)
    if lines:
        told = [f"{x.per_doubling:.1f} for k = {k} (bend {x.bend:.2f})" for k, x in lines.items()]
        yield Finding(
            f"with at most k children per node, a query takes log N ({dimension} dimensions)",
            "comparisons added per doubling of N: " + ", ".join(told),
            "log N",
            all(line.bend <= STRAIGHT for line in lines.values()),
            BEND + "".join(idle.values()),
        )
    if unlimited:
        n, comparisons = _by_size(results.where(max_children=None))
        yield Finding(
            f"without a limit a query takes more than log N ({dimension} dimensions)",
            f"{comparisons[0]:.0f} comparisons at {n[0]:.0f} points, {comparisons[-1]:.0f} at "
            f"{n[-1]:.0f}, bend {unlimited.bend:.2f}",
            "a limit is needed",
            bool(unlimited.bend > STRAIGHT),
            BEND + "; 1.3 for its square, 3.3 for √N",
        )


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

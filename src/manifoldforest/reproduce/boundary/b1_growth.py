"""B1: how boundary trees grow where classes meet in the plane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...boundary import BoundaryForestClassifier
from ...plot._style import class_colors, method_colors
from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from .._papers import BOUNDARY
from .._results import Results, Row
from ._growth import (
    GRID,
    checkpoints,
    draw_growth,
    exponent,
    grid_points,
    nodes_after,
    spread,
    unit_square,
)
from ._panels import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PUBLISHED = {10_000: 680, 100_000: 2220}
SHOWN = 10_000  # examples after which the slides show what trees say
COUNTED = (1000, 2500, 10_000, 40_000, 100_000)
N_TEST = 10_000
# Counted by another program for the wave and one tree, by largest number of children: one sample
# for 2, the mean of two for 50. Samples differ by 6 to 11 % (standard deviation).
REFERENCE = {2: {2500: 103, 10_000: 212, 40_000: 466}, 50: {2500: 72, 10_000: 152, 40_000: 326}}
ENOUGH = 5  # samples to tell how much they differ

_RADII = (0.12, 0.22, 0.31, 0.4)


def wave(X: NDArray[Any]) -> NDArray[np.int64]:
    """Two classes, above and below a sine."""
    above: NDArray[np.bool_] = X[:, 1] > 0.5 + 0.25 * np.sin(6 * X[:, 0])
    return above.astype(np.int64)


def rings(X: NDArray[Any]) -> NDArray[np.int64]:
    """Five classes, rings around the centre."""
    return np.searchsorted(_RADII, np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5))


def _wave_length() -> float:
    x = np.linspace(0, 1, 10_001)
    return float(np.hypot(np.diff(x), np.diff(0.25 * np.sin(6 * x))).sum())


PICTURES: dict[str, Callable[[NDArray[Any]], NDArray[np.int64]]] = {"wave": wave, "rings": rings}
LENGTHS = {"wave": _wave_length(), "rings": 2 * np.pi * sum(_RADII)}  # of the borders


@dataclass(frozen=True, kw_only=True)
class PlaneGrowth(Experiment):
    """Trees and forests on points of the unit square, counted at every example."""

    def runs(self, setting: Setting) -> list[Run]:
        """One run for each picture and forest: a tree tells its growth when all is over."""
        n, seeds_one, seeds_more = (100_000, 30, 10) if setting.preset == "full" else (10_000, 5, 2)
        forests = ((1, 50, seeds_one), (1, 2, seeds_one), (5, 50, seeds_more), (50, 50, seeds_more))
        return [
            Run(seed, {"picture": picture, "trees": trees, "max_children": children, "n": n})
            for picture in PICTURES
            for trees, children, n_seeds in forests
            for seed in range(n_seeds)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Show all examples in order, and stop once to look at what the forest says."""
        n, trees = int(run.parameters["n"] or 0), int(run.parameters["trees"] or 0)
        children = int(run.parameters["max_children"] or 0)
        classes = PICTURES[str(run.parameters["picture"])]
        X, test = unit_square(n, run.seed), unit_square(N_TEST, 1_000_000 + run.seed)
        y = classes(X)
        forest = BoundaryForestClassifier(
            trees, max_children=children, n_jobs=1, random_state=run.seed
        )
        forest.partial_fit(X[:SHOWN], y[:SHOWN], classes=np.unique(y))
        metrics = {f"error_{SHOWN}": float(np.mean(forest.predict(test) != classes(test)))}
        arrays = _shown(forest) if run.seed == 0 else {}
        if n > SHOWN:
            forest.partial_fit(X[SHOWN:], y[SHOWN:])
            metrics[f"error_{n}"] = float(np.mean(forest.predict(test) != classes(test)))

        grown = forest.trees_
        counted = [count for count in COUNTED if count <= n]
        for count, nodes in zip(counted, nodes_after(grown, counted), strict=True):
            metrics[f"nodes_{count}"] = float(nodes)
        metrics |= {
            "exponent": exponent(grown, n),
            "depth": float(forest.depth_.max()),
            "most_children": float(max(np.bincount(t.parent[1:]).max() for t in grown)),
            "stored": float(len(forest.stored_)),  # by at least one of the trees
        }
        n_seen = checkpoints(n)
        arrays |= {"n_seen": n_seen, "nodes": nodes_after(grown, n_seen)}
        return Outcome(metrics, arrays)

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Compare the exponent; the constant belongs to the picture."""
        found = []
        for picture, rows in results.by("picture").items():
            one = rows.where(trees=1, max_children=50)
            if len(one):
                found += [_exponent_finding(picture, one), _constant_finding(picture, one)]
        for children, expected in REFERENCE.items():
            rows = results.where(picture="wave", trees=1, max_children=children)
            found += _reference_findings(rows, children, expected)
        for picture, rows in results.where(max_children=50).by("picture").items():
            found += _forest_findings(picture, rows)
        return found

    def sheets(self, results: Results) -> list[Sheet]:
        """Nodes of a tree after some numbers of examples, and test errors."""
        sizes = [n for n in COUNTED if len(results.values(f"nodes_{n}"))]
        after = [n for n in (SHOWN, 100_000) if len(results.values(f"error_{n}"))]
        columns = ("border", "trees", "children at most", *(f"{n} examples" for n in sizes))
        columns += ("exponent", "depth", *(f"error after {n}, %" for n in after))
        lines = []
        for picture, of_picture in results.by("picture").items():
            for trees, of_trees in of_picture.by("trees").items():
                for children, rows in of_trees.by("max_children").items():
                    single = trees == 1 and children == 50
                    line = [picture, str(trees), str(children)]
                    line += [_nodes_cell(rows, n, compare=single) for n in sizes]
                    line.append(f"{rows.mean('exponent'):.2f}" + (" (0.51)" if single else ""))
                    line.append(f"{rows.mean('depth'):.1f}")
                    line += [f"{100 * rows.mean(f'error_{n}'):.2f}" for n in after]
                    lines.append(tuple(line))
        return [Sheet("Nodes of a tree, ours (published); errors", columns, tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Draw what trees say and keep after 10 000 examples, as the slides do; and the growth."""
        pictures = []
        shown = [row for row in results.where(max_children=50) if "map" in row.arrays]
        if shown:
            pictures.append(
                Picture(
                    _draw_maps(shown),
                    f"What one tree and forests say after {SHOWN} examples. Dots are the examples "
                    "that one tree keeps, coloured by class.",
                )
            )
        pictures.append(
            Picture(
                _draw_all_growth(results),
                "Mean number of nodes of a tree; k is the largest number of children. Bands are "
                "one standard deviation over samples. The published picture is not known, so only "
                "the slope can agree.",
            )
        )
        return pictures


def _shown(forest: BoundaryForestClassifier) -> dict[str, NDArray[Any]]:
    """Return a map of the answers, and what is kept by a single tree."""
    arrays = {"map": forest.predict(grid_points()).astype(np.uint8).reshape(GRID, GRID)}
    if forest.n_estimators == 1:
        points, labels = forest.stored_examples_
        arrays |= {"kept": points.astype(np.float32), "kept_label": labels.astype(np.uint8)}
    return arrays


def _nodes_cell(rows: Results, n: int, *, compare: bool) -> str:
    published = f" ({PUBLISHED[n]})" if compare and n in PUBLISHED else ""
    return spread(rows, f"nodes_{n}") + published


# --------------------------------------------------------------------------------------- findings


def _exponent_finding(picture: str, rows: Results) -> Finding:
    ours = rows.mean("exponent")
    return Finding(
        f"nodes of one tree grow like the square root of the examples ({picture})",
        f"exponent {spread(rows, 'exponent', 2)}",
        "exponent 0.51 (680 nodes after 10 000 examples, 2220 after 100 000)",
        bool(abs(ours - 0.51) <= 0.05),
        "over the last factor of ten; agreement means within 0.05",
    )


def _constant_finding(picture: str, rows: Results) -> Finding:
    sizes = [n for n in PUBLISHED if len(rows.values(f"nodes_{n}"))]
    nodes = {n: rows.mean(f"nodes_{n}") for n in sizes}
    per_length = [nodes[n] / (LENGTHS[picture] * np.sqrt(n)) for n in sizes]
    needed = [PUBLISHED[n] / (c * np.sqrt(n)) for n, c in zip(sizes, per_length, strict=True)]
    return Finding(
        f"nodes of one tree ({picture})",
        ", ".join(f"{nodes[n]:.0f} after {n}" for n in sizes),
        ", ".join(f"{PUBLISHED[n]} after {n}" for n in sizes),
        None,
        f"the picture of the slides is not given. Ours has a border {LENGTHS[picture]:.1f} sides "
        "of the square long; nodes / (length √examples) = "
        + ", ".join(f"{c:.2f}" for c in per_length)
        + "; the published numbers belong to a border of about "
        + " or ".join(f"{length:.1f}" for length in needed)
        + (" sides (ours was chosen to be as long)" if picture == "rings" else " sides"),
    )


def _reference_findings(rows: Results, children: int, expected: dict[int, int]) -> list[Finding]:
    sizes = [n for n in expected if len(rows.values(f"nodes_{n}"))]
    if not sizes:
        return []
    close = [
        abs(rows.mean(f"nodes_{n}") - expected[n]) <= 3 * rows.std(f"nodes_{n}") for n in sizes
    ]
    return [
        Finding(
            "nodes after "
            + ", ".join(map(str, sizes))
            + f" examples as counted by another program (wave, at most {children} children)",
            ", ".join(spread(rows, f"nodes_{n}") for n in sizes),
            ", ".join(str(expected[n]) for n in sizes),
            all(close) if len(rows) >= ENOUGH else None,
            "a check of ours, not of the slides; the other program counted one or two samples, so "
            "agreement means within three standard deviations of a sample",
        )
    ]


def _forest_findings(picture: str, rows: Results) -> list[Finding]:
    """Compare numbers of trees: the slides say that a forest generalises better."""
    errors = {trees: sub.mean(f"error_{SHOWN}") for trees, sub in rows.by("trees").items()}
    if len(errors) < 2:
        return []
    ordered = [errors[trees] for trees in sorted(errors)]
    return [
        Finding(
            f"forests of trees with different seeds generalise better ({picture})",
            f"error after {SHOWN} examples: "
            + ", ".join(f"{100 * errors[t]:.2f} % with {t}" for t in sorted(errors)),
            "better, by a picture",
            bool(np.all(np.diff(ordered) < 0)),
            "numbers of trees of the slides are not given",
        )
    ]


# ---------------------------------------------------------------------------------------- figures


def _draw_maps(rows: list[Row]) -> Figure:
    pictures = list(dict.fromkeys(str(row.get("picture")) for row in rows))
    sizes = sorted({int(row.get("trees") or 0) for row in rows})
    width, height = 2.4 * len(sizes), 2.6 * len(pictures)
    figure, grid = panels(len(pictures), len(sizes), (width, height))
    for axes in grid.flat:
        axes.set_axis_off()
    for row in rows:
        trees = int(row.get("trees") or 0)
        axes = grid[pictures.index(str(row.get("picture"))), sizes.index(trees)]
        _draw_map(axes, row)
        axes.set_title(f"{row.get('picture')}, {trees} tree{'s' * (trees > 1)}", fontsize=10)
    return figure


def _draw_map(axes: Axes, row: Row) -> None:
    arrays = row.arrays
    colors = class_colors(len(_RADII) + 1)
    pale = 1 - 0.35 * (1 - colors)
    axes.imshow(pale[arrays["map"]], origin="lower", extent=(0, 1, 0, 1), interpolation="nearest")
    if "kept" in arrays:
        own = colors[arrays["kept_label"]]
        x, y = arrays["kept"].T
        axes.scatter(x, y, s=4, c=own, linewidths=0)
    axes.set(xlim=(0, 1), ylim=(0, 1))


def _draw_all_growth(results: Results) -> Figure:
    pictures = results.by("picture")
    figure, grid = panels(1, len(pictures), (1 + 3.6 * len(pictures), 3.8))
    for axes, (picture, rows) in zip(grid[0], pictures.items(), strict=True):
        curves = {
            f"{trees} tree{'s' * (trees > 1)}, k = {children}": sub
            for trees, of_trees in rows.by("trees").items()
            for children, sub in of_trees.by("max_children").items()
        }
        draw_growth(axes, curves, method_colors(list(curves)), list(PUBLISHED.items()))
        axes.set(ylabel="nodes of a tree", title=picture)
        axes.legend(frameon=False, fontsize=9)
    return figure


B1 = PlaneGrowth(
    id="B1",
    title="Growth of boundary trees",
    paper=BOUNDARY,
    source="slides, two-dimensional example",
    question=(
        "How many of the examples does a boundary tree keep? Where classes meet along a line in "
        "the plane, about the square root."
    ),
)

"""B1: how boundary trees grow where classes meet in the plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf

from ..drawing import panels
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from ..registry import BOUNDARY
from ..results import Results, Row, beside
from .growth import GRID, SHOWN, draw_growth, grid_points, growth, samples
from .tables import groups, listed, spread

RADII = (0.12, 0.22, 0.31, 0.4)  # of the rings


def wave(X: NDArray[Any]) -> NDArray[np.int64]:
    """Two classes, above and below a sine."""
    above: NDArray[np.bool_] = X[:, 1] > 0.5 + 0.25 * np.sin(6 * X[:, 0])
    return above.astype(np.int64)


def rings(X: NDArray[Any]) -> NDArray[np.int64]:
    """Five classes, rings around the centre."""
    return np.searchsorted(RADII, np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5))


PICTURES = {"wave": wave, "rings": rings}
_X = np.linspace(0, 1, 10_001)
_STEPS = np.hypot(np.diff(_X), np.diff(0.25 * np.sin(6 * _X)))  # along the sine
LENGTHS = {"wave": float(_STEPS.sum()), "rings": 2 * np.pi * sum(RADII)}  # in sides of the square
FORESTS = ((1, 50), (1, 2), (5, 50), (50, 50))  # numbers of trees, and of children at most
SIZES = {"full": (100_000, 30, 10), "quick": (10_000, 5, 2)}  # examples, seeds of a tree, a forest
COUNTED = (1000, 2500, 10_000, 40_000, 100_000)  # examples after which nodes are counted
PUBLISHED = {10_000: 680, 100_000: 2220}  # nodes of one tree by examples
PUBLISHED_EXPONENT = 0.51
# Nodes by children at most and by examples, counted by another program for the wave and one tree:
# one sample for 2, the mean of two for 50. Samples differ by 6 to 11 % (standard deviation).
REFERENCE = {2: {2500: 103, 10_000: 212, 40_000: 466}, 50: {2500: 72, 10_000: 152, 40_000: 326}}
ENOUGH = 5  # samples to tell how much they differ


class PlaneGrowth(Experiment):
    """Trees and forests on points of the unit square, counted at every example."""

    def runs(self, setting: Setting) -> list[Run]:
        n, seeds_of_trees, seeds_of_forests = SIZES[setting.preset]
        return [
            Run(seed, {"picture": name, "trees": trees, "max_children": children, "n": n})
            for name in PICTURES
            for trees, children in FORESTS
            for seed in range(seeds_of_trees if trees == 1 else seeds_of_forests)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        given: Any = run.parameters
        classes = PICTURES[given["picture"]]
        X, test = samples(given["n"], run.seed)
        y = classes(X)
        forest = mf.BoundaryForestClassifier(
            given["trees"], max_children=given["max_children"], n_jobs=1, random_state=run.seed
        )
        forest.partial_fit(X[:SHOWN], y[:SHOWN], classes=np.unique(y))
        metrics = {f"error_{SHOWN}": float(np.mean(forest.predict(test) != classes(test)))}
        arrays = {}
        if run.seed == 0:
            arrays["map"] = forest.predict(grid_points()).astype(np.uint8).reshape(GRID, GRID)
        if run.seed == 0 and given["trees"] == 1:
            points, labels = forest.stored_examples_
            arrays |= {"kept": points.astype(np.float32), "kept_label": labels.astype(np.uint8)}
        if len(X) > SHOWN:
            forest.partial_fit(X[SHOWN:], y[SHOWN:])
            metrics[f"error_{len(X)}"] = float(np.mean(forest.predict(test) != classes(test)))
        nodes, curve = growth(forest.trees_, len(X), COUNTED)
        shape = {
            "depth": float(forest.depth_.max()),
            "most_children": float(max(np.bincount(t.parent[1:]).max() for t in forest.trees_)),
            "stored": float(len(forest.stored_)),  # by at least one of the trees
        }
        return Outcome(metrics | nodes | shape, arrays | curve)

    def findings(self, results: Results) -> list[Finding]:
        """Compare the exponent; the constant belongs to the picture."""
        found: list[Finding] = []
        for picture, rows in results.where(trees=1, max_children=50).by("picture").items():
            found += _one_tree(picture, rows)
        for children, expected in REFERENCE.items():
            rows = results.where(picture="wave", trees=1, max_children=children)
            found += _other_program(rows, children, expected)
        for picture, rows in results.where(max_children=50).by("picture").items():
            found += _forests(picture, rows)
        return found

    def sheets(self, results: Results) -> list[Sheet]:
        """Nodes of a tree after some numbers of examples, and test errors."""
        sizes = [n for n in COUNTED if len(results.values(f"nodes_{n}"))]
        after = [n for n in (SHOWN, SIZES["full"][0]) if len(results.values(f"error_{n}"))]
        columns = ("border", "trees", "children at most", *(f"{n} examples" for n in sizes))
        columns += ("exponent", "depth", *(f"error after {n}, %" for n in after))
        lines = []
        for picture, trees, children, rows in groups(results, "picture", "trees", "max_children"):
            single = trees == 1 and children == 50
            published = PUBLISHED if single else {}
            nodes = (beside(spread(rows, f"nodes_{n}"), published.get(n)) for n in sizes)
            slope = beside(f"{rows.mean('exponent'):.2f}", PUBLISHED_EXPONENT if single else None)
            errors = (f"{100 * rows.mean(f'error_{n}'):.2f}" for n in after)
            forest = (picture, str(trees), str(children))
            lines.append((*forest, *nodes, slope, f"{rows.mean('depth'):.1f}", *errors))
        return [Sheet("Nodes of a tree, ours (published); errors", columns, tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Draw what trees say and keep after 10 000 examples, as the slides do; and the growth."""
        maps = [row for row in results.where(max_children=50) if "map" in row.arrays]
        return [*([_draw_maps(maps)] if maps else []), _draw_curves(results)]


def _one_tree(picture: str, rows: Results) -> Iterator[Finding]:
    yield Finding(
        f"nodes of one tree grow like the square root of the examples ({picture})",
        f"exponent {spread(rows, 'exponent', 2)}",
        f"exponent {PUBLISHED_EXPONENT} (680 nodes after 10 000 examples, 2220 after 100 000)",
        bool(abs(rows.mean("exponent") - PUBLISHED_EXPONENT) <= 0.05),
        "over the last factor of ten; agreement means within 0.05",
    )
    length = LENGTHS[picture]
    nodes = {n: rows.mean(f"nodes_{n}") for n in PUBLISHED if len(rows.values(f"nodes_{n}"))}
    per_length = {n: nodes[n] / (length * np.sqrt(n)) for n in nodes}
    needed = [PUBLISHED[n] / (per_length[n] * np.sqrt(n)) for n in nodes]
    yield Finding(
        f"nodes of one tree ({picture})",
        listed(nodes, "{1:.0f} after {0}"),
        listed({n: PUBLISHED[n] for n in nodes}, "{1} after {0}"),
        None,
        f"the picture of the slides is not given. Ours has a border {length:.1f} sides "
        "of the square long; nodes / (length √examples) = "
        + ", ".join(f"{c:.2f}" for c in per_length.values())
        + "; the published numbers belong to a border of about "
        + " or ".join(f"{sides:.1f}" for sides in needed)
        + " sides"
        + " (ours was chosen to be as long)" * (picture == "rings"),
    )


def _other_program(rows: Results, children: int, expected: Mapping[int, int]) -> Iterator[Finding]:
    theirs = {n: nodes for n, nodes in expected.items() if len(rows.values(f"nodes_{n}"))}
    if not theirs:
        return
    distances = {n: abs(rows.mean(f"nodes_{n}") - nodes) for n, nodes in theirs.items()}
    close = [distance <= 3 * rows.std(f"nodes_{n}") for n, distance in distances.items()]
    yield Finding(
        f"nodes after {listed(theirs, '{}')} examples as counted by another program (wave, at most "
        f"{children} children)",
        ", ".join(spread(rows, f"nodes_{n}") for n in theirs),
        listed(theirs, "{1}"),
        all(close) if len(rows) >= ENOUGH else None,
        "a check of ours, not of the slides; the other program counted one or two samples, so "
        "agreement means within three standard deviations of a sample",
    )


def _forests(picture: str, rows: Results) -> Iterator[Finding]:
    """Compare numbers of trees: the slides say that a forest generalises better."""
    errors = {t: 100 * of.mean(f"error_{SHOWN}") for t, of in sorted(rows.by("trees").items())}
    if len(errors) > 1:
        yield Finding(
            f"forests of trees with different seeds generalise better ({picture})",
            f"error after {SHOWN} examples: " + listed(errors, "{1:.2f} % with {0}"),
            "better, by a picture",
            bool(np.all(np.diff(list(errors.values())) < 0)),
            "numbers of trees of the slides are not given",
        )


def _draw_maps(rows: list[Row]) -> Picture:
    colors = mf.plot.class_colors(len(RADII) + 1)  # as many as any picture has classes
    pale = 1 - 0.35 * (1 - colors)
    pictures = list(dict.fromkeys(row.get("picture") for row in rows))
    sizes = sorted({int(row.get("trees") or 0) for row in rows})
    figure, grid = panels(len(pictures), len(sizes), (2.4 * len(sizes), 2.6 * len(pictures)))
    for axes in grid.flat:
        axes.set_axis_off()
    for row in rows:
        picture, trees = row.get("picture"), int(row.get("trees") or 0)
        axes, arrays = grid[pictures.index(picture), sizes.index(trees)], row.arrays
        square = {"origin": "lower", "extent": (0, 1, 0, 1), "interpolation": "nearest"}
        axes.imshow(pale[arrays["map"]], **square)
        if "kept" in arrays:
            axes.scatter(*arrays["kept"].T, s=4, c=colors[arrays["kept_label"]], linewidths=0)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set_title(f"{picture}, {trees} tree{'s' * (trees > 1)}", fontsize=10)
    caption = (
        f"What one tree and forests say after {SHOWN} examples. Dots are the examples that one "
        "tree keeps, coloured by class."
    )
    return Picture(figure, caption)


def _draw_curves(results: Results) -> Picture:
    pictures = results.by("picture")
    figure, grid = panels(1, len(pictures), (1 + 3.6 * len(pictures), 3.8))
    for axes, (picture, of_picture) in zip(grid[0], pictures.items(), strict=True):
        curves = {
            f"{trees} tree{'s' * (trees > 1)}, k = {children}": rows
            for trees, children, rows in groups(of_picture, "trees", "max_children")
        }
        draw_growth(axes, curves, mf.plot.method_colors(list(curves)), PUBLISHED)
        axes.set(ylabel="nodes of a tree", title=picture)
        axes.legend(frameon=False, fontsize=9)
    caption = (
        "Mean number of nodes of a tree; k is the largest number of children. Bands are one "
        "standard deviation over samples. The published picture is not known, so only the slope "
        "can agree."
    )
    return Picture(figure, caption)


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

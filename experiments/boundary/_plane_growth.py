"""How boundary trees and forests grow on classes in the plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.boundary import BoundaryForestClassifier

from .._experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized
from .._results import Results
from ._borders import Border
from ._growth import (
    GRID,
    grid_points,
    growth_arrays,
    growth_metrics,
    other_points,
    spread,
    unit_square,
)
from ._plane_figures import draw_all_growth, draw_maps
from ._plane_findings import PlaneFindings


@dataclass(frozen=True)
class PlaneSize:
    """How much a preset does."""

    n: int
    seeds_of_trees: int
    seeds_of_forests: int


@dataclass(frozen=True, kw_only=True)
class PlaneGrowth(Sized[PlaneSize]):
    """Trees and forests on points of the unit square, counted at every example."""

    borders: tuple[Border, ...]
    forests: tuple[tuple[int, int], ...]  # numbers of trees, and of children at most
    shown: int  # examples after which the slides show what trees say
    counted: tuple[int, ...]  # examples after which nodes are counted
    published: Mapping[int, int]  # nodes of one tree by examples
    published_exponent: float
    reference: Mapping[int, Mapping[int, int]]  # the same by children at most, of another program

    def runs(self, setting: Setting) -> list[Run]:
        """One run for each picture and forest: a tree tells its growth when all is over."""
        size = self.size(setting)
        return [
            Run(seed, {"picture": b.name, "trees": trees, "max_children": children, "n": size.n})
            for b in self.borders
            for trees, children in self.forests
            for seed in range(size.seeds_of_trees if trees == 1 else size.seeds_of_forests)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Show all examples in order, and stop once to look at what the forest says."""
        n, trees = int(run.parameters["n"] or 0), int(run.parameters["trees"] or 0)
        children = int(run.parameters["max_children"] or 0)
        classes = next(b.classes for b in self.borders if b.name == run.parameters["picture"])
        X, test = unit_square(n, run.seed), other_points(run.seed)
        y = classes(X)
        forest = BoundaryForestClassifier(
            trees, max_children=children, n_jobs=1, random_state=run.seed
        )
        forest.partial_fit(X[: self.shown], y[: self.shown], classes=np.unique(y))
        metrics = {f"error_{self.shown}": float(np.mean(forest.predict(test) != classes(test)))}
        arrays = _map(forest) if run.seed == 0 else {}
        if n > self.shown:
            forest.partial_fit(X[self.shown :], y[self.shown :])
            metrics[f"error_{n}"] = float(np.mean(forest.predict(test) != classes(test)))

        grown = forest.trees_
        metrics |= growth_metrics(grown, n, self.counted)
        metrics |= {
            "depth": float(forest.depth_.max()),
            "most_children": float(max(np.bincount(t.parent[1:]).max() for t in grown)),
            "stored": float(len(forest.stored_)),  # by at least one of the trees
        }
        return Outcome(metrics, arrays | growth_arrays(grown, n))

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Compare the exponent; the constant belongs to the picture."""
        borders = {border.name: border for border in self.borders}
        return PlaneFindings(
            results=results,
            borders=borders,
            shown=self.shown,
            published=self.published,
            published_exponent=self.published_exponent,
            reference=self.reference,
        ).all()

    def sheets(self, results: Results) -> list[Sheet]:
        """Nodes of a tree after some numbers of examples, and test errors."""
        sizes = [n for n in self.counted if len(results.values(f"nodes_{n}"))]
        after = [n for n in (self.shown, self.full.n) if len(results.values(f"error_{n}"))]
        columns = ("border", "trees", "children at most", *(f"{n} examples" for n in sizes))
        columns += ("exponent", "depth", *(f"error after {n}, %" for n in after))
        lines = []
        for picture, of_picture in results.by("picture").items():
            for trees, of_trees in of_picture.by("trees").items():
                for children, rows in of_trees.by("max_children").items():
                    single = trees == 1 and children == 50
                    line = [picture, str(trees), str(children)]
                    line += [self._nodes_cell(rows, n, compare=single) for n in sizes]
                    beside = f" ({self.published_exponent})" if single else ""
                    line.append(f"{rows.mean('exponent'):.2f}" + beside)
                    line.append(f"{rows.mean('depth'):.1f}")
                    line += [f"{100 * rows.mean(f'error_{n}'):.2f}" for n in after]
                    lines.append(tuple(line))
        return [Sheet("Nodes of a tree, ours (published); errors", columns, tuple(lines))]

    def _nodes_cell(self, rows: Results, n: int, *, compare: bool) -> str:
        published = f" ({self.published[n]})" if compare and n in self.published else ""
        return spread(rows, f"nodes_{n}") + published

    def figures(self, results: Results) -> list[Picture]:
        """Draw what trees say and keep after 10 000 examples, as the slides do; and the growth."""
        pictures = []
        shown = [row for row in results.where(max_children=50) if "map" in row.arrays]
        if shown:
            pictures.append(
                Picture(
                    draw_maps(shown),
                    f"What one tree and forests say after {self.shown} examples. Dots are the "
                    "examples that one tree keeps, coloured by class.",
                )
            )
        pictures.append(
            Picture(
                draw_all_growth(results, self.published),
                "Mean number of nodes of a tree; k is the largest number of children. Bands are "
                "one standard deviation over samples. The published picture is not known, so only "
                "the slope can agree.",
            )
        )
        return pictures


def _map(forest: BoundaryForestClassifier) -> dict[str, NDArray[Any]]:
    """Return a map of the answers, and what is kept by a single tree."""
    arrays = {"map": forest.predict(grid_points()).astype(np.uint8).reshape(GRID, GRID)}
    if forest.n_estimators == 1:
        points, labels = forest.stored_examples_
        arrays |= {"kept": points.astype(np.float32), "kept_label": labels.astype(np.uint8)}
    return arrays

"""How one boundary tree grows that describes a surface over the plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.boundary import BoundaryForestRegressor

from .._experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized
from .._results import Results
from ._growth import (
    GRID,
    grid_points,
    growth_arrays,
    growth_metrics,
    other_points,
    spread,
    unit_square,
)
from ._surface_figures import closest_to, draw_nodes, draw_surfaces
from ._surface_findings import Shown, published_finding, slow_finding
from ._surfaces import RANGE, Surface


@dataclass(frozen=True)
class SurfaceSize:
    """How much a preset does."""

    n: int
    seeds: int


@dataclass(frozen=True, kw_only=True)
class SurfaceGrowth(Sized[SurfaceSize]):
    """One tree on points of the unit square, for several tolerances."""

    surfaces: Mapping[str, Surface]
    tolerances: tuple[float, ...]  # eps, share of the range
    shown: int  # examples after which the slides show the tree
    published: int  # nodes after so many
    counted: tuple[int, ...]  # examples after which nodes are counted

    def runs(self, setting: Setting) -> list[Run]:
        """One run for each surface and tolerance: a tree tells its growth when all is over."""
        size = self.size(setting)
        return [
            Run(seed, {"surface": surface, "eps": eps, "n": size.n})
            for surface in self.surfaces
            for eps in self.tolerances
            for seed in range(size.seeds)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Show all examples in order, and stop once to look at what the tree says."""
        n, eps = int(run.parameters["n"] or 0), float(run.parameters["eps"] or 0)
        surface = self.surfaces[str(run.parameters["surface"])]
        X, test = unit_square(n, run.seed), other_points(run.seed)
        tree = BoundaryForestRegressor(1, tolerance=eps * RANGE, n_jobs=1, random_state=run.seed)
        tree.fit(X[: self.shown], surface(X[: self.shown]))
        off = np.abs(tree.predict(test) - surface(test)) / RANGE
        metrics = {"rmse": float(np.sqrt(np.mean(off**2))), "beyond": float(np.mean(off > eps))}
        arrays = _map(tree) if run.seed == 0 else {}
        if n > self.shown:
            tree.partial_fit(X[self.shown :], surface(X[self.shown :]))
        metrics |= growth_metrics(tree.trees_, n, self.counted)
        return Outcome(metrics, arrays | growth_arrays(tree.trees_, n))

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Tell the tolerance of the slides, which is not given, from the nodes."""
        found = []
        for surface, rows in results.by("surface").items():
            found.append(published_finding(surface, rows, self._slides()))
            wide = [eps for eps in rows.distinct("eps") if eps >= 0.05]
            for eps in wide[:1]:
                found.append(slow_finding(surface, eps, rows.where(eps=eps)))
        return found

    def _slides(self) -> Shown:
        return Shown(self.shown, self.published)

    def sheets(self, results: Results) -> list[Sheet]:
        """Nodes and errors for each surface and tolerance."""
        sizes = [n for n in self.counted if len(results.values(f"nodes_{n}"))]
        columns = ("surface", "eps, % of the range", *(f"nodes after {n}" for n in sizes))
        columns += ("exponent", "RMSE, % of the range", "answers off by more than eps, %")
        lines = []
        for surface, of_surface in results.by("surface").items():
            for eps, rows in of_surface.by("eps").items():
                line = [surface, f"{100 * eps:g}"]
                line += [spread(rows, f"nodes_{n}") for n in sizes]
                line.append(f"{rows.mean('exponent'):.2f}")
                line += [f"{100 * rows.mean(name):.2f}" for name in ("rmse", "beyond")]
                lines.append(tuple(line))
        title = f"Nodes of one tree (published: {self.published} after {self.shown}, eps not given)"
        title += f"; errors after {self.shown} examples"
        return [Sheet(title, columns, tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Surface, answers and kept examples as in the slides; nodes over examples and eps."""
        pictures = []
        shown = closest_to(self._slides(), results)
        if shown:
            pictures.append(
                Picture(
                    draw_surfaces(shown, self.surfaces, self._slides()),
                    f"Surfaces, and what one tree says after {self.shown} examples with the eps "
                    f"for which it keeps nearest to {self.published} of them.",
                )
            )
        caption = (
            "Above: nodes over examples for each eps, in per cent of the range. Below: nodes after "
            f"{self.shown} examples over eps; where the line crosses the published "
            f"{self.published}, eps is as it may have been in the slides."
        )
        return [*pictures, Picture(draw_nodes(results, self._slides()), caption)]


def _map(tree: BoundaryForestRegressor) -> dict[str, NDArray[Any]]:
    """Return a map of the answers, and where the kept examples are."""
    return {
        "map": tree.predict(grid_points()).astype(np.float16).reshape(GRID, GRID),
        "kept": tree.stored_examples_[0].astype(np.float16),
    }

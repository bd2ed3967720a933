"""B2: how a boundary tree grows in regression, where nearly equal responses count as equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...boundary import BoundaryForestRegressor
from ...plot._style import pyplot
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
from ._panels import panels, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN, PUBLISHED = 10_000, 395  # nodes after so many examples; neither surface nor eps are given
COUNTED = (1000, 10_000, 100_000)
TOLERANCES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)  # eps, share of the range
RANGE = 2.0  # of both surfaces, from -1 to 1
N_TEST = 10_000


def ramp(X: NDArray[Any]) -> NDArray[np.float64]:
    """Return a wave that rises from a flat side."""
    return np.asarray(np.sin(6.0 * X[:, 0]) * X[:, 1], dtype=np.float64)


def hills(X: NDArray[Any]) -> NDArray[np.float64]:
    """Return hills and valleys over the whole square, about twice as steep."""
    return np.asarray(np.sin(2 * np.pi * X[:, 0]) * np.cos(2 * np.pi * X[:, 1]), dtype=np.float64)


SURFACES: dict[str, Callable[[NDArray[Any]], NDArray[np.float64]]] = {"ramp": ramp, "hills": hills}


@dataclass(frozen=True, kw_only=True)
class SurfaceGrowth(Experiment):
    """One tree on points of the unit square, for several tolerances."""

    def runs(self, setting: Setting) -> list[Run]:
        """One run for each surface and tolerance: a tree tells its growth when all is over."""
        n, n_seeds = (100_000, 10) if setting.preset == "full" else (10_000, 2)
        return [
            Run(seed, {"surface": surface, "eps": eps, "n": n})
            for surface in SURFACES
            for eps in TOLERANCES
            for seed in range(n_seeds)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Show all examples in order, and stop once to look at what the tree says."""
        n, eps = int(run.parameters["n"] or 0), float(run.parameters["eps"] or 0)
        surface = SURFACES[str(run.parameters["surface"])]
        X, test = unit_square(n, run.seed), unit_square(N_TEST, 1_000_000 + run.seed)
        tree = BoundaryForestRegressor(1, tolerance=eps * RANGE, n_jobs=1, random_state=run.seed)
        tree.fit(X[:SHOWN], surface(X[:SHOWN]))
        off = np.abs(tree.predict(test) - surface(test)) / RANGE
        metrics = {"rmse": float(np.sqrt(np.mean(off**2))), "beyond": float(np.mean(off > eps))}
        arrays = _shown(tree) if run.seed == 0 else {}
        if n > SHOWN:
            tree.partial_fit(X[SHOWN:], surface(X[SHOWN:]))

        counted = [count for count in COUNTED if count <= n]
        for count, nodes in zip(counted, nodes_after(tree.trees_, counted), strict=True):
            metrics[f"nodes_{count}"] = float(nodes)
        metrics["exponent"] = exponent(tree.trees_, n)
        n_seen = checkpoints(n)
        return Outcome(
            metrics, arrays | {"n_seen": n_seen, "nodes": nodes_after(tree.trees_, n_seen)}
        )

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Tell the tolerance of the slides, which is not given, from the nodes."""
        found = []
        for surface, rows in results.by("surface").items():
            found.append(_published_finding(surface, rows))
            wide = [eps for eps in rows.distinct("eps") if eps >= 0.05]
            for eps in wide[:1]:
                found.append(_slow_finding(surface, eps, rows.where(eps=eps)))
        return found

    def sheets(self, results: Results) -> list[Sheet]:
        """Nodes and errors for each surface and tolerance."""
        sizes = [n for n in COUNTED if len(results.values(f"nodes_{n}"))]
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
        title = f"Nodes of one tree (published: {PUBLISHED} after {SHOWN}, eps not given); "
        return [Sheet(title + f"errors after {SHOWN} examples", columns, tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Surface, answers and kept examples as in the slides; nodes over examples and eps."""
        pictures = []
        shown = _closest(results)
        if shown:
            pictures.append(
                Picture(
                    _draw_surfaces(shown),
                    f"Surfaces, and what one tree says after {SHOWN} examples with the eps for "
                    f"which it keeps nearest to {PUBLISHED} of them.",
                )
            )
        caption = (
            "Above: nodes over examples for each eps, in per cent of the range. Below: nodes after "
            f"{SHOWN} examples over eps; where the line crosses the published {PUBLISHED}, eps is "
            "as it may have been in the slides."
        )
        return [*pictures, Picture(_draw_nodes(results), caption)]


def _shown(tree: BoundaryForestRegressor) -> dict[str, NDArray[Any]]:
    """Return a map of the answers, and where the kept examples are."""
    return {
        "map": tree.predict(grid_points()).astype(np.float16).reshape(GRID, GRID),
        "kept": tree.stored_examples_[0].astype(np.float16),
    }


def nodes_by_eps(rows: Results) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return tolerances in ascending order and mean nodes at the published number of examples."""
    metric = f"nodes_{SHOWN}"
    means = {eps: sub.mean(metric) for eps, sub in rows.by("eps").items()}
    kept = sorted(eps for eps, mean in means.items() if not np.isnan(mean))
    return np.array(kept, dtype=float), np.array([means[eps] for eps in kept], dtype=float)


def eps_for(nodes: float, eps: NDArray[np.float64], means: NDArray[np.float64]) -> float | None:
    """Return the tolerance that gives some number of nodes, between measured ones; or None."""
    order = np.argsort(means)
    if len(means) < 2 or not means[order[0]] <= nodes <= means[order[-1]]:
        return None
    return float(np.exp(np.interp(np.log(nodes), np.log(means[order]), np.log(eps[order]))))


# --------------------------------------------------------------------------------------- findings


def _published_finding(surface: str, rows: Results) -> Finding:
    eps, means = nodes_by_eps(rows)
    fitting = eps_for(PUBLISHED, eps, means)
    return Finding(
        f"nodes of one tree after {SHOWN} examples ({surface})",
        f"{means.max():.0f} for eps = {100 * eps[0]:g} % of the range, {means.min():.0f} for "
        f"{100 * eps[-1]:g} %",
        f"{PUBLISHED} (eps and surface not given)",
        None,
        "" if fitting is None else f"eps = {100 * fitting:.1f} % of the range gives {PUBLISHED}",
    )


def _slow_finding(surface: str, eps: float, rows: Results) -> Finding:
    return Finding(
        f"memory grows slowly with more examples ({surface}, eps {100 * eps:g} % of the range)",
        f"exponent {spread(rows, 'exponent', 2)}",
        "slowly",
        bool(rows.mean("exponent") < 0.5),
        "of nodes ~ examples^b over the last factor of ten; agreement means below 0.5. A tolerance "
        "bounds the number of nodes: it is reached when cells are smaller than eps over the slope",
    )


# ---------------------------------------------------------------------------------------- figures


def _closest(results: Results) -> list[Row]:
    """Return for each surface the run whose map is there and whose nodes are as published."""
    chosen = []
    for rows in results.by("surface").values():
        shown = [row for row in rows if "map" in row.arrays]
        if shown:
            nodes = np.array([row.metrics[f"nodes_{SHOWN}"] for row in shown])
            chosen.append(shown[int(np.abs(np.log(nodes / PUBLISHED)).argmin())])
    return chosen


def _draw_surfaces(rows: list[Row]) -> Figure:
    figure, grid = panels(len(rows), 3, (7.6, 2.6 * len(rows)))
    for line, row in zip(grid, rows, strict=True):
        surface, eps = str(row.get("surface")), float(row.get("eps") or 0)
        kept = row.arrays["kept"].astype(float)
        truth = SURFACES[surface](grid_points()).reshape(GRID, GRID)
        titles = (
            f"{surface}: the surface",
            f"one tree, eps {100 * eps:g} %",
            f"{len(kept)} of {SHOWN} kept",
        )
        for axes, title, values in zip(
            line, titles, (truth, row.arrays["map"], truth), strict=True
        ):
            axes.imshow(values.astype(float), origin="lower", extent=(0, 1, 0, 1), vmin=-1, vmax=1)
            axes.set_title(title, fontsize=10)
            axes.set_axis_off()
        line[2].images[0].set_alpha(0.45)
        line[2].scatter(*kept.T, s=5, c="black", linewidths=0)
        line[2].set(xlim=(0, 1), ylim=(0, 1))
        bar = figure.colorbar(line[0].images[0], ax=list(line), shrink=0.85, label="response")
        bar.set_ticks([-1, 0, 1])
    return figure


def _draw_nodes(results: Results) -> Figure:
    surfaces = results.by("surface")
    figure, grid = panels(2, len(surfaces), (1 + 3.6 * len(surfaces), 7))
    shades = pyplot().get_cmap("viridis")
    for (above, below), (surface, rows) in zip(grid.T, surfaces.items(), strict=True):
        curves = {f"{100 * eps:g} %": sub for eps, sub in rows.by("eps").items()}
        colors = {name: shades(i / max(1, len(curves))) for i, name in enumerate(curves)}
        draw_growth(above, curves, colors, [(SHOWN, PUBLISHED)])
        above.set(ylabel="nodes of the tree", title=surface)
        _name_ends(above, curves, "eps ")

        eps, means = nodes_by_eps(rows)
        below.plot(100 * eps, means, color="0.2", marker="o", linewidth=1.8, label="ours")
        below.axhline(PUBLISHED, color="0.2", linestyle="--", linewidth=1, label="published")
        below.set(xscale="log", yscale="log", xlabel="eps, % of the range")
        ticks = (1, 2, 5, 10, 20)
        below.set_xticks(ticks, [str(tick) for tick in ticks])
        below.set_xticks([], minor=True)
        below.set_ylabel(f"nodes after {SHOWN} examples")
        plain(below)
        below.legend(frameon=False)
    return figure


def _name_ends(axes: Axes, curves: Mapping[str, Results], before: str) -> None:
    """Write names of curves behind their ends, and the published point into a legend."""
    for i, (line, name) in enumerate(zip(axes.lines, curves, strict=False)):
        place = np.asarray(line.get_xydata())[-1]
        style: dict[str, Any] = {"color": line.get_color(), "fontsize": 9, "va": "center"}
        text = (before if i == 0 else "") + name
        axes.annotate(text, tuple(place), (4, 0), textcoords="offset points", **style)
    axes.legend(handles=axes.lines[-1:], frameon=False, loc="upper left")


B2 = SurfaceGrowth(
    id="B2",
    title="Growth of a boundary tree in regression",
    paper=BOUNDARY,
    source="slides, other applications: regression",
    question=(
        "How many examples does one tree keep to describe a surface over the plane? It depends on "
        "eps, the difference of responses that does not count, which the slides do not give."
    ),
)

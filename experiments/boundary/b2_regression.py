"""B2: how a boundary tree grows in regression, where nearly equal responses count as equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf

from ..drawing import light_grid, log_ticks, panels, pyplot
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from ..registry import BOUNDARY
from ..results import Results, Row
from .growth import GRID, SHOWN, draw_growth, grid_points, growth, samples
from .tables import groups, spread


def ramp(X: NDArray[Any]) -> NDArray[np.float64]:
    """Return a wave over the unit square that rises from a flat side."""
    return np.asarray(np.sin(6.0 * X[:, 0]) * X[:, 1], dtype=np.float64)


def hills(X: NDArray[Any]) -> NDArray[np.float64]:
    """Return hills and valleys over the whole square, about twice as steep."""
    return np.asarray(np.sin(2 * np.pi * X[:, 0]) * np.cos(2 * np.pi * X[:, 1]), dtype=np.float64)


SURFACES = {"ramp": ramp, "hills": hills}
RANGE = 2.0  # of both, from -1 to 1
TOLERANCES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)  # eps, share of the range
SIZES = {"full": (100_000, 10), "quick": (10_000, 2)}  # examples, seeds
COUNTED = (1000, 10_000, 100_000)  # examples after which nodes are counted
PUBLISHED = 395  # nodes after 10 000 examples; neither surface nor eps are given


class SurfaceGrowth(Experiment):
    """One tree on points of the unit square, for several tolerances."""

    def runs(self, setting: Setting) -> list[Run]:
        n, n_seeds = SIZES[setting.preset]
        return [
            Run(seed, {"surface": surface, "eps": eps, "n": n})
            for surface in SURFACES
            for eps in TOLERANCES
            for seed in range(n_seeds)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        given: Any = run.parameters
        surface, eps = SURFACES[given["surface"]], given["eps"]
        X, test = samples(given["n"], run.seed)
        tree = mf.BoundaryForestRegressor(1, tolerance=eps * RANGE, n_jobs=1, random_state=run.seed)
        tree.fit(X[:SHOWN], surface(X[:SHOWN]))
        off = np.abs(tree.predict(test) - surface(test)) / RANGE
        metrics = {"rmse": float(np.sqrt(np.mean(off**2))), "beyond": float(np.mean(off > eps))}
        arrays = {}
        if run.seed == 0:
            answers = tree.predict(grid_points()).astype(np.float16)
            kept = tree.stored_examples_[0].astype(np.float16)
            arrays = {"map": answers.reshape(GRID, GRID), "kept": kept}
        if len(X) > SHOWN:
            tree.partial_fit(X[SHOWN:], surface(X[SHOWN:]))
        nodes, curve = growth(tree.trees_, len(X), COUNTED)
        return Outcome(metrics | nodes, arrays | curve)

    def findings(self, results: Results) -> list[Finding]:
        """Tell the tolerance of the slides, which is not given, from the nodes."""
        surfaces = results.by("surface").items()
        return [found for surface, rows in surfaces for found in _findings(surface, rows)]

    def sheets(self, results: Results) -> list[Sheet]:
        """Nodes and errors for each surface and tolerance."""
        sizes = [n for n in COUNTED if len(results.values(f"nodes_{n}"))]
        columns = ("surface", "eps, % of the range", *(f"nodes after {n}" for n in sizes))
        columns += ("exponent", "RMSE, % of the range", "answers off by more than eps, %")
        lines = []
        for surface, eps, rows in groups(results, "surface", "eps"):
            nodes = (spread(rows, f"nodes_{n}") for n in sizes)
            errors = (f"{100 * rows.mean(name):.2f}" for name in ("rmse", "beyond"))
            slope = f"{rows.mean('exponent'):.2f}"
            lines.append((surface, f"{100 * eps:g}", *nodes, slope, *errors))
        title = f"Nodes of one tree (published: {PUBLISHED} after {SHOWN}, eps not given)"
        title += f"; errors after {SHOWN} examples"
        return [Sheet(title, columns, tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Surface, answers and kept examples as in the slides; nodes over examples and eps."""
        nodes = f"nodes_{SHOWN}"
        chosen: list[Row] = []  # of each surface the run whose nodes are nearest to the published
        for rows in results.by("surface").values():
            maps = [row for row in rows if "map" in row.arrays]
            chosen += sorted(maps, key=lambda row: abs(np.log(row.metrics[nodes] / PUBLISHED)))[:1]
        return [*([_draw_surfaces(chosen)] if chosen else []), _draw_nodes(results)]


def _nodes_by_eps(rows: Results) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return tolerances in ascending order, and mean nodes after SHOWN examples."""
    means = {eps: sub.mean(f"nodes_{SHOWN}") for eps, sub in sorted(rows.by("eps").items())}
    return np.array(list(means)), np.array(list(means.values()))


def eps_for(nodes: float, eps: NDArray[np.float64], means: NDArray[np.float64]) -> float | None:
    """Return the tolerance that gives some number of nodes, between measured ones; or None."""
    order = np.argsort(means)
    if len(means) < 2 or not means[order[0]] <= nodes <= means[order[-1]]:
        return None
    return float(np.exp(np.interp(np.log(nodes), np.log(means[order]), np.log(eps[order]))))


def _findings(surface: str, rows: Results) -> Iterator[Finding]:
    """Put our nodes beside the published ones, and tell which tolerance would give these."""
    eps, means = _nodes_by_eps(rows)
    fitting = eps_for(PUBLISHED, eps, means)
    yield Finding(
        f"nodes of one tree after {SHOWN} examples ({surface})",
        f"{means.max():.0f} for eps = {100 * eps[0]:g} % of the range, {means.min():.0f} for "
        f"{100 * eps[-1]:g} %",
        f"{PUBLISHED} (eps and surface not given)",
        None,
        "" if fitting is None else f"eps = {100 * fitting:.1f} % of the range gives {PUBLISHED}",
    )
    for tol in [eps for eps in rows.distinct("eps") if eps >= 0.05][:1]:
        yield Finding(
            f"memory grows slowly with more examples ({surface}, eps {100 * tol:g} % of the range)",
            f"exponent {spread(rows.where(eps=tol), 'exponent', 2)}",
            "slowly",
            bool(rows.where(eps=tol).mean("exponent") < 0.5),
            "of nodes ~ examples^b over the last factor of ten; agreement means below 0.5. A "
            "tolerance bounds the number of nodes: it is reached when cells are smaller than eps "
            "over the slope",
        )


def _draw_surfaces(rows: list[Row]) -> Picture:
    """Draw each surface, what a tree says of it, and the examples that the tree keeps."""
    figure, grid = panels(len(rows), 3, (7.6, 2.6 * len(rows)))
    for line, row in zip(grid, rows, strict=True):
        surface, eps = str(row.get("surface")), float(row.get("eps") or 0)
        kept = row.arrays["kept"].astype(float)
        truth = SURFACES[surface](grid_points()).reshape(GRID, GRID)
        maps = {
            f"{surface}: the surface": truth,
            f"one tree, eps {100 * eps:g} %": row.arrays["map"].astype(float),
            f"{len(kept)} of {SHOWN} kept": truth,
        }
        for axes, (title, values) in zip(line, maps.items(), strict=True):
            axes.imshow(values, origin="lower", extent=(0, 1, 0, 1), vmin=-1, vmax=1)
            axes.set_title(title, fontsize=10)
            axes.set_axis_off()
        line[2].images[0].set_alpha(0.45)
        line[2].scatter(*kept.T, s=5, c="black", linewidths=0)
        line[2].set(xlim=(0, 1), ylim=(0, 1))
        bar = figure.colorbar(line[0].images[0], ax=list(line), shrink=0.85, label="response")
        bar.set_ticks([-1, 0, 1])
    caption = (
        f"Surfaces, and what one tree says after {SHOWN} examples with the eps for which it keeps "
        f"nearest to {PUBLISHED} of them."
    )
    return Picture(figure, caption)


def _draw_nodes(results: Results) -> Picture:
    """Draw nodes over examples, and below over the tolerance."""
    surfaces = results.by("surface")
    figure, grid = panels(2, len(surfaces), (1 + 3.6 * len(surfaces), 7))
    shades = pyplot().get_cmap("viridis")
    for (above, below), (surface, rows) in zip(grid.T, surfaces.items(), strict=True):
        curves = {f"{100 * eps:g} %": sub for eps, sub in rows.by("eps").items()}
        colors = {name: shades(i / max(1, len(curves))) for i, name in enumerate(curves)}
        draw_growth(above, curves, colors, {SHOWN: PUBLISHED})
        above.set(ylabel="nodes of the tree", title=surface)
        above.legend(handles=above.lines[-1:], frameon=False, loc="upper left")
        for i, line in enumerate(above.lines[:-1]):  # names behind the ends
            text, color = "eps " * (i == 0) + line.get_label(), line.get_color()
            end = {"xy": line.get_xydata()[-1], "xytext": (4, 0), "textcoords": "offset points"}
            above.annotate(text, **end, color=color, fontsize=9, va="center")
        eps, means = _nodes_by_eps(rows)
        below.plot(100 * eps, means, color="0.2", marker="o", linewidth=1.8, label="ours")
        below.axhline(PUBLISHED, color="0.2", linestyle="--", linewidth=1, label="published")
        below.set(yscale="log", xlabel="eps, % of the range")
        below.set(ylabel=f"nodes after {SHOWN} examples")
        log_ticks(below, "x", (1, 2, 5, 10, 20))
        light_grid(below)
        below.legend(frameon=False)
    caption = (
        "Above: nodes over examples for each eps, in per cent of the range. Below: nodes after "
        f"{SHOWN} examples over eps; where the line crosses the published {PUBLISHED}, eps is as "
        "it may have been in the slides."
    )
    return Picture(figure, caption)


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

"""M8, an experiment of ours: how much the sizes of patches and the number of candidates matter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from manifoldforest.datasets import make_circle, make_impulse
from manifoldforest.projections import Patches

from ..drawing import panels, pyplot
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet, Value
from ..registry import THESIS
from ..results import Results
from .data import MNIST_FILE, STAND_IN, Draw, digits_subset, mnist_subset, simulated
from .errors import beside, sheet, shown
from .methods import fit_predict, forest

OTHERS = ("SPORF", "RF")  # with the same numbers of candidates
ROBUST = 1.5  # robust: the error of the worst setting is at most so many times that of the best

Cells = Mapping[tuple[str, int], float]  # errors by setting (sizes of patches, or a forest) and d


@dataclass(frozen=True)
class Grid:
    """What is tried on one data set: ranges of patch sizes, and candidates per node."""

    name: str
    draw: Draw
    n: int
    sizes: tuple[str, ...]
    candidates: tuple[int, ...]
    chosen: tuple[str, int]  # what the thesis takes, its Table 2
    authors: tuple[str, ...]  # sizes that the authors have used somewhere
    wrap: bool = False
    published: Cells = field(default_factory=dict)
    needs: str | None = None

    def patches(self, sizes: str) -> Patches:
        """Return the patches with sizes such as 3–12 or 2 × 2–5."""
        sides = [[int(number) for number in side.split("–")] for side in sizes.split(" × ")]
        low, high = tuple(side[0] for side in sides), tuple(side[-1] for side in sides)
        return Patches(min_size=low, max_size=high, wrap=self.wrap)


# Sizes of the paper, of the thesis and of the authors' later runs, and some that are too large.
CIRCLE = Grid(
    "circle",
    simulated(make_circle, n_test=10_000),
    n=1000,
    sizes=("4–6", "1–5", "3–12", "1–15", "10–30"),
    candidates=(10, 22, 50, 100),
    chosen=("3–12", 50),
    authors=("1–5", "3–12", "1–15"),
    wrap=True,
    published={("3–12", 50): 0.051, ("1–5", 22): 0.331},  # thesis, and a rerun of 2021
)
IMPULSE = Grid(
    "impulse",
    simulated(make_impulse, n_test=10_000),
    n=1000,
    sizes=("1–2", "1–5", "2–12", "2–20", "10–40"),
    candidates=(5, 10, 30, 100),
    chosen=("2–12", 30),
    authors=("1–5", "2–12", "2–20"),
)
MNIST = Grid(
    "mnist",
    mnist_subset,
    n=1000,
    sizes=("1–3 × 1–3", "2 × 2–5", "1–5 × 1–5", "3–8 × 3–8", "7–14 × 7–14"),
    candidates=(7, 28, 84, 252),
    chosen=("2 × 2–5", 28),
    authors=("1–3 × 1–3", "2 × 2–5", "1–5 × 1–5"),
    needs=MNIST_FILE,
)
SMALL_IMPULSE = replace(IMPULSE, draw=simulated(make_impulse, n_test=2000), n=200)
DIGITS = Grid(
    "digits",
    digits_subset,
    n=300,
    sizes=("1–2 × 1–2", "2 × 2–3", "1–4 × 1–4", "2–4 × 2–4", "4–6 × 4–6"),
    candidates=(4, 8, 16, 32),
    chosen=("2 × 2–3", 8),
    authors=("1–2 × 1–2", "2 × 2–3", "1–4 × 1–4"),  # ours, for images of eight pixels a side
)
GRIDS = {"quick": (SMALL_IMPULSE, DIGITS), "full": (CIRCLE, IMPULSE, MNIST)}
TREES = {"quick": 30, "full": 500}
REPETITIONS = {"quick": 2, "full": 5}
CHOSEN = {"quick": "a usual setting", "full": "the setting of the thesis"}  # framed in the figure


@dataclass(frozen=True, kw_only=True)
class _Tuning(Experiment):
    """Errors of MORF over ranges of patch sizes × candidates per node."""

    def runs(self, setting: Setting) -> list[Run]:
        trees = TREES[setting.preset]
        cells: list[tuple[Grid, dict[str, Value]]] = [
            (grid, {"data": grid.name, "n": grid.n, "setting": name, "d": d, "trees": trees})
            for grid in GRIDS[setting.preset]
            for name, d in product((*grid.sizes, *OTHERS), grid.candidates)
        ]
        seeds = range(REPETITIONS[setting.preset])
        return [Run(seed, parameters, grid.needs) for seed in seeds for grid, parameters in cells]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        grid = next(g for g in GRIDS[setting.preset] if g.name == run.parameters["data"])
        name, trees = str(run.parameters["setting"]), int(run.parameters["trees"] or 0)
        patches = {} if name in OTHERS else {"projection": grid.patches(name)}
        params = {"max_features": run.parameters["d"], **patches}
        model = forest("MORF" if patches else name, trees, run.seed, **params)
        X, y, X_test, y_test = grid.draw(grid.n, run.seed, setting)
        predicted, seconds = fit_predict(model, X, y, X_test)
        error = float(np.mean(predicted != y_test))
        return Outcome({"error": error, "train_seconds": seconds["train_seconds"]})

    def findings(self, results: Results) -> list[Finding]:
        tables = _tables(results)
        complete = [(g, c) for g, c in tables if g.published and g.published.keys() <= c.keys()]
        return [*(_robustness(*table) for table in tables), *(_rerun(*table) for table in complete)]

    def sheets(self, results: Results) -> list[Sheet]:
        sheets = []
        for grid, cells in _tables(results):
            columns = {d: f"d = {d}" for d in grid.candidates}
            rows: dict[str, dict[int, str]] = {name: {} for name, _ in cells}
            for key in product(rows, columns):
                rows[key[0]][key[1]] = beside(cells.get(key), grid.published.get(key))
            title = f"{grid.name}, n = {grid.n}: test error over patch sizes and d"
            sheets.append(sheet(title, "patch sizes", columns, rows))
        return sheets

    def figures(self, results: Results) -> list[Picture]:
        tables, n_sets = _tables(results), len(results.distinct("seed"))
        size = (min(10.0, 3.4 * len(tables) + 0.6), 4.3)
        figure, axes = panels(1, len(tables), size, "Error of MORF over its parameters")
        for ax, (grid, cells) in zip(axes[0], tables, strict=True):
            names = list(dict.fromkeys(name for name, _ in cells))
            rows = [[cells.get((name, d), np.nan) for d in grid.candidates] for name in names]
            errors = np.array(rows)
            # One to three times the lowest error is from light to dark, alike in all panels.
            relative = np.log(errors / max(float(np.nanmin(errors)), 1e-4))
            ax.imshow(relative, cmap="YlOrRd", vmin=0, vmax=np.log(3), aspect="auto")
            for row, column in np.argwhere(np.isfinite(errors)).tolist():
                dark = relative[row, column] > 0.65 * np.log(3)
                text = f"{errors[row, column]:.3f}".lstrip("0")
                ax.text(column, row, text, ha="center", va="center", color="w" if dark else "k")
            ax.set_xticks(range(len(grid.candidates)), [str(d) for d in grid.candidates])
            ax.set_yticks(range(len(names)), names)
            ax.set(title=f"{grid.name}, n = {grid.n}", xlabel="candidates per node d")
            n_patches = sum(name in grid.sizes for name in names)
            if 0 < n_patches < len(names):
                ax.axhline(n_patches - 0.5, color="k", linewidth=2)
            if grid.chosen[0] in names:
                row, column = names.index(grid.chosen[0]), grid.candidates.index(grid.chosen[1])
                corner = (column - 0.5, row - 0.5)
                ax.add_patch(pyplot().Rectangle(corner, 1, 1, fill=False, linewidth=2.2))
        axes[0, 0].set_ylabel("patch sizes of MORF, and other forests")
        caption = (
            f"Test error of forests of {TREES[results.preset]} trees, means over {n_sets} training "
            "sets. Rows: ranges of patch sizes of MORF, and SPORF and RF below the line. Columns: "
            f"candidates per node. The frame marks {CHOSEN[results.preset]}. Colours: error "
            "relative to the lowest of the panel."
        )
        return [Picture(figure, caption)]


def _tables(results: Results) -> list[tuple[Grid, Cells]]:
    """Return the grids of the preset that have results, and their errors."""
    tables = ((grid, errors_of(results, grid)) for grid in GRIDS[results.preset])
    return [(grid, cells) for grid, cells in tables if cells]


def errors_of(results: Results, grid: Grid) -> Cells:
    """Return the mean errors on one data set."""
    rows = results.where(data=grid.name)
    return {
        (name, d): cell.mean("error")
        for name, d in product((*grid.sizes, *OTHERS), grid.candidates)
        if len(cell := rows.where(setting=name, d=d))
    }


def _chosen(cells: Cells, names: Collection[str]) -> Cells:
    return {(name, d): error for (name, d), error in cells.items() if name in names}


def no_worse(cells: Cells, sizes: Collection[str]) -> tuple[int, int]:
    """Count settings of MORF that are no worse than SPORF and RF with the same d, and all."""
    counts = [
        error <= min(cells[other, d] for other in OTHERS)
        for (_, d), error in _chosen(cells, sizes).items()
        if all((other, d) in cells for other in OTHERS)
    ]
    return sum(counts), len(counts)


def _robustness(grid: Grid, cells: Cells) -> Finding:
    """Compare the worst setting with the best, and settings with other forests."""
    usual, everything = _chosen(cells, grid.authors), _chosen(cells, grid.sizes)
    beyond = {key: error for key, error in everything.items() if key not in usual}
    others = _chosen(cells, OTHERS).values()
    parts = [f"MORF {_extremes(usual)}"] if usual else []
    parts += [f"with other sizes {_extremes(beyond)}"] if beyond else []
    parts += [f"SPORF and RF {shown(min(others))} to {shown(max(others))}"] if others else []
    good, total = no_worse(cells, grid.sizes)
    if total:
        counts = {name: no_worse(cells, [name]) for name in grid.sizes}
        worse = [name for name, (n_good, n) in counts.items() if n_good < n / 2]
        parts.append(
            f"{good} of {total} settings of MORF are no worse than both with the same d"
            + (f" (mostly worse: sizes {', '.join(worse)})" if worse else "")
        )
    note = (
        f"Agrees if, with sizes that the authors have used ({', '.join(grid.authors)}), the worst "
        f"error is at most {ROBUST:g} times the best."
    )
    if beyond and (best := min(everything.values())):
        ratio = max(everything.values()) / best
        note += f" Over all sizes of our grid it is {ratio:.1f} times the best."
    if len(everything) == len(grid.sizes) * len(grid.candidates):
        errors = np.reshape(list(everything.values()), (len(grid.sizes), len(grid.candidates)))
        over_d, over_sizes = (float(np.ptp(errors, axis=axis).mean()) for axis in (1, 0))
        note += (
            f" There, changing d at fixed sizes moves the error by {shown(over_d)} on "
            f"average, changing sizes at fixed d by {shown(over_sizes)}."
        )
    best, worst = min(usual.values(), default=0.0), max(usual.values(), default=0.0)
    return Finding(
        f"MORF is robust to hyperparameter tuning ({grid.name}, n = {grid.n})",
        "; ".join(parts),
        "“robustness to hyperparameter tuning” (conclusion, on MNIST); no numbers",
        worst / best <= ROBUST if best and len(usual) > 1 else None,
        note,
    )


def _extremes(cells: Cells) -> str:
    ends = dict.fromkeys(extreme(cells, key=cells.__getitem__) for extreme in (min, max))
    return " to ".join(f"{shown(cells[name, d])} (sizes {name}, d = {d})" for name, d in ends)


def _rerun(grid: Grid, cells: Cells) -> Finding:
    """Compare with the authors' errors of two ranges on the circle."""
    ours = {key: cells[key] for key in grid.published}
    good, bad = ours.values()
    written = [
        ", ".join(f"width {width}, d = {d}: {shown(e)}" for (width, d), e in errors.items())
        for errors in (ours, grid.published)
    ]
    return Finding(
        "On the circle the range of widths decides (the authors' rerun of 2021)",
        written[0],
        written[1],
        bad > 3 * good,
        "Agrees if the error is more than three times as high. A single patch tells a segment of "
        "six from one of five only if it is longer than five.",
    )


M8 = _Tuning(
    id="M8",
    title="MORF over patch sizes and candidates per node",
    paper=THESIS,
    source="no figure: the conclusion claims robustness to hyperparameter tuning",
    question="How much does the error of MORF depend on the range of patch sizes and on the number "
    "of candidates d, and when is it worse than forests that do not know of neighbours?",
    stand_in=f"{STAND_IN}, and a smaller impulse",
)

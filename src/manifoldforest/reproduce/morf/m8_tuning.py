"""M8, an experiment of ours: how much the sizes of patches and the number of candidates matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._named import named_forest
from ...datasets import make_circle, make_impulse
from ...plot._style import pyplot
from ...projections import Patches
from .._experiment import Experiment, Finding, Outcome, Picture, Preset, Run, Setting, Sheet
from .._papers import THESIS
from .._results import Results
from .._timing import timed
from ._digit_images import MNIST_FILE, STAND_IN, digits_subset, mnist_subset
from ._errors import shown
from ._learning_curve import Draw, Simulated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Grid:
    """What is tried on one data set: ranges of patch sizes, and candidates per node."""

    name: str
    draw: Draw
    n: int
    patches: Mapping[str, Patches]
    candidates: tuple[int, ...]
    chosen: tuple[str, int]  # what the thesis takes, its Table 2
    authors: tuple[str, ...]  # ranges that the authors have used somewhere
    needs: str | None = None


def _widths(*ranges: tuple[int, int], wrap: bool = False) -> dict[str, Patches]:
    return {f"{low}–{high}": Patches(low, high, wrap=wrap) for low, high in ranges}


def _boxes(*ranges: tuple[tuple[int, int], tuple[int, int]]) -> dict[str, Patches]:
    return {
        f"{_range(height)} × {_range(width)}": Patches((height[0], width[0]), (height[1], width[1]))
        for height, width in ranges
    }


def _range(sizes: tuple[int, int]) -> str:
    return str(sizes[0]) if sizes[0] == sizes[1] else f"{sizes[0]}–{sizes[1]}"


# Sizes of the paper, of the thesis and of the authors' later runs, and some that are too large.
CIRCLE = Grid(
    name="circle",
    draw=Simulated(make_circle, n_test=10_000),
    n=1000,
    patches=_widths((4, 6), (1, 5), (3, 12), (1, 15), (10, 30), wrap=True),
    candidates=(10, 22, 50, 100),
    chosen=("3–12", 50),
    authors=("1–5", "3–12", "1–15"),
)
IMPULSE = Grid(
    name="impulse",
    draw=Simulated(make_impulse, n_test=10_000),
    n=1000,
    patches=_widths((1, 2), (1, 5), (2, 12), (2, 20), (10, 40)),
    candidates=(5, 10, 30, 100),
    chosen=("2–12", 30),
    authors=("1–5", "2–12", "2–20"),
)
MNIST = Grid(
    name="mnist",
    draw=mnist_subset,
    n=1000,
    patches=_boxes(
        ((1, 3), (1, 3)), ((2, 2), (2, 5)), ((1, 5), (1, 5)), ((3, 8), (3, 8)), ((7, 14), (7, 14))
    ),
    candidates=(7, 28, 84, 252),
    chosen=("2 × 2–5", 28),
    authors=("1–3 × 1–3", "2 × 2–5", "1–5 × 1–5"),
    needs=MNIST_FILE,
)
SMALL_IMPULSE = Grid(
    name="impulse",
    draw=Simulated(make_impulse, n_test=2000),
    n=200,
    patches=IMPULSE.patches,
    candidates=IMPULSE.candidates,
    chosen=IMPULSE.chosen,
    authors=IMPULSE.authors,
)
DIGITS = Grid(
    name="digits",
    draw=digits_subset,
    n=300,
    patches=_boxes(
        ((1, 2), (1, 2)), ((2, 2), (2, 3)), ((1, 4), (1, 4)), ((2, 4), (2, 4)), ((4, 6), (4, 6))
    ),
    candidates=(4, 8, 16, 32),
    chosen=("2 × 2–3", 8),
    authors=("1–2 × 1–2", "2 × 2–3", "1–4 × 1–4"),  # ours, for images of eight pixels a side
)
GRIDS: Mapping[Preset, tuple[Grid, ...]] = {
    "quick": (SMALL_IMPULSE, DIGITS),
    "full": (CIRCLE, IMPULSE, MNIST),
}
TREES = {"quick": 30, "full": 500}
REPETITIONS = {"quick": 2, "full": 5}
OTHERS = ("SPORF", "RF")  # with the same numbers of candidates
ROBUST = 1.5  # robust: the error of the worst setting is at most so many times that of the best

# The authors' errors at n = 1000: thesis, and a rerun of 2021.
PUBLISHED_CIRCLE = {("3–12", 50): 0.051, ("1–5", 22): 0.331}
STYLE = {"font.size": 10, "axes.titlesize": 11}

Table = dict[str, dict[int, float]]  # errors by setting, a range of patches or a forest, and by d


@dataclass(frozen=True, kw_only=True)
class Tuning(Experiment):
    """Errors of MORF over ranges of patch sizes × candidates per node."""

    def runs(self, setting: Setting) -> list[Run]:
        """Return one run for each cell of each grid and each training set."""
        trees = TREES[setting.preset]
        return [
            Run(
                seed,
                {"data": grid.name, "n": grid.n, "setting": name, "d": d, "trees": trees},
                grid.needs,
            )
            for seed in range(REPETITIONS[setting.preset])
            for grid in GRIDS[setting.preset]
            for name in (*grid.patches, *OTHERS)
            for d in grid.candidates
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Train one forest and count its errors."""
        grid = next(g for g in GRIDS[setting.preset] if g.name == run.parameters["data"])
        name = str(run.parameters["setting"])
        params: dict[str, Any] = {
            "n_estimators": run.parameters["trees"],
            "max_features": run.parameters["d"],
            "n_jobs": 1,
            "random_state": run.seed,
        }
        if name in grid.patches:
            forest = named_forest("MORF", projection=grid.patches[name], **params)
        else:
            forest = named_forest(name, **params)
        X, y, X_test, y_test = grid.draw(grid.n, run.seed, setting)
        _, seconds = timed(lambda: forest.fit(X, y))
        error = float(np.mean(forest.predict(X_test) != y_test))
        return Outcome({"error": error, "train_seconds": seconds})

    def findings(self, results: Results) -> list[Finding]:
        """Judge the robustness on each data set, and compare with the authors' rerun."""
        found = [
            _robustness(grid, errors_of(results, grid))
            for grid in GRIDS[results.preset]
            if results.where(data=grid.name).rows
        ]
        rerun = _circle_rerun(errors_of(results, CIRCLE))
        return found + ([rerun] if rerun and results.preset == "full" else [])

    def sheets(self, results: Results) -> list[Sheet]:
        """Return the errors of each grid."""
        sheets = []
        for grid in GRIDS[results.preset]:
            table = errors_of(results, grid)
            published = PUBLISHED_CIRCLE if grid is CIRCLE else {}
            rows = tuple(
                (name, *(_cell(row.get(d), published.get((name, d))) for d in grid.candidates))
                for name, row in table.items()
            )
            if rows:
                title = f"{grid.name}, n = {grid.n}: test error over patch sizes and d"
                columns = ("patch sizes", *(f"d = {d}" for d in grid.candidates))
                sheets.append(Sheet(title, columns, rows))
        return sheets

    def figures(self, results: Results) -> list[Picture]:
        """Draw one heat map for each data set."""
        n_sets = len(results.distinct("seed"))
        caption = (
            f"Test error of forests of {TREES[results.preset]} trees, means over {n_sets} training "
            "sets. Rows: ranges of patch sizes of MORF, and SPORF and RF below the line. Columns: "
            "candidates per node. The frame marks "
            + ("the setting of the thesis." if results.preset == "full" else "a usual setting.")
            + " Colours: error relative to the lowest of the panel."
        )
        return [Picture(_draw(results), caption)]


def errors_of(results: Results, grid: Grid) -> Table:
    """Return the mean errors on one data set; settings without any are left out."""
    rows = results.where(data=grid.name)
    table = {
        name: {
            d: at_d.mean("error")
            for d in grid.candidates
            if (at_d := rows.where(setting=name, d=d)).rows
        }
        for name in (*grid.patches, *OTHERS)
    }
    return {name: row for name, row in table.items() if row}


# ------------------------------------------------------------------------------------- findings


def no_worse(table: Table, sizes: Iterable[str]) -> tuple[int, int]:
    """Count settings of MORF that are no worse than SPORF and RF with the same d, and all."""
    counts = [
        table[name][d] <= min(table[other][d] for other in OTHERS)
        for name in sizes
        for d in table.get(name, {})
        if all(d in table.get(other, {}) for other in OTHERS)
    ]
    return sum(counts), len(counts)


def _is_worse(sizes: str, table: Table) -> bool:
    good, total = no_worse(table, [sizes])
    return good < total / 2


def _robustness(grid: Grid, table: Table) -> Finding:
    usual = _cells(table, grid.authors)
    ratio = max(usual.values()) / min(usual.values()) if usual and min(usual.values()) else None
    parts = [f"MORF {_extremes(usual)}"] if usual else []
    beyond = _cells(table, [name for name in grid.patches if name not in grid.authors])
    if beyond:
        parts.append(f"with other sizes {_extremes(beyond)}")
    others = _cells(table, OTHERS)
    if others:
        parts.append(f"SPORF and RF {shown(min(others.values()))} to {shown(max(others.values()))}")
    good, total = no_worse(table, grid.patches)
    if total:
        worse = [name for name in grid.patches if _is_worse(name, table)]
        parts.append(
            f"{good} of {total} settings of MORF are no worse than both with the same d"
            + (f" (mostly worse: sizes {', '.join(worse)})" if worse else "")
        )
    note = (
        f"Agrees if, with sizes that the authors have used ({', '.join(grid.authors)}), the worst "
        f"error is at most {ROBUST:g} times the best."
    )
    everything = _cells(table, grid.patches)
    if beyond and min(everything.values()):
        whole = max(everything.values()) / min(everything.values())
        note += f" Over all sizes of our grid it is {whole:.1f} times the best."
    if spreads := _spreads(table, grid):
        note += (
            f" There, changing d at fixed sizes moves the error by {shown(spreads[0])} on "
            f"average, changing sizes at fixed d by {shown(spreads[1])}."
        )
    return Finding(
        f"MORF is robust to hyperparameter tuning ({grid.name}, n = {grid.n})",
        "; ".join(parts),
        "“robustness to hyperparameter tuning” (conclusion, on MNIST); no numbers",
        ratio <= ROBUST if ratio is not None and len(usual) > 1 else None,
        note,
    )


def _cells(table: Table, names: Iterable[str]) -> dict[tuple[str, int], float]:
    return {(name, d): error for name in names for d, error in table.get(name, {}).items()}


def _extremes(cells: dict[tuple[str, int], float]) -> str:
    best, worst = min(cells, key=cells.__getitem__), max(cells, key=cells.__getitem__)
    return " to ".join(
        f"{shown(cells[key])} (sizes {key[0]}, d = {key[1]})"
        for key in dict.fromkeys([best, worst])
    )


def _spreads(table: Table, grid: Grid) -> tuple[float, float] | None:
    """Return mean ranges of MORF's error over d and over sizes; None unless the grid is full."""
    rows = [[table.get(name, {}).get(d) for d in grid.candidates] for name in grid.patches]
    if any(error is None for row in rows for error in row):
        return None
    errors = np.array(rows, dtype=float)
    return float(np.ptp(errors, axis=1).mean()), float(np.ptp(errors, axis=0).mean())


def _circle_rerun(table: Table) -> Finding | None:
    ours = {
        key: table[key[0]][key[1]] for key in PUBLISHED_CIRCLE if key[1] in table.get(key[0], {})
    }
    if len(ours) < len(PUBLISHED_CIRCLE):
        return None
    good, bad = ours.values()
    return Finding(
        "On the circle the range of widths decides (the authors' rerun of 2021)",
        ", ".join(f"width {width}, d = {d}: {shown(e)}" for (width, d), e in ours.items()),
        ", ".join(
            f"width {width}, d = {d}: {shown(e)}" for (width, d), e in PUBLISHED_CIRCLE.items()
        ),
        bad > 3 * good,
        "Agrees if the error is more than three times as high. A single patch tells a segment of "
        "six from one of five only if it is longer than five.",
    )


def _cell(ours: float | None, published: float | None) -> str:
    text = "–" if ours is None else shown(ours)
    return text if published is None else f"{text} ({shown(published)})"


# --------------------------------------------------------------------------------------- figure


def _draw(results: Results) -> Figure:
    plt = pyplot()
    tables = [(grid, errors_of(results, grid)) for grid in GRIDS[results.preset]]
    drawn = [(grid, table) for grid, table in tables if table]
    with plt.rc_context(STYLE):
        figure: Figure
        width = min(10.0, 3.4 * len(drawn) + 0.6)
        figure, axes = plt.subplots(
            1, len(drawn), figsize=(width, 4.3), layout="constrained", squeeze=False
        )
        figure.suptitle("Error of MORF over its parameters", fontsize=13, fontweight="bold")
        for ax, (grid, table) in zip(axes[0], drawn, strict=True):
            _draw_panel(ax, grid, table)
        axes[0][0].set_ylabel("patch sizes of MORF, and other forests")
    return figure


def _draw_panel(ax: Axes, grid: Grid, table: Table) -> None:
    errors: NDArray[np.float64] = np.array(
        [[row.get(d, np.nan) for d in grid.candidates] for row in table.values()]
    )
    # One to three times the lowest error is from light to dark, alike in all panels.
    relative = np.log(errors / max(float(np.nanmin(errors)), 1e-4))
    ax.imshow(relative, cmap="YlOrRd", vmin=0, vmax=np.log(3), aspect="auto")
    for place in np.argwhere(np.isfinite(errors)):
        row, column = int(place[0]), int(place[1])
        dark = relative[row, column] > 0.65 * np.log(3)
        text = f"{errors[row, column]:.3f}".lstrip("0")
        ax.text(column, row, text, ha="center", va="center", color="w" if dark else "k")
    names = list(table)
    ax.set_xticks(range(len(grid.candidates)), [str(d) for d in grid.candidates])
    ax.set_yticks(range(len(names)), names)
    ax.set(title=f"{grid.name}, n = {grid.n}", xlabel="candidates per node d")
    n_patches = sum(name in grid.patches for name in names)
    if 0 < n_patches < len(names):
        ax.axhline(n_patches - 0.5, color="k", linewidth=2)
    if grid.chosen[0] in names:
        row, column = names.index(grid.chosen[0]), grid.candidates.index(grid.chosen[1])
        frame = pyplot().Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, linewidth=2.2)
        ax.add_patch(frame)


M8 = Tuning(
    id="M8",
    title="MORF over patch sizes and candidates per node",
    paper=THESIS,
    source="no figure: the conclusion claims robustness to hyperparameter tuning",
    question="How much does the error of MORF depend on the range of patch sizes and on the number "
    "of candidates d, and when is it worse than forests that do not know of neighbours?",
    stand_in=f"{STAND_IN}, and a smaller impulse",
)

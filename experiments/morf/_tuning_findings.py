"""Whether MORF is robust to hyperparameter tuning, as the thesis says."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .._experiment import Finding
from ._errors import shown
from ._tuning_grid import OTHERS, Grid, Table

ROBUST = 1.5  # robust: the error of the worst setting is at most so many times that of the best


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


def robustness(grid: Grid, table: Table) -> Finding:
    """Compare the worst setting with the best, and settings with other forests."""
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


def rerun(grid: Grid, table: Table) -> Finding | None:
    """Compare with the authors' errors of two ranges on the circle; None if one is missing."""
    ours = {key: table[key[0]][key[1]] for key in grid.published if key[1] in table.get(key[0], {})}
    if len(ours) < len(grid.published):
        return None
    good, bad = ours.values()
    return Finding(
        "On the circle the range of widths decides (the authors' rerun of 2021)",
        ", ".join(f"width {width}, d = {d}: {shown(e)}" for (width, d), e in ours.items()),
        ", ".join(
            f"width {width}, d = {d}: {shown(e)}" for (width, d), e in grid.published.items()
        ),
        bad > 3 * good,
        "Agrees if the error is more than three times as high. A single patch tells a segment of "
        "six from one of five only if it is longer than five.",
    )

"""Ranges of patch sizes × candidates per node on one data set, and the errors there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from manifoldforest.projections import Patches

from .._results import Results
from ._learning_curve import Draw

OTHERS = ("SPORF", "RF")  # with the same numbers of candidates

Table = dict[str, dict[int, float]]  # errors by setting, a range of patches or a forest, and by d


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
    published: Mapping[tuple[str, int], float] = field(default_factory=dict)  # errors
    needs: str | None = None

    @property
    def settings(self) -> tuple[str, ...]:
        """Ranges of patches, and the other forests."""
        return (*self.patches, *OTHERS)


def widths(*ranges: tuple[int, int], wrap: bool = False) -> dict[str, Patches]:
    """Return patches of series by the names of their ranges, such as 3–12."""
    return {
        f"{low}–{high}": Patches(min_size=low, max_size=high, wrap=wrap) for low, high in ranges
    }


def boxes(*ranges: tuple[tuple[int, int], tuple[int, int]]) -> dict[str, Patches]:
    """Return patches of images by the names of their ranges, such as 2 × 2–5."""
    return {
        f"{_range(height)} × {_range(width)}": Patches(
            min_size=(height[0], width[0]), max_size=(height[1], width[1])
        )
        for height, width in ranges
    }


def _range(sizes: tuple[int, int]) -> str:
    return str(sizes[0]) if sizes[0] == sizes[1] else f"{sizes[0]}–{sizes[1]}"


def errors_of(results: Results, grid: Grid) -> Table:
    """Return the mean errors on one data set; settings without any are left out."""
    rows = results.where(data=grid.name)
    table = {
        name: {
            d: at_d.mean("error")
            for d in grid.candidates
            if (at_d := rows.where(setting=name, d=d)).rows
        }
        for name in grid.settings
    }
    return {name: row for name, row in table.items() if row}

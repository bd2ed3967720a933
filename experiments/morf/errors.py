"""Test errors of several methods over the training size, and how numbers are written in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .._experiment import Sheet
from .._means import Mean, mean_of
from .._results import Results

NOTHING = "–"  # where there is no number
Published = Mapping[str, Mapping[int, float]]  # errors by method and training size
Column = TypeVar("Column")


def by_size(sizes: Sequence[int], errors: Mapping[str, Sequence[float]]) -> Published:
    """Write published errors, one for each size in turn, as a mapping from size to error."""
    return {method: dict(zip(sizes, row, strict=True)) for method, row in errors.items()}


@dataclass(frozen=True)
class Errors:
    """Errors by method and training size; some of ours may be missing, and of the published."""

    ours: Mapping[str, Mapping[int, NDArray[np.float64]]]  # one number for each repetition
    published: Published

    def noise(self, method: str, other: str, size: int) -> float:
        """Return how much our means of two methods may differ by chance alone.

        A method with a single repetition counts as if its error were exact.
        """
        errors = (self.ours[method][size], self.ours[other][size])
        first, second = (mean_of(v) if len(v) > 1 else Mean(float(v[0]), 0.0) for v in errors)
        return (first - second).noise

    def means(self) -> Published:
        """Return our averages in the form in which the published errors come."""
        return {
            method: {n: float(curve[n].mean()) for n in sorted(curve)}
            for method, curve in self.ours.items()
        }

    def sizes(self) -> list[int]:
        """Return all sizes at which we have an error."""
        return sorted({size for curve in self.ours.values() for size in curve})


def errors_in(results: Results, published: Published, metric: str = "error") -> Errors:
    """Collect the errors of all rows."""
    ours = {
        method: {int(size): at_size.values(metric) for size, at_size in rows.by("n").items()}
        for method, rows in results.by("method").items()
    }
    return Errors(ours, published)


def shown(error: float) -> str:
    """Write an error with three digits, or four if it is small."""
    return f"{error:.4f}" if error < 0.0495 else f"{error:.3f}"


def beside(ours: float | None, published: float | None) -> str:
    """Write ours (published), of which either may be missing."""
    text = NOTHING if ours is None else shown(ours)
    return text if published is None else f"{text} ({shown(published)})"


def sheet(
    title: str, corner: str, columns: Mapping[Column, str], rows: Mapping[str, Mapping[Column, str]]
) -> Sheet:
    """Return a table of the report from the headings of its columns and the cells of its rows."""
    cells = tuple(
        (name, *(row.get(column, NOTHING) for column in columns)) for name, row in rows.items()
    )
    return Sheet(title, (corner, *columns.values()), cells)


def size_columns(sizes: Sequence[int]) -> dict[int, str]:
    """Return a column for each training size."""
    return {n: f"n = {n}" for n in sizes}

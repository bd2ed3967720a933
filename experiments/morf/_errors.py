"""Test errors of several methods over the training size, ours beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._means import Mean, mean_of
from .._results import Results

NOTHING = "–"  # where there is no number
Published = Mapping[str, Mapping[int, float]]  # errors by method and training size


def by_size(sizes: Sequence[int], errors: Mapping[str, Sequence[float]]) -> Published:
    """Write published errors, one for each size in turn, as a mapping from size to error."""
    return {method: dict(zip(sizes, row, strict=True)) for method, row in errors.items()}


@dataclass(frozen=True)
class Errors:
    """Errors by method and training size; some of ours may be missing, and of the published."""

    ours: Mapping[str, Mapping[int, NDArray[np.float64]]]  # one number for each repetition
    published: Published

    def mean(self, method: str, size: int) -> float:
        """Return our error, averaged over repetitions."""
        return float(self.ours[method][size].mean())

    def noise(self, method: str, other: str, size: int) -> float:
        """Return how much our means of two methods may differ by chance alone.

        A method with a single repetition counts as if its error were exact.
        """
        means = (self.ours[method][size], self.ours[other][size])
        first, second = (mean_of(v) if len(v) > 1 else Mean(float(v[0]), 0.0) for v in means)
        return (first - second).noise

    def sizes_of(self, method: str) -> list[int]:
        """Return the sizes at which we have errors of a method."""
        return sorted(self.ours.get(method, {}))

    def means(self) -> Published:
        """Return our averages in the form in which the published errors come."""
        return {m: {size: self.mean(m, size) for size in self.sizes_of(m)} for m in self.ours}

    def sizes(self) -> list[int]:
        """Return all sizes at which we have an error."""
        return sorted({size for curve in self.ours.values() for size in curve})


def errors_in(results: Results, published: Published) -> Errors:
    """Collect the errors of all rows."""
    ours = {
        method: {int(size): at_size.values("error") for size, at_size in rows.by("n").items()}
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

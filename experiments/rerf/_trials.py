"""Errors of repeated trials, compared on the same training sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._means import Mean, mean_of
from .._results import Results

Cell = tuple[str, str, int]  # method, transformation and number of features


class Trials:
    """One metric of the rows of an experiment, by method, transformation, features and seed.

    Parameters
    ----------
    results : Results
        Rows with the parameters method, transformation and p.
    metric : str, default="error"
        The metric; rows that lack it are left out.
    """

    def __init__(self, results: Results, metric: str = "error") -> None:
        self._values: dict[Cell, dict[int, float]] = {}
        for row in results:
            cell = (str(row.get("method")), str(row.get("transformation")), _integer(row.get("p")))
            if metric in row.metrics:
                self._values.setdefault(cell, {})[row.seed] = row.metrics[metric]

    def __contains__(self, cell: Cell) -> bool:
        return cell in self._values

    def mean(self, cell: Cell) -> Mean:
        """Return the mean over all trials of a cell."""
        return mean_of(list(self._values[cell].values()))

    def difference(self, cell: Cell, other: Cell) -> Mean | None:
        """Return the mean difference over the training sets that both cells have, if any."""
        mine, theirs = self._values.get(cell, {}), self._values.get(other, {})
        common = sorted(mine.keys() & theirs.keys())
        return mean_of([mine[s] - theirs[s] for s in common]) if common else None

    def n_common(self, cell: Cell, other: Cell) -> int:
        """Return on how many training sets two cells can be compared."""
        return len(self._values.get(cell, {}).keys() & self._values.get(other, {}).keys())

    def common(self, cells: Sequence[Cell]) -> NDArray[np.float64]:
        """Return one row of values for each training set that all cells have."""
        known = [self._values.get(cell, {}) for cell in cells]
        seeds = sorted(set.intersection(*(set(values) for values in known)))
        return np.array([[values[s] for values in known] for s in seeds]).reshape(-1, len(cells))

    def methods(self) -> list[str]:
        """Return all methods in the order of the rows."""
        return list(dict.fromkeys(method for method, _, _ in self._values))

    def transformations(self) -> list[str]:
        """Return all transformations in the order of the rows."""
        return list(dict.fromkeys(transformation for _, transformation, _ in self._values))

    def sizes(self, method: str | None = None, transformation: str | None = None) -> list[int]:
        """Return the numbers of features, in order, of one method or transformation or all."""
        found = {
            p for m, t, p in self._values if method in (None, m) and transformation in (None, t)
        }
        return sorted(found)

    def n_trials(self, cell: Cell) -> int:
        """Return the number of trials of a cell."""
        return len(self._values.get(cell, {}))


def _integer(value: Any) -> int:
    return int(value)

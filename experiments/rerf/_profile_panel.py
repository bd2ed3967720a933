"""One panel of performance profiles: which rows it compares, and what is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .._results import Results

METHODS = ("RF", "RerF", "RotRF")


@dataclass(frozen=True)
class Panel:
    """A cost of all methods under one transformation."""

    metric: Literal["error", "train_seconds"]
    transformation: str
    end: float  # of the axis of ratios
    areas: tuple[float, ...]  # published, for each method

    @property
    def title(self) -> str:
        """What is compared, for a reader."""
        return f"{'error' if self.metric == 'error' else 'training time'}, {self.transformation}"

    def costs(self, results: Results) -> NDArray[np.float64]:
        """Return a row for each data set that all methods have finished, a column per method.

        An error of zero counts as half a row, so that ratios are finite; sets on which all methods
        have none give ratios of 1.
        """
        cells: dict[str, dict[str, float]] = {}
        for row in results.where(transformation=self.transformation):
            least = 0.5 / row.metrics["rows"] if self.metric == "error" else 0.0
            cost = max(row.metrics[self.metric], least)
            cells.setdefault(str(row.get("data")), {})[str(row.get("method"))] = cost
        complete = [
            [of_set[method] for method in METHODS]
            for of_set in cells.values()
            if all(method in of_set for method in METHODS)
        ]
        return np.array(complete, dtype=np.float64).reshape(-1, len(METHODS))

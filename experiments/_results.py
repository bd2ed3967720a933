"""Finished runs, and how findings and figures choose among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._experiment import Preset, Value


@dataclass(frozen=True)
class Row:
    """A finished run as it lies in the file of rows."""

    experiment: str
    preset: Preset
    seed: int
    parameters: dict[str, Value]
    metrics: dict[str, float]
    seconds: float
    version: str
    date: str
    arrays_file: Path | None = field(default=None, compare=False)

    def get(self, name: str) -> Value:
        """Return a parameter, or the seed; None if the run has no such parameter."""
        return self.seed if name == "seed" else self.parameters.get(name)

    @cached_property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the run stored beside its numbers."""
        if self.arrays_file is None:
            return {}
        with np.load(self.arrays_file) as stored:
            return {name: stored[name] for name in stored.files}


@dataclass(frozen=True)
class Results:
    """Rows of one experiment, and of those that it reads, in the order of its runs."""

    rows: tuple[Row, ...]
    preset: Preset

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def of(self, experiment: str) -> Results:
        """Return the rows of one experiment."""
        return Results(tuple(r for r in self.rows if r.experiment == experiment), self.preset)

    def where(self, **parameters: Value) -> Results:
        """Return the rows with these parameters; ``seed`` is one of them."""
        chosen = (
            row
            for row in self.rows
            if all(row.get(name) == value for name, value in parameters.items())
        )
        return Results(tuple(chosen), self.preset)

    def distinct(self, parameter: str) -> list[Any]:
        """Return the values that a parameter takes, in the order of the rows."""
        return list(dict.fromkeys(row.get(parameter) for row in self.rows))

    def by(self, parameter: str) -> dict[Any, Results]:
        """Return the rows for each value of a parameter."""
        return {value: self.where(**{parameter: value}) for value in self.distinct(parameter)}

    def values(self, metric: str) -> NDArray[np.float64]:
        """Return one metric of all rows that have it."""
        return np.array([row.metrics[metric] for row in self.rows if metric in row.metrics], float)

    def mean(self, metric: str) -> float:
        """Return the mean over the rows; NaN if none has the metric."""
        values = self.values(metric)
        return float(values.mean()) if len(values) else float("nan")

    def std(self, metric: str) -> float:
        """Return the standard deviation over the rows; NaN for fewer than two."""
        values = self.values(metric)
        return float(values.std(ddof=1)) if len(values) > 1 else float("nan")

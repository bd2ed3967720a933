"""Seconds of training or test by data set and method: published ones, and ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .._results import Results
from ._tables import Table, by_columns


@dataclass(frozen=True, kw_only=True)
class Part:
    """One half of the table: what was timed, and the published seconds."""

    word: str
    metric: str
    columns: tuple[str, ...]
    lines: Mapping[str, tuple[float, ...]]
    doubtful: Mapping[str, frozenset[str]]  # methods whose seconds cannot be right, by data set

    @property
    def published(self) -> dict[str, dict[str, float]]:
        """Seconds by data set and method."""
        return by_columns(self.columns, self.lines)

    def doubts(self, names: Iterable[str], methods: tuple[str, str]) -> list[str]:
        """Name the sets for which a published factor rests on an entry that cannot be right."""
        doubtful = [name for name in names if self.doubtful.get(name, frozenset()) & set(methods)]
        if not doubtful:
            return []
        return [f"published factors of {', '.join(doubtful)} rest on doubtful seconds"]


def mean_seconds(results: Results, part: Part) -> Table:
    """Return mean CPU seconds by data set and method; what a coarse clock missed is left out."""
    return {
        name: {
            method: of.mean(part.metric)
            for method, of in rows.by("method").items()
            if of.mean(part.metric) > 0
        }
        for name, rows in results.by("data").items()
    }


def factors(table: Table, slow: str, fast: str) -> dict[str, float]:
    """Return how many times faster one method is than another, where both are known."""
    return {name: of[slow] / of[fast] for name, of in table.items() if {slow, fast} <= of.keys()}

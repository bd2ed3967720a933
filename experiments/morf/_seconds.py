"""Seconds of training and testing over the training size, and the published ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .._results import Results

PHASES = {"train_seconds": "training", "test_seconds": "testing"}

Seconds = Mapping[int, float]  # by the number of training examples


@dataclass(frozen=True, kw_only=True)
class PublishedSeconds:
    """Seconds of the clock at one training size, on many cores."""

    n: int
    trees: int
    cores: int
    training: Mapping[str, Mapping[str, float]]  # by problem and method


@dataclass(frozen=True)
class Measured:
    """Seconds in the rows of several experiments."""

    results: Results
    problems: Mapping[str, str]  # by the experiment that has their rows
    published: PublishedSeconds

    @property
    def names(self) -> list[str]:
        """The problems."""
        return list(self.problems.values())

    @property
    def comparable(self) -> bool:
        """Whether forests have as many trees as in the published runs."""
        return bool(self.results.where(trees=self.published.trees, n=self.published.n).rows)

    def seconds(self, problem: str, method: str, phase: str) -> Seconds:
        """Return the mean seconds of a method on a problem, by the number of training examples."""
        source = next(id for id, name in self.problems.items() if name == problem)
        rows = self.results.of(source).where(method=method)
        means = {int(n): at_size.mean(phase) for n, at_size in rows.by("n").items()}
        return {
            n: means[n] for n in sorted(means) if means[n] > 0
        }  # clocks tick: 0 is not measured

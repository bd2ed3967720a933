"""Tables of figures, their standard errors, and who was best how often."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Result:
    """What one method reached in one repetition; a figure that a method lacks is left out."""

    experiment: str
    method: str
    seed: int
    figures: dict[str, float]


def progress(line: str) -> None:
    """Tell what has been done, apart from the tables."""
    print(line, file=sys.stderr, flush=True)


def in_order(names: Iterable[str]) -> list[str]:
    """Return the different names in the order in which they come first."""
    return list(dict.fromkeys(names))


def print_tables(
    results: Sequence[Result], wins: Sequence[str] = (), published: dict[str, str] | None = None
) -> None:
    """Print one table for each experiment: mean and standard error of every figure.

    `wins` are figures for which to count the repetitions in which a method was smallest;
    `published` has remarks by method.
    """
    published = published or {}
    for experiment in in_order(result.experiment for result in results):
        some = [result for result in results if result.experiment == experiment]
        columns = in_order(name for result in some for name in result.figures)
        methods = in_order(result.method for result in some)
        predicted = [result for result in some if result.method != "(truth)"]
        n_seeds = len({result.seed for result in some})
        print(f"\n{experiment} ({n_seeds} repetitions; mean, standard error)")
        print(f"{'':<16}" + "".join(f"{name:>20}" for name in columns))
        for method in methods:
            cells = [_cell(_values(some, method, name)) for name in columns]
            note = f"  published: {published[method]}" if method in published else ""
            print(f"{method:<16}" + "".join(f"{cell:>20}" for cell in cells) + note)
        for name in wins:
            counts = count_wins(predicted, name)
            print(f"least {name}: " + ", ".join(f"{m} {n}" for m, n in counts.items() if n))


def count_wins(results: Sequence[Result], figure: str) -> dict[str, int]:
    """Count the repetitions in which each method has the smallest figure."""
    counts = {result.method: 0 for result in results}
    for seed in {result.seed for result in results}:
        here = [r for r in results if r.seed == seed and figure in r.figures]
        if here:
            counts[min(here, key=lambda result: result.figures[figure]).method] += 1
    return counts


def _values(results: Sequence[Result], method: str, figure: str) -> list[float]:
    return [r.figures[figure] for r in results if r.method == method and figure in r.figures]


def _cell(values: list[float]) -> str:
    if not values:
        return "-"
    if len(values) == 1:
        return f"{values[0]:.4f}"
    return f"{np.mean(values):.4f} {np.std(values, ddof=1) / math.sqrt(len(values)):.4f}"

"""How long the runs that are left will take, judged by those that are finished."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import median

from ._experiment import Value

Kind = tuple[str, ...]
Like = tuple[str, str | None, str]  # experiment, method, and all parameters: one sort of run


def like(experiment: str, parameters: Mapping[str, Value]) -> Like:
    """Return what repetitions of the same run have in common."""
    method = parameters.get("method")
    same = json.dumps(dict(parameters), sort_keys=True)
    return experiment, None if method is None else str(method), same


class TimeLeft:
    """Means of the seconds of finished runs, by ever coarser kinds of runs."""

    def __init__(self) -> None:
        self._sums: dict[Kind, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
        self._all: list[float] = []

    def add(self, run: Like, seconds: float) -> None:
        """Learn from a finished run."""
        self._all.append(seconds)
        for kind in _kinds(run):
            total, count = self._sums[kind]
            self._sums[kind] = (total + seconds, count + 1)

    def of_runs(self, runs: Iterable[Like], jobs: int) -> float | None:
        """Return the seconds until all of these runs are done; None before the first is."""
        sorts = Counter(runs)
        if not sorts:
            return 0.0
        if not self._all:
            return None
        # Of an experiment without finished runs nothing is known but how long runs usually are:
        # the median, for some experiments have runs of many minutes.
        usual = median(self._all)
        return sum(n * self._mean(run, usual) for run, n in sorts.items()) / jobs

    def _mean(self, run: Like, usual: float) -> float:
        for kind in _kinds(run):
            if kind in self._sums:
                total, count = self._sums[kind]
                return total / count
        return usual


def _kinds(run: Like) -> tuple[Kind, ...]:
    """Return repetitions of the same run, runs of the same method, runs of the experiment."""
    experiment, method, same = run
    if method is None:
        return (experiment, "run", same), (experiment,)
    return (experiment, "run", same), (experiment, "method", method), (experiment,)

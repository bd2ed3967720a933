"""How long the runs that are left will take, judged by those that are finished."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping

from ._experiment import Value

Kind = tuple[str, ...]


class TimeLeft:
    """Means of the seconds of finished runs, by ever coarser kinds of runs."""

    def __init__(self) -> None:
        self._sums: dict[Kind, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def add(self, experiment: str, parameters: Mapping[str, Value], seconds: float) -> None:
        """Learn from a finished run."""
        for kind in _kinds(experiment, parameters):
            self._sums[kind][0] += seconds
            self._sums[kind][1] += 1

    def of_run(self, experiment: str, parameters: Mapping[str, Value]) -> float | None:
        """Return the mean of the finished runs that are most like this one."""
        for kind in _kinds(experiment, parameters):
            if kind in self._sums:
                total, count = self._sums[kind]
                return total / count
        return None

    def of_runs(self, runs: Iterable[tuple[str, Mapping[str, Value]]], jobs: int) -> float | None:
        """Return the seconds until all of these runs are done; None before the first is."""
        seconds = [self.of_run(*run) for run in runs]
        known = [s for s in seconds if s is not None]
        return sum(known) / jobs if len(known) == len(seconds) else None


def _kinds(experiment: str, parameters: Mapping[str, Value]) -> list[Kind]:
    """Return repetitions of the same run, runs of the same method, of the experiment, and all."""
    same = json.dumps(dict(parameters), sort_keys=True)
    return [
        (experiment, "run", same),
        (experiment, "method", str(parameters.get("method"))),
        (experiment,),
        (),
    ]

"""What there is to do: runs of the experiments, which are finished, and which lack their data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from ._experiment import Experiment, Run, Setting
from ._registry import get_experiment
from ._results import Results, Row
from ._rows import row_key, run_key


@dataclass(frozen=True)
class Task:
    """A run of an experiment."""

    experiment: Experiment
    run: Run
    setting: Setting

    @cached_property
    def key(self) -> str:
        """What tells it from all others."""
        return run_key(self.experiment.id, self.setting.preset, self.run)

    @property
    def lacks_data(self) -> bool:
        """Whether the file or folder that it needs is not there, or is an empty folder."""
        if self.run.needs is None:
            return False
        if self.setting.data is None:
            return True
        needed = self.setting.data / self.run.needs
        return not any(needed.iterdir()) if needed.is_dir() else not needed.exists()

    @property
    def lacks_package(self) -> bool:
        """Whether the package that it needs is not installed."""
        return self.run.package is not None and find_spec(self.run.package) is None

    def __str__(self) -> str:
        parameters = ", ".join(f"{k} {v}" for k, v in self.run.parameters.items())
        return f"{self.experiment.id}: {parameters}, seed {self.run.seed}"


class Plan:
    """All runs of some experiments, and of those whose rows they read."""

    def __init__(self, experiments: Sequence[Experiment], setting: Setting, version: str) -> None:
        self.experiments = experiments
        self.setting = setting
        self.version = version
        self.tasks = {
            experiment.id: _tasks(experiment, setting) for experiment in _with_sources(experiments)
        }

    def finished(self, rows: Iterable[Row]) -> dict[str, Row]:
        """Return the rows that are results of this plan, by key; other versions' are not."""
        keys = {task.key for tasks in self.tasks.values() for task in tasks}
        found = {row_key(row): row for row in rows if row.version == self.version}
        return {key: row for key, row in found.items() if key in keys}

    def to_do(self, finished: Iterable[str]) -> list[Task]:
        """Return the runs that are left: first repetitions of all experiments, then second ones."""
        done = set(finished)
        left = (
            task
            for tasks in self.tasks.values()
            for task in tasks
            if not (task.key in done or task.lacks_data or task.lacks_package)
        )
        return sorted(left, key=lambda task: task.run.seed)

    def results(self, experiment: Experiment, finished: dict[str, Row]) -> Results:
        """Return what an experiment is judged and drawn by, in the order of its runs."""
        rows = (finished[t.key] for t in self._all_of(experiment) if t.key in finished)
        return Results(tuple(rows), self.setting.preset)

    def tasks_of(self, experiment: Experiment, finished: Iterable[str]) -> list[Task]:
        """Return the runs that an experiment is judged by: those that are finished or can be."""
        done = set(finished)
        return [t for t in self._all_of(experiment) if t.key in done or not t.lacks_package]

    def left_out(self, experiment: Experiment, finished: Iterable[str]) -> Counter[str]:
        """Return how many runs are not to be, for packages that are not installed."""
        done = set(finished)
        left = (t for t in self._all_of(experiment) if t.key not in done and t.lacks_package)
        return Counter(str(task.run.package) for task in left)

    def _all_of(self, experiment: Experiment) -> Iterator[Task]:
        for id in (*experiment.rows_of, experiment.id):
            yield from self.tasks[id]


def _with_sources(experiments: Iterable[Experiment]) -> list[Experiment]:
    found: dict[str, Experiment] = {}
    for experiment in experiments:
        for source in map(get_experiment, experiment.rows_of):
            found.setdefault(source.id, source)
        found.setdefault(experiment.id, experiment)
    return list(found.values())


def _tasks(experiment: Experiment, setting: Setting) -> list[Task]:
    tasks = [Task(experiment, run, setting) for run in experiment.runs(setting)]
    if len({task.key for task in tasks}) != len(tasks):
        raise ValueError(f"two runs of {experiment.id} are the same")
    if not tasks and not experiment.rows_of:
        raise ValueError(f"{experiment.id} has no runs")
    return tasks


def data_place(data: Path | None) -> str:
    """Say where data sets belong."""
    folder = "" if data is None else f" (here {data.name})"
    return (
        f"It belongs into the folder given by --data{folder}, as manifoldforest.datasets reads it."
    )

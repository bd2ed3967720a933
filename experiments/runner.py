"""Which runs are left, and doing them: several at a time, each stored as soon as it is finished."""

import multiprocessing
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from importlib.util import find_spec
from itertools import islice

from threadpoolctl import threadpool_limits

from .experiment import Experiment, Outcome, Run, Setting
from .registry import get_experiment
from .results import Results, Row, RowWriter, run_key

Measured = tuple[Outcome | str, float]  # or the message of an error; seconds


@dataclass(frozen=True)
class Task:
    """A run of an experiment."""

    experiment: Experiment
    run: Run
    setting: Setting

    @cached_property
    def key(self) -> str:
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
        self.tasks: dict[str, list[Task]] = {}
        for experiment in experiments:
            for one in (*map(get_experiment, experiment.rows_of), experiment):
                if one.id not in self.tasks:
                    self.tasks[one.id] = _tasks(one, setting)

    def finished(self, rows: Iterable[Row]) -> dict[str, Row]:
        """Return the rows that are results of this plan, by key; other versions' are not."""
        keys = {task.key for tasks in self.tasks.values() for task in tasks}
        found = {row.key: row for row in rows if row.version == self.version}
        return {key: row for key, row in found.items() if key in keys}

    def to_do(self, finished: dict[str, Row]) -> list[Task]:
        """Return the runs that are left: first repetitions of all experiments, then second ones."""
        left = (
            task
            for tasks in self.tasks.values()
            for task in tasks
            if not (task.key in finished or task.lacks_data or task.lacks_package)
        )
        return sorted(left, key=lambda task: task.run.seed)

    def results(self, experiment: Experiment, finished: dict[str, Row]) -> Results:
        """Return what an experiment is judged and drawn by, in the order of its runs."""
        rows = (finished[t.key] for t in self._all_of(experiment) if t.key in finished)
        return Results(tuple(rows), self.setting.preset)

    def split(
        self, experiment: Experiment, finished: dict[str, Row]
    ) -> tuple[list[Task], list[Task]]:
        """Return the runs that are finished or can be, and those whose package is missing."""
        all_of = list(self._all_of(experiment))
        left_out = {t.key: t for t in all_of if t.lacks_package and t.key not in finished}
        return [t for t in all_of if t.key not in left_out], list(left_out.values())

    def _all_of(self, experiment: Experiment) -> Iterator[Task]:
        for id in (*experiment.rows_of, experiment.id):
            yield from self.tasks[id]


def _tasks(experiment: Experiment, setting: Setting) -> list[Task]:
    tasks = [Task(experiment, run, setting) for run in experiment.runs(setting)]
    if len({task.key for task in tasks}) != len(tasks):
        raise ValueError(f"two runs of {experiment.id} are the same")
    if not tasks and not experiment.rows_of:
        raise ValueError(f"{experiment.id} has no runs")
    return tasks


def do_runs(
    tasks: Sequence[Task], jobs: int, version: str, writer: RowWriter
) -> Iterator[tuple[Task, Row | str]]:
    """Do all runs; yield each with its row when that is stored, or with the message of its error.

    A run that failed is not stored, so the next time it is tried again.
    """
    in_turn = ((t, _measured(t.experiment.id, t.run, t.setting)) for t in tasks)
    for task, (outcome, seconds) in _in_processes(tasks, jobs) if jobs > 1 else in_turn:
        if isinstance(outcome, str):
            yield task, outcome
            continue
        row = Row(
            experiment=task.experiment.id,
            preset=task.setting.preset,
            seed=task.run.seed,
            parameters=dict(task.run.parameters),
            metrics={name: float(value) for name, value in outcome.metrics.items()},
            seconds=round(seconds, 3),
            version=version,
            date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        )
        try:
            yield task, writer.add(row, outcome.arrays)
        except ValueError as error:  # a metric that is not a number
            yield task, f"{error}: {row.metrics}"


def _measured(id: str, run: Run, setting: Setting) -> Measured:
    """Do one run on one thread: what is compared is methods, not how they share processors."""
    start = time.perf_counter()
    try:
        with threadpool_limits(limits=1):
            outcome: Outcome | str = get_experiment(id).measure(run, setting)
    except Exception as error:  # one run that fails must not cost the others; it is reported
        outcome = f"{type(error).__name__}: {error}"
    return outcome, time.perf_counter() - start


def _in_processes(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Measured]]:
    waiting = iter(tasks)
    pool = _new_pool(jobs)
    running: dict[Future[Measured], Task] = {}
    try:
        while True:
            for task in islice(waiting, jobs - len(running)):
                future = pool.submit(_measured, task.experiment.id, task.run, task.setting)
                running[future] = task
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
                # A process was killed (by lack of memory, say), and its pool is lost with it.
                message = "the process that did this run, or one beside it, was killed"
                yield from ((task, (message, 0.0)) for task in running.values())
                running.clear()
                pool.shutdown(wait=False)
                pool = _new_pool(jobs)
                continue
            for future in done:
                yield running.pop(future), future.result()
    finally:
        # At once: after Ctrl-C nobody wants to wait for half a run.
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _new_pool(jobs: int) -> ProcessPoolExecutor:
    # Not forked: the threads of this process would be missing in its children.
    return ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent
    )


def _end_with_parent() -> None:
    """Let this process end when the one that began it is killed and cannot end it."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "only processes of a pool end with their parent"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()

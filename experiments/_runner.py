"""Do the runs that are left, several at a time, and store each as soon as it is finished."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone

from threadpoolctl import threadpool_limits

from ._experiment import Outcome, Run, Setting
from ._plan import Task
from ._registry import get_experiment
from ._results import Row
from ._rows import RowWriter


@dataclass(frozen=True)
class Failure:
    """A run that ended with an error. It is not stored, so the next time it is tried again."""

    task: Task
    message: str


@dataclass(frozen=True)
class _Finished:
    task: Task
    outcome: Outcome | None
    seconds: float
    message: str = ""


Report = Callable[[Task, Row | Failure], None]


def do_runs(
    tasks: Sequence[Task], jobs: int, version: str, writer: RowWriter, report: Report
) -> None:
    """Do all runs; `report` is told of each when it is stored, or has failed."""
    for finished in _in_processes(tasks, jobs) if jobs > 1 else _one_by_one(tasks):
        report(finished.task, _store(finished, version, writer))


def _store(finished: _Finished, version: str, writer: RowWriter) -> Row | Failure:
    task, outcome = finished.task, finished.outcome
    if outcome is None:
        return Failure(task, finished.message)
    row = Row(
        experiment=task.experiment.id,
        preset=task.setting.preset,
        seed=task.run.seed,
        parameters=dict(task.run.parameters),
        metrics={name: float(value) for name, value in outcome.metrics.items()},
        seconds=round(finished.seconds, 3),
        version=version,
        date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
    try:
        return writer.add(row, outcome.arrays)
    except ValueError as error:  # a metric that is not a number
        return Failure(task, f"{error}: {row.metrics}")


# --------------------------------------------------------------------------- in this process


def _one_by_one(tasks: Sequence[Task]) -> Iterator[_Finished]:
    for task in tasks:
        yield _Finished(task, *_measured(task.experiment.id, task.run, task.setting))


def _measured(id: str, run: Run, setting: Setting) -> tuple[Outcome | None, float, str]:
    """Do one run on one thread: what is compared is methods, not how they share processors."""
    start = time.perf_counter()
    try:
        with threadpool_limits(limits=1):
            outcome = get_experiment(id).measure(run, setting)
    except Exception as error:  # one run that fails must not cost the others; it is reported
        return None, time.perf_counter() - start, f"{type(error).__name__}: {error}"
    return outcome, time.perf_counter() - start, ""


# ------------------------------------------------------------------------ in other processes


def _in_processes(tasks: Sequence[Task], jobs: int) -> Iterator[_Finished]:
    waiting = iter(tasks)
    pool = _new_pool(jobs)
    running: dict[Future[tuple[Outcome | None, float, str]], Task] = {}
    try:
        while True:
            for task in _next(waiting, jobs - len(running)):
                future = pool.submit(_measured, task.experiment.id, task.run, task.setting)
                running[future] = task
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
                # A process was killed (by lack of memory, say), and its pool is lost with it.
                message = "the process that did this run, or one beside it, was killed"
                yield from (_Finished(task, None, 0, message) for task in running.values())
                running.clear()
                pool.shutdown(wait=False)
                pool = _new_pool(jobs)
                continue
            for future in done:
                yield _Finished(running.pop(future), *future.result())
    finally:
        _kill(pool)


def _next(waiting: Iterator[Task], count: int) -> list[Task]:
    found: list[Task] = []
    with suppress(StopIteration):
        while len(found) < count:
            found.append(next(waiting))
    return found


def _new_pool(jobs: int) -> ProcessPoolExecutor:
    # Not forked: the threads of this process would be missing in its children.
    return ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent
    )


def _end_with_parent() -> None:
    """Let this process end when the one that began it is killed and cannot end it."""
    parent = multiprocessing.parent_process()
    if parent is None:
        raise RuntimeError("only processes of a pool end with their parent")

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _kill(pool: ProcessPoolExecutor) -> None:
    """End the processes at once: after Ctrl-C nobody wants to wait for half a run."""
    processes = list((pool._processes or {}).values())
    for process in processes:
        process.terminate()
    pool.shutdown(wait=True, cancel_futures=True)

"""From ids to a report: plan, run, judge, draw."""

from __future__ import annotations

import math
import os
import platform
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, TypeVar

from manifoldforest.datasets._loaders import FOLDER_VARIABLE
from manifoldforest.plot._style import drawing

from ._experiment import Experiment, Preset, Setting
from ._plan import Plan, Task, data_place
from ._registry import experiment_ids, get_experiments
from ._report import About, Lack, Section, write_report
from ._results import Results, Row
from ._rows import RowFile
from ._runner import Failure, do_runs
from ._time_left import TimeLeft, like

FAILED = 1  # exit statuses
LACKS_DATA = 3

SECONDS_BETWEEN_JUDGEMENTS = 1  # of the time left

Part = TypeVar("Part")  # finding, sheet or picture


class Progress(Protocol):
    """Is told how far the runs are."""

    def __call__(self, n_finished: int, n_runs: int, seconds_left: float | None, now: str) -> None:
        """Take note of a finished run."""
        ...


@dataclass(frozen=True)
class Reproduction:
    """What :func:`reproduce` returns.

    Attributes
    ----------
    sections : sequence of Section
        What each experiment found, with its findings, tables and figures.
    about : About
        Version, machine and command.
    files : sequence of Path
        The files of the report.
    """

    sections: Sequence[Section]
    about: About
    files: Sequence[Path]

    @property
    def status(self) -> int:
        """Exit status: 1 if something failed, 3 if something lacks its data, else 0."""
        if any(section.failures for section in self.sections):
            return FAILED
        return LACKS_DATA if any(section.lacks for section in self.sections) else 0


def reproduce(
    experiments: Iterable[str] = (),
    *,
    preset: Preset = "quick",
    jobs: int | None = None,
    out: str | os.PathLike[str] = "reproduction",
    data: str | os.PathLike[str] | None = None,
    report_only: bool = False,
    progress: Progress | None = None,
) -> Reproduction:
    """Repeat experiments of the papers and write a report beside the published results.

    Every finished run is stored at once in ``rows.jsonl`` of the folder `out`. Called again with
    the same folder, only what is missing is run: a run that was stopped goes on. Runs of another
    version of the package do not count.

    Parameters
    ----------
    experiments : iterable of str, optional
        Ids such as ``"M1"``; by default all of them.
    preset : {"quick", "full"}, default="quick"
        ``"full"`` has the sizes of the papers and needs their data sets, ``"quick"`` small sizes
        and stand-ins.
    jobs : int, optional
        Runs at the same time, each in a process with one thread; by default one per processor.
    out : path, default="reproduction"
        Folder of rows, figures, ``report.html``, ``report.md`` and ``summary.md``.
    data : path, optional
        Folder of the data sets, as for the loaders of :mod:`manifoldforest.datasets`; by default
        that of the environment variable ``MANIFOLDFOREST_DATA``.
    report_only : bool, default=False
        Run nothing, and write the report of what is finished.
    progress : callable, optional
        Is told after each run how many are finished, of how many, the seconds left (None as long
        as nobody knows) and the run.

    Returns
    -------
    Reproduction
        The sections of the report, its files, and the exit status of the command.

    Examples
    --------
    >>> import tempfile
    >>> from experiments import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = reproduce(["B2"], jobs=1, out=folder)
    ...     [file.name for file in result.files if file.suffix == ".html"]
    ['report.html']
    >>> result.status, result.sections[0].experiment.id
    (0, 'B2')
    """
    if preset not in ("quick", "full"):
        raise ValueError(f"preset must be 'quick' or 'full', got {preset!r}")
    jobs = _n_jobs(jobs)
    setting = Setting(preset, _data_folder(data))
    plan = Plan(get_experiments(experiments), setting, version("manifoldforest"))
    folder = Path(out)
    file = RowFile(folder)
    failures: list[Failure] = []
    if not report_only:
        with file.append() as writer:
            watch = _Watch(plan, plan.finished(file.read()), jobs, failures, progress)
            do_runs(watch.to_do, jobs, plan.version, writer, watch.note)
    finished = plan.finished(file.read())
    with drawing():
        sections = [_section(e, plan, finished, failures, folder) for e in plan.experiments]
        about = _about(plan, folder)
        files = write_report(folder, sections, about)
    return Reproduction(sections, about, files)


def _n_jobs(jobs: int | None) -> int:
    if jobs is None:
        return os.cpu_count() or 1
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ValueError(f"jobs must be an integer of at least 1, got {jobs!r}")
    return jobs


def _data_folder(data: str | os.PathLike[str] | None) -> Path | None:
    given = os.environ.get(FOLDER_VARIABLE) if data is None else data
    if not given:
        return None
    folder = Path(given).resolve()
    if not folder.is_dir():
        raise FileNotFoundError(f"data must be a folder of data sets, got {given}")
    return folder


class _Watch:
    """Takes note of finished and failed runs, and says how long the rest will take."""

    def __init__(
        self,
        plan: Plan,
        finished: dict[str, Row],
        jobs: int,
        failures: list[Failure],
        progress: Progress | None,
    ) -> None:
        self.to_do = plan.to_do(finished)
        self._left = {
            task.key: like(task.experiment.id, task.run.parameters) for task in self.to_do
        }
        self._n_finished = len(finished)
        self._n_runs = len(finished) + len(self.to_do)
        self._jobs = jobs
        self._failures = failures
        self._progress = progress
        self._time_left = TimeLeft()
        self._seconds_left: float | None = None
        self._judged = -math.inf
        for row in finished.values():
            self._time_left.add(like(row.experiment, row.parameters), row.seconds)

    def note(self, task: Task, result: Row | Failure) -> None:
        run = self._left.pop(task.key)
        self._n_finished += 1
        if isinstance(result, Failure):
            self._failures.append(result)
        else:
            self._time_left.add(run, result.seconds)
        if self._progress is not None:
            self._judge_time_left()
            self._progress(self._n_finished, self._n_runs, self._seconds_left, str(task))

    def _judge_time_left(self) -> None:
        """Judge it now and then: there may be thousands of runs, of milliseconds each."""
        if not self._left or time.monotonic() - self._judged > SECONDS_BETWEEN_JUDGEMENTS:
            self._judged = time.monotonic()
            self._seconds_left = self._time_left.of_runs(self._left.values(), self._jobs)


# ------------------------------------------------------------------------------- the sections


def _section(
    experiment: Experiment,
    plan: Plan,
    finished: dict[str, Row],
    failures: Sequence[Failure],
    folder: Path,
) -> Section:
    tasks = plan.tasks_of(experiment, finished)
    results = plan.results(experiment, finished)
    keys = {task.key for task in tasks}
    messages = [f"{f.task}: {f.message}" for f in failures if f.task.key in keys]

    def of_results(view: Callable[[Results], Sequence[Part]]) -> Sequence[Part]:
        """Return one view of the results; an error in it must not cost the rest of the report."""
        try:
            return view(results) if len(results) else ()
        except Exception as error:
            messages.append(f"{experiment.id}, {view.__name__}: {type(error).__name__}: {error}")
            return ()

    return Section(
        experiment=experiment,
        command=_command([experiment.id], plan.setting, folder),
        n_finished=len(results),
        n_runs=len(tasks),
        seconds=sum(row.seconds for row in results),
        findings=of_results(experiment.findings),
        sheets=of_results(experiment.sheets),
        pictures=of_results(experiment.figures),
        lacks=_lacks(tasks, plan.setting),
        left_out=plan.left_out(experiment, finished),
        failures=messages,
    )


def _lacks(tasks: Iterable[Task], setting: Setting) -> list[Lack]:
    counts = Counter(task.run.needs or "" for task in tasks if task.lacks_data)
    return [Lack(needs, n, data_place(setting.data)) for needs, n in counts.items()]


def _command(ids: Sequence[str], setting: Setting, folder: Path) -> str:
    words = ["manifoldforest", "reproduce", *ids, "--preset", setting.preset, "--out", folder.name]
    if setting.data is not None and setting.preset == "full":
        words += ["--data", setting.data.name]
    return shlex.join(words)


def _about(plan: Plan, folder: Path) -> About:
    chosen = [experiment.id for experiment in plan.experiments]
    return About(
        preset=plan.setting.preset,
        date=datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        version=plan.version,
        processor=_processor(),
        n_cores=os.cpu_count() or 1,
        python=platform.python_version(),
        command=_command([] if chosen == experiment_ids() else chosen, plan.setting, folder),
        data="" if plan.setting.data is None else plan.setting.data.name,
    )


def _processor() -> str:
    """Return the model of the processor, or its family where the system tells no more."""
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()

"""From ids to a report: plan, run, judge, draw."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TypeVar

from ._drawing import drawing
from ._experiment import Experiment, Preset, Setting, Value
from ._registry import experiment_ids, get_experiments
from ._report import About, SavedPicture, Section, save_pictures, write_report
from ._report._content import COMMAND, mark_caption, mark_finding, mark_sheet
from ._results import Results, Row, RowFile
from ._runner import Failure, Plan, Task, do_runs

DATA_VARIABLE = "MANIFOLDFOREST_DATA"  # names the folder of the data sets, as for the loaders
FAILED, LACKS_DATA = 1, 3  # exit statuses
SECONDS_BETWEEN_JUDGEMENTS = 1  # of the time left

Part = TypeVar("Part")  # finding, sheet or picture


@dataclass(frozen=True)
class Progress:
    """How far the work is: `n_done` of `n_all` runs or experiments, whichever is `unit`."""

    unit: str  # "run", "experiment", or "" as long as nothing can be counted
    now: str  # the experiment, or what is being prepared
    n_done: int = 0
    n_all: int = 0
    seconds_left: float | None = None  # None if it is not known


@dataclass(frozen=True)
class Reproduction:
    """What :func:`reproduce` returns: what each experiment found, and the files of the report."""

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
    progress: Callable[[Progress], None] = lambda _: None,
) -> Reproduction:
    """Repeat experiments of the papers and write a report beside the published results.

    Every finished run is stored at once in ``rows.jsonl`` of the folder `out`. Called again with
    the same folder, only what is missing is run: a run that was stopped goes on. Runs of another
    version of the package do not count. Parameters are those of the command, by default all
    experiments, one run per processor at a time, and the data sets of ``MANIFOLDFOREST_DATA``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     reproduce(["B2"], jobs=1, out=folder).status
    0
    """
    if preset not in ("quick", "full"):
        raise ValueError(f"preset must be 'quick' or 'full', got {preset!r}")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise ValueError(f"jobs must be an integer of at least 1, got {jobs!r}")
    setting = Setting(preset, _data_folder(data))
    progress(Progress("", "loading the experiments"))
    plan = Plan(get_experiments(experiments), setting, version("manifoldforest"))
    folder, file = Path(out), RowFile(Path(out))
    failures: list[Failure] = []
    if not report_only:
        with file.append() as writer:
            watch = _Watch(plan, plan.finished(file.read()), jobs or os.cpu_count() or 1, progress)
            do_runs(watch.to_do, watch.jobs, plan.version, writer, watch.note)
            failures = watch.failures
    finished = plan.finished(file.read())
    sections = []
    for i, experiment in enumerate(plan.experiments):
        progress(Progress("experiment", experiment.id, i, len(plan.experiments)))
        sections.append(_section(experiment, plan, finished, failures, folder))
    about = _about(plan, folder)
    return Reproduction(sections, about, write_report(folder, sections, about))


def _data_folder(data: str | os.PathLike[str] | None) -> Path | None:
    given = os.environ.get(DATA_VARIABLE) if data is None else data
    if not given:
        return None
    folder = Path(given).resolve()
    if not folder.is_dir():
        raise FileNotFoundError(f"data must be a folder of data sets, got {given}")
    return folder


# ------------------------------------------------------------------------------- the time left


class TimeLeft:
    """Judges runs by the mean seconds of finished ones that are most like them."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
        self._all: list[float] = []

    def add(self, kinds: Sequence[str], seconds: float) -> None:
        """Learn from a finished run."""
        self._all.append(seconds)
        for kind in kinds:
            total, count = self._sums[kind]
            self._sums[kind] = (total + seconds, count + 1)

    def of_runs(self, runs: Iterable[Sequence[str]], jobs: int) -> float | None:
        """Return the seconds until all of these runs are done; None before the first is."""
        counts = Counter(runs)
        if not counts or not self._all:
            return None if counts else 0.0
        # Of an experiment without finished runs nothing is known but how long runs usually are:
        # the median, for some experiments have runs of many minutes.
        usual = median(self._all), 1
        seconds = 0.0
        for kinds, n in counts.items():
            total, count = next((self._sums[k] for k in kinds if k in self._sums), usual)
            seconds += n * total / count
        return seconds / jobs


def like(experiment: str, parameters: Mapping[str, Value]) -> tuple[str, ...]:
    """Return kinds of runs: repetitions of the same, of the same method, of the experiment."""
    same = f"{experiment} {json.dumps(dict(parameters), sort_keys=True)}"
    method = parameters.get("method")
    return (same, experiment) if method is None else (same, f"{experiment} {method}", experiment)


class _Watch:
    """Takes note of finished and failed runs, and says how long the rest will take."""

    def __init__(
        self, plan: Plan, finished: dict[str, Row], jobs: int, progress: Callable[[Progress], None]
    ) -> None:
        self.to_do = plan.to_do(finished)
        self.jobs = jobs
        self.failures: list[Failure] = []
        self._left = {
            task.key: like(task.experiment.id, task.run.parameters) for task in self.to_do
        }
        self._n_runs = len(finished) + len(self.to_do)
        self._progress = progress
        self._time_left = TimeLeft()
        self._judged = 0.0
        for row in finished.values():
            self._time_left.add(like(row.experiment, row.parameters), row.seconds)
        if self.to_do:
            self._tell(self.to_do[0].experiment.id)

    def note(self, task: Task, result: Row | Failure) -> None:
        """Take note of a run that has ended."""
        kinds = self._left.pop(task.key)
        if isinstance(result, Failure):
            self.failures.append(result)
        else:
            self._time_left.add(kinds, result.seconds)
        self._tell(task.experiment.id)

    def _tell(self, id: str) -> None:
        # The time left is judged now and then: there may be thousands of runs of milliseconds.
        if not self._left or time.monotonic() - self._judged > SECONDS_BETWEEN_JUDGEMENTS:
            self._judged = time.monotonic()
            self._seconds = self._time_left.of_runs(self._left.values(), self.jobs)
        n_done = self._n_runs - len(self._left)
        self._progress(Progress("run", id, n_done, self._n_runs, self._seconds))


# -------------------------------------------------------------------------------- the sections


def _section(
    experiment: Experiment,
    plan: Plan,
    finished: dict[str, Row],
    failures: Sequence[Failure],
    folder: Path,
) -> Section:
    tasks, left_out = plan.split(experiment, finished)
    results = plan.results(experiment, finished)
    keys = {task.key for task in tasks}
    messages = [f"{f.task}: {f.message}" for f in failures if f.task.key in keys]
    absent = _absent(tasks, left_out)

    def view(name: str, of: Callable[[Results], Sequence[Part]]) -> Sequence[Part]:
        """Return one view of the results; an error in it must not cost the rest of the report."""
        try:
            return of(results) if len(results) else ()
        except Exception as error:
            messages.append(f"{experiment.id}, {name}: {type(error).__name__}: {error}")
            return ()

    def pictures(results: Results) -> Sequence[SavedPicture]:
        drawn = [mark_caption(picture, absent) for picture in experiment.figures(results)]
        return save_pictures(folder / "figures", experiment.id, drawn)

    save_pictures(folder / "figures", experiment.id, ())  # those of an earlier report go
    with drawing():
        saved = view("figures", pictures)
    return Section(
        experiment=experiment,
        command=_command([experiment.id], plan.setting, folder),
        n_finished=len(results),
        n_runs=len(tasks),
        seconds=sum(row.seconds for row in results),
        findings=[mark_finding(f, absent) for f in view("findings", experiment.findings)],
        sheets=[mark_sheet(sheet, absent) for sheet in view("sheets", experiment.sheets)],
        pictures=saved,
        lacks=Counter(str(task.run.needs) for task in tasks if task.lacks_data),
        left_out=Counter(str(task.run.package) for task in left_out),
        absent=absent,
        failures=messages,
    )


def _absent(tasks: Iterable[Task], left_out: Iterable[Task]) -> dict[str, str]:
    """Return the methods of which every run is left out, and the package that each lacks."""
    methods = {task.run.parameters.get("method") for task in tasks}
    lacking = ((task.run.parameters.get("method"), str(task.run.package)) for task in left_out)
    return {str(m): package for m, package in lacking if m is not None and m not in methods}


def _command(ids: Sequence[str], setting: Setting, folder: Path) -> str:
    words = [*COMMAND.split(), *ids, "--preset", setting.preset, "--out", folder.name]
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
    text = described.read_text() if described.exists() else ""
    model = re.search(r"^model name\s*:\s*(.*)", text, re.MULTILINE)
    return model[1].strip() if model else platform.processor() or platform.machine()

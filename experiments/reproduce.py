"""From ids to a report: plan, run, judge, draw."""

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
from statistics import fmean, median
from typing import TypeVar

from .drawing import drawing
from .experiment import Experiment, Preset, Setting, Value
from .registry import experiment_ids, get_experiments
from .report import About, Section, save_pictures, write_report
from .report.content import COMMAND, count, mark_caption, mark_finding, mark_sheet
from .results import Row, RowFile
from .runner import Plan, Task, do_runs

DATA_VARIABLE = "MANIFOLDFOREST_DATA"  # names the folder of the data sets, as for the loaders
FAILED, LACKS_DATA = 1, 3  # exit statuses
SECONDS_BETWEEN_JUDGEMENTS = 1  # of the time left

Part = TypeVar("Part")  # finding, sheet or picture
Kinds = tuple[str, ...]  # of runs that are alike, from repetitions of the same to all runs


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
    """
    if preset not in ("quick", "full"):
        raise ValueError(f"preset must be 'quick' or 'full', got {preset!r}")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise ValueError(f"jobs must be an integer of at least 1, got {jobs!r}")
    given = os.environ.get(DATA_VARIABLE) if data is None else data
    if given and not Path(given).is_dir():
        raise FileNotFoundError(f"data must be a folder of data sets, got {given}")
    setting = Setting(preset, Path(given).resolve() if given else None)
    progress(Progress("", "loading the experiments"))
    plan = Plan(get_experiments(experiments), setting, version("manifoldforest"))
    folder, file = Path(out), RowFile(Path(out))
    failures = {} if report_only else _run(plan, file, jobs or os.cpu_count() or 1, progress)
    finished = plan.finished(file.read())
    sections = []
    for i, experiment in enumerate(plan.experiments):
        progress(Progress("experiment", experiment.id, i, len(plan.experiments)))
        sections.append(_section(experiment, plan, finished, failures, folder))
    about = _about(plan, folder)
    return Reproduction(sections, about, write_report(folder, sections, about))


def time_left(
    left: Iterable[Kinds], done: Iterable[tuple[Kinds, float]], jobs: int
) -> float | None:
    """Return the seconds until the runs that are left are done; None if none is done yet.

    A run takes as long as those which are done and most like it, in the mean.
    """
    seconds: dict[str, list[float]] = defaultdict(list)
    for kinds, of_run in done:
        for kind in (*kinds, "any"):
            seconds[kind].append(of_run)
    means = {kind: fmean(some) for kind, some in seconds.items()}
    counts = Counter(left)
    if counts and not means:
        return None
    if means:
        # Of an experiment without finished runs nothing is known but how long runs usually are:
        # the median, for some experiments have runs of many minutes.
        means["any"] = median(seconds["any"])
    usual = {kinds: next(means[k] for k in (*kinds, "any") if k in means) for kinds in counts}
    return sum(n * usual[kinds] for kinds, n in counts.items()) / jobs


def similarity_keys(experiment: str, parameters: Mapping[str, Value]) -> Kinds:
    """Return kinds of runs: repetitions of the same, of the same method, of the experiment."""
    same = f"{experiment} {json.dumps(dict(parameters), sort_keys=True)}"
    method = parameters.get("method")
    return (same, experiment) if method is None else (same, f"{experiment} {method}", experiment)


def _run(
    plan: Plan, file: RowFile, jobs: int, progress: Callable[[Progress], None]
) -> dict[str, str]:
    """Do what is left of the plan; return the messages of runs that failed, by their keys."""
    failures = {}
    with file.append() as writer:
        finished = plan.finished(file.read())
        to_do = plan.to_do(finished)
        n_runs = len(finished) + len(to_do)
        done = [
            (similarity_keys(row.experiment, row.parameters), row.seconds)
            for row in finished.values()
        ]
        left = {
            task.key: similarity_keys(task.experiment.id, task.run.parameters) for task in to_do
        }
        seconds, judged = time_left(left.values(), done, jobs), time.monotonic()
        for task in to_do[:1]:
            progress(Progress("run", task.experiment.id, len(finished), n_runs, seconds))
        for task, result in do_runs(to_do, jobs, plan.version, writer):
            kinds = left.pop(task.key)
            if isinstance(result, str):
                failures[task.key] = f"{task}: {result}"
            else:
                done.append((kinds, result.seconds))
            # Now and then: there may be thousands of runs of milliseconds.
            late = time.monotonic() - judged > SECONDS_BETWEEN_JUDGEMENTS
            if seconds is None or not left or late:
                seconds, judged = time_left(left.values(), done, jobs), time.monotonic()
            progress(Progress("run", task.experiment.id, n_runs - len(left), n_runs, seconds))
    return failures


def _section(
    experiment: Experiment,
    plan: Plan,
    finished: dict[str, Row],
    failures: dict[str, str],
    folder: Path,
) -> Section:
    tasks, left_out = plan.split(experiment, finished)
    results = plan.results(experiment, finished)
    messages = [failures[task.key] for task in tasks if task.key in failures]
    absent = _absent(tasks, left_out)

    def view(name: str, mark: Callable[[Part, Mapping[str, str]], Part]) -> list[Part]:
        """Return one view of the results; an error in it must not cost the rest of the report."""
        try:
            parts = getattr(experiment, name)(results) if len(results) else ()
            return [mark(part, absent) for part in parts]
        except Exception as error:
            messages.append(f"{experiment.id}, {name}: {type(error).__name__}: {error}")
            return []

    with drawing():
        drawn = view("figures", mark_caption)
        pictures = save_pictures(folder / "figures", experiment.id, drawn)
    return Section(
        experiment=experiment,
        command=_command([experiment.id], plan.setting, folder),
        n_finished=len(results),
        n_runs=len(tasks),
        seconds=sum(row.seconds for row in results),
        findings=view("findings", mark_finding),
        sheets=view("sheets", mark_sheet),
        pictures=pictures,
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
    command = _command([] if chosen == experiment_ids() else chosen, plan.setting, folder)
    n_cores = os.cpu_count() or 1
    facts = {
        "Preset": plan.setting.preset,
        "Date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "manifoldforest": plan.version,
        "Machine": f"{_processor()}, {count(n_cores, 'core')}, Python {platform.python_version()}",
        # the name of the folder alone: where it lies is nobody's business
        "Data sets": plan.setting.data.name if plan.setting.data else "no folder given",
    }
    return About(plan.setting.preset, command, facts)


def _processor() -> str:
    """Return the model of the processor, or its family where the system tells no more."""
    file = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.*)", file.read_text() if file.exists() else "")
    return model[1].strip() if model else platform.processor() or platform.machine()

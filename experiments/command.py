"""The command ``python -m experiments``: options, progress, and the summary in the terminal."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from .experiment import Experiment
from .registry import experiment_ids, get_experiments
from .report import content
from .report.content import About, Section
from .reproduce import Progress, reproduce

DESCRIPTION = (
    "Repeat the experiments of the papers, and show each result beside the published one. The "
    "quick preset takes a few minutes and needs no data sets. The full one takes hours; every "
    "finished run is kept, and the same command goes on where it was stopped. The report is "
    "report.html in the folder. Exit status: 1 if something failed, 2 for a wrong option, 3 if "
    "data sets were missing, 130 for Ctrl-C."
)
SECONDS_BETWEEN_LINES = 30  # of progress, where no bar can be drawn
STYLES = {"finished": "", "failed": "red"}  # of states; the others are yellow


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise argparse.ArgumentTypeError(message)  # where argparse would print its usage and exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; an error is one line on stderr."""
    try:
        return _run(_options(arguments))
    except argparse.ArgumentTypeError as error:
        message, status = str(error), 2
    except OSError as error:
        message, status = str(error), 1
    except KeyboardInterrupt:
        message, status = "interrupted; the same command goes on where it was stopped", 130
    print("experiments: " + " ".join(message.split()), file=sys.stderr)
    return status


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(prog=content.COMMAND, description=DESCRIPTION)
    add = parser.add_argument
    add("ids", nargs="*", metavar="ID", help="an experiment, such as M1; all by default")
    add("--list", action="store_true", help="list the experiments, and run nothing")
    presets = "small sizes and stand-ins, or the sizes and data sets of the papers"
    add("--preset", choices=("quick", "full"), default="quick", help=presets)
    add("--out", metavar="DIR", type=Path, default="reproduction", help="folder of the report")
    add("--data", metavar="DIR", type=Path, help="that of data sets; else $MANIFOLDFOREST_DATA")
    add("--jobs", metavar="N", type=int, help="runs at the same time; else one per processor")
    add("--report-only", action="store_true", help="run nothing; report what is finished")
    options = parser.parse_args(arguments)
    unknown = [id for id in options.ids if id.upper() not in experiment_ids()]
    for wrong, message in (
        (unknown, f"ID must be one of {', '.join(experiment_ids())}, got {', '.join(unknown)}"),
        (options.jobs is not None and options.jobs < 1, "--jobs must be at least 1"),
        (options.data and not options.data.is_dir(), f"--data: {options.data} is not a folder"),
        (options.out.exists() and not options.out.is_dir(), f"--out: {options.out} is a file"),
    ):
        if wrong:
            parser.error(message)
    return options


def _run(options: argparse.Namespace) -> int:
    if options.list:
        print_list(get_experiments(options.ids))
        return 0
    with show_progress(Console(stderr=True)) as progress:
        result = reproduce(
            options.ids,
            preset=options.preset,
            jobs=options.jobs,
            out=options.out,
            data=options.data,
            report_only=options.report_only,
            progress=progress,
        )
    page = next(file for file in result.files if file.suffix == ".html")
    print_summary(result.sections, result.about, page)
    return result.status


@contextmanager
def show_progress(console: Console) -> Iterator[Callable[[Progress], None]]:
    """Show a bar in a terminal; elsewhere print a line from time to time."""
    if not console.is_terminal:
        printed = time.monotonic()

        def print_line(progress: Progress) -> None:
            nonlocal printed
            if time.monotonic() - printed > SECONDS_BETWEEN_LINES:
                printed = time.monotonic()
                console.print(in_words(progress), soft_wrap=True, highlight=False)

        yield print_line
        return
    columns = (BarColumn(bar_width=20), TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def draw_bar(progress: Progress) -> None:
            bar.update(
                task,
                completed=progress.n_done,
                total=progress.n_all or None,  # None: a bar that only moves
                description=in_words(progress),
            )

        yield draw_bar


def in_words(progress: Progress) -> str:
    """Return what is going on, in at most 58 letters: with the bar it fits 80 columns."""
    if not progress.unit:
        return f"preparing: {progress.now}"
    done = f"{progress.n_done} of {content.count(progress.n_all, progress.unit)}"
    if progress.unit == "experiment":
        return f"findings and figures: {done}, now {progress.now}"
    seconds = progress.seconds_left
    left = "time left not known yet" if seconds is None else f"{content.duration(seconds)} left"
    return f"{done}, {left} ({progress.now})"


def print_list(experiments: Sequence[Experiment]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("id", style="bold", no_wrap=True)
    table.add_column("experiment", ratio=3)
    table.add_column("source", ratio=2, style="dim")
    last_of_paper = [a.paper != b.paper for a, b in pairwise(experiments)]
    for experiment, is_last in zip(experiments, [*last_of_paper, False], strict=False):
        source = f"{experiment.paper.name}, {experiment.source}"
        table.add_row(*map(Text, (experiment.id, experiment.title, source)), end_section=is_last)
    Console(highlight=False).print(table)


def print_summary(sections: Sequence[Section], about: About, page: Path | None = None) -> None:
    """Print a line per experiment, what differs, what is missing, and where the report lies."""
    console = Console(highlight=False)
    console.print(_summary_table(sections, about))
    for section, finding in content.differences(sections, about.preset):
        text = (
            f"{section.experiment.id}: {finding.claim} Ours: {finding.ours}; "
            f"published: {finding.published}. {finding.note}"
        )
        console.print(_paragraph("Differs", "bold red", text))
    for name, waiting in content.missing_data(sections).items():
        text = f"{name} for {', '.join(section.experiment.id for section in waiting)}. "
        console.print(_paragraph("Missing data", "yellow", text + content.DATA_PLACE))
    for text in content.missing_packages(sections):
        console.print(_paragraph("Not measured:", "yellow", text))
    for section in sections:
        start = f"{section.experiment.id}: "
        for failure in section.failures:
            console.print(_paragraph("Failed", "red", start + failure.removeprefix(start)))
    closing = content.TRY_OUT
    if about.preset == "full":
        closing = f"Findings: {content.findings_in_words(sections, about.preset)}."
    console.print(Text(f"{content.state_in_words(sections)} {closing}"))
    if page is not None:
        # No line break inside the path: it can be selected and opened as it is.
        console.print(Text(f"Report: {page}", "bold"), soft_wrap=True)


def _summary_table(sections: Sequence[Section], about: About) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("id", style="bold", no_wrap=True)
    table.add_column("experiment", ratio=1)
    table.add_column("state")
    table.add_column("findings")
    for section in sections:
        shown = {"incomplete": f"{section.n_finished} of {section.n_runs}"}
        states = [Text(shown.get(s, s), STYLES.get(s, "yellow")) for s in section.statuses]
        differs = bool(content.differences([section], about.preset))
        table.add_row(
            *map(Text, (section.experiment.id, section.experiment.title)),
            Text(", ").join(states),
            Text(content.findings_in_words([section], about.preset), "bold red" if differs else ""),
        )
    return table


def _paragraph(mark: str, style: str, text: str) -> Padding:
    return Padding(Text.assemble((mark, style), " ", " ".join(text.split())), (0, 0, 1, 0))

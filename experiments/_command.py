"""The command ``python -m experiments``: options, progress, and the summary in the terminal."""

# Annotations are not postponed here: typer evaluates them.

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from ._experiment import Experiment
from ._registry import get_experiments
from ._report import _content as content
from ._report._content import About, Section
from ._reproduce import Progress, reproduce

SECONDS_BETWEEN_LINES = 30  # of progress, where no bar can be drawn
BAR_WIDTH = 20
WIDE = 110  # columns of a terminal that has room for results in the summary
HEADLINE_LENGTH = 30
STYLES = {"finished": "", "failed": "red"}  # of states; the others are yellow


class PresetName(str, Enum):
    quick = "quick"
    full = "full"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; an error is one line on stderr.

    It is 1 for an error, 2 for a wrong option, 3 if data sets were missing, 130 for Ctrl-C.
    """
    app = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown"
    )
    app.command()(run_command)
    try:
        status = app(arguments, standalone_mode=False, prog_name=content.COMMAND)
    except typer.Abort:  # Ctrl-C, which newer versions return as a status
        status = 130
    except OSError as error:
        return _fail(str(error), 1)
    except Exception as error:
        # Wrong options. Their class is click's, or that of typer's own copy of click.
        if not hasattr(error, "format_message"):
            raise
        return _fail(error.format_message(), 2)
    if status == 130:
        return _fail("interrupted; the same command goes on where it was stopped", 130)
    return status if isinstance(status, int) else 0


def _fail(message: str, status: int) -> int:
    print("experiments: " + " ".join(message.split()), file=sys.stderr)
    return status


def run_command(
    experiments: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Experiments; all by default.")
    ] = None,
    list_all: Annotated[
        bool, typer.Option("--list", help="List the experiments, and run nothing.")
    ] = False,
    preset: Annotated[
        PresetName,
        typer.Option(help="Small sizes and stand-ins, or the sizes and data sets of the papers."),
    ] = PresetName.quick,
    out: Annotated[Path, typer.Option(help="Folder of results and report.")] = Path("reproduction"),
    data: Annotated[
        Path | None, typer.Option(help="Folder of the data sets; else $MANIFOLDFOREST_DATA.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs at the same time; else one per processor.")
    ] = None,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Run nothing; report what is finished.")
    ] = False,
) -> None:
    """Repeat the experiments of the papers, and show each result beside the published one.

    **quick** takes a few minutes on two cores and needs no data sets. **full** takes hours; every
    finished run is kept, so that the same command goes on where it was stopped. The report is
    report.html and report.md in the folder. The exit status is 3 if data sets were missing.
    """
    if data is not None and not data.is_dir():
        raise typer.BadParameter(f"{data} is not a folder", param_hint="--data")
    if out.exists() and not out.is_dir():
        raise typer.BadParameter(f"{out} is not a folder", param_hint="--out")
    with show_progress(Console(stderr=True)) as progress:
        progress(Progress("", "loading the experiments"))
        try:
            chosen = get_experiments(experiments or ())
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="ID") from error
        if not list_all:
            result = reproduce(
                [experiment.id for experiment in chosen],
                preset=preset.value,
                jobs=jobs,
                out=out,
                data=data,
                report_only=report_only,
                progress=progress,
            )
    if list_all:
        print_list(chosen)
        return
    page = next(file for file in result.files if file.suffix == ".html")
    print_summary(result.sections, result.about, page)
    raise typer.Exit(result.status)


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
    columns = (BarColumn(BAR_WIDTH), TextColumn("{task.description}", markup=False))
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
    left = "time left not known yet" if seconds is None else f"{_rounded(seconds)} left"
    return f"{done}, {left} ({progress.now})"


def _rounded(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min"


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
    console.print(_summary_table(sections, about, console.width >= WIDE))
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
        console.print(_paragraph("Not measured", "yellow", text))
    for section in sections:
        for failure in section.failures:
            console.print(_paragraph("Failed", "red", f"{section.experiment.id}: {failure}"))
    closing = content.TRY_OUT
    if about.preset == "full":
        closing = f"Findings: {content.findings_in_words(sections, about.preset)}."
    console.print(Text(f"{content.state_in_words(sections)} {closing}"))
    if page is not None:
        # No line break inside the path: it can be selected and opened as it is.
        console.print(Text(f"Report: {page}", "bold"), soft_wrap=True)


def _summary_table(sections: Sequence[Section], about: About, wide: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("id", style="bold", no_wrap=True)
    table.add_column("experiment", ratio=3, no_wrap=wide)
    table.add_column("state", no_wrap=wide)
    table.add_column("findings")
    if wide:
        table.add_column("ours", ratio=3, no_wrap=True)
        table.add_column("published", ratio=2, no_wrap=True, style="dim")
    for section in sections:
        shown = {"incomplete": f"{section.n_finished} of {section.n_runs}"}
        states = [Text(shown.get(s, s), STYLES.get(s, "yellow")) for s in section.statuses]
        differs = bool(content.differences([section], about.preset))
        findings = content.findings_in_words([section], about.preset)
        table.add_row(
            *map(Text, (section.experiment.id, section.experiment.title)),
            Text(", ").join(states),
            Text(findings, "bold red" if differs else ""),
            *map(Text, _headline(section) if wide else ()),
        )
    return table


def _headline(section: Section) -> tuple[str, str]:
    """Return ours and published of the first finding with two short numbers, or of the first."""
    pairs = [(finding.ours, finding.published) for finding in section.findings]
    for pair in pairs:
        if all(len(text) <= HEADLINE_LENGTH and re.search(r"\d", text) for text in pair):
            return pair
    return pairs[0] if pairs else ("", "")


def _paragraph(mark: str, style: str, text: str) -> Padding:
    """Return a paragraph that begins with a coloured word."""
    return Padding(Text.assemble((mark, style), " ", " ".join(text.split())), (0, 0, 1, 0))

"""The command ``python -m experiments``."""

# Annotations are not postponed here: typer evaluates them.

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ._registry import get_experiments
from ._reproduce import Progress, reproduce

SECONDS_BETWEEN_LINES = 30  # of progress, where no bar can be drawn


class PresetName(str, Enum):
    """The presets, as typer lists them."""

    quick = "quick"
    full = "full"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; an error is one line on stderr.

    It is 1 for an error, 2 for a wrong option, 3 if data sets were missing, 130 for Ctrl-C.
    """
    app = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown"
    )
    app.command()(reproduce_command)
    try:
        status = app(arguments, standalone_mode=False, prog_name="python -m experiments")
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
        return _fail("interrupted", 130)
    return status if isinstance(status, int) else 0


def _fail(message: str, status: int) -> int:
    print("experiments: " + " ".join(message.split()), file=sys.stderr)
    return status


def reproduce_command(
    experiments: Annotated[
        list[str] | None, typer.Argument(metavar="[EXPERIMENT]...", help="Ids; all by default.")
    ] = None,
    list_all: Annotated[
        bool, typer.Option("--list", help="List the experiments, and run nothing.")
    ] = False,
    preset: Annotated[
        PresetName,
        typer.Option(help="Small sizes and stand-ins, or the sizes and data sets of the papers."),
    ] = PresetName.quick,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs at the same time; one per processor by default.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of results and report.")] = Path("reproduction"),
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the data sets; by default that of the variable MANIFOLDFOREST_DATA."
        ),
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
    from ._report._terminal import print_list, print_summary

    try:
        chosen = get_experiments(experiments or ())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="EXPERIMENT") from error
    if list_all:
        print_list(chosen)
        return
    if data is not None and not data.is_dir():
        raise typer.BadParameter(f"{data} is not a folder", param_hint="--data")
    if out.exists() and not out.is_dir():
        raise typer.BadParameter(f"{out} is not a folder", param_hint="--out")
    with progress_bar() as progress:
        result = reproduce(
            [experiment.id for experiment in chosen],
            preset=preset.value,
            jobs=jobs,
            out=out,
            data=data,
            report_only=report_only,
            progress=progress,
        )
    page = next(file for file in result.files if file.suffix == ".html")
    print_summary(result.sections, result.about, page)
    raise typer.Exit(result.status)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show a bar in a terminal; elsewhere a line from time to time."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    columns = (
        BarColumn(),
        TextColumn("{task.completed} of {task.total} runs, {task.fields[left]}"),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, left=in_words(None))

        def report(n_finished: int, n_runs: int, seconds_left: float | None, now: str) -> None:
            bar.update(
                task,
                completed=n_finished,
                total=n_runs,
                left=in_words(seconds_left),
                description=now,
            )

        yield report


class _Lines:
    """Progress in a log."""

    def __init__(self) -> None:
        self._next = time.monotonic() + SECONDS_BETWEEN_LINES

    def __call__(self, n_finished: int, n_runs: int, seconds_left: float | None, now: str) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + SECONDS_BETWEEN_LINES
        line = f"{n_finished} of {n_runs} runs, {in_words(seconds_left)} ({now})"
        print(line, file=sys.stderr, flush=True)


def in_words(seconds_left: float | None) -> str:
    """Write a time that is left."""
    if seconds_left is None:
        return "time left not known yet"
    minutes = round(seconds_left / 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min left"
    return f"{minutes} min left" if minutes >= 1 else f"{seconds_left:.0f} s left"

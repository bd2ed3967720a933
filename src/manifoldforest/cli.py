"""The command ``manifoldforest``. It needs the extra ``manifoldforest[demo]``."""

# Annotations are not postponed here: typer evaluates those of a command, which are inside
# `build_app` because typer may be missing.

import importlib.util
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    import typer
    from rich.table import Table

    from .demo import _demo

NEEDED = ("typer", "rich", "matplotlib")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; an error is one line on stderr.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows ``manifoldforest`` on the command line; by default that of this process.

    Returns
    -------
    int
        0, or 1 for an error, 2 for a wrong option, 130 for Ctrl-C.

    Examples
    --------
    >>> from manifoldforest.cli import main
    >>> main(["--version"])  # doctest: +ELLIPSIS
    manifoldforest ...
    0
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return _fail(
            f"the command line needs {', '.join(missing)}: pip install 'manifoldforest[demo]'"
        )
    import typer

    try:
        status = build_app()(arguments, standalone_mode=False, prog_name="manifoldforest")
    except typer.Abort:  # Ctrl-C, which newer versions return as a status
        status = 130
    except OSError as error:
        return _fail(str(error))
    except Exception as error:
        # Wrong options. Their class is click's, or that of typer's own copy of click.
        if not hasattr(error, "format_message"):
            raise
        return _fail(error.format_message(), 2)
    if status == 130:
        return _fail("interrupted", 130)
    return status if isinstance(status, int) else 0


def _fail(message: str, status: int = 1) -> int:
    print("manifoldforest: " + " ".join(message.split()), file=sys.stderr)
    return status


def build_app() -> "typer.Typer":
    """Return the typer application that :func:`main` runs.

    Returns
    -------
    typer.Typer
        An application with the command ``demo``.
    """
    import typer

    app = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown"
    )

    def show_version(wanted: bool) -> None:
        if wanted:
            typer.echo(f"manifoldforest {version('manifoldforest')}")
            raise typer.Exit

    @app.callback(invoke_without_command=True)
    def manifoldforest(
        context: typer.Context,
        version: Annotated[
            bool,
            typer.Option(
                "--version", callback=show_version, is_eager=True, help="Show the version."
            ),
        ] = False,
    ) -> None:
        """Forests for data with geometry."""
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    @app.command()
    def demo(
        output: Annotated[Path, typer.Option(help="The picture to write.")] = Path("demo.png"),
        trees: Annotated[int, typer.Option(min=1, help="Trees in each forest.")] = 500,
        n_jobs: Annotated[int, typer.Option(help="Threads; -1 is all processors.")] = -1,
        seed: Annotated[int, typer.Option(min=0, help="Seed of data and forests.")] = 0,
        as_json: Annotated[
            bool, typer.Option("--json", help="Print one JSON object per row, and no table.")
        ] = False,
    ) -> None:
        """Compare RF, SPORF and MORF on a circle, images and signals, and draw a picture.

        Fits forests on the circle, bars and impulse problems of the MORF papers and on
        scikit-learn's digits, prints the test errors beside the published ones, and writes the
        error curves and importance maps to one PNG. Takes one or two minutes on two cores.
        """
        if n_jobs == 0:
            raise typer.BadParameter("0 threads: give -1 for all processors", param_hint="--n-jobs")
        if output.suffix.lower() != ".png":
            raise typer.BadParameter(f"{output} does not end in .png", param_hint="--output")
        try:
            _try_to_write(output)
        except OSError as error:
            message = f"cannot write a file {output}: {error.strerror}"
            raise typer.BadParameter(message, param_hint="--output") from error
        _run_demo(output, trees, n_jobs, seed, as_json)

    return app


# ------------------------------------------------------------------------------------ the demo


def _try_to_write(path: Path) -> None:
    """Raise OSError unless a file can be written; neither it nor its absence is changed."""
    existed = path.exists()
    with path.open("ab"):
        pass
    if not existed:
        path.unlink()


def _run_demo(output: Path, trees: int, n_jobs: int, seed: int, as_json: bool) -> None:
    from .demo import _demo
    from .demo import _figure as _demo_figure

    settings = _demo.Settings(n_trees=trees, n_jobs=n_jobs, seed=seed)
    with _progress_bar(_demo.n_steps(settings)) as report:
        results = _demo.run(settings, report)
    figure = _demo_figure.draw(results)
    figure.savefig(output, dpi=110, bbox_inches="tight", pad_inches=0.25)
    if as_json:
        for row in results.rows:
            print(json.dumps(_json_row(row, settings)))
        return

    from rich.console import Console
    from rich.padding import Padding

    console = Console(highlight=False)
    console.print(_error_table(results))
    console.print(Padding(_demo.in_words(results), (1, 0)))
    console.print(f"Curves and importance maps are in [bold]{output}[/bold].")


@contextmanager
def _progress_bar(n_steps: int) -> Iterator[Any]:
    """Yield a function that is told each step before it begins."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:  # some versions of rich end even a disabled bar with a line break
        yield lambda step: None
        return
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=n_steps)
        n_begun = 0

        def report(step: str) -> None:
            nonlocal n_begun
            progress.update(task, completed=n_begun, description=step)
            n_begun += 1

        yield report


def _error_table(results: "_demo.Results") -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from .demo import _demo

    settings = results.settings
    table = Table(
        title="Test error, and the published one (in grey)",
        caption=(
            f"Mean of {settings.n_repetitions} training sets, {settings.n_trees} trees. "
            "Published: 500 trees, one training set; none for digits."
        ),
        box=box.SIMPLE_HEAD,
        title_style="bold",
        caption_style="dim",
        pad_edge=False,
    )
    table.add_column("problem")
    table.add_column("examples", justify="right")
    for method in _demo.METHODS:
        table.add_column(method, justify="right")
        table.add_column("publ.", justify="right", style="dim", header_style="dim")

    for problem in _demo.PROBLEMS:
        by_size = list(zip(*results.of(problem.name).values(), strict=True))
        for rows in by_size:
            first, last = rows is by_size[0], rows is by_size[-1]
            best = min(row.error for row in rows)
            cells = []
            for row in rows:
                style = "bold" if row.error == best else ""
                cells.append(Text(f"{row.error:.3f}", style))
                cells.append(Text("" if row.published is None else f"{row.published:.3f}"))
            name = problem.name if first else ""
            table.add_row(name, str(rows[0].n_samples), *cells, end_section=last)
    return table


def _json_row(row: "_demo.Row", settings: "_demo.Settings") -> dict[str, Any]:
    return {
        "problem": row.problem,
        "method": row.method,
        "n_samples": row.n_samples,
        "error": row.error,
        "standard_error": row.standard_error,
        "published": row.published,
        "fit_seconds": row.fit_seconds,
        "n_training_sets": len(row.errors),
        "n_trees": settings.n_trees,
        "seed": settings.seed,
        "version": version("manifoldforest"),
    }

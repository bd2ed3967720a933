"""``manifoldforest demo``: three forests on problems that need no download."""

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..tables._errors import need
from ._options import Jobs, check_jobs
from ._output import check_output
from ._progress import progress_bar

if TYPE_CHECKING:
    from rich.table import Table

    from ..demo import _demo


def demo(
    output: Annotated[Path, typer.Option(metavar="PNG", help="The picture to write.")] = Path(
        "demo.png"
    ),
    trees: Annotated[int, typer.Option(min=1, metavar="N", help="Trees in each forest.")] = 500,
    n_jobs: Jobs = -1,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of data and forests.")] = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per row, and no table.")
    ] = False,
) -> None:
    """Compare RF, SPORF and MORF on a circle, images and signals, and draw a picture.

    Fits forests on the circle, bars and impulse problems of the MORF papers and on
    scikit-learn's digits, prints the test errors beside the published ones, and writes the
    error curves and importance maps to one PNG. Takes one or two minutes on two cores.

    Example: `manifoldforest demo --output demo.png`
    """
    check_jobs(n_jobs)
    if output.suffix.lower() != ".png":
        raise typer.BadParameter(f"{output} does not end in .png", param_hint="--output")
    check_output(str(output), "--output")
    need("matplotlib", "plot", "the demonstration")
    _run_demo(output, trees, n_jobs, seed, as_json)


def _run_demo(output: Path, trees: int, n_jobs: int, seed: int, as_json: bool) -> None:
    from ..demo import _demo
    from ..demo import _figure as _demo_figure
    from ..io._atomic_file import replacing

    settings = _demo.Settings(n_trees=trees, n_jobs=n_jobs, seed=seed)
    n_steps = _demo.n_steps(settings)
    with progress_bar("fitting") as report:
        begun = itertools.count()
        results = _demo.run(settings, lambda step: report(next(begun), n_steps, step))
    figure = _demo_figure.draw(results)
    with replacing(output) as file:
        figure.savefig(file, format="png", dpi=110, bbox_inches="tight", pad_inches=0.25)
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


def _error_table(results: "_demo.Results") -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from ..demo import _demo

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
    from importlib.metadata import version

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

"""The application, and the function behind the command."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ..tables._errors import MissingPackageError, TableError, need
from ._errors import CommandError, fail

if TYPE_CHECKING:
    import typer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; an error is one line on stderr.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows ``manifoldforest`` on the command line; by default that of this process.

    Returns
    -------
    int
        0, or 1 for an error of the system, 2 for wrong options or data, 130 for Ctrl-C.

    Examples
    --------
    >>> from manifoldforest.cli import main
    >>> main(["--version"])  # doctest: +ELLIPSIS
    manifoldforest ...
    0
    """
    try:
        need("typer", "cli", "the command line")
        need("rich", "cli", "the command line")
        return _run(arguments)
    except (CommandError, TableError) as error:
        return fail(str(error), 2)
    except KeyboardInterrupt:
        return fail("interrupted", 130)
    except (OSError, MissingPackageError) as error:
        return fail(str(error), 1)


def _run(arguments: Sequence[str] | None) -> int:
    import typer

    try:
        status = build_app()(arguments, standalone_mode=False, prog_name="manifoldforest")
    except SystemExit as left:  # nobody reads standard output any more, as after `head`
        status = left.code
    except typer.Abort:  # Ctrl-C, which newer versions return as a status
        status = 130
    except Exception as error:
        # Wrong options. Their class is click's, or that of typer's own copy of click.
        if not hasattr(error, "format_message"):
            raise
        return fail(error.format_message(), 2)
    if status == 130:
        return fail("interrupted", 130)
    return status if isinstance(status, int) else 0


def build_app() -> "typer.Typer":
    """Return the typer application that :func:`main` runs.

    Returns
    -------
    typer.Typer
        An application with the commands ``fit``, ``predict``, ``evaluate``, ``describe`` and
        ``demo``.

    Examples
    --------
    >>> from manifoldforest.cli import build_app
    >>> [command.name for command in build_app().registered_commands]
    ['fit', 'predict', 'evaluate', 'describe', 'demo']
    """
    import typer

    from ._demo import demo
    from ._describe import describe
    from ._evaluate import evaluate
    from ._fit import fit
    from ._predict import predict

    app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode="markdown")

    def show_version(wanted: bool) -> None:
        if wanted:
            from importlib.metadata import version

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
        """Forests for data with geometry, on your own tables, arrays and images.

        **fit** makes a model of a table, **predict** applies it to another one,
        **evaluate** tells how good it is, and **describe** what it looks at.
        Tables are csv, tsv, parquet, npy or npz files, or folders of images with one folder for
        each class.
        """
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for command in (fit, predict, evaluate, describe, demo):
        app.command(command.__name__)(command)
    return app

"""Arguments and options that several commands have."""

from collections.abc import Sequence
from typing import Annotated, Optional

import typer

from ..validation._suggestions import did_you_mean
from ._errors import CommandError

FORMATS = ("csv", "tsv", "parquet", "npy", "npz")

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, as **fit** writes it.")
]
TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A csv, tsv, parquet, npy or npz file, a folder of images, or - for a csv on "
        "standard input.",
    ),
]
InputFormat = Annotated[
    Optional[str],  # noqa: UP045  (typer 0.16 does not take str | None)
    typer.Option(
        "--format",
        metavar="FORMAT",
        autocompletion=lambda: list(FORMATS),
        help="Format of TABLE, if its name does not tell: csv, tsv, parquet, npy or npz.",
    ),
]
Jobs = Annotated[int, typer.Option("--n-jobs", metavar="N", help="Threads; -1 is all processors.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a text.")]
Weights = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="COLUMN", help="Column with the weight of each row."),
]


def choice(option: str, value: str, choices: Sequence[str]) -> str:
    """Return one of several words in its own spelling; capitals make no difference."""
    spelling = {word.lower(): word for word in choices}
    if value.lower() not in spelling:
        meant = did_you_mean(value, choices) or f": it must be one of {', '.join(choices)}"
        raise CommandError(f"{option}: there is no {value!r}{meant}")
    return spelling[value.lower()]


def check_format(option: str, value: str | None) -> None:
    """Refuse formats that are not known; None is what the name of a file says."""
    if value is not None:
        choice(option, value, FORMATS)


def check_jobs(n_jobs: int) -> None:
    """Refuse 0 threads."""
    if n_jobs == 0:
        raise typer.BadParameter("0 threads: give -1 for all processors", param_hint="--n-jobs")

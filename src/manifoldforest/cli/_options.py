"""Arguments and options that several commands have."""

from typing import Annotated, Literal, Optional

import typer

Format = Literal["csv", "tsv", "parquet", "npy", "npz"]

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
    Optional[Format],  # noqa: UP045  (typer 0.16 does not take Literal[...] | None)
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="Format of TABLE, if its name does not tell: csv, tsv, parquet, npy or npz.",
    ),
]
Jobs = Annotated[int, typer.Option("--n-jobs", metavar="N", help="Threads; -1 is all processors.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a text.")]
Weights = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="COLUMN", help="Column with the weight of each row."),
]


def check_jobs(n_jobs: int) -> None:
    """Refuse 0 threads."""
    if n_jobs == 0:
        raise typer.BadParameter("0 threads: give -1 for all processors", param_hint="--n-jobs")

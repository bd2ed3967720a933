"""``manifoldforest describe``: what a model is, as a text or as a page."""

from typing import Annotated, Optional

import typer

from ._models import load_model, load_package
from ._options import Json, ModelArgument
from ._output import (
    Stopwatch,
    check_output,
    file_size,
    print_json,
    print_summary,
    print_text,
)


def describe(
    model: ModelArgument,
    html: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="PAGE", help="Also write a page with pictures, one HTML file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a model is: trees, data, what splits look at, and how good it is out of bag.

    Example: `manifoldforest describe houses.mf --html houses.html`
    """
    if html is not None:
        check_output(html, "--html")
    watch = Stopwatch()
    with watch("starting"):
        load_package()
    with watch("describing"):
        report = load_model(model).describe()
        text = str(report)
    if html is not None:
        with watch("writing", f"writing {html}"):
            report.save(html)
    if as_json:
        facts = {"model": model, "page": html, "report": report.to_dict()}
        print_json("describe", facts | {"seconds": watch.seconds})
        return
    print_text(f"{text}\n\n")
    page = [] if html is None else [("page", f"{html}, {file_size(html)}")]
    print_summary([*page, ("time", str(watch))])

"""``manifoldforest describe``: what a model is, as a text or as a page."""

from typing import Annotated, Optional

import typer

from ._models import load_model
from ._options import Json, ModelArgument
from ._output import check_output, print_json, print_text
from ._progress import progress_bar


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
    with progress_bar("describing"):
        report = load_model(model).describe()
        if html is not None:
            report.save(html)
        text = str(report)
    if as_json:
        print_json("describe", {"model": model, "page": html, "report": report.to_dict()})
        return
    print_text(text)
    if html is not None:
        print_text(f"\nThe page is {html}.")

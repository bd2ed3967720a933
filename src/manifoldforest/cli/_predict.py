"""``manifoldforest predict``: from a model and a table to a table of predictions."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ._errors import CommandError
from ._models import image_form, load_model, load_package, schema_of
from ._options import (
    FORMATS,
    InputFormat,
    Jobs,
    Json,
    ModelArgument,
    TableArgument,
    check_format,
    check_jobs,
)
from ._output import (
    Stopwatch,
    check_output,
    file_size,
    plural,
    print_json,
    print_summary,
    warnings_as,
)
from ._progress import Report

if TYPE_CHECKING:
    from ..tables._writing import Predictions

# Rows are predicted in so many parts, each of at least so many, that a bar can tell the time left.
_PARTS = 10
_LEAST_ROWS = 5000


def predict(
    model: ModelArgument,
    table: TableArgument,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="TABLE",
            help="The csv, tsv, parquet, npy or npz file to write, or - for standard output.",
        ),
    ],
    input_format: InputFormat = None,
    output_format: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="FORMAT",
            autocompletion=lambda: list(FORMATS),
            help="Format of the predictions, if the name does not tell.",
        ),
    ] = None,
    n_jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """Predict the rows of a table, and write a table with one row for each.

    The first column is the prediction; of labels, the probability of each class follows. Columns
    of TABLE are found by their names, in any order, and those that the model does not know are
    left alone. Of images, the last column is the file. An npz gets the arrays prediction,
    probability and classes, an npy the predictions alone.

    Example: `manifoldforest predict houses.mf new.csv -o prices.csv`
    """
    check_jobs(n_jobs)
    check_format("--format", input_format)
    check_format("--output-format", output_format)
    watch, notes = Stopwatch(), list[str]()
    with watch("starting"):
        load_package()
    from ..tables._encoding import encoded
    from ..tables._reading import STREAM, format_of, read_data
    from ..tables._writing import write_predictions

    streams = output == STREAM
    if streams and as_json:
        raise CommandError("--json and -o - both write to standard output: give a file to one")
    form = format_of(output, output_format, "--output-format")
    if not streams:
        check_output(output, "--output")
    with watch("reading", f"reading {table}") as report:
        forest = load_model(model)
        schema = schema_of(forest, model)
        data = read_data(table, input_format, images=image_form(schema), progress=report)
        X = encoded(schema.features, data)
        check_shape(forest, X, data.source)
    with watch("predicting") as report, warnings_as(notes):
        predictions = _predictions(forest, X, schema.target_name, data, n_jobs, report)
    with watch("writing", f"writing {output}"):
        write_predictions(predictions, output, form)

    if as_json:
        columns = list(predictions.columns())
        facts = {"model": model, "table": table, "output": output, "n_rows": len(X)}
        more = {"columns": columns, "seconds": watch.seconds, "notes": notes}
        print_json("predict", facts | more)
        return
    where = "standard output" if streams else f"{output}, {file_size(output)}"
    rows = [("predicted", plural(len(X), "row")), ("written", where), ("time", str(watch))]
    if streams and not sys.stderr.isatty():
        rows = []  # in a pipe, only what must be known
    if rows or notes:
        print_summary(rows, notes, stderr=streams)


def check_shape(forest: Any, X: Any, source: str) -> None:
    """Refuse examples of another shape than those of the fit; flat ones are fine."""
    shape = X.shape[1:]
    if shape not in (forest.feature_shape_, (forest.n_features_in_,)):
        raise CommandError(
            f"{source} holds examples of shape {shape}, and the model was fitted on "
            f"{forest.feature_shape_}"
        )


def _predictions(
    forest: Any, X: Any, target: str | None, data: Any, n_jobs: int, report: Report
) -> "Predictions":
    import numpy as np

    from ..tables._image_data import Images
    from ..tables._writing import Predictions

    forest.n_jobs = n_jobs
    at_once = max(_LEAST_ROWS, -(-len(X) // _PARTS))
    values, probabilities = [], []
    classes = getattr(forest, "classes_", None)
    for start in range(0, len(X), at_once):
        some = X[start : start + at_once]
        values.append(forest.predict(some))
        if hasattr(forest, "predict_proba"):
            probabilities.append(forest.predict_proba(some))
        report(min(start + at_once, len(X)), len(X))
    return Predictions(
        name="prediction" if target is None else f"{target}_prediction",
        values=np.concatenate(values),
        probabilities=np.concatenate(probabilities) if probabilities else None,
        classes=classes,
        others={"image": np.array(data.files)} if isinstance(data, Images) else {},
    )

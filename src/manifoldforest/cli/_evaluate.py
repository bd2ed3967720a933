"""``manifoldforest evaluate``: how good a model is on a table whose target is known."""

from typing import Annotated

import typer

from ._models import image_form, load_model, load_package, schema_of
from ._options import (
    InputFormat,
    Jobs,
    Json,
    ModelArgument,
    TableArgument,
    Weights,
    check_format,
    check_jobs,
)
from ._output import Stopwatch, print_json, print_summary, print_text, warnings_as
from ._predict import check_shape


def evaluate(
    model: ModelArgument,
    table: TableArgument,
    weights: Weights = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="Seed of the intervals.")
    ] = 0,
    input_format: InputFormat = None,
    n_jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """Compare predictions with the truth, in a table that has the column of the target.

    Use rows that the model was not fitted on. Intervals come from a bootstrap of the rows.

    Example: `manifoldforest evaluate houses.mf test.csv`
    """
    check_jobs(n_jobs)
    check_format("--format", input_format)
    watch, notes = Stopwatch(), list[str]()
    with watch("starting"):
        load_package()
    import manifoldforest as mf

    from ..tables._encoding import encoded
    from ..tables._reading import read_data
    from ..tables._target import known_target
    from ..tables._training import weights_of

    with watch("reading", f"reading {table}") as report:
        forest = load_model(model)
        schema = schema_of(forest, model)
        data = read_data(
            table, input_format, images=image_form(schema), labelled=True, progress=report
        )
        X = encoded(schema.features, data)
        check_shape(forest, X, data.source)
        y = known_target(schema, data, getattr(forest, "classes_", None))
        weight = None if weights is None else weights_of(data, weights)
    forest.n_jobs = n_jobs
    with watch("evaluating"), warnings_as(notes):
        result = mf.evaluate(forest, X, y, sample_weight=weight, random_state=seed)
    if as_json:
        facts = {"model": model, "table": table, "n_rows": len(X), "evaluation": result.to_dict()}
        print_json("evaluate", facts | {"seconds": watch.seconds, "notes": notes})
        return
    print_text(f"{result}\n\n")
    print_summary([("time", str(watch))], notes)

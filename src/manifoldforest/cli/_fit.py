"""``manifoldforest fit``: from a table to a model file."""

import itertools
import re
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ._errors import CommandError
from ._models import RECIPES, load_package
from ._options import (
    InputFormat,
    Jobs,
    Json,
    TableArgument,
    Weights,
    check_format,
    check_jobs,
    choice,
)
from ._output import (
    Stopwatch,
    check_output,
    file_size,
    plural,
    print_json,
    print_summary,
    unbroken,
    warnings_as,
)
from ._progress import Report

if TYPE_CHECKING:
    from ..tables._target import Task
    from ..tables._training import Training

_TASKS = ("auto", "classification", "regression")
# Classes that a summary lists.
_MOST_CLASSES = 8


def fit(
    table: TableArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    target: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="COLUMN",
            help="Column to predict: its name, in an npy its place. Not for an npz with y, nor "
            "for images, whose labels are their folders.",
        ),
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            metavar="TASK",
            autocompletion=lambda: list(_TASKS),
            help="classification, regression or auto: text, booleans and at most 20 different "
            "whole numbers are labels, other targets are numbers.",
        ),
    ] = "auto",
    recipe: Annotated[
        str,
        typer.Option(
            metavar="RECIPE",
            autocompletion=lambda: list(RECIPES),
            help=f"auto (image for images, table for all else), {', '.join(RECIPES[1:])}.",
        ),
    ] = "auto",
    trees: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Number of trees; by default that of the recipe."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="Seed of the forest.")
    ] = 0,
    ignore: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="COLUMN", help="Column to leave out; may be given several times."),
    ] = None,
    weights: Weights = None,
    resize: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="HxW", help="Scale images to this height and width, such as 32x32."),
    ] = None,
    input_format: InputFormat = None,
    n_jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """Fit a forest on a table and write it to a model file.

    Text columns with at most 20 different values become columns of zeros and ones, empty cells are
    missing values, and columns are found by their names when the model is used.

    Example: `manifoldforest fit houses.csv --target price -o houses.mf`
    """
    check_jobs(n_jobs)
    check_format("--format", input_format)
    task = choice("--task", task, _TASKS)
    recipe = choice("--recipe", recipe, RECIPES)
    size = None if resize is None else _size(resize)
    if output == "-":
        raise CommandError("--output must be a file: a model is not written to standard output")
    check_output(output, "--output")

    watch, notes = Stopwatch(), list[str]()
    with watch("starting"):
        load_package()
    from ..tables._image_data import ImageForm
    from ..tables._reading import read_data
    from ..tables._target import chosen_task
    from ..tables._training import training_data

    with watch("reading", f"reading {table}") as report:
        form = ImageForm(size, resize=size is not None)
        data = read_data(table, input_format, images=form, labelled=True, progress=report)
        training = training_data(
            data, target, ignore=ignore or (), weights=weights, resize=size is not None
        )
    notes += training.notes
    chosen = chosen_task(training.target, task)
    recipe = _recipe_for(recipe, training.X.shape[1:])
    forest = _forest(recipe, chosen, trees, seed, n_jobs)
    with watch("fitting", "growing trees") as report, warnings_as(notes):
        _fit_and_tell(forest, training, chosen, report)
    with watch("writing", f"writing {output}"):
        forest.save(output)

    facts = _facts(training, forest, chosen)
    if as_json:
        about = {"table": table, "model": output, "recipe": recipe, "seed": seed}
        print_json("fit", about | facts | {"seconds": watch.seconds, "notes": notes})
        return
    print_summary(
        [
            ("data", _data_in_words(table, training)),
            ("target", _target_in_words(facts)),
            ("forest", f"{facts['estimator']}, {plural(len(forest), 'tree')}, recipe {recipe}"),
            *_score_in_words(facts),
            ("model", f"{output}, {file_size(output)}"),
            ("time", str(watch)),
        ],
        notes,
    )


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d{0,4})[x×]([1-9]\d{0,4})", text.strip().lower())
    if found is None:
        raise CommandError(f"--resize must be a height and a width such as 32x32, got {text!r}")
    return int(found[1]), int(found[2])


def _recipe_for(recipe: str, shape: tuple[int, ...]) -> str:
    """Return the recipe that auto stands for, and refuse one that is not for such examples."""
    is_table = len(shape) == 1
    is_image = len(shape) == 2 or (len(shape) == 3 and shape[2] <= 4)
    if recipe == "auto":
        if not is_table and not is_image:
            raise CommandError(
                f"--recipe must be given for examples of shape {shape}, which are neither rows of "
                "a table nor images: MORF, for patches along all axes, or SPORF"
            )
        return "image" if is_image else "table"
    if recipe == "image" and not is_image:
        raise CommandError(
            "--recipe image is for images of shape (height, width) or (height, width, channels), "
            f"got examples of shape {shape}: use --recipe table"
        )
    if recipe == "boosted" and not is_table and not is_image:
        raise CommandError(f"--recipe boosted is for tables and images, got shape {shape}")
    return recipe


def _forest(recipe: str, task: "Task", trees: int | None, seed: int, n_jobs: int) -> Any:
    """Return the forest that a recipe stands for."""
    import manifoldforest as mf

    params: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs}
    if trees is not None:
        params["n_estimators"] = trees
    if recipe == "boosted":
        labels = task == "classification"
        kind = mf.BoostedForestClassifier if labels else mf.BoostedForestRegressor
        return kind(**params)
    if recipe in ("dRF", "kRF") and task == "classification":
        raise CommandError(f"--recipe {recipe} predicts numbers, and the target holds labels")
    forest = mf.named_forest(recipe, task, **params)
    if forest.bootstrap:
        forest.set_params(oob_score=True)
    return forest


def _fit_and_tell(forest: Any, training: "Training", task: "Task", report: Report) -> None:
    """Fit a forest, and let it know what it was fitted on."""
    import numpy as np

    from .._progress import progress_told_to
    from ..tables import TableSchema

    target = training.target
    y = target.values if task == "classification" else target.values.astype(np.float64)

    def told(done: int, total: int) -> None:
        report(done, total, "finishing" if done == total else None)

    with progress_told_to(told):
        forest.fit(training.X, y, sample_weight=training.weights)
    if training.feature_names is not None:
        forest.feature_names_in_ = np.array(training.feature_names, dtype=object)
    forest.table_schema_ = TableSchema(training.features, target.name, target.dtype)


# ------------------------------------------------------------------------------- the summary


def _facts(training: "Training", forest: Any, task: "Task") -> dict[str, Any]:
    """Return what is known of a fit, for JSON."""
    import numpy as np

    from ..tables._schema import NamedColumns

    features = training.features
    facts: dict[str, Any] = {
        "task": task,
        "target": training.target.name,
        "estimator": type(forest).__name__,
        "n_trees": len(forest),
        "n_rows": len(training.X),
        "feature_shape": list(forest.feature_shape_),
    }
    if isinstance(features, NamedColumns):
        facts["columns"] = [column.name for column in features.columns]
    if task == "classification":
        labels, counts = np.unique(training.target.values, return_counts=True)
        facts["classes"] = [
            {"label": label, "n_rows": count}
            for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        ]
    else:
        values = training.target.values
        facts["range"] = [float(values.min()), float(values.max())]
    score = getattr(forest, "oob_score_", None)
    facts["oob_score"] = None if score is None or not np.isfinite(score) else float(score)
    return facts


def _data_in_words(table: str, training: "Training") -> str:
    import numpy as np

    from ..tables._schema import ImagePixels, NamedColumns

    X, features = training.X, training.features
    if isinstance(features, ImagePixels):
        return f"{table}: {plural(len(X), 'image')} of {features.height} × {features.width} pixels"
    shape = " × ".join(map(str, X.shape[1:]))
    if not isinstance(features, NamedColumns):
        what = "columns" if X.ndim == 2 else "numbers each"
        return f"{table}: {plural(len(X), 'row')}, {shape} {what}"
    words = f"{table}: {plural(len(X), 'row')}, {plural(len(features.columns), 'column')}"
    texts = [column for column in features.columns if column.kind == "text"]
    if texts:
        named = [f"{column.name} ({len(column.levels)} values)" for column in texts[:5]]
        some = ", ".join(map(unbroken, named))
        more = f" and {len(texts) - 5} more" if len(texts) > 5 else ""
        words += f"; text as zeros and ones: {some}{more}"
    n_missing = int(np.isnan(_one_feature_each(features, X)).sum())
    if n_missing:
        words += f"; {plural(n_missing, 'empty cell')}"
    return words


def _one_feature_each(features: Any, X: Any) -> Any:
    """Return the first feature of each column, which is missing where the cell is empty."""
    widths = [len(column.feature_names) for column in features.columns]
    first = [0, *itertools.accumulate(widths[:-1])]
    return X[:, first]


def _target_in_words(facts: dict[str, Any]) -> str:
    name = facts["target"] or "labels"
    if "range" in facts:
        low, high = facts["range"]
        return f"{name}, numbers from {low:g} to {high:g}"
    classes = facts["classes"]
    some = ", ".join(unbroken(f"{c['label']} ({c['n_rows']})") for c in classes[:_MOST_CLASSES])
    more = ", …" if len(classes) > _MOST_CLASSES else ""
    return f"{name}, {plural(len(classes), 'class')}: {some}{more}"


def _score_in_words(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Say how good the forest is on rows that it has not seen, where a fit knows that."""
    score = facts["oob_score"]
    if score is not None and facts["task"] == "classification":
        return [("accuracy", f"{score:.3f} out of bag: each row by trees that have not seen it")]
    if score is not None:
        return [("R²", f"{score:.3f} out of bag: each row by trees that have not seen it")]
    name = "accuracy" if facts["task"] == "classification" else "R²"
    return [(name, "not known, as no rows were kept apart: try manifoldforest evaluate")]

"""What forests of labels or numbers say of training rows that their trees have not seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from ..evaluation._class_measures import ClassMeasures
from ..evaluation._number_measures import NumberMeasures
from ..forests._table_forest import TableForest
from ..inspection._error_over_trees import TreeErrors
from ..inspection._node_outcomes import percent
from ..inspection._values_per_tree import split_by_output
from ._content import Fact, Picture, Section, Table
from ._wording import count, number_of

# rows × trees × values of a leaf: about a second
_MAX_WORK = 30_000_000
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # trees, in texts
_MAX_CLASSES = 20  # in the table
_MAX_MATRIX = 50  # classes, in dictionaries and pictures
_MAX_OUTPUTS = 10  # in pictures of residuals
_PROBABILITY_MEASURES = {
    "brier": "Brier score",
    "log_loss": "log loss",
}
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class OutOfBag:
    """Predictions of training rows by trees that have not seen them."""

    truth: NDArray[Any]  # rows × outputs: class indices or numbers
    values: NDArray[np.float64]  # rows × values: shares of classes, or numbers
    n_skipped: int


def out_of_bag(forest: TableForest) -> OutOfBag | str:
    """Return the predictions out of bag, or a sentence that says how to get them."""
    model = forest._model
    if model.link != "identity":
        return (
            "With refine=True the values of leaves were fitted to all training rows, so that none "
            "is out of bag: see mf.evaluate(forest, X, y) with other examples."
        )
    if model.record is None:
        return (
            "What trees say of rows that they have not seen is not known, as the forest does not "
            "keep where its training rows fell: fit it with keep_samples=True."
        )
    if not (model.trees["inbag"] == 0).any():
        return (
            "Every tree has seen all rows, so that none is out of bag: fit with bootstrap=True or "
            "max_samples, or see mf.evaluate(forest, X, y) with other examples."
        )
    values, n_trees = model.out_of_bag(model.trees["leaf_of_row"], aggregation=forest._aggregation)
    seen = (n_trees > 0) & ~np.isnan(values).any(axis=1)
    if not seen.any():
        return "No row is out of bag: fit with more trees or more rows."
    return OutOfBag(model.record.table[seen], values[seen], int((~seen).sum()))


def out_of_bag_sections(forest: TableForest) -> tuple[list[Fact], list[Section]]:
    """Return the score as a fact for the top of the report, and all sections about it."""
    with np.errstate(over="ignore", invalid="ignore"):  # squares of responses of extreme size
        return _sections(forest, out_of_bag(forest))


def _sections(forest: TableForest, found: OutOfBag | str) -> tuple[list[Fact], list[Section]]:
    title = "Out of bag"
    if isinstance(found, str):
        facts = _given_score(forest)
        return facts, [Section("out_of_bag", title, facts, notes=[found])]
    errors, notes = _errors_over_trees(forest)
    facts = [*_scores(forest, found), *_rows_facts(found)]
    pictures = [] if errors is None else [_curve_picture(errors)]
    data: dict[str, Any] = {}
    tables = []
    if errors is not None:
        tables.append(_curve_table(errors))
        data["curve"] = {"trees": errors.n_trees, **errors.curves}
    sections = []
    if forest._model.n_classes:
        labels = _Labels.of(forest, found)
        tables.append(labels.table())
        pictures += labels.pictures()
        data |= labels.data()
        if (section := calibration_section(labels)) is not None:
            sections.append(section)
    else:
        tables += _residual_tables(found)
        pictures += _residual_pictures(found)
    notes += ["Each row was predicted by the trees that have not seen it."]
    first = Section("out_of_bag", title, facts, tables, pictures, notes=notes, data=data)
    return facts[:1], [first, *sections]


def _given_score(forest: TableForest) -> list[Fact]:
    if not hasattr(forest, "oob_score_"):
        return []
    return [_score_fact(forest, float(forest.oob_score_))]


def _score_fact(forest: TableForest, score: float) -> Fact:
    """Return the score: accuracy or R², unless the forest was given another one."""
    if callable(forest.oob_score):
        name = getattr(forest.oob_score, "__name__", type(forest.oob_score).__name__)
    else:
        name = "accuracy" if forest._model.n_classes else "R²"
    return Fact("score", score, f"{score:.4f}", f"{name} out of bag")


def _scores(forest: TableForest, found: OutOfBag) -> list[Fact]:
    n_classes = forest._model.n_classes
    if n_classes:
        wrong = _labels(found.values, n_classes) != found.truth
        score = float(1 - wrong.any(axis=1).mean())
        more = []
        if len(n_classes) > 1:
            per_output = 1 - wrong.mean(axis=0)
            text = ", ".join(f"{share:.4f}" for share in per_output)
            more = [Fact("accuracy_by_output", per_output, text)]
    else:
        n = len(found.truth)
        score = float(r2_score(found.truth, found.values)) if n > 1 else float("nan")
        measures = NumberMeasures(found.truth, found.values)
        of_name = dict(zip(measures.names, measures(np.ones(n)), strict=False))
        more = [
            Fact("rmse", of_name["rmse"], f"{of_name['rmse']:.4g}", "root mean squared error"),
            Fact("mae", of_name["mae"], f"{of_name['mae']:.4g}", "mean absolute error"),
        ]
    if hasattr(forest, "oob_score_"):
        score = float(forest.oob_score_)
    elif callable(forest.oob_score):
        return more
    return [_score_fact(forest, score), *more]


def _rows_facts(found: OutOfBag) -> list[Fact]:
    n = len(found.truth)
    text = count(n)
    if found.n_skipped:
        text += f"; {number_of(found.n_skipped, 'row')} in every bag left out"
    return [Fact("rows", n, text, "rows out of bag")]


def _labels(values: NDArray[np.float64], n_classes: list[int]) -> NDArray[np.int64]:
    per_output = split_by_output(values, n_classes)
    return np.stack([shares.argmax(axis=1) for shares in per_output], axis=1)


# ------------------------------------------------------------------------------- over trees


def _errors_over_trees(forest: TableForest) -> tuple[TreeErrors | None, list[str]]:
    model = forest._model
    work = model.n_rows * model.trees.n_trees * model.trees["value"].shape[1]
    if work > _MAX_WORK:
        return None, [
            "The error over the number of trees would take long to compute here: "
            "mf.plot.error_over_trees(forest) draws it."
        ]
    return forest._tree_errors(None, None), []


def _curve_picture(errors: TreeErrors) -> Picture:
    curve = next(iter(errors.curves.values()))
    known = curve[np.isfinite(curve)]
    alt = f"The {errors.measure} out of bag over the number of trees"
    if len(known):
        alt += f", {known[-1]:.4g} with all of them"
    return Picture(
        f"{alt}.",
        "Where the curve is flat, more trees would change little.",
        partial(draw_errors, errors, boosted=False),
    )


def draw_errors(errors: TreeErrors, axes: Any, *, boosted: bool) -> None:
    """Draw errors over trees, or losses over rounds."""
    from ..plot._error_over_trees import draw_tree_errors

    draw_tree_errors(axes, errors, boosted=boosted)


def _curve_table(errors: TreeErrors) -> Table:
    last = int(errors.n_trees[-1])
    steps = [n for n in (*(step for step in _STEPS if step < last), last) if n in errors.n_trees]
    curve = next(iter(errors.curves.values()))
    rows = []
    for n in steps:
        error = curve[np.searchsorted(errors.n_trees, n)]
        rows.append((count(n), f"{error:.4g}" if np.isfinite(error) else "–"))
    caption = f"{errors.measure.capitalize()} over trees"
    return Table(caption, ("trees", errors.measure), rows, is_drawn=True)


# ------------------------------------------------------------------------------- labels


@dataclass(frozen=True)
class _Labels:
    """True and predicted labels of the first output."""

    classes: NDArray[Any]
    true: NDArray[np.int64]
    predicted: NDArray[np.int64]
    shares: NDArray[np.float64]
    n_outputs: int

    @classmethod
    def of(cls, forest: TableForest, found: OutOfBag) -> _Labels:
        n_classes = forest._model.n_classes
        return cls(
            forest._classes_by_output[0],
            found.truth[:, 0].astype(np.int64),
            _labels(found.values, n_classes)[:, 0],
            split_by_output(found.values, n_classes)[0],
            len(n_classes),
        )

    @property
    def of_output(self) -> str:
        """Which output is shown, if there are several."""
        return "" if self.n_outputs == 1 else f" (output 0 of {self.n_outputs})"

    @property
    def matrix(self) -> NDArray[np.int64]:
        """Number of rows by true and predicted class."""
        n = len(self.classes)
        return np.bincount(self.true * n + self.predicted, minlength=n * n).reshape(n, n)

    def table(self) -> Table:
        """Return how well each class is recognised, those with most errors first."""
        matrix = self.matrix
        wrong = matrix.sum(axis=1) - np.diag(matrix)
        order = np.arange(len(self.classes))
        caption = f"Classes out of bag{self.of_output}"
        if len(order) > _MAX_CLASSES:
            order = np.argsort(-wrong, kind="stable")[:_MAX_CLASSES]
            caption += f", {_MAX_CLASSES} of {len(self.classes)} with the most errors"
        rows = []
        for k in order:
            others = matrix[k].copy()
            others[k] = 0
            often = int(others.argmax())
            taken_for = f"{self.classes[often]} ({others[often]})" if others[often] else "–"
            n_true, n_predicted = int(matrix[k].sum()), int(matrix[:, k].sum())
            rows.append(
                (
                    str(self.classes[k]),
                    count(n_true),
                    percent(matrix[k, k] / n_true) if n_true else "–",
                    percent(matrix[k, k] / n_predicted) if n_predicted else "–",
                    taken_for,
                )
            )
        header = ("class", "rows", "recall", "precision", "most often taken for")
        return Table(caption, header, rows)

    def pictures(self) -> list[Picture]:
        """Return the confusion matrix, if it can be read."""
        n = len(self.classes)
        if not 2 <= n <= _MAX_MATRIX:
            return []
        wrong = int((self.true != self.predicted).sum())
        side = 3.4 if n <= 12 else 4.2
        return [
            Picture(
                f"Confusion matrix of {count(len(self.true))} rows out of bag, {count(wrong)} of "
                f"them off the diagonal{self.of_output}.",
                f"Rows out of bag by true and predicted class{self.of_output}.",
                partial(_draw_confusion, self),
                (side + 0.6, side),
            )
        ]

    def data(self) -> dict[str, Any]:
        """Return the confusion matrix for dictionaries."""
        return {"confusion": self.matrix} if len(self.classes) <= _MAX_MATRIX else {}


def _draw_confusion(labels: _Labels, axes: Any) -> None:
    from ..plot import confusion_matrix
    from ..plot._tree_drawing import short

    names = np.array([f"{short(str(name), 14)}" for name in labels.classes])
    numbers = np.arange(len(names))
    confusion_matrix(labels.true, labels.predicted, axes, labels=numbers)
    places = axes.get_xticks().astype(int)
    axes.set_xticks(places, names[places], parse_math=False)
    axes.set_yticks(places, names[places], parse_math=False)
    if max(map(len, names)) * len(places) > 40:
        axes.tick_params(axis="x", rotation=90)


def calibration_section(labels: _Labels) -> Section | None:
    """Return whether probabilities out of bag are what happens; None for a single class."""
    from ..plot._calibration import binned

    n = len(labels.true)
    if len(labels.classes) < 2:
        return None
    gap = binned(labels.true, labels.shares, 10).mean_gap
    measures = ClassMeasures(labels.true, labels.predicted, len(labels.classes), labels.shares)
    of_name = dict(zip(measures.names, measures(np.ones(n)), strict=False))
    facts = [Fact("mean_gap", gap, f"{gap:.4f}")]
    for key, name in _PROBABILITY_MEASURES.items():
        if key in of_name:
            facts.append(Fact(key, of_name[key], f"{of_name[key]:.4f}", name))
    picture = Picture(
        f"Observed shares over predicted probabilities, out of bag; the mean gap is {gap:.3f}.",
        "Points on the diagonal are probabilities that are what happens; bars are the numbers of "
        "rows.",
        partial(_draw_calibration, labels),
        (4.8, 3.9),
    )
    notes = [
        "The mean gap is the distance between predicted probabilities and observed shares in ten "
        "bins, mean over rows."
    ]
    return Section(
        "calibration",
        f"Calibration{labels.of_output}",
        facts,
        pictures=[picture],
        notes=notes,
    )


def _draw_calibration(labels: _Labels, axes: Any) -> None:
    from ..plot import calibration
    from ..plot._tree_drawing import short

    calibration(labels.true, labels.shares, axes, labels=np.arange(len(labels.classes)))
    if len(labels.classes) == 2:
        name = short(str(labels.classes[1]), 24)
        axes.set_xlabel(f"predicted probability of class {name}", parse_math=False)
        axes.set_ylabel(f"observed share of class {name}", parse_math=False)


# ------------------------------------------------------------------------------- numbers


def _residual_tables(found: OutOfBag) -> list[Table]:
    residual = found.truth - found.values
    outputs = residual.T[:_MAX_OUTPUTS]
    rows = [
        (f"output {k}", *(f"{value:.4g}" for value in np.quantile(values, _QUANTILES)))
        for k, values in enumerate(outputs)
    ]
    if residual.shape[1] == 1:
        rows = [("residual", *rows[0][1:])]
    header = ("", *(f"{100 * q:.0f} %" for q in _QUANTILES))
    return [Table("Quantiles of the residuals, true minus predicted", header, rows)]


def _residual_pictures(found: OutOfBag) -> list[Picture]:
    shown = found.truth[:, :_MAX_OUTPUTS], found.values[:, :_MAX_OUTPUTS]
    if not all(np.isfinite(part).all() for part in shown):
        return []
    return [
        Picture(
            f"Residuals of {count(len(found.truth))} rows out of bag over their predictions.",
            "Residuals out of bag. Good predictions leave a cloud around zero without a shape.",
            partial(_draw_residuals, *shown),
        )
    ]


def _draw_residuals(truth: NDArray[Any], values: NDArray[Any], axes: Any) -> None:
    from ..plot import residuals

    if truth.shape[1] == 1:
        truth, values = truth[:, 0], values[:, 0]
    residuals(truth, values, axes)

"""Measures of the predictions of an estimator, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier

from ..forests._weights import read_sample_weight
from ..responses._frechet_variance import squared_distances_to_centre
from ..validation._inputs import read_labels, read_responses
from ..validation._parameters import draw_seed
from ..validation._rules import Rule, check_argument, integer, real
from ._bootstrap import Measures, bootstrap
from ._class_measures import ClassMeasures, LabelColumnMeasures
from ._evaluation import Evaluation, Interval, Part
from ._number_measures import DistanceMeasures, NumberMeasures

_ESTIMATOR = Rule(
    "a fitted estimator that has predict",
    lambda value: not isinstance(value, type) and hasattr(value, "predict"),
)


class _Task(NamedTuple):
    """What is measured: the measures of all rows, then those of each part."""

    name: str
    measures: Measures
    names: Sequence[str]
    part_names: Sequence[str] = ()
    part_labels: Sequence[Any] = ()
    parts_last: bool = False  # whether the measures of a part stand together
    rows_of_part: NDArray[np.intp] | None = None  # the part of each row; None: every row is in all
    labels: NDArray[Any] | None = None
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None  # true and predicted class


def evaluate(
    forest: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    n_bootstrap: int = 1000,
    coverage: float = 0.95,
    random_state: Any = 0,
) -> Evaluation:
    """Measure how good predictions are, and between which numbers each measure lies.

    Parameters
    ----------
    forest : fitted estimator
        Any forest of this package, or any estimator with scikit-learn's ``predict``.
    X : array-like
        Examples that the estimator was not fitted on.
    y : array-like
        What is true of them: labels for a classifier, numbers for a regressor, responses for a
        forest in a metric space.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the examples; one of weight 0 is absent.
    n_bootstrap : int, default=1000
        Number of resamples behind the intervals.
    coverage : float, default=0.95
        Probability of the intervals, in (0, 1).
    random_state : int, RandomState or None, default=0
        Seed of the resamples.

    Returns
    -------
    evaluation : Evaluation
        Its text is a table; ``evaluation.metrics`` holds the numbers:

        * for labels ``accuracy``, ``error`` (one minus it), ``balanced_accuracy`` (mean recall of
          the classes); from probabilities ``log_loss``, ``brier`` (the sum of squared differences
          over classes, for two classes half of it) and ``auc`` (of more than two classes the mean
          over classes, each against all others; up to 50 classes); and for each class precision and
          recall. Of several columns of labels, ``accuracy`` asks for all to be right, and each
          column has its own;
        * for numbers ``rmse``, ``mae``, ``median_absolute_error`` and ``r2``, of several outputs
          the means over outputs and those of each;
        * for responses ``mean_distance``, ``mean_squared_distance`` and ``explained_variance``, 1
          minus the mean squared distance over the Fréchet variance.

    Notes
    -----
    Intervals are those of the percentile bootstrap: examples are drawn anew with replacement,
    predictions stay as they are. They tell what other test examples would change, not what another
    training set would. Examples that belong together, such as repeated measurements, make them too
    narrow. In explained variances the best single response stays that of all examples.

    In the log loss, probabilities below 2.2e-16 count as that, as in scikit-learn.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = mf.ForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> result = mf.evaluate(forest, X[1::2], y[1::2])
    >>> accuracy = result.metrics["accuracy"]
    >>> accuracy.low <= accuracy.value <= accuracy.high
    True
    >>> print(str(result).splitlines()[0])
    ForestClassifier, classification of 75 examples
    """
    check_argument("forest", forest, _ESTIMATOR)
    check_argument("n_bootstrap", n_bootstrap, integer(1))
    check_argument("coverage", coverage, real("(0, 1)"))
    seed = draw_seed(random_state)
    predicted = forest.predict(X)
    n_rows = len(predicted)
    weight = read_sample_weight(sample_weight, n_rows)
    present = np.flatnonzero(weight > 0)
    if _is_metric_forest(forest):
        task = _responses_task(forest, y, predicted, weight, present)
    elif _is_classifier(forest):
        task = _label_task(forest, X, y, predicted, present)
    else:
        task = _number_task(y, predicted, present)
    weight = weight[present]
    values, low, high = bootstrap(
        task.measures, weight, n_bootstrap=int(n_bootstrap), coverage=float(coverage), seed=seed
    )
    intervals = [Interval(*map(float, ends)) for ends in zip(values, low, high, strict=True)]
    n_metrics = len(task.names)
    return Evaluation(
        estimator=type(forest).__name__,
        task=task.name,
        n_samples=len(present),
        metrics=dict(zip(task.names, intervals[:n_metrics], strict=True)),
        parts=_parts(task, intervals[n_metrics:], len(present)),
        labels=task.labels,
        confusion=_confusion(task, weight, counted=sample_weight is None),
        coverage=float(coverage),
        n_bootstrap=int(n_bootstrap),
    )


def _is_metric_forest(forest: Any) -> bool:
    return hasattr(forest, "space_") and hasattr(forest, "_checked_responses")


def _is_classifier(estimator: Any) -> bool:
    if hasattr(estimator, "classes_"):
        return True
    return isinstance(estimator, BaseEstimator) and bool(is_classifier(estimator))


# ------------------------------------------------------------------------------------------ tasks


def _label_task(estimator: Any, X: Any, y: Any, predicted: Any, present: NDArray[np.intp]) -> _Task:
    target = read_labels(y, len(predicted), streamed=True)  # there may be as many as rows
    columns = np.asarray(predicted).reshape(len(predicted), -1)
    if columns.shape[1] != target.n_outputs:
        raise ValueError(
            f"y must have as many outputs as predictions, {columns.shape[1]}, got "
            f"{target.n_outputs}"
        )
    truth = [labels[target.values[:, k]] for k, labels in enumerate(target.classes)]
    if target.n_outputs > 1:
        right = np.stack([a == b for a, b in zip(truth, columns.T, strict=True)], axis=1)
        measures = LabelColumnMeasures(right[present])
        labels = [f"output {k}" for k in range(target.n_outputs)]
        return _Task("classification", measures, measures.names, ("accuracy",), labels)

    known = getattr(estimator, "classes_", None)
    known = np.unique(columns[:, 0]) if known is None else np.asarray(known)
    classes = _all_classes(known, target.classes[0])
    place = {label: i for i, label in enumerate(classes.tolist())}
    true, guessed = (_places(labels, place)[present] for labels in (truth[0], columns[:, 0]))
    shares = None
    if hasattr(estimator, "predict_proba"):
        shares = np.zeros((len(present), len(classes)))
        probabilities = np.asarray(estimator.predict_proba(X), dtype=np.float64)
        shares[:, _places(known, place)] = probabilities[present]
    measures_of_classes = ClassMeasures(true, guessed, len(classes), shares)
    return _Task(
        "classification",
        measures_of_classes,
        measures_of_classes.names,
        ("precision", "recall"),
        classes.tolist(),
        rows_of_part=true,
        labels=classes,
        pairs=(true, guessed),
    )


def _all_classes(known: NDArray[Any], seen: NDArray[Any]) -> NDArray[Any]:
    """Return the classes of an estimator, and behind them those that it does not know."""
    of_estimator = set(known.tolist())
    others = [label for label in seen.tolist() if label not in of_estimator]
    if len(others) == len(seen):
        raise ValueError(
            f"y must hold labels that the estimator has learned, such as {known.tolist()[0]!r}, "
            f"got none of them, but {others[0]!r}"
        )
    return np.concatenate([known, others]) if others else known


def _places(labels: NDArray[Any], place: dict[Any, int]) -> NDArray[np.intp]:
    distinct, code = np.unique(labels, return_inverse=True)
    return np.array([place[label] for label in distinct.tolist()], dtype=np.intp)[code.reshape(-1)]


def _number_task(y: Any, predicted: Any, present: NDArray[np.intp]) -> _Task:
    target = read_responses(y, len(predicted))
    columns = np.asarray(predicted, dtype=np.float64).reshape(len(predicted), -1)
    if columns.shape != target.values.shape:
        raise ValueError(
            f"y must have as many outputs as predictions, {columns.shape[1]}, got "
            f"{target.n_outputs}"
        )
    measures = NumberMeasures(target.values[present], columns[present])
    several = target.n_outputs > 1
    return _Task(
        "regression",
        measures,
        measures.names,
        measures.names if several else (),
        [f"output {k}" for k in range(target.n_outputs)] if several else (),
        parts_last=True,
    )


def _responses_task(
    forest: Any, y: Any, predicted: Any, weight: NDArray[np.float64], present: NDArray[np.intp]
) -> _Task:
    truth = forest._checked_responses(y, len(predicted))
    distances = np.asarray(forest.space_.paired_distances(truth, predicted), dtype=np.float64)
    some = [truth[i] for i in present] if isinstance(truth, list) else truth[present]
    share = weight[present] / weight.sum()
    spread = squared_distances_to_centre(forest.space_, some, share)
    measures = DistanceMeasures(distances[present], spread)
    return _Task("responses", measures, measures.names)


# ------------------------------------------------------------------------------------------ parts


def _parts(task: _Task, intervals: list[Interval], n_rows: int) -> list[Part]:
    """Return the classes or outputs; `intervals` are ordered by measure unless `parts_last`."""
    n_parts, n_names = len(task.part_labels), len(task.part_names)
    counts = np.full(n_parts, n_rows)
    if task.rows_of_part is not None:
        counts = np.bincount(task.rows_of_part, minlength=n_parts)
    parts = []
    for i, label in enumerate(task.part_labels):
        places = [i * n_names + k if task.parts_last else k * n_parts + i for k in range(n_names)]
        metrics = {name: intervals[at] for name, at in zip(task.part_names, places, strict=True)}
        parts.append(Part(label, int(counts[i]), metrics))
    return parts


def _confusion(task: _Task, weight: NDArray[np.float64], *, counted: bool) -> NDArray[Any] | None:
    """Return the number of rows, or the sum of their weights, by true and predicted class."""
    if task.pairs is None or task.labels is None:
        return None
    n, (true, predicted) = len(task.labels), task.pairs
    sums = np.bincount(true * n + predicted, weight, n * n).reshape(n, n)
    return sums.astype(np.int64) if counted else sums

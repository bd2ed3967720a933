"""A contest of projections: small forests, the same rows, errors out of bag."""

from __future__ import annotations

import time
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..forests import ForestClassifier, ForestRegressor
from ..forests._base import BaseForest
from ..forests._choice import LEAST_ROWS, fitted_trial, rows_of_trials
from ..inspection._values_per_tree import row_errors
from ..validation._arrays import are_labels
from ..validation._inputs import Target, read_labels, read_responses, read_training_examples
from ..validation._parameters import draw_seed, n_threads
from ..validation._rules import check_argument, integer, one_of
from ._candidates import Candidate, candidates_for, described
from ._number_text import short_text
from ._suggestion import Suggestion

# Candidates per node of a regression; for labels it is the root of the number of features.
_MOST_CANDIDATES = 64
# Differences up to so many of their standard errors are noise.
_NOISE = 2.0


class _Trial(NamedTuple):
    """How one candidate did."""

    candidate: Candidate
    errors: NDArray[np.float64]  # of each row; NaN for rows that are in all bags
    seconds: float


def suggest_projection(
    X: Any,
    y: Any,
    *,
    task: Literal["auto", "classification", "regression"] = "auto",
    n_estimators: int = 100,
    max_rows: int = 2000,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Suggestion:
    """Let forests with different projections compete, and say which one suits the data.

    One small forest is grown for each projection that fits the shape of the examples, all on the
    same rows, and its error is that of the training rows out of bag.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, ...)
        Examples: rows of a table or series, ``(n_samples, height, width)`` images, ``(n_samples,
        height, width, channels)`` with at most 4 channels, or ``(n_samples, channels, time)``
        series. Examples with two axes count as images, and also as series with channels if the
        second axis is at least twice as long as the first, and 16 or longer.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Labels or numbers.
    task : {"auto", "classification", "regression"}, default="auto"
        What y are. ``"auto"`` takes text, booleans and at most 20 different whole numbers as
        labels, the latter if each is that of two rows or more on average; all else are numbers.
    n_estimators : int, default=100
        Number of trees of each forest.
    max_rows : int, default=2000
        Number of rows to learn from at most; they are drawn at random.
    n_jobs : int or None, default=None
        Number of threads, as of the forests.
    random_state : int, RandomState or None, default=0
        Seed of the rows and of the forests.

    Returns
    -------
    suggestion : Suggestion
        Its text is a sentence and a table; ``suggestion.best`` is the projection.

    Notes
    -----
    Candidates are ordered from simple to special. The error of each is compared with the smallest
    one row by row, and the first whose mean difference is at most 2 standard errors is suggested:
    among projections that cannot be told apart the simplest wins. The error of what is suggested
    is that of a choice among several, and so a little too low; measure the forest that you fit with
    :func:`manifoldforest.evaluate`.

    Forests have the default parameters of :class:`~manifoldforest.ForestClassifier`; those for
    numbers look at as many candidates per node as there are features, at most 64.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_circle(200, random_state=0)
    >>> choice = mf.suggest_projection(X, y, n_estimators=20)
    >>> choice.best
    Patches(channel_axis=None, view=Spectrum())
    >>> [row["name"] for row in choice.table][:2]
    ['axis', 'sporf, scaled']
    """
    check_argument("task", task, one_of("auto", "classification", "regression"))
    check_argument("n_estimators", n_estimators, integer(1))
    check_argument("max_rows", max_rows, integer(LEAST_ROWS))
    n_threads(n_jobs)  # which checks it
    seed = draw_seed(random_state)
    examples = read_training_examples(ForestClassifier(), X)
    n_rows, shape = len(examples.rows), examples.feature_shape
    if n_rows < LEAST_ROWS:
        raise ValueError(f"X must have at least {LEAST_ROWS} examples, got {n_rows}")
    target = _target(y, n_rows, task)
    some = rows_of_trials(np.arange(n_rows), int(max_rows), seed % 2**32)
    trials = _contest(
        _forest(target, examples.rows.shape[1], n_jobs),
        candidates_for(shape),
        examples.rows[some].reshape(len(some), *shape),
        target.values[some],
        {"n_estimators": int(n_estimators), "random_state": seed % 2**32},
    )
    is_label = bool(target.classes)
    table, chosen, best = _compared(trials, is_label=is_label)
    learned = " and ".join(f"{n} classes" for n in target.n_classes) if is_label else "numbers"
    measure = "error" if is_label else "RMSE"
    suggested: Any = clone(table[chosen]["projection"])
    return Suggestion(
        best=suggested,
        verdict=_verdict(table, chosen, best, measure),
        table=table,
        task="classification" if is_label else "regression",
        measure=measure,
        data=f"{len(some)} {described(shape)}, {learned}",
        n_estimators=int(n_estimators),
    )


def _target(y: Any, n_rows: int, task: str) -> Target:
    """Return y as class indices or numbers."""
    if task == "auto":
        task = "classification" if are_labels(np.asarray(y)) else "regression"
    if task == "regression":
        return read_responses(y, n_rows)
    target = read_labels(y, n_rows)
    if max(target.n_classes) < 2:
        raise ValueError(f"y must have at least two classes, got only {target.classes[0][0]!r}")
    return target


def _forest(target: Target, n_features: int, n_jobs: int | None) -> BaseForest:
    if target.classes:
        return ForestClassifier(n_jobs=n_jobs)
    return ForestRegressor(max_features=min(n_features, _MOST_CANDIDATES), n_jobs=n_jobs)


def _contest(
    forest: BaseForest,
    candidates: list[Candidate],
    X: NDArray[Any],
    y: NDArray[Any],
    settings: dict[str, Any],
) -> list[_Trial]:
    """Grow a forest with each candidate on the same rows."""
    trials = []
    y = y[:, 0] if y.shape[1] == 1 else y
    for candidate in candidates:
        start = time.perf_counter()
        fitted = fitted_trial(
            forest,
            candidate.projection,
            X,
            y,
            np.ones(len(X)),
            oob_score=False,
            keep_samples=True,
            **settings,
        )
        trials.append(_Trial(candidate, _errors_out_of_bag(fitted), time.perf_counter() - start))
    return trials


def _errors_out_of_bag(forest: BaseForest) -> NDArray[np.float64]:
    """Return the error of each training row by the trees that have not seen it, NaN if none."""
    model = forest._model
    assert model.record is not None
    values, n_trees = model.out_of_bag(model.trees["leaf_of_row"], aggregation="mean")
    errors = row_errors(values, model.record.table, model.n_classes)
    return np.where(n_trees > 0, errors, np.nan)


def _compared(trials: list[_Trial], *, is_label: bool) -> tuple[list[dict[str, Any]], int, int]:
    """Return the table, the place of what is suggested, and that of the smallest error."""
    errors = np.stack([trial.errors for trial in trials])
    errors = errors[:, np.isfinite(errors).all(axis=0)]
    if errors.shape[1] < 2:
        raise ValueError(
            "n_estimators must be large enough for rows to be out of bag in some tree, got "
            f"{errors.shape[1]} such rows"
        )
    means = errors.mean(axis=1)
    best = int(np.argmin(means))
    differences = errors - errors[best]
    gap, noise = differences.mean(axis=1), _standard_error(differences)
    chosen = int(np.argmax(gap <= _NOISE * noise))
    spread = _standard_error(errors)
    table = []
    for k, trial in enumerate(trials):
        # of squared errors the root is shown, whose standard error follows from its derivative
        root = 1.0 if is_label else 2 * max(float(np.sqrt(means[k])), np.finfo(float).tiny)
        table.append(
            {
                "name": trial.candidate.name,
                "projection": trial.candidate.projection,
                "error": float(means[k] if is_label else np.sqrt(means[k])),
                "standard_error": float(spread[k] / root),
                "difference": float(gap[k]),
                "difference_standard_error": float(noise[k]),
                "seconds": float(trial.seconds),
                "suggested": k == chosen,
            }
        )
    return table, chosen, best


def _standard_error(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return that of the mean of each row."""
    return np.asarray(errors.std(axis=1, ddof=1) / np.sqrt(errors.shape[1]))


def _verdict(table: list[dict[str, Any]], chosen: int, best: int, measure: str) -> str:
    """Return one sentence: what to take, its error, and what it was compared with."""
    own, first, smallest = table[chosen], table[0], table[best]
    name = own["name"][0].upper() + own["name"][1:]
    noise = short_text(own["standard_error"], own["error"])
    text = f"{name}: out-of-bag {measure} {short_text(own['error'])} ± {noise}"
    if chosen != 0:
        text += f" against {short_text(first['error'])} for {first['name']}"
    if chosen != best:
        other = short_text(smallest["error"])
        return f"{text}; the smallest, {other} for {smallest['name']}, is within noise of it."
    if chosen == 0:
        return f"{text}; no other projection has less."
    return f"{text}."

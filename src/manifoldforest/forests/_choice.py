"""Choosing among projections by the out-of-bag scores of small forests."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._progress import progress_told_to
from ..projections import Projection
from ..projections._auto import projection_for
from ..validation._inputs import Examples

if TYPE_CHECKING:
    from ._base import BaseForest
    from ._fitted_forest import FittedForest

# Trees of a trial, and rows it is grown on, at most; with fewer than the least there is no trial.
# Out-of-bag votes of few trees would favour whatever makes trees differ more.
_TREES = 100
_MOST_ROWS = 2000
LEAST_ROWS = 20
# An alternative takes the place of one before it if it leaves at most this share of its error, as
# one minus the score: smaller differences are noise.
_CLEARLY_LESS = 0.9

# What a trial sets so that it has out-of-bag rows and does nothing else. Class weights are in its
# row weights already: a sample of the rows may lack a class that they name.
_SETTINGS = {
    "class_weight": None,
    "n_estimators": _TREES,
    "bootstrap": True,
    "max_samples": None,
    "oob_score": True,
    "honest": False,
    "refine": False,
    "augment": None,
    "warm_start": False,
    "verbose": 0,
    "random_state": 0,
}


def chosen_projection(
    forest: FittedForest,
    trial: BaseForest,
    examples: Examples,
    y: Any,
    weight: NDArray[np.float64],
) -> Projection:
    """Return a copy of what the projection of a forest stands for, for these data.

    If that leaves a choice, small forests like `trial` make it; a warm start keeps what its first
    fit has chosen. `weight` has all weights of rows, those of classes included.
    """
    shape = examples.feature_shape
    alternatives = projection_for(forest.projection, shape)._alternatives(shape)
    if forest.warm_start and forest.__sklearn_is_fitted__():
        alternatives = [p for p in alternatives if p == forest.projection_] or alternatives[:1]
    images = examples.rows.reshape(len(examples.rows), *shape)
    return _copy_of(_best_of(alternatives, trial, images, y, weight))


def _best_of(
    alternatives: Sequence[Projection],
    trial: BaseForest,
    examples: NDArray[Any],
    y: Any,
    weight: NDArray[np.float64],
) -> Projection:
    """Return the first projection, or a later one whose trial is clearly better.

    The rows of trials are drawn with a seed of their own, so that the choice depends on the data
    alone.
    """
    present = np.flatnonzero(weight > 0)
    if len(alternatives) == 1 or len(present) < LEAST_ROWS:
        return alternatives[0]
    present = rows_of_trials(present, _MOST_ROWS, 0)
    responses = [y[i] for i in present] if isinstance(y, list) else np.asarray(y)[present]
    errors = [
        _error(trial, projection, examples[present], responses, weight[present])
        for projection in alternatives
    ]
    best = 0
    for i, error in enumerate(errors):
        if error < _CLEARLY_LESS * errors[best]:
            best = i
    return alternatives[best]


def _copy_of(projection: Projection) -> Projection:
    """Return a clone."""
    copied: Projection = clone(projection)
    return copied


def rows_of_trials(rows: NDArray[np.intp], most: int, seed: int) -> NDArray[np.intp]:
    """Return at most so many of the rows, in their order."""
    if len(rows) <= most:
        return rows
    return np.sort(np.random.RandomState(seed).permutation(rows)[:most])


def fitted_trial(
    like: BaseForest,
    projection: Projection,
    X: NDArray[Any],
    y: Any,
    weight: NDArray[np.float64],
    **settings: Any,
) -> BaseForest:
    """Return a forest like another, with this projection, whose out-of-bag rows can be asked."""
    trial: BaseForest = clone(like)
    known = trial.get_params(deep=False)
    fixed = {name: value for name, value in _SETTINGS.items() if name in known}
    trial.set_params(projection=_copy_of(projection), **(fixed | settings))
    with warnings.catch_warnings(), progress_told_to(None):
        # that rows were in all bags, or responses are strange: the forest itself will say it
        warnings.simplefilter("ignore")
        trial.fit(X, y, weight)
    return trial


def _error(
    like: BaseForest,
    projection: Projection,
    X: NDArray[Any],
    y: Any,
    weight: NDArray[np.float64],
) -> float:
    error = 1.0 - float(fitted_trial(like, projection, X, y, weight).oob_score_)
    return error if np.isfinite(error) else np.inf

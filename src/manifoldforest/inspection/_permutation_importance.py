"""Permutation importance (Breiman 2001, section 10), out of bag or on held-out examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..validation._arrays import read_indices
from ..validation._parameters import random_generator
from ..validation._rules import check_argument, integer
from ._values_per_tree import row_errors

if TYPE_CHECKING:
    from ..forests._forest_model import ForestModel


def permutation_increase(
    rows: NDArray[Any],
    error: Callable[[NDArray[Any]], float],
    features: Any,
    n_repeats: int,
    random_state: Any,
) -> NDArray[np.float64]:
    """Return the increase of the error for each feature; NaN where not asked for.

    `error` returns the error of the predictions for given rows.
    """
    check_argument("n_repeats", n_repeats, integer(1))
    chosen = _chosen_features(features, rows.shape[1])
    rng = random_generator(random_state)
    before = error(rows)
    increase = np.full(rows.shape[1], np.nan)
    shuffled = rows.copy()
    for feature in chosen:
        errors = []
        for _ in range(n_repeats):
            shuffled[:, feature] = rng.permutation(rows[:, feature])
            errors.append(error(shuffled))
        shuffled[:, feature] = rows[:, feature]
        increase[feature] = np.mean(errors) - before
    return increase


def _chosen_features(features: Any, n_features: int) -> NDArray[np.intp]:
    if features is None:
        return np.arange(n_features)
    chosen = np.unique(read_indices(features, "features", n_features))
    if chosen.size == 0:
        raise ValueError("features must be one or more integers, got none")
    return chosen


def out_of_bag_error(model: ForestModel, leaves: NDArray[Any]) -> float:
    """Return the share of wrong labels, or the mean squared error, of rows in given leaves."""
    record = model.record
    assert record is not None
    values, n_trees = model.out_of_bag(np.ascontiguousarray(leaves), aggregation="mean")
    seen, y = require_seen(n_trees > 0), record.table
    return error_of(model, values[seen], y[seen])


def error_of(model: ForestModel, values: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the share of wrong labels, or the mean squared error, of predicted values.

    y are class indices or responses, one column for each output.
    """
    return float(np.mean(row_errors(values, y, model.n_classes)))


def require_seen(seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows are out of some bag, or raise if none is."""
    if not seen.any():
        raise ValueError(
            "permutation_importance needs rows out of bag: set bootstrap=True or max_samples, or "
            "grow more trees"
        )
    return seen

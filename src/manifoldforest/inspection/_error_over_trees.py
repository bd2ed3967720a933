"""The error of the first trees of a forest, for every number of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._values_per_tree import row_errors, values_per_tree

if TYPE_CHECKING:
    from ..forests._forest_model import ForestModel

# Values of leaves that are added up at a time, trees × rows × values: 32 MB of them.
_CHUNK = 2**22
# Numbers of trees that are tried where each takes a whole prediction.
_STEPS = 16


class TreeErrors(NamedTuple):
    """Errors over the number of trees."""

    measure: str  # what the numbers are, in words
    n_trees: NDArray[np.int64]
    curves: Mapping[str, NDArray[np.float64]]  # by what was predicted, each as long as n_trees
    n_kept: int | None = None  # trees that a boosted forest keeps, if it grew more


def errors_of_first_trees(
    model: ForestModel,
    leaves: NDArray[np.int32],
    truth: NDArray[Any],
    *,
    votes: bool,
    used: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return the error of the first 1, 2, … trees together, for rows in given leaves.

    Parameters
    ----------
    model : ForestModel
        A forest whose trees are averaged, or added up if its leaves hold scores.
    leaves : ndarray of shape (n_rows, n_trees)
        The leaf of each row in each tree.
    truth : ndarray of shape (n_rows, n_outputs)
        Class indices or numbers.
    votes : bool
        Whether each tree votes for a class.
    used : ndarray of shape (n_rows, n_trees), optional
        Which trees predict which rows. Rows that none of the first trees predicts are left out;
        NaN if these are all. By default all trees do, and a row of which no tree knows anything
        gets the fallback of the model.

    Returns
    -------
    errors : ndarray of shape (n_trees,)
        Shares of rows with a wrong label in any output, or root mean squared errors of all outputs.
    """
    n_rows, n_trees = leaves.shape
    every_tree = np.arange(n_trees)
    step = max(1, _CHUNK // (n_trees * model.trees["value"].shape[1]))
    total, n_predicted = np.zeros(n_trees), np.zeros(n_trees)
    for start in range(0, n_rows, step):
        some = slice(start, start + step)
        values = values_per_tree(model, leaves[some], every_tree, votes=votes)
        asked = np.ones(values.shape[:2], dtype=bool) if used is None else used[some].T
        knows = asked & ~np.isnan(values[..., 0])
        values[~knows] = 0.0
        n_asked = np.cumsum(knows, axis=0)[..., None]
        means = np.cumsum(values, axis=0, out=values)
        if model.link == "identity":
            means /= np.maximum(n_asked, 1)
        means = np.where(n_asked > 0, means, model.fallback)
        predicted = np.cumsum(asked, axis=0) > 0
        errors = row_errors(means, truth[some], model.n_classes)
        total += np.where(predicted, errors, 0.0).sum(axis=1)
        n_predicted += predicted.sum(axis=1)
    with np.errstate(invalid="ignore"):
        mean: NDArray[np.float64] = total / n_predicted
    return mean if model.n_classes else np.sqrt(mean)


def measure_of(model: ForestModel) -> str:
    """Return what `errors_of_first_trees` measures, in words."""
    return "error" if model.n_classes else "root mean squared error"


def steps_of_trees(n_trees: int) -> NDArray[np.int64]:
    """Return a few numbers of trees, from 1 to all of them, on a logarithmic scale."""
    return np.unique(np.geomspace(1, n_trees, _STEPS).round().astype(np.int64))

"""Leaf values that are fitted together once the trees are grown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..validation._inputs import Target
from ._flat_forest import FlatForest
from ._forest_model import ForestModel


def refined(
    model: ForestModel,
    rows: NDArray[Any],
    target: Target,
    weight: NDArray[np.float64],
    n_threads: int,
) -> ForestModel:
    """Return the model with scores as values of its nodes: softmax regression on leaf indicators.

    Parameters
    ----------
    model : ForestModel
        Trees of any values.
    rows : ndarray of shape (k * n_samples, n_features)
        Training rows, and after them perhaps copies of all of them, which count as much.
    target : Target
        Labels of the rows.
    weight : ndarray of float64, shape (n_samples,)
        Weights of the rows.
    n_threads : int
        Number of threads that send rows down.

    Returns
    -------
    model : ForestModel
        The same trees, whose values are to be added up; probabilities are the softmax of the sums.
    """
    trees, times = model.trees, len(rows) // len(weight)
    if times == 1 and trees.has_samples:
        leaf_of_row = trees["leaf_of_row"]
    else:
        leaf_of_row = np.ascontiguousarray(model.apply(rows, n_threads).T)
    labels, weight = np.tile(target.values, (times, 1)), np.tile(weight, times)
    scores = _core.refine_leaves(
        trees.arrays, leaf_of_row, labels, target.n_classes, weight, model.seed
    )
    return replace(model, trees=FlatForest(trees.arrays | {"value": scores}), link="softmax")

"""Whether a further fit may add trees to a boosted forest."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from ..forests._forest_model import ForestModel
from ..projections import Projection
from ..validation._inputs import Examples, Target
from ..validation._stack_level import caller_level

if TYPE_CHECKING:
    from ._base import BoostedForest


def model_to_continue(
    forest: BoostedForest, projection: Projection, examples: Examples, target: Target
) -> ForestModel | None:
    """Return the model that a warm start adds trees to, or None if all trees are new.

    A ValueError says what differs from the fit that made the model, as far as it remembers.
    """
    if not (forest.warm_start and forest.__sklearn_is_fitted__()):
        return None
    model = forest._model
    if forest.n_estimators < model.trees.n_trees:
        raise ValueError(
            f"n_estimators must be at least {model.trees.n_trees}, the number of trees that "
            f"warm_start continues, got {forest.n_estimators}"
        )
    same = {
        "projection": projection == model.projection,
        "shape of examples": examples.feature_shape == model.feature_shape,
        "y": forest._same_outputs(target),
        "number of rows": len(examples.rows) == model.n_rows,
    }
    changed = [name for name, is_same in same.items() if not is_same]
    if changed:
        raise ValueError(
            f"warm_start must continue with the {changed[0]} it began with, got another"
        )
    if forest.n_estimators == model.trees.n_trees:
        warnings.warn(
            "Warm-start fitting without increasing n_estimators does not fit new trees.",
            stacklevel=caller_level(),
        )
    return model

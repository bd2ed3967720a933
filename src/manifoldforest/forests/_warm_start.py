"""Whether a further fit may add trees to a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..projections import Projection
from ..validation._inputs import Examples, ForestTarget
from ..validation._stack_level import caller_level
from ._forest_model import Built, ForestModel, TrainingRecord

if TYPE_CHECKING:
    from ._base import BaseForest
    from ._fitted_forest import FittedForest


def continued_model(
    forest: FittedForest, compare: Callable[[ForestModel], Mapping[str, bool]]
) -> ForestModel | None:
    """Return the model that a warm start adds trees to, or None if all trees are new.

    `compare` tells by name what is as it was in the fit that made the model. A ValueError says what
    is not.
    """
    if not (forest.warm_start and forest.__sklearn_is_fitted__()):
        return None
    model = forest._model
    if forest.n_estimators < model.trees.n_trees:
        raise ValueError(
            f"n_estimators must be at least {model.trees.n_trees}, the number of trees that "
            f"warm_start continues, got {forest.n_estimators}"
        )
    changed = [name for name, is_same in compare(model).items() if not is_same]
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


def check_bank(previous: ForestModel | None, built: Built) -> None:
    """Raise a ValueError unless trees of a warm start see the cells that those before it saw."""
    if previous is None or previous.bank is None or built.bank is None:
        return
    if previous.bank.geometry.views != built.bank.geometry.views:
        raise ValueError(
            "warm_start must continue with the kernels it began with, but those of a forest from "
            "a file are drawn again, and these rows give others: continue with the training rows "
            "of the first fit"
        )


def model_to_continue(
    forest: BaseForest,
    projection: Projection,
    examples: Examples,
    target: ForestTarget,
    record: TrainingRecord,
) -> ForestModel | None:
    """Return the model that a warm start of a forest on samples adds trees to, or None."""

    def compare(model: ForestModel) -> Mapping[str, bool]:
        if model.record is None and (forest.oob_score or forest.keep_samples is True):
            raise ValueError(
                "warm_start with oob_score or keep_samples=True must begin with "
                "keep_samples=True: the training rows of the first trees were dropped"
            )
        return {
            "projection": projection == model.projection,
            "shape of examples": examples.feature_shape == model.feature_shape,
            "dims of examples": examples.has_dims_of(forest),
            "ranks": bool(forest.ranks) == hasattr(forest, "rank_transformer_"),
            "honesty": forest._rule_for_empty_leaves == model.empty_leaf,
            "refine": forest._link == model.link,
            "augment": forest._augmentation == getattr(forest, "augmentation_", None),
            "y": forest._same_outputs(target)
            and (model.record is None or forest._learned_from(target)),
            "number of rows": len(examples.rows) == model.n_rows,
            "weights and bags": model.record is None or model.record.weighs_like(record),
        }

    return continued_model(forest, compare)

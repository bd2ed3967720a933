"""What the parameters of boosted forests may be, and what they mean for given data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..augmentation._as_augmentation import AUGMENT
from ..forests._parameters import CLASS_WEIGHTS, FOREST_RULES, n_candidates, n_rows_of
from ..validation._inputs import Target
from ..validation._parameters import INT32_MAX
from ..validation._rules import Rule, boolean, integer, none, one_of, real
from ._losses import LOSSES

if TYPE_CHECKING:
    from ._base import BoostedForest
    from ._held_out import Division

BOOSTING_RULES: dict[str, Rule] = {
    "n_estimators": FOREST_RULES["n_estimators"],
    "learning_rate": real("(0, inf)"),
    "max_features": FOREST_RULES["max_features"],
    "splitter": FOREST_RULES["splitter"],
    "max_depth": FOREST_RULES["max_depth"],
    "min_samples_leaf": FOREST_RULES["min_samples_leaf"],
    "subsample": real("(0, 1]"),
    "l2": real("[0, inf)"),
    "augment": AUGMENT,
    "early_stopping": boolean | one_of("auto"),
    "validation_fraction": real("(0, 1)"),
    "n_iter_no_change": integer(1),
    "warm_start": FOREST_RULES["warm_start"],
    "n_jobs": FOREST_RULES["n_jobs"],
    "random_state": FOREST_RULES["random_state"],
    "verbose": FOREST_RULES["verbose"],
}

BOOSTED_CLASSIFIER_RULES: dict[str, Rule] = BOOSTING_RULES | {
    "class_weight": one_of("balanced") | CLASS_WEIGHTS | none,
}

BOOSTED_REGRESSOR_RULES: dict[str, Rule] = BOOSTING_RULES | {
    "loss": one_of(*(name for name, loss in LOSSES.items() if not loss.of_classes)),
}


def grow_options(
    forest: BoostedForest, n_features: int, target: Target, division: Division, seed: int
) -> _core.GrowOptions:
    """Return the options of the core for each round."""
    n_present = division.n_present
    options = _core.GrowOptions()
    options.seed = seed
    options.splitter = forest.splitter
    options.n_classes = target.n_classes
    options.n_candidates = n_candidates(forest.max_features, n_features)
    options.max_depth = -1 if forest.max_depth is None else min(int(forest.max_depth), INT32_MAX)
    options.min_samples_leaf = min(
        n_rows_of(forest.min_samples_leaf, division.n_rows, low=1), INT32_MAX
    )
    options.bootstrap = False
    draws = max(1, round(float(forest.subsample) * n_present))
    options.n_draws = 0 if draws == n_present else draws
    return options

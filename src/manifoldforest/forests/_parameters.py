"""What the parameters of forests may be, and what they mean for given data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..augmentation._as_augmentation import AUGMENT
from ..validation._parameters import INT32_MAX, N_JOBS, RANDOM_STATE
from ..validation._rules import (
    Rule,
    any_callable,
    boolean,
    fraction,
    integer,
    is_integer,
    none,
    one_of,
    real,
)

CLASS_WEIGHTS = Rule(
    "a dictionary of class weights (a list of them for several outputs)",
    lambda value: (
        isinstance(value, Mapping)
        or (isinstance(value, list) and all(isinstance(item, Mapping) for item in value))
    ),
)

# Every node draws this many candidates at most; more would never come to an end.
_MAX_CANDIDATES = 10_000_000

FOREST_RULES: dict[str, Rule] = {
    "n_estimators": integer(1, INT32_MAX),
    "max_features": integer(1) | fraction("(0, inf)") | one_of("sqrt", "2sqrt", "log2") | none,
    "splitter": one_of("auto", "exact", "histogram", "random"),
    "max_depth": integer(1) | none,
    "min_samples_split": integer(2) | fraction("(0, 1]"),
    "min_samples_leaf": integer(1) | fraction("(0, 1)"),
    "min_weight_fraction_leaf": real("[0, 0.5]"),
    "min_balance": real("[0, 0.5]"),
    "min_impurity_decrease": real("[0, inf)"),
    "max_leaf_nodes": integer(2) | none,
    "ccp_alpha": real("[0, inf)"),
    "bootstrap": boolean,
    "max_samples": integer(1) | fraction("(0, inf)") | none,
    "honest": boolean,
    "honest_fraction": real("(0, 1)"),
    "ranks": boolean,
    "oob_score": boolean | any_callable,
    "keep_samples": boolean | one_of("auto"),
    "warm_start": boolean,
    "n_jobs": N_JOBS,
    "random_state": RANDOM_STATE,
    "verbose": integer(0) | boolean,
}

CLASSIFIER_RULES: dict[str, Rule] = FOREST_RULES | {
    "criterion": one_of(*_core.objectives("classes")),
    "empty_leaf": one_of("ignore", "uniform", "empirical", "prune"),
    "stratify": boolean,
    "augment": AUGMENT,
    "refine": boolean,
    "voting": one_of("soft", "hard"),
    "class_weight": one_of("balanced", "balanced_subsample") | CLASS_WEIGHTS | none,
}

REGRESSOR_RULES: dict[str, Rule] = FOREST_RULES | {
    "criterion": one_of(*_core.objectives("numbers")),
    "empty_leaf": one_of("ignore", "empirical", "prune"),
    "augment": AUGMENT,
}


def n_candidates(max_features: Any, n_features: int) -> int:
    """Return the number d of candidate projections per node."""
    if max_features is None:
        d = n_features
    elif max_features == "sqrt":
        d = math.isqrt(n_features)
    elif max_features == "2sqrt":
        d = math.isqrt(4 * n_features)
    elif max_features == "log2":
        d = int(math.log2(n_features))
    elif is_integer(max_features):
        d = int(max_features)
    else:
        d = math.floor(min(float(max_features) * n_features, 2.0 * _MAX_CANDIDATES))
    if d > _MAX_CANDIDATES:
        raise ValueError(
            f"max_features must give at most {_MAX_CANDIDATES} candidates per node, got "
            f"{max_features!r} for {n_features} features"
        )
    return max(1, d)


def n_rows_of(value: Any, n_rows: int, low: int) -> int:
    """Return a number of rows that was given as a count or as a fraction of all rows."""
    if is_integer(value):
        return int(value)
    return max(low, math.ceil(float(value) * n_rows))


def n_draws(max_samples: Any, n_rows: int, *, bootstrap: bool) -> int:
    """Return how many rows a tree draws of `n_rows` that have weight."""
    if max_samples is None:
        return n_rows
    draws = max_samples if is_integer(max_samples) else float(max_samples) * n_rows
    most, what = (INT32_MAX, "draws") if bootstrap else (n_rows, "rows, those that have weight,")
    if draws > most + (0 if is_integer(max_samples) else 0.5):
        raise ValueError(
            f"max_samples must give at most {most} {what} with bootstrap={bootstrap}, got "
            f"{max_samples!r} for {n_rows} rows"
        )
    return max(1, round(draws))

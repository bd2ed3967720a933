"""What the parameters of a forest may be, as one table, and what they mean for given data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from sklearn.utils import check_random_state

from .. import _core
from ._suggestions import did_you_mean

# No machine has more cores; every thread costs memory.
_MAX_THREADS = 1024


@dataclass(frozen=True)
class Rule:
    """What one parameter may be: in words for the message, as a test, and which words it knows."""

    expected: str
    accepts: Callable[[Any], bool]
    words: tuple[str, ...] = ()

    def __or__(self, other: Rule) -> Rule:
        """Return the rule that accepts what either of the two accepts."""
        return Rule(
            f"{self.expected} or {other.expected}",
            lambda value: self.accepts(value) or other.accepts(value),
            self.words + other.words,
        )


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not _is_bool(value)


def integer(low: int) -> Rule:
    """Accept whole numbers of at least `low` (numpy's too, but no booleans)."""
    return Rule(
        f"an integer >= {low}",
        lambda value: _is_integer(value) and value >= low,
    )


def real(interval: str) -> Rule:
    """Accept numbers in an interval written as ``"(0, 1]"``."""
    low_text, high_text = interval[1:-1].split(",")
    low, high = float(low_text), float(high_text)

    def accepts(value: Any) -> bool:
        if not isinstance(value, Real) or _is_bool(value):
            return False
        try:
            number = float(value)
        except OverflowError:  # an integer beyond all floats
            return False
        above = number >= low if interval[0] == "[" else number > low
        below = number <= high if interval[-1] == "]" else number < high
        return above and below

    return Rule(f"a number in {interval}", accepts)


def fraction(interval: str) -> Rule:
    """Accept floats in an interval, and no integers: 1 is a count where 1.0 is a fraction."""
    number = real(interval)
    return Rule(
        f"a float in {interval}",
        lambda value: not _is_integer(value) and number.accepts(value),
    )


def one_of(*words: str) -> Rule:
    """Accept one of a few words."""
    return Rule(
        "one of " + ", ".join(map(repr, words)),
        lambda value: isinstance(value, str) and value in words,
        words,
    )


boolean = Rule("True or False", _is_bool)
none = Rule("None", lambda value: value is None)
any_callable = Rule("a callable", callable)
dictionary = Rule(
    "a dictionary of class weights (a list of them for several outputs)",
    lambda value: (
        isinstance(value, Mapping)
        or (isinstance(value, list) and all(isinstance(item, Mapping) for item in value))
    ),
)
nonzero_integer = Rule(
    "an integer other than 0",
    lambda value: _is_integer(value) and value != 0,
)

# In-bag counts are 32-bit.
MAX_DRAWS = 2**31 - 1

# Every node draws this many candidates at most; more would never come to an end.
_MAX_CANDIDATES = 10_000_000

FOREST_RULES: dict[str, Rule] = {
    "n_estimators": integer(1),
    "max_features": integer(1) | fraction("(0, inf)") | one_of("sqrt", "log2") | none,
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
    "n_jobs": nonzero_integer | none,
    "verbose": integer(0) | boolean,
}

CLASSIFIER_RULES: dict[str, Rule] = FOREST_RULES | {
    "criterion": one_of(*_core.objectives("classes")),
    "empty_leaf": one_of("ignore", "uniform", "empirical", "prune"),
    "stratify": boolean,
    "voting": one_of("soft", "hard"),
    "class_weight": one_of("balanced", "balanced_subsample") | dictionary | none,
}

REGRESSOR_RULES: dict[str, Rule] = FOREST_RULES | {
    "criterion": one_of(*_core.objectives("numbers")),
    "empty_leaf": one_of("ignore", "empirical", "prune"),
}

# Forests in metric spaces keep their training rows and know no classes.
_METRIC_FOREST_RULES: dict[str, Rule] = {
    name: rule for name, rule in FOREST_RULES.items() if name != "keep_samples"
} | {
    "empty_leaf": one_of("ignore", "empirical", "prune"),
    "max_rank": integer(1) | none,
}

METRIC_RULES: dict[str, Rule] = _METRIC_FOREST_RULES | {
    "prediction": one_of("auto", "frechet", "projected", "medoid", "barycentre", "drf"),
    "embedding_dim": integer(1) | none,
    "bandwidth": real("(0, inf)") | none,
    "smoothness": real("(0, inf)"),
    "affinity": one_of("all", "inbag", "oob"),
    "distance_order": one_of("decreasing", "increasing"),
    "ridge": one_of("objective", "eq8"),
    "out_of_sample": one_of("gower", "paper"),
    "center": boolean,
}

KERNEL_RULES: dict[str, Rule] = _METRIC_FOREST_RULES | {
    "bandwidth": real("(0, inf)"),
    "affinity": one_of("weights", "all", "inbag", "oob"),
}


def check_parameters(params: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Raise a ValueError that names the first parameter that breaks its rule."""
    for name, rule in rules.items():
        if not rule.accepts(params[name]):
            hint = did_you_mean(params[name], rule.words)
            raise ValueError(f"{name} must be {rule.expected}, got {params[name]!r}{hint}")


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for."""
    return int(min(joblib.effective_n_jobs(n_jobs), _MAX_THREADS))


def random_generator(random_state: Any) -> np.random.RandomState:
    """Return the generator that `random_state` stands for."""
    try:
        generator: np.random.RandomState = check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            "random_state must be None, an integer in [0, 2**32 - 1] or a numpy RandomState, "
            f"got {random_state!r}"
        ) from error
    return generator


def draw_seed(random_state: Any) -> int:
    """Return a seed of the core, drawn from the generator that `random_state` stands for."""
    return int(random_generator(random_state).randint(2**63 - 1, dtype=np.int64))


def n_candidates(max_features: Any, n_features: int) -> int:
    """Return the number d of candidate projections per node."""
    if max_features is None:
        d = n_features
    elif max_features == "sqrt":
        d = math.isqrt(n_features)
    elif max_features == "log2":
        d = int(math.log2(n_features))
    elif _is_integer(max_features):
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
    if _is_integer(value):
        return int(value)
    return max(low, math.ceil(float(value) * n_rows))


def n_draws(max_samples: Any, n_rows: int, *, bootstrap: bool) -> int:
    """Return how many rows a tree draws of `n_rows` that have weight."""
    if max_samples is None:
        return n_rows
    draws = max_samples if _is_integer(max_samples) else float(max_samples) * n_rows
    most, what = (MAX_DRAWS, "draws") if bootstrap else (n_rows, "rows, those that have weight,")
    if draws > most + (0 if _is_integer(max_samples) else 0.5):
        raise ValueError(
            f"max_samples must give at most {most} {what} with bootstrap={bootstrap}, got "
            f"{max_samples!r} for {n_rows} rows"
        )
    return max(1, round(draws))

"""Table of boosted forests: every loss and projection, and every option."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import manifoldforest as mf
from fingerprint import data
from fingerprint.case import Case, Data
from fingerprint.projections import ALL

COMMON: dict[str, Any] = {"n_estimators": 3, "max_features": 8, "random_state": 1, "n_jobs": 1}
CLASSIFIER, REGRESSOR = "BoostedForestClassifier", "BoostedForestRegressor"

LEARNED: dict[str, tuple[str, dict[str, Any], Callable[..., Data]]] = {
    "log loss": (CLASSIFIER, {}, data.labels_of),
    "many classes": (CLASSIFIER, {}, data.many_classes),
    "several labels": (CLASSIFIER, {}, data.several_labels),
    "squared error": (REGRESSOR, {}, data.numbers_of),
    "several numbers": (REGRESSOR, {}, data.several_numbers),
    "absolute error": (REGRESSOR, {"loss": "absolute_error"}, data.numbers_of),
    "poisson": (REGRESSOR, {"loss": "poisson"}, data.counts_of),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "exact": {"splitter": "exact"},
    "random": {"splitter": "random"},
    "all rows": {"subsample": 1.0},
    "l2=0": {"l2": 0.0},
    "learning_rate=1 max_depth=2": {"learning_rate": 1.0, "max_depth": 2},
    "min_samples_leaf=9": {"min_samples_leaf": 9},
    "early stopping": {"early_stopping": True, "n_iter_no_change": 2, "n_estimators": 8},
    "n_jobs=2": {"n_jobs": 2},
}
# Of large nodes of single features, which are searched by codes.
LARGE: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "two classes": (CLASSIFIER, {}, {}),
    "half of the rows": (CLASSIFIER, {"subsample": 0.5}, {}),
    "most of the rows": (CLASSIFIER, {"subsample": 0.8}, {}),
    "early stopping": (CLASSIFIER, {"early_stopping": True, "n_iter_no_change": 2}, {}),
    "some candidates": (CLASSIFIER, {"max_features": 5}, {}),
    "missing": (CLASSIFIER, {}, {"kind": "missing"}),
    "bytes": (CLASSIFIER, {}, {"kind": "bytes"}),
    "whole weights": (CLASSIFIER, {}, {"weight": "whole"}),
    "fractional weights": (CLASSIFIER, {}, {"weight": "fractional"}),
    "extreme weights": (CLASSIFIER, {}, {"weight": "extreme"}),
    "weights, half of the rows": (CLASSIFIER, {"subsample": 0.5}, {"weight": "fractional"}),
    "min_samples_leaf=9": (CLASSIFIER, {"min_samples_leaf": 9}, {}),
    "five classes": (CLASSIFIER, {}, {"n_classes": 5}),
    "forty classes": (CLASSIFIER, {"n_estimators": 2}, {"n_classes": 40}),
    "numbers": (REGRESSOR, {}, {"n_classes": 0}),
    "numbers, weights": (REGRESSOR, {"subsample": 0.5}, {"n_classes": 0, "weight": "whole"}),
    "absolute error": (REGRESSOR, {"loss": "absolute_error"}, {"n_classes": 0}),
    "poisson": (REGRESSOR, {"loss": "poisson"}, {"n_classes": 30}),
    "codes of buckets": (CLASSIFIER, {}, {"n": 40_001}),
    "codes of buckets, missing": (CLASSIFIER, {}, {"n": 40_001, "kind": "missing"}),
    "n_jobs=2": (CLASSIFIER, {"n_jobs": 2}, {}),
    "n_jobs=2, missing": (CLASSIFIER, {"n_jobs": 2, "subsample": 0.5}, {"kind": "missing"}),
}


def boosted_forest(kind: str, **params: Any) -> Callable[[], Any]:
    """Return what makes a forest; an older version has no such class."""
    return lambda: getattr(mf, kind)(**(COMMON | params))


def boosted() -> Iterator[Case]:
    """Every loss by projections, rows and options."""
    names = ("axis", "sporf", "patches", "mean difference", "rotation")
    for (learned, (kind, params, given)), name in product(LEARNED.items(), names):
        for rows in ("bytes", "floats", "missing"):
            if learned == "many classes" and rows == "missing":
                continue
            yield Case(
                f"boosted {learned} | {name} | {rows}",
                boosted_forest(kind, projection=ALL[name], **params),
                partial(given, rows),
            )
    for (learned, (kind, params, given)), (option, more) in product(
        LEARNED.items(), OPTIONS.items()
    ):
        yield Case(
            f"boosted {learned} | axis | {option} | floats",
            boosted_forest(kind, projection="axis", **(params | more)),
            partial(given, "floats"),
        )


def large_boosted() -> Iterator[Case]:
    """Nodes of more than 4096 rows, all features as candidates unless a case says otherwise."""
    common = {"projection": "axis", "max_features": None, "max_depth": 5, "subsample": 1.0}
    for name, (kind, params, given) in LARGE.items():
        yield Case(
            f"boosted {name} | axis | many rows",
            boosted_forest(kind, **(common | {"early_stopping": False} | params)),
            partial(data.large_table, **given),
        )


TABLES = (boosted, large_boosted)

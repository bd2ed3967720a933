"""What the how-to pages advise on probabilities, intervals and rare classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_friedman1
from sklearn.metrics import balanced_accuracy_score, log_loss, recall_score

import manifoldforest as mf

from .trials import Array, noisy_table, print_means

TREES = 100


def calibration_error(y: Array, p: Array) -> float:
    """Return the mean distance between probabilities and shares, in ten bins of equal width."""
    bins = np.minimum((10 * p).astype(int), 9)
    weight = np.bincount(bins, minlength=10)
    gaps = np.abs(np.bincount(bins, y, 10) - np.bincount(bins, p, 10))
    return float(gaps.sum() / weight.sum())


def chances(n: int, seed: int) -> tuple[Array, Array, Array]:
    """Return two columns, classes, and the probability of class 1, by the first column."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    p = 1 / (1 + np.exp(-1.5 * X[:, 0]))
    return X, (rng.random(n) < p).astype(int), p


def print_posteriors() -> None:
    """Print how far the probabilities of forests are from the true ones, and log losses."""
    print("two columns, 1000 rows, 10 training sets: distance to the truth, log loss")
    changes: dict[str, dict[str, Any]] = {
        "leaves of 1": {},
        "leaves of 5": {"min_samples_leaf": 5},
        "leaves of 20": {"min_samples_leaf": 20},
        "honest": {"honest": True},
        "refine, leaves of 5": {"refine": True, "min_samples_leaf": 5},
    }
    for name, parameters in changes.items():
        results = []
        for seed in range(10):
            X, y, truth = chances(3000, seed)
            forest = mf.ForestClassifier(TREES, random_state=seed, **parameters)
            p = forest.fit(X[:1000], y[:1000]).predict_proba(X[1000:])[:, 1]
            results.append((np.mean(np.abs(p - truth[1000:])), log_loss(y[1000:], p)))
        print_means(name, results)


def forests_for_labels() -> dict[str, tuple[Any, bool]]:
    """Return forests, and whether they are calibrated on folds that are held out."""

    def table(**changes: Any) -> mf.ForestClassifier:
        return mf.named_forest("table", n_estimators=TREES, **changes)

    return {
        "forest": (table(), False),
        "leaves of 5": (table(min_samples_leaf=5), False),
        "honest": (table(honest=True), False),
        "refine": (table(refine=True), False),
        "refine, leaves of 5": (table(refine=True, min_samples_leaf=5), False),
        "refine, leaves of 5, calibrated": (table(refine=True, min_samples_leaf=5), True),
        "boosted": (mf.BoostedForestClassifier(), False),
        "boosted, early_stopping": (mf.BoostedForestClassifier(early_stopping=True), False),
        "boosted, calibrated": (mf.BoostedForestClassifier(), True),
    }


def calibration() -> None:
    """Errors, log losses and calibration errors of forests, and distances to true chances."""
    print_posteriors()
    print("1000 rows, 10 training sets: error, log loss, calibration error")
    for name, (forest, calibrated) in forests_for_labels().items():
        results = []
        for seed in range(10):
            X, y = noisy_table(4000, seed)
            forest.set_params(random_state=seed)
            model = CalibratedClassifierCV(forest, cv=5) if calibrated else forest
            p, truth = model.fit(X[:1000], y[:1000]).predict_proba(X[1000:]), y[1000:]
            error = float(np.mean((p[:, 1] > 0.5) != truth))
            results.append((error, log_loss(truth, p), calibration_error(truth, p[:, 1])))
        print_means(name, results)


def curve(n: int, seed: int) -> tuple[Array, Array]:
    """Return one column and a wave over it, with noise that grows along the way."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, size=n)
    return x[:, None], np.sin(x) + (0.1 + 0.05 * x) * rng.normal(size=n)


def friedman(n: int, seed: int) -> tuple[Array, Array]:
    """Return ten columns, five of which matter, and numbers with noise of one size."""
    return make_friedman1(n, noise=1.0, random_state=seed)


def intervals() -> None:
    """Coverage of intervals that should hold nine of ten responses, and their mean width."""
    changes: dict[str, dict[str, Any]] = {
        "leaves of 1": {},
        "leaves of 5": {"min_samples_leaf": 5},
        "leaves of 20": {"min_samples_leaf": 20},
        "honest": {"honest": True},
        "honest, leaves of 20": {"honest": True, "min_samples_leaf": 20},
        "predict_region": {},
    }
    for draw, sizes in ((curve, (1000,)), (friedman, (200, 1000, 4000))):
        for n in sizes:
            print(f"{draw.__name__}, {n} rows, 5 training sets: coverage, width")
            for name, parameters in changes.items():
                kind = mf.MetricForestRegressor if name == "predict_region" else mf.ForestRegressor
                results = []
                for seed in range(5):
                    X, y = draw(n + 2000, seed)
                    forest = kind(TREES, random_state=seed, **parameters).fit(X[:n], y[:n])
                    low, high = ends_of_intervals(forest, X[n:])
                    held = (low <= y[n:]) & (y[n:] <= high)
                    results.append((float(held.mean()), float(np.mean(high - low))))
                print_means(name, results)


def ends_of_intervals(forest: Any, X: Array) -> tuple[Array, Array]:
    """Return lower and upper ends of intervals, or of regions on the line."""
    if isinstance(forest, mf.MetricForestRegressor):
        centres, radius = forest.predict_region(X, coverage=0.9)
        return centres - radius, centres + radius
    low, high = forest.predict_interval(X, coverage=0.9).T
    return low, high


def imbalanced() -> None:
    """One row of 30 is of class 1: what weights, strata and thresholds change."""
    table = {"name": "table", "n_estimators": TREES}
    forests = {
        "nothing": (mf.named_forest(**table), 0.5),
        'class_weight="balanced"': (mf.named_forest(**table, class_weight="balanced"), 0.5),
        "balanced_subsample": (mf.named_forest(**table, class_weight="balanced_subsample"), 0.5),
        "balanced, leaves of 5": (
            mf.named_forest(**table, class_weight="balanced", min_samples_leaf=5),
            0.5,
        ),
        "stratify": (mf.named_forest(**table, stratify=True), 0.5),
        "threshold at the share of class 1": (mf.named_forest(**table), 1 / 30),
        "boosted, balanced": (mf.BoostedForestClassifier(class_weight="balanced"), 0.5),
        "boosted, threshold at the share": (mf.BoostedForestClassifier(), 1 / 30),
        "the same, early_stopping": (mf.BoostedForestClassifier(early_stopping=True), 1 / 30),
    }
    print("1500 rows, 50 of class 1, 10 training sets: balanced accuracy, recalls of 0 and 1")
    for name, (forest, threshold) in forests.items():
        results = []
        for seed in range(10):
            X, y = noisy_table(6000, seed, weights=[29 / 30], flip_y=0.01, class_sep=1.0)
            forest.set_params(random_state=seed).fit(X[:1500], y[:1500])
            test = y[1500:]
            found = forest.predict_proba(X[1500:])[:, 1] > threshold
            recalls = recall_score(test, found, average=None)
            results.append((balanced_accuracy_score(test, found), *recalls))
        print_means(name, results)


MEASUREMENTS = {f.__name__: f for f in (calibration, intervals, imbalanced)}

"""What the how-to pages advise: probabilities, intervals, importances, units, rare classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification, make_friedman1
from sklearn.metrics import balanced_accuracy_score, log_loss, recall_score

import manifoldforest as mf
from manifoldforest.projections import Patches, Sporf

from .trials import Array, Problem, mean_and_error, print_errors

TREES = 100


def blobs(n: int, seed: int, **parameters: object) -> tuple[Array, Array]:
    """Return a table of 20 columns, 5 of which tell the class, with a tenth of wrong labels."""
    settings = {"n_features": 20, "n_informative": 5, "flip_y": 0.2} | parameters
    return make_classification(n, random_state=seed, **settings)


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
        columns = zip(*results, strict=True)
        print(f"  {name:<34}" + "   ".join(mean_and_error(list(c)) for c in columns))


def calibration() -> None:
    """Errors, log losses and calibration errors of forests, and distances to true chances."""
    print_posteriors()
    forests = {
        "forest": mf.named_forest("table", n_estimators=TREES),
        "leaves of 5": mf.named_forest("table", n_estimators=TREES, min_samples_leaf=5),
        "honest": mf.named_forest("table", n_estimators=TREES, honest=True),
        "refine": mf.named_forest("table", n_estimators=TREES, refine=True),
        "refine, leaves of 5": mf.named_forest(
            "table", n_estimators=TREES, refine=True, min_samples_leaf=5
        ),
        "refine, leaves of 5, calibrated": CalibratedClassifierCV(
            mf.named_forest("table", n_estimators=TREES, refine=True, min_samples_leaf=5), cv=5
        ),
        "boosted": mf.BoostedForestClassifier(),
        "boosted, early_stopping": mf.BoostedForestClassifier(early_stopping=True),
        "boosted, calibrated": CalibratedClassifierCV(mf.BoostedForestClassifier(), cv=5),
    }
    print("1000 rows, 10 training sets: error, log loss, calibration error")
    for name, forest in forests.items():
        results = []
        for seed in range(10):
            X, y = blobs(4000, seed)
            if hasattr(forest, "random_state"):
                forest.set_params(random_state=seed)
            else:
                forest.estimator.set_params(random_state=seed)
            p = forest.fit(X[:1000], y[:1000]).predict_proba(X[1000:])
            test = y[1000:]
            results.append(
                ((p[:, 1] > 0.5) != test, log_loss(test, p), calibration_error(test, p[:, 1]))
            )
        columns = zip(*[(e.mean(), loss, gap) for e, loss, gap in results], strict=True)
        print(f"  {name:<34}" + "   ".join(mean_and_error(list(c)) for c in columns))


def intervals() -> None:
    """Coverage of intervals that should hold nine of ten responses, and their mean width."""
    forests = {
        "leaves of 1": mf.ForestRegressor(TREES),
        "leaves of 5": mf.ForestRegressor(TREES, min_samples_leaf=5),
        "leaves of 20": mf.ForestRegressor(TREES, min_samples_leaf=20),
        "honest": mf.ForestRegressor(TREES, honest=True),
        "honest, leaves of 5": mf.ForestRegressor(TREES, honest=True, min_samples_leaf=5),
    }
    for n in (200, 1000, 4000):
        print(f"{n} rows, 5 training sets: coverage, width")
        for name, forest in forests.items():
            results = []
            for seed in range(5):
                X, y = make_friedman1(n + 2000, noise=1.0, random_state=seed)
                forest.set_params(random_state=seed).fit(X[:n], y[:n])
                low, high = forest.predict_interval(X[n:], coverage=0.9).T
                results.append((np.mean((low <= y[n:]) & (y[n:] <= high)), np.mean(high - low)))
            columns = zip(*results, strict=True)
            print(f"  {name:<34}" + "   ".join(mean_and_error(list(c)) for c in columns))
        results = []
        for seed in range(5):
            X, y = make_friedman1(n + 2000, noise=1.0, random_state=seed)
            ball = mf.MetricForestRegressor(TREES, random_state=seed)
            centres, radius = ball.fit(X[:n], y[:n]).predict_region(X[n:], coverage=0.9)
            results.append((np.mean(np.abs(centres - y[n:]) <= radius), 2 * radius))
        columns = zip(*results, strict=True)
        print(f"  {'predict_region':<34}" + "   ".join(mean_and_error(list(c)) for c in columns))


def importance() -> None:
    """Traps: unique numbers, copies of a column, and pixels at the border of images of noise."""
    gain, permuted = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.normal(size=600), rng.permutation(600), rng.integers(2, size=600)])
        y = (X[:, 0] + rng.normal(0, 1, size=600) > 0).astype(int)
        X = np.column_stack([X, np.where(rng.random(600) < 0.7, y, 1 - y)])
        forest = mf.ForestClassifier(TREES, projection="axis", random_state=seed).fit(X, y)
        gain.append(forest.feature_importances_)
        permuted.append(forest.permutation_importance(X, y, n_repeats=5, random_state=seed))
    print("useful number, row number, coin, useful bit: gain", np.mean(gain, axis=0).round(3))
    print("  permutation", np.mean(permuted, axis=0).round(3))
    alone, both = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 5))
        y = (X[:, 0] + X[:, 1] > 0).astype(int)
        twice = np.column_stack([X, X[:, 0] + 0.05 * rng.normal(size=600)])
        for data, found in ((X, alone), (twice, both)):
            forest = mf.ForestClassifier(TREES, projection="axis", random_state=seed).fit(data, y)
            permuted = forest.permutation_importance(data, y, n_repeats=5, random_state=seed)
            found.append(np.stack([forest.feature_importances_, permuted]))
    print("columns 0 and 1 decide: gain, permutation", *np.mean(alone, axis=0).round(3))
    print("and column 5 is nearly column 0:", *np.mean(both, axis=0).round(3))
    for placement in ("uniform", "interior", "corner"):
        maps = []
        for seed in range(20):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(200, 20, 20)), rng.integers(2, size=200)
            patches = Patches(min_size=3, max_size=7, placement=placement)
            forest = mf.ForestClassifier(TREES, projection=patches, random_state=seed).fit(X, y)
            maps.append(forest.feature_importances_)
        mean = np.mean(maps, axis=0)
        corner = np.mean([mean[0, 0], mean[0, -1], mean[-1, 0], mean[-1, -1]])
        edge = np.mean([mean[0, 7:13], mean[-1, 7:13], mean[7:13, 0], mean[7:13, -1]])
        inner = mean[7:13, 7:13].mean()
        print(f"noise, placement {placement}: corner, edge, inner pixel")
        print("  ", (np.array([corner, edge, inner]) / inner).round(2))


def holes_at_random(n: int, seed: int) -> tuple[Array, Array]:
    """Return a table of which three numbers of ten are missing, wherever."""
    X, y = blobs(n, seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.3] = np.nan
    return X, y


def holes_that_tell(n: int, seed: int) -> tuple[Array, Array]:
    """Return the same with numbers that are missing more often in class 1: 0.4 against 0.2."""
    X, y = blobs(n, seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.2 + 0.2 * y[:, None]] = np.nan
    return X, y


def tables() -> None:
    """Missing values as they are, and filled in with the means of columns."""
    forest = mf.named_forest("table", n_estimators=TREES)
    for name, draw in (("at random", holes_at_random), ("that tell", holes_that_tell)):
        print(f"missing {name}")
        print_errors(Problem(draw, 1000), {"NaN": forest})
        filled = Problem(lambda n, seed, draw=draw: with_means(*draw(n, seed)), 1000)
        print_errors(filled, {"column means": forest})


def with_means(X: Array, y: Array) -> tuple[Array, Array]:
    """Return the table with the means of columns in place of missing values."""
    return np.where(np.isnan(X), np.nanmean(X, axis=0), X), y


def tune() -> None:
    """Errors over the number of trees, and over the number of candidates per node."""
    forests: dict[str, dict[str, Any]] = {
        f"{trees} trees": {"n_estimators": trees} for trees in (10, 30, 100, 300)
    }
    forests |= {f"max_features={d!r}": {"max_features": d} for d in ("sqrt", "2sqrt", 1.0)}
    named = {name: mf.named_forest("table", **changed) for name, changed in forests.items()}
    print_errors(Problem(blobs, 1000), named)


def oblique(n: int, seed: int) -> tuple[Array, Array]:
    """Return ten columns; the difference of two decides."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    return X, (X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n) > 0).astype(int)


def other_units(n: int, seed: int) -> tuple[Array, Array]:
    """Return the same, with the second column in units a thousand times smaller."""
    X, y = oblique(n, seed)
    X[:, 1] *= 1000
    return X, y


def units() -> None:
    """One column in other units: forests with and without scale."""
    for name, draw in (("one unit", oblique), ("a column × 1000", other_units)):
        print(name)
        print_errors(
            Problem(draw, 300),
            {
                "axis": mf.ForestClassifier(TREES, projection="axis"),
                "sporf": mf.ForestClassifier(TREES),
                'sporf, scale="std"': mf.ForestClassifier(TREES, projection=Sporf(scale="std")),
                "sporf, ranks=True": mf.ForestClassifier(TREES, ranks=True),
            },
        )


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
            X, y = blobs(6000, seed, weights=[29 / 30], flip_y=0.01, class_sep=1.0)
            forest.set_params(random_state=seed).fit(X[:1500], y[:1500])
            test = y[1500:]
            found = forest.predict_proba(X[1500:])[:, 1] > threshold
            recalls = recall_score(test, found, average=None)
            results.append((balanced_accuracy_score(test, found), *recalls))
        columns = zip(*results, strict=True)
        print(f"  {name:<36}" + "   ".join(mean_and_error(list(c)) for c in columns))


MEASUREMENTS = {
    f.__name__: f for f in (tables, tune, calibration, intervals, importance, units, imbalanced)
}

"""What the how-to pages advise on tables, parameters, importances and units."""

from __future__ import annotations

from typing import Any

import numpy as np

import manifoldforest as mf
from manifoldforest.projections import Patches, Sporf

from .trials import Array, Problem, noisy_table, print_errors

TREES = 100


def both_importances(X: Array, y: Array, seed: int) -> Array:
    """Return gains and increases of the error by permutations, of a random forest."""
    forest = mf.ForestClassifier(TREES, projection="axis", random_state=seed).fit(X, y)
    permuted = forest.permutation_importance(X, y, n_repeats=5, random_state=seed)
    return np.stack([forest.feature_importances_, permuted])


def with_row_numbers(seed: int) -> tuple[Array, Array]:
    """Return a useful number, a row number, a coin, and a bit that agrees with 70 % of labels."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=600), rng.permutation(600), rng.integers(2, size=600)])
    y = (X[:, 0] + rng.normal(0, 1, size=600) > 0).astype(int)
    return np.column_stack([X, np.where(rng.random(600) < 0.7, y, 1 - y)]), y


def with_copy(seed: int) -> tuple[Array, Array]:
    """Return six columns of which 0 and 1 decide, and 5 is nearly column 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 5))
    copy = X[:, 0] + 0.05 * rng.normal(size=600)
    return np.column_stack([X, copy]), (X[:, 0] + X[:, 1] > 0).astype(int)


def importances_of_noise(placement: str) -> Array:
    """Return the importance of pixels at corner, edge and inside, of images without a signal."""
    maps = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 20, 20)), rng.integers(2, size=200)
        patches = Patches(min_size=3, max_size=7, placement=placement)
        forest = mf.ForestClassifier(TREES, projection=patches, random_state=seed).fit(X, y)
        maps.append(forest.feature_importances_)
    mean = np.mean(maps, axis=0)
    corner = mean[[0, 0, -1, -1], [0, -1, 0, -1]].mean()
    edge = np.mean([mean[0, 7:13], mean[-1, 7:13], mean[7:13, 0], mean[7:13, -1]])
    inside = mean[7:13, 7:13].mean()
    return np.array([corner, edge, inside]) / inside


def importance() -> None:
    """Traps: unique numbers, copies of a column, and pixels at the border of images of noise."""
    seeds = range(5)
    found = np.mean([both_importances(*with_row_numbers(seed), seed) for seed in seeds], axis=0)
    print("useful number, row number, coin, useful bit: gain, permutation", *found.round(3))
    alone, twice = [], []
    for seed in seeds:
        X, y = with_copy(seed)
        alone.append(both_importances(X[:, :5], y, seed))
        twice.append(both_importances(X, y, seed))
    print("columns 0 and 1 decide: gain, permutation", *np.mean(alone, axis=0).round(3))
    print("and column 5 is nearly column 0:", *np.mean(twice, axis=0).round(3))
    for placement in ("uniform", "interior", "corner"):
        relative = importances_of_noise(placement).round(2)
        print(f"noise, placement {placement}: corner, edge, inside", relative)


def holes_at_random(n: int, seed: int) -> tuple[Array, Array]:
    """Return a table of which three numbers of ten are missing, wherever."""
    X, y = noisy_table(n, seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.3] = np.nan
    return X, y


def holes_that_tell(n: int, seed: int) -> tuple[Array, Array]:
    """Return the same with numbers that are missing more often in class 1: 0.4 against 0.2."""
    X, y = noisy_table(n, seed)
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
    print_errors(Problem(noisy_table, 1000), named)


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


MEASUREMENTS = {f.__name__: f for f in (tables, tune, importance, units)}

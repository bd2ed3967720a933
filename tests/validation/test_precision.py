"""Values that single precision makes equal: forests warn of them, and of nothing else."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import manifoldforest as mf
from manifoldforest.validation._precision import _numbers, merged_shares

RNG = np.random.default_rng(0)
EPOCH = 1_700_000_000


def shares(X):
    X = np.asarray(X)
    X = X if X.ndim > 1 else X[:, None]
    return merged_shares(X, X.reshape(len(X), -1).astype(np.float32))


def share_counted(x):
    """The share of the distinct values of a column that become equal, by its definition."""
    distinct = np.unique(x[~np.isnan(x)])
    return 1 - len(np.unique(distinct.astype(np.float32))) / len(distinct)


MERGED = {
    "seconds": EPOCH + np.arange(10_000),
    "seconds as floats": EPOCH + np.arange(10_000.0),
    "seconds of a shuffled year": EPOCH + RNG.integers(0, 31_536_000, 200_000),
    "minutes of three years": EPOCH + 60 * np.arange(1_500_000),
    "fractions of a day": EPOCH + 86_400 * RNG.random(5_000),
    "decimals of a year": np.round(EPOCH + RNG.uniform(0, 31_536_000, 200_000), 3),
    "decimals of ten years": np.round(EPOCH - RNG.uniform(0, 315_360_000, 1_000_000), 3),
    "decimals with gaps": np.where(
        RNG.random(200_000) < 0.5, np.nan, EPOCH + RNG.uniform(0, 31_536_000, 200_000)
    ),
    "milliseconds": 1000 * EPOCH + np.arange(2_000),
    "ids": 2**24 + np.arange(1_000),
    "unsigned ids": (3_000_000_000 + np.arange(1_000)).astype(np.uint32),
    "random 32-bit ids": RNG.integers(0, 2**32, 1_000_000, dtype=np.uint32),
    "64-bit ids": 2**60 + np.arange(1_000),
    "times with gaps": np.where(RNG.random(5_000) < 0.5, np.nan, EPOCH + np.arange(5_000)),
    "a few large ids": np.where(np.arange(100_000) % 20, 0, 2**29) + np.arange(100_000.0),
}
KEPT = {
    "normal": RNG.normal(size=1_000_000),
    "uniform": RNG.random(1_000_000),
    "skewed": np.exp(3 * RNG.normal(size=100_000)),
    "large normal": 1e9 * RNG.normal(size=1_000_000),
    "large uniform": 1e12 * RNG.random(1_000_000),
    "large skewed": np.round(1e8 * np.exp(2 * RNG.normal(size=1_000_000)), 2),
    "large with gaps": np.where(RNG.random(1_000_000) < 0.5, np.nan, 1e9 * RNG.random(1_000_000)),
    "far from zero": 1e6 + 1e5 * RNG.normal(size=10_000),
    "tenths": np.round(1000 * RNG.random(100_000), 1),
    "hours": EPOCH + 3600 * np.arange(20_000),
    "half hours": EPOCH + 1800.5 * np.arange(20_000),
    "small ids": np.arange(100_000),
    "rare large ids": np.where(RNG.random(100_000) < 0.003, 2**28, 1) + np.arange(100_000),
    "short integers": np.arange(-3_000, 3_000, dtype=np.int16),
    "one value": np.full(5_000, EPOCH + 0.1),
    "nothing": np.full(5_000, np.nan),
    "single row": np.array([0.1]),
}


@pytest.mark.parametrize("case", MERGED)
def test_merged_values_are_found(case):
    x = MERGED[case]
    (found,) = shares(x).values()
    if len(x) <= 2_000 or "fractions" not in case:
        assert found == pytest.approx(share_counted(x), rel=0.25, abs=0.002)


@pytest.mark.parametrize("case", KEPT)
def test_ordinary_values_are_not_merged(case):
    assert shares(KEPT[case]) == {}


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("n", [1_000, 5_000])
@pytest.mark.parametrize("sign", [-1, 1])
def test_small_integers_need_no_look(monkeypatch, make, n, sign):
    small = sign * RNG.integers(0, 2**24, (n, 3))
    looked_at = []

    def numbers(X, rows, features=None):
        looked_at.append(features)
        return _numbers(X, rows, features)

    monkeypatch.setattr("manifoldforest.validation._precision._numbers", numbers)
    assert merged_shares(make(small), small.astype(np.float32)) == {}
    assert looked_at == []
    large = small.copy()
    large[:, 1] = sign * (2**24 + np.arange(n) % 2)  # both are 2**24 in single precision
    assert merged_shares(make(large), large.astype(np.float32)) == {1: 0.5}
    assert {tuple(features) for features in looked_at} == {(1,)}


def test_columns_are_told_apart():
    X = np.stack([RNG.normal(size=5_000), EPOCH + np.arange(5_000), np.arange(5_000)], axis=1)
    assert shares(X).keys() == {1}
    assert shares(np.stack([X, X], axis=2)).keys() == {2, 3}
    assert shares(X.astype(np.float32)) == {}


TABLES = {
    "array": (lambda columns: np.stack(list(columns.values()), axis=1), "columns 1 and 2"),
    "list": (lambda columns: np.stack(list(columns.values()), axis=1).tolist(), "columns 1 and 2"),
    "pandas": (pd.DataFrame, "columns 'time' and 'id'"),
    "pandas with gaps": (lambda c: pd.DataFrame(c).convert_dtypes(), "columns 'time' and 'id'"),
    "polars": (pl.DataFrame, "columns 'time' and 'id'"),
    "images": (
        lambda columns: np.stack(list(columns.values()), axis=1)[:, :, None],
        r"columns \[:, 1, 0\] and \[:, 2, 0\]",
    ),
}


@pytest.mark.parametrize("n", [200, 3_000])
@pytest.mark.parametrize("case", TABLES)
def test_a_fit_warns_once_and_names_the_columns(case, n):
    make, named = TABLES[case]
    columns = {
        "length": RNG.normal(size=n),
        "time": EPOCH + np.arange(n),
        "id": 2**26 + np.arange(n),
    }
    y = np.arange(n) % 2
    for forest in (mf.ForestClassifier(1), mf.ForestRegressor(1)):
        with pytest.warns(UserWarning, match=f"{named} of X hold values that differ") as caught:
            forest.fit(make(columns), y)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            forest.predict(make(columns))


def test_forests_in_metric_spaces_warn_as_well():
    X = EPOCH + np.arange(50.0)[:, None]
    with pytest.warns(UserWarning, match="column 0 of X holds values that differ"):
        mf.MetricForestRegressor(1, space="circle").fit(X, np.arange(50.0))
    with pytest.warns(UserWarning, match="column 0 of X holds values that differ"):
        mf.KernelForestRegressor(1).fit(X, np.arange(50.0))


def test_what_the_warning_advises_helps():
    X = EPOCH + np.arange(500.0)[:, None]
    y = np.arange(500) % 2
    with pytest.warns(UserWarning, match="Subtract a constant"):
        blind = mf.ForestClassifier(1, bootstrap=False).fit(X, y)
    assert blind.score(X, y) < 0.6
    assert mf.ForestClassifier(1, bootstrap=False).fit(X - X.min(), y).score(X - X.min(), y) == 1

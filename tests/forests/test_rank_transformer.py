"""Pass to ranks, against scipy's ranks and an interpolation written out as a loop."""

import time

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from manifoldforest import RankTransformer


def ranks_by_loop(train, x):
    """The rule in words: one value at a time."""
    ranks = rankdata(train)
    if x < train.min():
        return 0.0
    if x > train.max():
        return len(train) + 1.0
    if x in train:
        return ranks[train == x][0]
    a, b = train[train < x].max(), train[train > x].min()
    rank_a, rank_b = ranks[train == a][0], ranks[train == b][0]
    return rank_a + (x - a) / (b - a) * (rank_b - rank_a)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return np.column_stack(
        [rng.normal(size=60), rng.integers(0, 7, size=60), rng.exponential(size=60) * 1e6]
    )


@parametrize_with_checks([RankTransformer()])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_training_values_become_average_ranks(table):
    expected = rankdata(table, axis=0)
    assert_array_equal(RankTransformer().fit_transform(table), expected)


def test_unseen_values_are_interpolated(table):
    rng = np.random.default_rng(1)
    unseen = np.concatenate([table * rng.uniform(0.5, 1.5, size=table.shape), -table, 3 * table])
    result = RankTransformer().fit(table).transform(unseen)
    expected = [
        [ranks_by_loop(table[:, j], x) for j, x in enumerate(example)] for example in unseen
    ]
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert (result == 0).any()
    assert (result == len(table) + 1).any()


def test_transform_is_monotone(table):
    grid = np.linspace(table.min(axis=0) - 1, table.max(axis=0) + 1, 2001)
    assert (np.diff(RankTransformer().fit(table).transform(grid), axis=0) >= 0).all()


def test_ranks_do_not_change_under_monotone_maps(table):
    ranks = RankTransformer()
    assert_array_equal(ranks.fit_transform(table), ranks.fit_transform(np.arctan(table / 1e5)))


def test_missing_values_stay_missing_and_are_not_counted():
    X = np.array([[5.0, np.nan], [np.nan, np.nan], [1.0, np.nan], [5.0, np.nan]])
    ranks = RankTransformer().fit(X)
    assert_array_equal(ranks.counts_, [3, 0])
    assert_array_equal(ranks.transform(X)[:, 0], [2.5, np.nan, 1, 2.5])
    assert_array_equal(
        ranks.transform([[9.0, np.nan], [0.0, 3.0], [3.0, -3.0]]), [[4, np.nan], [0, 0], [1.75, 0]]
    )


def test_a_constant_feature():
    ranks = RankTransformer().fit([[2.0], [2.0], [2.0]])
    assert_array_equal(ranks.transform([[1.0], [2.0], [3.0]]), [[0], [2], [4]])


@pytest.mark.parametrize("unit", [5e-324, 1e308])
def test_the_ends_of_the_floating_point_range(unit):
    ranks = RankTransformer().fit(np.array([[-unit], [0.0], [unit]]))
    result = ranks.transform(np.array([[-1.5], [-1.0], [-0.5], [0.0], [1.0]]) * unit)
    assert np.isfinite(result).all()
    assert_array_equal(result[[1, 3, 4], 0], [1, 2, 3])


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [(np.float32, np.float32), (np.float64, np.float64), (np.uint8, np.float64)],
)
def test_dtype_of_the_result(dtype, expected):
    X = np.array([[3, 0], [1, 4], [2, 4]], dtype=dtype)
    result = RankTransformer().fit_transform(X)
    assert result.dtype == expected
    assert_array_equal(result, [[3, 1], [1, 2.5], [2, 2.5]])


def test_float32_and_float64_of_the_same_numbers_have_the_same_ranks(table):
    single = table.astype(np.float32)
    ranks = RankTransformer().fit(single)
    assert_array_equal(ranks.transform(single), ranks.transform(single.astype(np.float64)))


def test_stored_values_are_flat_arrays(table):
    ranks = RankTransformer().fit(table)
    for j, column in enumerate(table.T):
        entries = slice(ranks.offsets_[j], ranks.offsets_[j + 1])
        assert_array_equal(ranks.values_[entries], np.unique(column))
        assert_array_equal(ranks.ranks_[entries], np.unique(rankdata(column)))
    assert ranks.offsets_.dtype == np.int64
    assert ranks.counts_.dtype == np.float64


@pytest.mark.parametrize("chunk", [1, 150, 10**6])
def test_chunks_of_columns_do_not_matter(table, chunk, monkeypatch):
    table[::4, 1] = np.nan
    wide = np.column_stack([np.full(60, np.nan), table, np.full(60, np.nan), -table])
    wide = np.column_stack([wide, np.full(60, np.nan)])
    expected = RankTransformer().fit(wide)
    monkeypatch.setattr("manifoldforest.forests._rank_transformer._CHUNK", chunk)
    ranks = RankTransformer().fit(wide)
    for name in ("values_", "ranks_", "offsets_", "counts_"):
        assert_array_equal(getattr(ranks, name), getattr(expected, name))
    unseen = np.nan_to_num(wide, nan=7.0) * 1.1
    assert_array_equal(ranks.transform(unseen), expected.transform(unseen))
    assert not ranks.transform(unseen)[:, [0, 4, 8]].any()
    columns = [RankTransformer().fit(wide[:, [j]]).transform(unseen[:, [j]]) for j in range(9)]
    assert_array_equal(ranks.transform(unseen), np.hstack(columns))


def test_many_features_take_no_loop():
    X = np.random.default_rng(0).normal(size=(5, 100_000))
    start = time.perf_counter()
    RankTransformer().fit(X).transform(X[:1])
    assert time.perf_counter() - start < 1  # a loop over features takes several seconds


# Weights


def test_whole_weights_are_repetitions(table):
    table[::5, 0] = np.nan
    weight = np.random.default_rng(0).integers(0, 4, size=60)
    weighted = RankTransformer().fit(table, sample_weight=weight)
    repeated = RankTransformer().fit(table.repeat(weight, axis=0))
    for name in ("values_", "ranks_", "offsets_", "counts_"):
        assert_array_equal(getattr(weighted, name), getattr(repeated, name))


def test_fractional_weights_lie_between_whole_ones():
    X = [[1.0], [5.0], [5.0], [9.0]]
    ranks = RankTransformer().fit(X, sample_weight=[0.5, 1, 0.25, 2])
    assert_array_equal(ranks.ranks_, [0.75, 1.625, 3.25])
    assert_array_equal(ranks.transform([[0.0], [10.0]]), [[0], [4.75]])


def test_rows_of_weight_zero_are_absent(table):
    weight = np.where(np.arange(60) < 20, 0.0, 0.3)
    ranks = RankTransformer().fit(table, sample_weight=weight)
    assert_array_equal(ranks.values_, RankTransformer().fit(table[20:]).values_)


def test_bad_weights_are_refused(table):
    for weight in (np.ones(59), np.full(60, -1.0), np.zeros(60)):
        with pytest.raises(ValueError, match="sample_weight must"):
            RankTransformer().fit(table, sample_weight=weight)
    with pytest.raises(TypeError, match="sample_weight must"):
        RankTransformer().fit(table, sample_weight=np.full(60, 1j))


def test_weights_are_routed(table):
    weight = np.arange(60) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(RankTransformer().set_fit_request(sample_weight=True))
        routed = pipeline.fit(table, sample_weight=weight).transform(table)
    assert_array_equal(routed, RankTransformer().fit(table, sample_weight=weight).transform(table))


def test_refusals(table):
    with pytest.raises(ValueError, match="infinity"):
        RankTransformer().fit([[np.inf], [1.0]])
    with pytest.raises(ValueError, match="3 features"):
        RankTransformer().fit(table).transform(table[:, :2])
    with pytest.raises(ValueError, match="2D|dim 3"):
        RankTransformer().fit(table[None])


def test_a_clone_is_not_fitted(table):
    assert not hasattr(clone(RankTransformer().fit(table)), "ranks_")


def test_names_of_features_are_kept(table):
    ranks = RankTransformer().fit(table)
    assert_array_equal(ranks.get_feature_names_out(["a", "b", "c"]), ["a", "b", "c"])

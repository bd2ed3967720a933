"""Splitters other than exact, the kernels of every instruction set, and rows copied into blocks."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import manifoldforest as mf
import stages
from manifoldforest import _core
from reference import growing
from reference.chance import assert_continuous
from reference.criteria import gain_of

KERNELS = _core.supported_kernels()
ADDITIVE = ["gini", "entropy", "squared_error", "poisson"]


@pytest.fixture
def restore_kernels():
    yield
    stages.use_kernels(KERNELS[-1])


def problem(n, criterion, seed=0, kind=np.float32):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n)
    values = values.astype(np.float32) if kind == np.float32 else (values * 300).astype(np.int32)
    signal = values > np.quantile(values, 0.3)
    if criterion in ("gini", "entropy"):
        labels = np.where(rng.random(n) < 0.8, signal, rng.integers(0, 3, n))
        return values, labels.astype(np.int32)[:, None], [3]
    y = (signal + rng.normal(size=n))[:, None]
    return values, np.maximum(y, 0) if criterion == "poisson" else y, []


def find(values, y, n_classes, criterion, splitter, seed=0, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    count = np.clip(weight, 1, 2**31 - 1).astype(np.int64)
    return stages.find_split(values, y, weight, count, criterion, n_classes, 1, 0.0, splitter, seed)


@pytest.mark.parametrize("kind", [np.float32, np.int32])
@pytest.mark.parametrize("criterion", [*ADDITIVE, "absolute_error"])
@pytest.mark.parametrize("splitter", ["auto", "histogram", "random"])
@pytest.mark.parametrize("n", [40, 300, 3000])
def test_the_gain_of_a_split_is_the_naive_gain_of_its_threshold(n, splitter, criterion, kind):
    if criterion == "absolute_error" and n > 300:
        n = 500
    values, y, n_classes = problem(n, criterion, kind=kind)
    threshold, gain, _ = find(values, y, n_classes, criterion, splitter)
    naive = gain_of(values <= threshold, y, np.ones(n), criterion, n_classes)
    assert gain == pytest.approx(naive, rel=1e-9)


@pytest.mark.parametrize("kind", [np.float32, np.int32])
@pytest.mark.parametrize("criterion", ADDITIVE)
@pytest.mark.parametrize("splitter", ["auto", "histogram"])
def test_bins_find_nearly_the_best_gain_and_never_more(splitter, criterion, kind):
    for seed in range(5):
        values, y, n_classes = problem(4000, criterion, seed, kind)
        _, exact, _ = find(values, y, n_classes, criterion, "exact")
        _, binned, _ = find(values, y, n_classes, criterion, splitter)
        assert 0.9 * exact < binned <= exact * (1 + 1e-9)


def test_one_outlier_does_not_empty_the_bins():
    values, y, n_classes = problem(4000, "gini")
    _, plain, _ = find(values, y, n_classes, "gini", "auto")
    values[17] = 1e30
    _, with_outlier, _ = find(values, y, n_classes, "gini", "auto")
    assert with_outlier > 0.95 * plain


@pytest.mark.parametrize("criterion", ADDITIVE)
def test_bins_learn_where_missing_values_go(criterion):
    values, y, n_classes = problem(4000, criterion)
    high = values > np.quantile(values, 0.7)
    values[high & (np.arange(4000) % 2 == 0)] = np.nan
    exact = find(values, y, n_classes, criterion, "exact")
    binned = find(values, y, n_classes, criterion, "auto")
    assert binned[2] == exact[2]
    assert binned[1] > 0.9 * exact[1]


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("period", [2, 4, 8])  # rarer rows are finer than 64 bins resolve
def test_bins_see_through_a_regular_pattern_of_rows(criterion, period):
    # All rows but one in each period are missing, or belong to another class with other values.
    n = 4096
    rare = np.arange(n) % period == 1
    values, _, _ = problem(n, criterion)
    y = (values > 0).astype(np.int32)[:, None]
    missing = np.where(rare, values, np.nan).astype(np.float32)
    shifted = np.where(rare, values + 100, values).astype(np.float32)
    for column, labels in ((missing, y), (shifted, rare.astype(np.int32)[:, None])):
        exact = find(column, labels, [2], criterion, "exact")
        assert find(column, labels, [2], criterion, "auto")[1] > 0.9 * exact[1]


@pytest.mark.parametrize("n", [10, 64, 65, 300, 5000])
def test_auto_is_exact_on_few_integers_and_small_nodes(n):
    rng = np.random.default_rng(n)
    for seed in range(10):
        weight = rng.integers(1, 5, n).astype(float)
        values = rng.integers(-100, 100, n).astype(np.int32)
        y = rng.integers(0, 4, (n, 1)).astype(np.int32)
        exact = find(values, y, [4], "gini", "exact", weight=weight)
        assert find(values, y, [4], "gini", "auto", seed, weight) == exact
        if n <= 64:
            floats = rng.normal(size=n).astype(np.float32)
            exact = find(floats, y, [4], "gini", "exact", weight=weight)
            assert find(floats, y, [4], "gini", "auto", seed, weight) == exact


def test_random_thresholds_are_uniform_between_smallest_and_largest_value():
    values = np.array([0, 0.1, 0.2, 1.0], np.float32)
    y = np.array([[0], [1], [0], [1]], np.int32)
    found = [find(values, y, [2], "gini", "random", seed) for seed in range(4000)]
    thresholds = np.array([split[0] for split in found if split is not None])
    # Below 0.1 and from 0.2 on the gain is positive; between 0.1 and 0.2 it is zero, and no split.
    assert not np.any((thresholds >= 0.1) & (thresholds < 0.2))
    below = thresholds[thresholds < 0.1]
    assert_continuous(below, stats.uniform(0, 0.1).cdf)
    assert_continuous(thresholds[thresholds >= 0.2], stats.uniform(0.2, 0.8).cdf)


def grow(X, y, splitter, sampler="axis", n_threads=1, **settings):
    options = _core.GrowOptions()
    options.n_trees, options.n_classes, options.n_candidates = 3, [3], 6
    options.splitter, options.seed = splitter, 5
    for name, value in settings.items():
        setattr(options, name, value)
    n, p = X.shape
    geometry = _core.Geometry(p)
    if sampler == "axis":
        drawn = _core.axis_sampler(p)
    elif sampler == "sporf":
        drawn = _core.sporf_sampler(p, 1.5, "fixed")
    else:
        grid = geometry.add_grid([4, p // 4], [True, True])
        drawn = _core.patch_sampler(
            [4, p // 4], grid, ["contiguous"] * 2, [1, 1], [3, 3], "uniform"
        )
    ones = np.ones(n)
    arguments = (y[:, 0].copy(), ones, ones, ones.astype(np.int64), geometry, drawn, options)
    return growing.grow(X, y, *arguments, n_threads=n_threads)


def images(dtype, n=3000, p=24):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 255, (n, p))
    y = (X[:, 3] + X[:, 4] > 255).astype(int) + (X[:, 10] > 200)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), y)
    return X.astype(dtype), y.astype(np.int32)[:, None]


@pytest.mark.usefixtures("restore_kernels")
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("splitter", ["exact", "auto"])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("sampler", ["axis", "sporf", "patches"])
def test_every_instruction_set_grows_the_same_forest(kernels, splitter, dtype, sampler):
    X, y = images(dtype)
    stages.use_kernels(KERNELS[0])
    expected = grow(X, y, splitter, sampler)
    stages.use_kernels(kernels)
    found = grow(X, y, splitter, sampler)
    assert all(np.array_equal(found[name], expected[name]) for name in expected)


@pytest.mark.usefixtures("restore_kernels")
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("n", [2, 15, 16, 17, 63, 64, 65, 700, 70000])
def test_every_instruction_set_finds_the_same_splits(kernels, n):
    rng = np.random.default_rng(n)
    columns = [
        rng.integers(0, 256, n).astype(np.uint8),
        (rng.integers(0, 4, n) * 85).astype(np.uint8),
        rng.integers(0, 5, n).astype(np.int32),
        rng.integers(-128, 127, n).astype(np.int32),
        rng.integers(-3000, 3000, n).astype(np.int32),
        rng.normal(size=n).astype(np.float32),
    ]
    for n_classes in (2, 5, 9, 30):
        y = rng.integers(0, n_classes, (n, 1)).astype(np.int32)
        weight = rng.integers(1, 9, n).astype(float)
        for column, splitter in itertools.product(columns, ["auto", "random"]):
            results = []
            for name in (KERNELS[0], kernels):
                stages.use_kernels(name)
                results.append(find(column, y, [n_classes], "gini", splitter, 0, weight))
            assert results[0] == results[1]


@pytest.mark.usefixtures("restore_kernels")
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("splitter", ["exact", "auto", "histogram", "random"])
@pytest.mark.parametrize("criterion", [*ADDITIVE, "absolute_error"])
def test_bytes_are_split_like_the_same_whole_numbers(criterion, splitter, kernels):
    stages.use_kernels(kernels)
    rng = np.random.default_rng(5)
    for n in (2, 17, 64, 65, 300, 5000) if criterion != "absolute_error" else (2, 64, 200):
        values, y, n_classes = problem(n, criterion, n, np.int32)
        column = np.clip(values // 8 + 128, 0, 255).astype(np.uint8)
        weight = rng.integers(1, 9, n).astype(float)
        found = find(column, y, n_classes, criterion, splitter, 3, weight)
        expected = find(column.astype(np.int32), y, n_classes, criterion, splitter, 3, weight)
        assert found == expected


def exact_gain(left, y, weight):
    """W I(S) - W_L I(S_L) - W_R I(S_R) under Gini, in fractions of whole numbers."""

    def loss(rows):
        counts = [int(weight[rows & (y[:, 0] == k)].sum()) for k in np.unique(y)]
        total = sum(counts)
        return Fraction(total**2 - sum(c**2 for c in counts), total)

    everything = np.ones(len(y), bool)
    return loss(everything) - loss(left) - loss(~left)


# Edges of the ranges: a weight of 16 bits in a row, 15, 16 and 31 bits in a node, and beyond.
HEAVY = [
    *((n, top) for n in (4, 64, 65, 300) for top in (2**15 - 1, 2**15, 2**16 - 1, 2**16)),
    *((n, n * heaviest) for n in (4, 64, 65, 300) for heaviest in (2**16 - 1, 2**16, 2**40)),
    (2**15, 2**31 - 1),
    (2**15 + 1, 2**31),
]


@pytest.mark.usefixtures("restore_kernels")
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("splitter", ["exact", "auto", "random"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32])
@pytest.mark.parametrize(("n", "top"), HEAVY)
def test_heavy_nodes_are_counted_without_overflow(n, top, dtype, splitter, kernels):
    stages.use_kernels(kernels)
    rng = np.random.default_rng(n)
    n_classes = 2 if n == 4 else 12
    scale = 1 if dtype == np.uint8 else 1000
    values = (scale * rng.permutation(np.arange(n) % 200)).astype(dtype)
    y = (np.argsort(np.argsort(values)) * n_classes // n).astype(np.int32)[:, None]
    weight = np.full(n, top // n)
    weight[: top % n] += 1
    found = find(values, y, [n_classes], "gini", splitter, 1, weight.astype(float))
    assert found is not None
    threshold, gain, _ = found
    assert gain == pytest.approx(float(exact_gain(values <= threshold, y, weight)), rel=1e-6)
    if splitter == "exact":
        tried = np.unique(values)[:-1]
        best = max(exact_gain(values <= t, y, weight) for t in tried[:: len(tried) // 40 + 1])
        assert gain >= float(best) * (1 - 1e-6)


HEAVIER = [255.0, 65535.0, 65536.0, 1e6 + 0.5, 8e6]


@pytest.mark.parametrize("heavier", HEAVIER)
@pytest.mark.parametrize("splitter", ["exact", "auto", "histogram"])
@pytest.mark.parametrize("n", [30, 200, 3000])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_light_rows_between_heavy_ones_are_told_apart(criterion, n, splitter, heavier):
    X = np.arange(n, dtype=np.float64)[:, None]
    y = ((X[:, 0] > 0.4 * n) & (X[:, 0] < 0.6 * n)).astype(int)
    kind = mf.ForestRegressor if criterion == "squared_error" else mf.ForestClassifier
    forest = kind(
        1, criterion=criterion, splitter=splitter, projection="axis", bootstrap=False, n_jobs=1
    )
    forest.fit(X, y, np.where(y == 1, 1.0, heavier))
    assert np.array_equal(forest.predict(X), y)


@pytest.mark.usefixtures("restore_kernels")
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("criterion", ADDITIVE)
@pytest.mark.parametrize(
    "extremes", [[], [1e30, -1e-30], [np.inf], [-np.inf, np.inf], [3e38, -3e38]]
)
@pytest.mark.parametrize("n", [70, 300, 5000])
def test_sorting_finds_the_best_threshold_whatever_the_spread(n, extremes, criterion, kernels):
    stages.use_kernels(kernels)
    values, y, n_classes = problem(n, criterion, n)
    values[:40] = 0.25  # a heap of equal values
    values[40 : 40 + len(extremes)] = extremes
    weight = np.random.default_rng(n).integers(1, 9, n).astype(float)
    threshold, gain, _ = find(values, y, n_classes, criterion, "exact", 0, weight)
    tried = np.unique(values)[:-1]
    if n > 300:
        tried = tried[:: len(tried) // 100]
    gains = [gain_of(values <= t, y, weight, criterion, n_classes) for t in tried]
    assert gain >= max(gains) * (1 - 1e-9)
    naive = gain_of(values <= threshold, y, weight, criterion, n_classes)
    assert gain == pytest.approx(naive, rel=1e-9)


def test_data_too_wide_for_a_copy_are_split_where_they_lie():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 70_000)).astype(np.float32)
    y = (X[:, 69_999] > 0).astype(np.int32)[:, None]
    arrays = grow(X, y, "exact", n_candidates=70_000, n_trees=1, bootstrap=False)
    assert list(arrays["atom_ints"]) == [69_999]


def test_kernels_of_another_machine_are_refused():
    with pytest.raises(ValueError, match="cannot run"):
        stages.use_kernels("no such set")


@pytest.mark.parametrize("splitter", ["exact", "auto", "histogram", "random"])
def test_splitters_are_the_same_for_any_number_of_threads(splitter):
    X, y = images(np.float32, 800)
    one, four = grow(X, y, splitter, n_threads=1), grow(X, y, splitter, n_threads=4)
    assert all(np.array_equal(one[name], four[name]) for name in one)


@pytest.mark.parametrize(
    ("dtype", "missing"), [(np.uint8, False), (np.float32, False), (np.float32, True)]
)
def test_a_block_of_copied_rows_projects_as_the_data_do(dtype, missing):
    X, _ = images(dtype, 200)
    if missing:
        X[::7, 5] = np.nan
    geometry = _core.Geometry(24)
    grid = geometry.add_grid([4, 6], [True, True])
    atoms = {
        "atom_kind": np.array([0, 1, 1], np.uint8),
        "atom_offsets": np.array([0, 2, 7, 12], np.int64),
        "atom_ints": np.array([3, 5, grid, 0, 2, 1, 5, grid, 2, 4, 4, 3], np.int32),
        "weight_offsets": np.array([0, 2, 2, 2], np.int64),
        "atom_weights": np.array([1, -1], np.float32),
    }
    plain = stages.project(X, geometry, atoms)
    assert np.array_equal(plain, stages.project(X, geometry, atoms, True), equal_nan=True)
    assert np.isnan(plain).any() == missing


@pytest.mark.usefixtures("restore_kernels")
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("n", [1, 7, 8, 9, 64, 135, 136, 137, 300])
def test_sums_of_few_columns_are_those_in_double_bit_for_bit(n, kernels):
    rng = np.random.default_rng(n)
    X = np.exp(rng.normal(0, 8, (n, 6))).astype(np.float32) * rng.choice([-1, 1], (n, 6))
    X = X.astype(np.float32)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[-1, 2] = np.nan
    terms = [
        (rng.permutation(6)[:size], sign) for size in (1, 2, 3, 4, 5) for sign in (True, False)
    ]
    weights = [
        (rng.choice([-1, 1], len(features)) if sign else rng.normal(size=len(features)))
        for features, sign in terms
    ]
    lengths = np.cumsum([0] + [len(features) for features, _ in terms])
    atoms = {
        "atom_kind": np.zeros(len(terms), np.uint8),
        "atom_offsets": lengths,
        "atom_ints": np.concatenate([features for features, _ in terms]).astype(np.int32),
        "weight_offsets": lengths,
        "atom_weights": np.concatenate(weights).astype(np.float32),
    }
    expected = np.zeros((n, len(terms)))
    for atom, (features, _) in enumerate(terms):
        for feature, weight in zip(features, weights[atom].astype(np.float32), strict=True):
            expected[:, atom] += np.float64(weight) * X[:, feature].astype(np.float64)
    stages.use_kernels(kernels)
    for in_block in (False, True):
        values = stages.project(X, _core.Geometry(6), atoms, in_block)
        assert np.array_equal(values, expected.astype(np.float32), equal_nan=True)

"""The search for squared error: columns of keys and of ranks, one and several outputs."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import manifoldforest as mf
import stages
from manifoldforest import _core
from reference import growing
from reference.criteria import candidate_splits, first_best, gain_of, impurity

KERNELS = _core.supported_kernels()
OUTPUTS = [1, 2, 3, 4, 7, 8, 11, 12, 20]  # rows of 2, 4, 8, 12 numbers, and of more


@pytest.fixture(autouse=True)
def restore_kernels():
    yield
    stages.use_kernels(KERNELS[-1])


def draw(n, n_outputs, kind, seed=0):
    """A column on a grid, so that thresholds are exact, and responses that depend on it."""
    rng = np.random.default_rng([n, n_outputs, seed])
    values = np.round(rng.normal(size=n) * (4096 if kind == "distinct" else 4)) / 4096
    values = values.astype(np.float32)
    if kind == "missing":
        values[rng.random(n) < 0.3] = np.nan
    y = (
        rng.integers(-20, 20, (n, n_outputs)) / 8
        + np.round(3 * (np.nan_to_num(values) > 0))[:, None]
    )
    return values, y, rng


def find(values, y, weight, count, splitter="exact", min_samples_leaf=1, **options):
    weight, count = np.asarray(weight, np.float64), np.asarray(count, np.int64)
    limits = (min_samples_leaf, 0.0)
    return stages.find_split(
        values, y, weight, count, "squared_error", [], *limits, splitter, **options
    )


def weights(rng, n, kind):
    """Weights and counts of rows."""
    count = rng.integers(1, 4, n)
    if kind == "ones":
        return np.ones(n), np.ones(n, np.int64)
    return (count if kind == "counts" else count * rng.integers(1, 9, n) / 8).astype(float), count


@pytest.mark.parametrize("ranked", [False, True])
@pytest.mark.parametrize("weighted", ["ones", "counts", "fractions"])
@pytest.mark.parametrize("kind", ["distinct", "ties", "missing"])
@pytest.mark.parametrize("n_outputs", OUTPUTS)
def test_the_split_is_the_naive_best_one(n_outputs, kind, weighted, ranked):
    """Up to ties: gains closer than 1e-11 of the node's loss are equal, and the first one wins."""
    for n, least in itertools.product((2, 3, 8, 17, 64, 65, 200), (1, 4)):
        values, y, rng = draw(n, n_outputs, kind)
        if len(np.unique(values)) < 2:
            continue
        weight, count = weights(rng, n, weighted)
        rounding = 1e-11 * weight.sum() * impurity(y, weight, "squared_error")
        splits = candidate_splits(values, y, weight, count, "squared_error", min_samples_leaf=least)
        best = first_best(splits, tolerance=rounding)
        found = find(values, y, weight, count, min_samples_leaf=least, ranked=ranked)
        assert (found is None) == (best is None)
        if best is None:
            continue
        assert found[1] == pytest.approx(best.gain, abs=10 * rounding)
        if np.isfinite(best.threshold):
            assert found[0] == best.threshold
        if np.isnan(values).any():
            assert found[2] == best.missing_left


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("n_outputs", OUTPUTS)
def test_every_instruction_set_finds_the_same_bits(n_outputs, kernels):
    for n in (2, 7, 16, 17, 33, 48, 64, 65, 700, 4096, 9000):
        values, y, rng = draw(n, n_outputs, "distinct")
        y = y + rng.normal(size=y.shape)
        weight, count = weights(rng, n, "counts")
        for splitter, ranked in (
            ("exact", False),
            ("auto", False),
            ("random", False),
            ("exact", True),
        ):
            if ranked and n > 4096:
                continue
            results = []
            for name in (KERNELS[0], kernels):
                stages.use_kernels(name)
                results.append(find(values, y, weight, count, splitter, ranked=ranked))
            assert results[0] == results[1]


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("n", [5, 64, 500, 4096])
def test_ranks_and_keys_find_the_same_split(n, n_outputs):
    for kind, weighted in itertools.product(("distinct", "ties", "missing"), ("ones", "fractions")):
        values, y, rng = draw(n, n_outputs, kind)
        y = y + rng.normal(size=y.shape)
        weight, count = weights(rng, n, weighted)
        by_keys = find(values, y, weight, count)
        by_ranks = find(values, y, weight, count, ranked=True)
        assert by_ranks[0] == by_keys[0]
        assert by_ranks[2] == by_keys[2]
        assert by_ranks[1] == pytest.approx(by_keys[1], rel=1e-12)


@pytest.mark.parametrize("n", [30, 400, 3000])
@pytest.mark.parametrize("splitter", ["exact", "auto", "random"])
def test_large_responses_that_differ_by_little_keep_their_digits(n, splitter):
    values, y, rng = draw(n, 1, "distinct")
    y = 2.0**40 + np.round(y * 8 + rng.integers(-9, 9, y.shape)) / 8  # exact in double
    count = np.ones(n, np.int64)
    threshold, gain, _ = find(values, y, count, count, splitter)
    left = values <= threshold
    whole = [int(8 * (number - 2.0**40)) for number in y[:, 0]]

    def squared(rows):
        return Fraction(sum(itertools.compress(whole, rows)) ** 2, 64 * int(np.sum(rows)))

    exact = squared(left) + squared(~left) - squared(np.ones(n, bool))
    assert gain == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-120, 1e-30, 1e30, 1e120])
def test_weights_of_any_size_give_the_same_threshold(scale):
    values, y, rng = draw(50, 1, "distinct")
    weight, _ = weights(rng, 50, "fractions")
    count = np.ones(50, np.int64)
    expected = find(values, y, weight, count)
    found = find(values, y, weight * 2.0 ** round(np.log2(scale)), count)
    assert found[0] == expected[0]


def test_a_row_of_vanishing_weight_makes_no_split():
    values = np.array([1, 2], np.float32)
    assert find(values, np.array([[0.0], [1.0]]), [1.0, 1e-20], [1, 1]) is None


def grow(X, y, n_threads=1, count=None, **settings):
    options = growing.grow_options("squared_error", **settings)
    n, p = X.shape
    count = np.ones(n, np.int64) if count is None else count
    weight = (np.zeros(n, np.int32), np.ones(n), count.astype(float), count)
    return growing.grow(
        X, y, *weight, _core.Geometry(p), _core.axis_sampler(p), options, n_threads=n_threads
    )


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("least", [1, 2, 3])
def test_small_nodes_take_the_best_of_all_candidates(n_outputs, least):
    """Their search ends early, at a gain that no division of the rows exceeds."""
    p = 6
    for n in range(2 * least, 10):
        for seed in range(20):
            rng = np.random.default_rng([n, seed])
            X = rng.integers(0, 5, (n, p)).astype(np.float32)
            y = rng.integers(-9, 9, (n, n_outputs)).astype(np.float64)
            count = rng.integers(1, 4, n)
            splits = [
                split
                for column in X.T
                for split in candidate_splits(
                    column, y, count, count, "squared_error", min_samples_leaf=least
                )
            ]
            forest = grow(
                X,
                y,
                count=count,
                n_candidates=p,
                max_depth=1,
                min_samples_leaf=least,
                bootstrap=False,
                n_trees=1,
                seed=seed,
            )
            best = first_best(splits, tolerance=1e-9)
            gain = best.gain if best else 0.0
            assert forest["gain"][0] * count.sum() == pytest.approx(gain, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("splitter", ["exact", "auto", "random"])
@pytest.mark.parametrize("n_outputs", [1, 10])
@pytest.mark.parametrize("n", [600, 9000])  # one block by itself, and larger nodes
def test_no_bit_of_a_forest_depends_on_machine_or_threads(n, n_outputs, splitter):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 6)).astype(np.float32)
    X[:, 1] = np.round(X[:, 1])
    X[rng.random(X.shape) < 0.02] = np.nan
    y = np.nan_to_num(X[:, :1]) + rng.normal(size=(n, n_outputs))
    settings = {"splitter": splitter, "n_candidates": 3, "n_trees": 2}
    stages.use_kernels(KERNELS[0])
    expected = grow(X, y, **settings)
    for kernels, n_threads in itertools.product(KERNELS, (1, 2)):
        stages.use_kernels(kernels)
        found = grow(X, y, n_threads, **settings)
        for name, array in expected.items():
            np.testing.assert_array_equal(found[name], array, err_msg=name)


@pytest.mark.parametrize("n", [600, 9000])
def test_every_split_of_an_exact_tree_is_the_best_of_its_rows(n):
    """With one candidate per node, its threshold must be that of the naive search."""
    rng = np.random.default_rng(n)
    X = (np.round(rng.normal(size=(n, 1)) * 2000) / 2048).astype(np.float32)
    y = np.sin(3 * X.astype(np.float64)) + rng.normal(size=X.shape)
    forest = grow(X, y, splitter="exact", n_trees=1, bootstrap=False, max_depth=6)
    rows = {0: np.ones(n, bool)}
    for node, child in enumerate(forest["left"]):
        if child == 0:
            continue
        inside, threshold = rows[node], forest["threshold"][node]
        values, numbers = X[inside, 0], y[inside]
        rows[child] = inside & (X[:, 0] <= threshold)
        rows[child + 1] = inside & (X[:, 0] > threshold)
        tried = np.unique(values)[:-1]
        ones = np.ones(len(values))
        gain = gain_of(values <= threshold, numbers, ones, "squared_error")
        best = max(gain_of(values <= t, numbers, ones, "squared_error") for t in tried[::7])
        assert gain >= best - 1e-9 * len(values)


def crowd(X, kind):
    """Return other numbers in the same order, which may be far from evenly spread."""
    X = X.astype(float)
    first, last = X.argmin(), X.argmax()
    if kind == "exponential":
        return 10.0 ** (X / X.max() * 60 - 30)
    if kind == "clusters":
        return np.floor(X / 97) * 1e4 + X % 97
    if kind == "tiny":
        return X * 1e-42
    X[last] = 1e30
    if kind == "widest":  # whose range is no float
        X[first], X[last] = -3e38, 3e38
    return X


@pytest.mark.parametrize("n", [161, 1000, 4097])
@pytest.mark.parametrize("kind", ["exponential", "clusters", "outlier", "widest", "tiny"])
def test_only_the_order_of_a_column_decides_which_rows_are_together(kind, n):
    rng = np.random.default_rng(n)
    X = np.stack([rng.permutation(n) for _ in range(4)], axis=1)
    y = np.sin(X[:, 0] / n * 7) + X[:, 1] * (X[:, 2] > n / 3) / n + rng.normal(size=n) / 5
    crowded = np.stack([crowd(column, kind) for column in X.T], axis=1).astype(np.float32)
    assert all(len(np.unique(column)) == n for column in crowded.T)

    def leaves(X):
        forest = mf.ForestRegressor(
            3, projection="axis", splitter="exact", max_features=2, bootstrap=False, random_state=0
        )
        X = X.astype(np.float32)
        return forest.fit(X, y).apply(X)

    np.testing.assert_array_equal(leaves(crowded), leaves(X))

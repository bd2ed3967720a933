"""Nodes of few rows, whose candidates are all searched by one call."""

import numpy as np
import pytest

import stages
from manifoldforest import _core
from reference.chance import assert_continuous, assert_equally_likely, assert_follows

KERNELS = _core.supported_kernels()
SIZES = [*range(2, 18), 31, 32, 33, 63, 64]
WEIGHTS = ["ones", "counts", "fractions"]


@pytest.fixture(autouse=True)
def restore_kernels():
    yield
    stages.use_kernels(KERNELS[-1])


def draw(n, kind, seed, n_rows):
    """Rows of a node among others, with constant columns, ties, both zeros and tiny numbers."""
    rng = np.random.default_rng([n, seed, n_rows])
    X = rng.normal(size=(n_rows, 7)).astype(np.float32)
    X[:, 1] = 3
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] = np.where(X[:, 3] > 0, 0.0, -0.0)
    X[:, 4] *= np.float32(1e-42)
    X = np.ascontiguousarray(X[:, rng.permutation(7)])
    rows = np.sort(rng.choice(n_rows, n, replace=False)).astype(np.int32)
    count = np.ones(n_rows, np.int64) if kind == "ones" else rng.integers(1, 5, n_rows)
    weight = count * (rng.integers(1, 9, n_rows) / 8 if kind == "fractions" else 1.0)
    return X, rows, weight.astype(float), count, rng


def search(X, rows, y, weight, count, classes, least, splitter, together, seed=5, d=7):
    criterion = "gini" if classes else "squared_error"
    return stages.find_among(
        X, rows, y, weight, count, criterion, classes, least, splitter, seed, d, together
    )


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("n_rows", [70, 5000])  # all rows are a block, or those of the node
@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("splitter", ["exact", "random"])
def test_numbers_are_split_as_if_candidates_came_one_after_the_other(
    splitter, weighted, n_rows, kernels
):
    stages.use_kernels(kernels)
    n_found = 0
    for n in SIZES:
        for seed, least in ((0, 1), (1, 1), (2, 2)):
            if weighted == "fractions" and least > 1:
                continue  # counts that are no weights are searched by the general finder
            X, rows, weight, count, rng = draw(n, weighted, seed, n_rows)
            y = rng.normal(size=(n_rows, 1)) + X[:, :1]
            arguments = X, rows, y, weight, count, [], least, splitter
            found = search(*arguments, together=True)
            assert found == search(*arguments, together=False)
            n_found += found is not None
    assert n_found > len(SIZES)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("d", [1, 2, 8, 9, 17])  # eight columns fill a vector
def test_any_number_of_candidates_is_split_as_if_they_came_one_after_the_other(d, kernels):
    stages.use_kernels(kernels)
    n_found = 0
    for n in [*range(3, 18)]:
        rng = np.random.default_rng([n, d])
        X = rng.normal(size=(4096, 17)).astype(np.float32)  # the largest block
        X[:, ::3] = np.round(2 * X[:, ::3])
        last = np.argsort(X[:, 1], kind="stable")[-1]  # of the largest rank
        rows = np.sort([last, *rng.choice(np.delete(np.arange(4096), last), n - 1, replace=False)])
        y = rng.normal(size=(4096, 1)) + X[:, 1:2]
        count = rng.integers(1, 5, 4096)
        arguments = X, rows.astype(np.int32), y, count.astype(float), count, [], 1, "exact"
        found = search(*arguments, together=True, d=d)
        assert found == search(*arguments, together=False, d=d)
        n_found += found is not None
    assert n_found > 7


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 3, 11])
@pytest.mark.parametrize("weighted", ["ones", "counts"])
def test_classes_are_split_as_if_candidates_came_one_after_the_other(weighted, n_classes, kernels):
    stages.use_kernels(kernels)
    n_found = 0
    for n in SIZES:
        for seed, least in ((0, 1), (1, 1), (2, 2)):
            X, rows, weight, count, rng = draw(n, weighted, seed, 5000)
            y = rng.integers(0, n_classes, (5000, 1)).astype(np.int32)
            arguments = X, rows, y, weight, count, [n_classes], least, "random"
            found = search(*arguments, together=True)
            assert found == search(*arguments, together=False)
            n_found += found is not None
    assert n_found > len(SIZES)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("splitter", ["exact", "random"])
def test_the_rows_on_the_left_are_those_up_to_the_threshold(splitter, kernels):
    stages.use_kernels(kernels)
    for n in SIZES:
        X, rows, weight, count, rng = draw(n, "counts", 3, 70)
        y = rng.normal(size=(70, 1))
        arguments = X, rows, y, weight, count, [], 1, splitter
        candidate, threshold, gain, left = search(*arguments, together=True)
        is_left = X[rows, candidate] <= threshold
        assert [bool(left >> i & 1) for i in range(n)] == is_left.tolist()
        assert 0 < is_left.sum() < n
        assert gain >= 0


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize(("classes", "splitter"), [([], "exact"), ([], "random"), ([2], "random")])
def test_missing_values_are_left_to_the_search_of_single_columns(classes, splitter, kernels):
    stages.use_kernels(kernels)
    X, rows, weight, count, rng = draw(9, "ones", 0, 70)
    y = rng.integers(0, 2, (70, 1)).astype(np.int32 if classes else np.float64)
    y[rows[:2], 0] = 0, 1
    X[rows[-1], 0] = np.nan  # the last lane that is used
    with pytest.raises(ValueError, match="all candidates at once"):
        search(X, rows, y, weight, count, classes, 1, splitter, together=True)


def draws_of(X, y, d, n_draws=3000):
    """What is found with other random numbers, of a node that holds all rows."""
    n = len(X)
    rows, ones = np.arange(n, dtype=np.int32), np.ones(n)
    arguments = X, rows, y[:, None], ones, ones.astype(np.int64), [], 1, "random"
    return [search(*arguments, together=True, seed=seed, d=d) for seed in range(n_draws)]


@pytest.mark.parametrize("d", [1, 3, 5])
def test_two_rows_are_split_by_any_feature_that_varies(d):
    X = np.array([[0, 1, 5, 2, 7], [1, 1, 3, 2, 8]], np.float32)
    found = draws_of(X, np.array([0.0, 1.0]), d)
    varying = {0: (0, 1), 2: (3, 5), 4: (7, 8)}
    seen = [split for split in found if split is not None]
    assert_equally_likely([split[0] for split in seen], varying)
    nothing = {1: 2 / 5, 3: 0.0, 5: 0.0}[d]  # d candidates that are all constant
    assert_follows([split is None for split in found], {True: nothing, False: 1 - nothing})
    for feature, (low, high) in varying.items():
        thresholds = [split[1] for split in seen if split[0] == feature]
        assert_continuous((np.array(thresholds) - low) / (high - low), "uniform")


@pytest.mark.parametrize("n", [3, 4, 9])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_every_set_of_features_is_as_likely_to_be_searched(n, d):
    """Of five features, one tells the rows apart: it is found whenever it is a candidate."""
    X = np.random.default_rng(n).normal(size=(n, 5)).astype(np.float32)
    X[0], X[1], X[2] = 0, -1, 1  # the first row is never the first or the last
    y = np.zeros(n)
    y[0] = 1
    X[:, 3] = y
    found = draws_of(X, y, d)
    assert_follows([split[0] == 3 for split in found], {True: d / 5, False: 1 - d / 5})
    if d == 1:
        assert_equally_likely([split[0] for split in found], range(5))

"""Classification of float tables: codes of columns, nodes of two classes, bins of equal width."""

import numpy as np
import pytest

import manifoldforest as mf
import stages
from manifoldforest import _core
from reference.criteria import gain_of

KERNELS = _core.supported_kernels()


@pytest.fixture
def restore_kernels():
    yield
    stages.use_kernels(KERNELS[-1])


def table(n, n_classes, n_values=None, missing=0.0, seed=0):
    """Return rows of six columns, of so many different values each, and noisy classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.5, size=n)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    if n_values is not None:
        X = np.quantile(X, np.linspace(0, 1, n_values), axis=0)[
            (n_values * X.argsort(axis=0).argsort(axis=0)) // n, np.arange(6)
        ]
    X[rng.random(X.shape) < missing] = np.nan
    return X.astype(np.float32), y


def forest(splitter="auto", **options):
    parameters = {"projection": "axis", "max_features": 2, "random_state": 0, "n_jobs": 1}
    return mf.ForestClassifier(3, splitter=splitter, **(parameters | options))


def assert_equal_trees(one, other):
    for a, b in zip(one.trees_, other.trees_, strict=True):
        for name in ("left", "threshold", "gain", "weight", "value", "missing_left"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("n_classes", [2, 3, 40])
def test_columns_of_few_values_are_searched_exactly(n_classes, missing):
    X, y = table(3000, n_classes, n_values=100, missing=missing)
    exact, coded = (forest(splitter).fit(X, y) for splitter in ("exact", "auto"))
    if missing == 0.0 and n_classes <= 32:
        assert_equal_trees(exact, coded)
    np.testing.assert_array_equal(coded.predict(X), forest().fit(X, y).predict(X))
    assert (coded.predict(X) == y).mean() == pytest.approx((exact.predict(X) == y).mean(), abs=0.02)


@pytest.mark.parametrize("n_values", [2, 70_000])
def test_a_fully_grown_tree_tells_apart_values_that_share_a_code(n_values):
    rng = np.random.default_rng(0)
    X = rng.permutation(np.arange(70_000) % n_values).astype(np.float32)[:, None]
    y = X[:, 0].astype(np.int64) * 2654435761 % 2**32 >> 31  # a function of the value
    tree = forest(max_features=1, bootstrap=False).fit(X, y)
    assert (tree.predict(X) == y).all()


def test_more_trees_in_a_second_call_are_those_of_one_call():
    X, y = table(1000, 2)
    grown = forest(warm_start=True).fit(X, y)
    grown.n_estimators = 5
    assert_equal_trees(grown.fit(X, y), mf.ForestClassifier(5, **_parameters()).fit(X, y))


def _parameters():
    return {"projection": "axis", "max_features": 2, "random_state": 0, "n_jobs": 1}


@pytest.mark.usefixtures("restore_kernels")
@pytest.mark.parametrize("projection", ["axis", "sporf"])
@pytest.mark.parametrize("splitter", ["auto", "exact", "random", "histogram"])
@pytest.mark.parametrize(("n", "n_classes"), [(60, 2), (700, 2), (20_000, 2), (3000, 3)])
def test_all_instruction_sets_and_numbers_of_threads_grow_the_same_trees(
    n, n_classes, splitter, projection
):
    X, y = table(n, n_classes)
    expected = forest(splitter, projection=projection, n_jobs=2).fit(X, y)
    for name in KERNELS:
        stages.use_kernels(name)
        assert_equal_trees(forest(splitter, projection=projection).fit(X, y), expected)


@pytest.mark.usefixtures("restore_kernels")
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("heaviest", [1, 5, 2000])
@pytest.mark.parametrize("n", [2, 3, 15, 16, 17, 33, 64, 65])
def test_the_best_split_of_two_classes_is_found_whatever_they_weigh(n, heaviest, kernels):
    stages.use_kernels(kernels)
    rng = np.random.default_rng(n)
    for values in (rng.normal(size=n), rng.integers(-3, 4, n)):
        y = rng.permutation(np.arange(n) % 2).astype(np.int32)[:, None]
        count = rng.integers(1, heaviest + 1, n)
        weight = count.astype(float)
        for kind in (np.float32, np.uint8):
            column = (values + (kind == np.uint8) * 8).astype(kind)
            found = stages.find_split(column, y, weight, count, "gini", [2], 1, 0.0, "exact")
            gains = [
                gain_of(column <= value, y, weight, "gini", [2]) for value in np.unique(column)[:-1]
            ]
            if not gains:
                assert found is None
                continue
            threshold, gain, _ = found
            assert gain == pytest.approx(max(gains), rel=1e-9, abs=1e-9)
            naive = gain_of(column <= threshold, y, weight, "gini", [2])
            assert gain == pytest.approx(naive, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [100, 300, 1000, 5000])
@pytest.mark.parametrize("tail", [0, 1, 5])
def test_outliers_take_no_thresholds_from_the_other_rows(n, tail):
    rng = np.random.default_rng(n)
    values = rng.normal(size=n).astype(np.float32)
    labels = (values + rng.normal(scale=0.3, size=n) > 0.2).astype(np.int32)[:, None]
    values[:tail] = 10.0 ** np.arange(20, 20 + tail)
    one = np.ones(n)
    arguments = (values, labels, one, one.astype(np.int64), "gini", [2], 1, 0.0)
    threshold, gain, _ = stages.find_split(*arguments, "auto")
    _, best, _ = stages.find_split(*arguments, "exact")
    assert gain == pytest.approx(gain_of(values <= threshold, labels, one, "gini", [2]), rel=1e-9)
    assert gain >= 0.97 * best

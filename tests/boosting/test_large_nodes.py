"""Large nodes of single features, which are searched by codes of the columns."""

import numpy as np
import pytest

import manifoldforest as mf
import stages
from manifoldforest import _core

N = 12_000  # nodes of more than 4096 rows are searched by codes


def draw_rows(kind, n=N, seed=0):
    """Draw rows of few values, of many, with gaps, with missing ones, or of bytes; and a signal."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    if kind in ("few", "bytes"):
        x = np.clip(np.round(x * 25 + 100), 0, 200)
    if kind == "gaps":  # far from 0, a node has no values of the first feature in between
        x[:, 1] = np.abs(x[:, 0])
    signal = x[:, 0] / x[:, 0].std() + np.sign(x[:, 1] - x[:, 1].mean()) + rng.normal(size=n)
    if kind == "holes":
        signal[rng.random(n) < 0.3] += 2.0
        x[signal > 2.5, 2] = np.nan
        x[rng.random(x.shape) < 0.05] = np.nan
    return x.astype(np.uint8 if kind == "bytes" else np.float32), signal


def classes(signal, k):
    return np.digitize(signal, np.quantile(signal, np.linspace(0, 1, k + 1)[1:-1]))


def classifier(**params):
    given = {"n_estimators": 3, "projection": "axis", "max_features": None, "subsample": 1.0}
    given |= {"early_stopping": False, "random_state": 0, "max_depth": 4}
    return mf.BoostedForestClassifier(**(given | params))


def arrays_of(forest):
    return forest._model.trees.arrays


def same_trees(one, other):
    a, b = arrays_of(one), arrays_of(other)
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("kind", ["few", "bytes"])
def test_of_few_values_the_splits_are_those_of_the_exact_search(kind, k):
    """One tree, three levels of large nodes, whose sums are in part those of their parents.

    Later trees are learned from other scores.
    """
    x, signal = draw_rows(kind, n=60_000)
    y = classes(signal, k)
    params = {"n_estimators": 1, "max_depth": 3}
    found, exact = (classifier(splitter=s, **params).fit(x, y) for s in ("auto", "exact"))
    a, b = arrays_of(found), arrays_of(exact)
    for name in ("left", "atom_ints", "threshold", "missing_left", "weight"):
        assert np.array_equal(a[name], b[name]), name
    np.testing.assert_allclose(a["value"], b["value"], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a["gain"], b["gain"], rtol=1e-3)


def test_of_many_values_the_gain_is_nearly_that_of_the_exact_search():
    for kind in ("many", "holes"):
        x, signal = draw_rows(kind)
        y = classes(signal, 2)
        found, exact = (
            classifier(splitter=s, n_estimators=1, max_depth=1).fit(x, y) for s in ("auto", "exact")
        )
        ratio = arrays_of(found)["gain"][0] / arrays_of(exact)["gain"][0]
        assert 0.99 < ratio < 1.001
        assert np.array_equal(arrays_of(found)["atom_ints"], arrays_of(exact)["atom_ints"])


@pytest.mark.parametrize("kind", ["few", "many", "gaps", "holes", "bytes"])
def test_rows_fall_where_they_fell_at_fit(kind):
    """What the fit knows of its rows, and of rows that it did not draw, is what is predicted."""
    x, signal = draw_rows(kind)
    y = classes(signal, 3)
    for subsample in (1.0, 0.8):
        forest = classifier(n_estimators=4, subsample=subsample).fit(x, y)
        p = forest.predict_proba(x)[np.arange(len(y)), y]
        np.testing.assert_allclose(forest.train_loss_[-1], -np.mean(np.log(p)), rtol=1e-9)


def test_thresholds_divide_the_rows_of_their_node():
    x, signal = draw_rows("many")
    forest = classifier(n_estimators=1, max_depth=1).fit(x, classes(signal, 2))
    arrays = arrays_of(forest)
    column, threshold = x[:, arrays["atom_ints"][0]], arrays["threshold"][0]
    assert arrays["weight"][1] == np.sum(column <= threshold)
    assert arrays["weight"][2] == np.sum(column > threshold)
    assert arrays["weight"][0] == N


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("kind", ["many", "holes", "bytes"])
def test_the_forest_does_not_depend_on_threads_or_instruction_sets(kind, k):
    x, signal = draw_rows(kind, n=40_000)
    y = classes(signal, k)
    for params in ({}, {"max_features": 3, "subsample": 0.8}):
        first = classifier(**params).fit(x, y)
        assert same_trees(first, classifier(n_jobs=3, **params).fit(x, y))
        sets = _core.supported_kernels()
        try:
            for name in sets:
                stages.use_kernels(name)
                assert same_trees(first, classifier(**params).fit(x, y))
        finally:
            stages.use_kernels(sets[-1])


@pytest.mark.parametrize("weighted", [False, True])
def test_inner_nodes_have_the_weight_and_the_step_of_their_rows(weighted):
    x, signal = draw_rows("few")
    y = classes(signal, 2)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, N) if weighted else np.ones(N)
    forest = classifier(n_estimators=1, learning_rate=1.0, l2=0.5).fit(x, y, sample_weight=weight)
    arrays = arrays_of(forest)
    # Learned weights have the mean 1, or are as they were given.
    scale = arrays["weight"][0] / weight.sum()
    p = 1 / (1 + np.exp(-forest._model.fallback[0]))
    rows = [np.arange(N)] + [None] * (len(arrays["left"]) - 1)
    splits = np.flatnonzero(arrays["left"])
    for node in splits:
        goes_left = x[rows[node], arrays["atom_ints"][np.sum(splits < node)]]
        goes_left = goes_left <= arrays["threshold"][node]
        rows[arrays["left"][node]] = rows[node][goes_left]
        rows[arrays["left"][node] + 1] = rows[node][~goes_left]
    for node, own in enumerate(rows):
        w = weight[own] * scale
        step = np.sum(w * (y[own] - p)) / (np.sum(w) * p * (1 - p) + 0.5)
        assert arrays["weight"][node] == pytest.approx(w.sum(), rel=1e-9)
        assert arrays["value"][node, 0] == pytest.approx(step, rel=1e-4, abs=1e-6)


def test_leaves_keep_the_rows_they_must_have():
    x, signal = draw_rows("many")
    forest = classifier(min_samples_leaf=3000, max_depth=None).fit(x, classes(signal, 2))
    arrays = arrays_of(forest)
    assert arrays["weight"][arrays["left"] == 0].min() >= 3000
    assert np.sum(arrays["left"] > 0) > 3


def test_an_outlier_does_not_hide_the_other_rows():
    x, signal = draw_rows("many")
    y = np.where(np.arange(N) == 5, 1e4, signal)
    forest = mf.BoostedForestRegressor(
        60, projection="axis", max_features=None, learning_rate=0.5, random_state=0
    ).fit(x, y)
    others = np.arange(N) != 5
    assert np.median(np.abs(forest.predict(x[others]) - y[others])) < 1.0


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_every_loss_learns_from_large_nodes(loss):
    x, signal = draw_rows("holes")
    y = np.exp(signal / 3) if loss == "poisson" else signal
    forest = mf.BoostedForestRegressor(
        20, loss=loss, projection="axis", max_features=None, random_state=0
    ).fit(x, y)
    assert np.mean((forest.predict(x) - y) ** 2) < 0.6 * np.var(y)


def test_constant_columns_and_equal_derivatives_make_no_split():
    x = np.ones((N, 3), np.float32)
    y = np.arange(N) % 2
    assert np.all(arrays_of(classifier().fit(x, y))["left"] == 0)
    forest = mf.BoostedForestRegressor(2, projection="axis", random_state=0)
    x = draw_rows("many")[0]
    assert np.all(arrays_of(forest.fit(x, np.full(N, 3.0)))["left"] == 0)

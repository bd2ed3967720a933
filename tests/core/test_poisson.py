"""Forests for counts: Poisson deviance, compared with scikit-learn's trees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import mean_poisson_deviance
from sklearn.tree import DecisionTreeRegressor

import manifoldforest as mf
import stages
from reference.criteria import gain_of


def counts(n, p=3, seed=0, outputs=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32)
    y = rng.poisson(np.exp(X[:, :1] + 0.3 * np.arange(outputs)) * (X[:, -1:] > -1))
    return X, (y[:, 0] if outputs == 1 else y).astype(float)


def tree(**params):
    defaults = {"projection": "axis", "splitter": "exact", "bootstrap": False, "random_state": 0}
    return mf.ForestRegressor(1, criterion="poisson", **(defaults | params))


# Small nodes are cut in the same way by several features; larger ones are not.
LIMITS = [
    {"p": 1},
    {"p": 1, "max_depth": 4},
    {"p": 4, "min_samples_leaf": 15},
    {"p": 4, "max_leaf_nodes": 12},
    {"p": 4, "min_impurity_decrease": 0.02},
    {"p": 4, "min_samples_leaf": 15, "ccp_alpha": 0.01},
]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("outputs", [1, 2])
def test_trees_are_those_of_scikit_learn(limits, weighted, outputs):
    limits = dict(limits)
    X, y = counts(400, limits.pop("p"), outputs=outputs)
    # Different splits of counts may tie. Sums of these responses are exact: of others scikit-learn
    # may take the remains of a subtraction for a sum above 0, and then not split at all.
    rng = np.random.default_rng(3)
    y = np.round(y * rng.uniform(0.9, 1.1, size=y.shape) * 2**12) / 2**12
    weight = rng.integers(1, 200, size=400) / 64 if weighted else None
    theirs = DecisionTreeRegressor(criterion="poisson", random_state=0, **limits)
    theirs = theirs.fit(X, y, weight).tree_
    ours = tree(**limits).fit(X, y, weight)
    mine = ours.trees_[0]
    assert mine.n_nodes == theirs.node_count > 5
    assert sorted(mine.arrays["threshold"][mine.arrays["left"] > 0]) == pytest.approx(
        sorted(theirs.threshold[theirs.children_left > 0]), rel=1e-6
    )
    new = counts(400, X.shape[1], seed=2)[0]
    expected = theirs.predict(new).reshape(400, outputs)
    assert_allclose(ours.predict(new).reshape(400, outputs), expected, rtol=1e-12)
    left, share = theirs.children_left, theirs.weighted_n_node_samples
    gains = [
        (
            share[i] * theirs.impurity[i]
            - share[a] * theirs.impurity[a]
            - share[b] * theirs.impurity[b]
        )
        / share[0]
        for i, (a, b) in enumerate(zip(left, theirs.children_right, strict=True))
        if a > 0
    ]
    assert sorted(mine.arrays["gain"][mine.arrays["left"] > 0]) == pytest.approx(
        sorted(gains), rel=1e-4, abs=1e-7
    )


@pytest.mark.parametrize("splitter", ["exact", "auto", "histogram", "random"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("outputs", [1, 3])
def test_every_leaf_has_a_mean_above_zero(splitter, missing, outputs):
    X, y = counts(1500, outputs=outputs)
    X[np.random.default_rng(1).random(X.shape) < missing] = np.nan
    assert (y == 0).mean() > 0.3
    forest = mf.ForestRegressor(10, criterion="poisson", splitter=splitter, random_state=0)
    forest.fit(X, y)
    assert forest._model.trees["value"].min() > 0
    assert forest.predict(X).min() > 0
    flat = np.full_like(y, 1.0) * y.mean(axis=0)
    scores = [mean_poisson_deviance(y.ravel(), p.ravel()) for p in (forest.predict(X), flat)]
    assert scores[0] < 0.6 * scores[1]


def test_a_node_with_one_event_is_a_leaf():
    X = np.arange(6, dtype=np.float32)[:, None]
    assert tree().fit(X, [0, 0, 5, 0, 0, 0]).trees_[0].n_nodes == 1
    assert tree().fit(X, [0, 0, 5, 0, 1, 0]).trees_[0].n_nodes == 3
    # the split that separates both events best is the last before the second
    assert tree().fit(X, [0, 0, 5, 0, 1, 0]).predict(X) == pytest.approx([5 / 3] * 3 + [1 / 3] * 3)


def test_an_output_without_events_does_not_keep_others_from_being_split():
    X, y = counts(200)
    beside = tree().fit(X, np.column_stack([y, np.zeros(200)]))
    alone = tree().fit(X, y)
    assert_array_equal(beside.apply(X), alone.apply(X))
    assert_array_equal(beside.predict(X), np.column_stack([alone.predict(X), np.zeros(200)]))


@pytest.mark.parametrize("mean", [1e3, 1e6, 1e9])
def test_small_differences_of_large_counts(mean):
    rng = np.random.default_rng(0)
    values = rng.normal(size=300).astype(np.float32)
    y = mean + np.round(4 * values) + rng.integers(-2, 3, size=300)
    ones = np.ones(300)
    threshold, gain, _ = stages.find_split(
        values, y[:, None], ones, ones.astype(int), "poisson", [], 1, 0.0
    )
    # where responses differ by small shares the deviance is half the squared error by the mean
    left = values <= threshold
    by_squares = gain_of(left, y[:, None], ones, "squared_error") / (2 * y.mean())
    assert gain == pytest.approx(by_squares, rel=30 / mean)
    same = stages.find_split(
        values, y[:, None], ones, ones.astype(int), "squared_error", [], 1, 0.0
    )
    assert mean < 1e5 or threshold == same[0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, 0.0, -1.0, 2.0], "y must be at least 0 for the criterion poisson, got -1"),
        ([1.0, 0.0, -1e-300, 2.0], "y must be at least 0 for the criterion poisson, got -1e-300"),
        ([0.0] * 4, "y must be above 0 somewhere for the criterion poisson"),
        ([[0.0, 1.0], [1.0, -2.0]] * 2, "y must be at least 0 for the criterion poisson, got -2"),
    ],
)
def test_what_cannot_be_counts_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        mf.ForestRegressor(2, criterion="poisson").fit(np.eye(4), y)


def test_rows_without_weight_may_hold_all_events():
    forest = tree().fit(np.eye(4), [0.0, 0.0, 0.0, 3.0], [1, 1, 1, 0])
    assert_array_equal(forest.predict(np.eye(4)), np.zeros(4))

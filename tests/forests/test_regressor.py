"""ForestRegressor: predictions, out-of-bag, quantiles and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_absolute_error, r2_score

import manifoldforest as mf


def noisy_data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)


X, Y = noisy_data()
X_NEW, Y_NEW = noisy_data(seed=1)


def forest(**params):
    return mf.ForestRegressor(**({"n_estimators": 8, "random_state": 0} | params))


def leaf_values(fitted, rows):
    leaves = fitted.apply(rows)
    return np.stack([tree.value[leaves[:, t]] for t, tree in enumerate(fitted.trees_)])


def test_the_prediction_is_the_mean_of_leaf_means():
    fitted = forest(min_samples_leaf=5).fit(X, Y)
    assert_allclose(fitted.predict(X_NEW), leaf_values(fitted, X_NEW)[:, :, 0].mean(axis=0))
    leaves, counts = fitted.apply(X)[:, 0], fitted.trees_[0].arrays["inbag"]
    for leaf in np.unique(leaves)[:10]:
        rows = leaves == leaf
        expected = np.average(Y[rows], weights=counts[rows])
        assert_allclose(fitted.trees_[0].value[leaf, 0], expected)


def test_absolute_error_predicts_leaf_medians():
    fitted = forest(criterion="absolute_error", min_samples_leaf=5).fit(X, Y)
    leaves, counts = fitted.apply(X)[:, 0], fitted.trees_[0].arrays["inbag"]
    for leaf in np.unique(leaves)[:10]:
        drawn = Y.repeat(np.where(leaves == leaf, counts, 0))
        assert_allclose(fitted.trees_[0].value[leaf, 0], np.median(drawn))
    assert fitted.score(X_NEW, Y_NEW) > 0.6


def test_it_learns():
    assert forest(n_estimators=50).fit(X, Y).score(X_NEW, Y_NEW) > 0.7
    data, response = load_diabetes(return_X_y=True)
    fitted = forest(n_estimators=100, min_samples_leaf=5, oob_score=True).fit(data, response)
    assert fitted.oob_score_ > 0.35


def test_several_outputs():
    y = np.stack([Y, -3 * Y, X[:, 2]], axis=1)
    fitted = forest(n_estimators=30, oob_score=True).fit(X, y)
    assert fitted.n_outputs_ == 3
    assert fitted.predict(X_NEW).shape == (300, 3)
    assert_allclose(fitted.predict(X_NEW)[:, 1], -3 * fitted.predict(X_NEW)[:, 0])
    assert fitted.oob_prediction_.shape == (300, 3)
    assert fitted.oob_score_ == r2_score(y, fitted.oob_prediction_)
    assert fitted.predict_quantiles(X_NEW, 0.5).shape == (300, 3)
    assert fitted.predict_quantiles(X_NEW, [0.1, 0.9]).shape == (300, 3, 2)
    assert fitted.predict_interval(X_NEW).shape == (300, 3, 2)


def test_out_of_bag_predictions_come_from_trees_that_did_not_see_the_row():
    fitted = forest(n_estimators=40, oob_score=True).fit(X, Y)
    outside = np.stack([tree.arrays["inbag"] == 0 for tree in fitted.trees_])
    values = leaf_values(fitted, X)[:, :, 0]
    expected = (values * outside).sum(axis=0) / outside.sum(axis=0)
    assert_allclose(fitted.oob_prediction_, expected)
    assert_allclose(fitted.oob_score_, r2_score(Y, expected))
    other = forest(n_estimators=40, oob_score=mean_absolute_error).fit(X, Y)
    assert_allclose(other.oob_score_, mean_absolute_error(Y, expected))


def test_whole_weights_are_repetitions_without_bootstrap():
    weight = np.random.default_rng(0).integers(0, 4, size=300)
    for params in ({}, {"criterion": "absolute_error"}):
        params |= {"bootstrap": False, "min_samples_leaf": 4, "projection": "axis"}
        weighted = forest(**params).fit(X, Y, sample_weight=weight)
        repeated = forest(**params).fit(X.repeat(weight, axis=0), Y.repeat(weight))
        assert_allclose(weighted.predict(X_NEW), repeated.predict(X_NEW), rtol=1e-9)


def admitted(criterion):
    return np.maximum(Y, 0) if criterion == "poisson" else Y


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("exponent", [-1000, -130, -60, 64, 500, 1000])
@pytest.mark.parametrize("params", [{}, {"honest": True}, {"max_samples": 2, "honest": True}])
def test_responses_of_extreme_size(criterion, exponent, params):
    params = params | {"criterion": criterion}
    y = admitted(criterion)
    usual = forest(**params).fit(X, y)
    extreme = forest(**params).fit(X, np.ldexp(y, exponent))
    scaled_back = np.ldexp(extreme.predict(X_NEW), -exponent)
    assert_allclose(scaled_back, usual.predict(X_NEW), rtol=1e-6)
    assert_allclose(extreme.feature_importances_, usual.feature_importances_, rtol=1e-4)
    assert_array_equal(
        np.ldexp(extreme.predict_quantiles(X_NEW, 0.5), -exponent),
        usual.predict_quantiles(X_NEW, 0.5),
    )
    grown = forest(n_estimators=3, warm_start=True, **params).fit(X, np.ldexp(y, exponent))
    grown.set_params(n_estimators=8).fit(X, np.ldexp(y, exponent))
    assert_array_equal(grown.predict(X_NEW), extreme.predict(X_NEW))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_the_largest_responses(criterion):
    y = np.where(Y > 0, 1.7e308, 0 if criterion == "poisson" else -1.7e308)
    fitted = forest(n_estimators=40, criterion=criterion, honest=True).fit(X, y)
    expected = forest(n_estimators=40, criterion=criterion, honest=True).fit(X, y / 2**1000)
    assert_allclose(fitted.predict(X_NEW), expected.predict(X_NEW) * 2.0**1000)
    values, _ = fitted._model.out_of_bag(fitted._model.trees["leaf_of_row"], aggregation="mean")
    assert np.isfinite(values).all()


@pytest.mark.parametrize(
    ("criterion", "power"), [("squared_error", 2), ("absolute_error", 1), ("poisson", 1)]
)
@pytest.mark.parametrize("name", ["min_impurity_decrease", "ccp_alpha"])
@pytest.mark.parametrize("exponent", [-300, -60, 60, 300])
def test_thresholds_of_impurity_have_the_unit_of_the_response(criterion, power, name, exponent):
    params = {"criterion": criterion, "n_estimators": 3}
    y = admitted(criterion)
    usual = forest(**params, **{name: 0.01}).fit(X, y)
    threshold = float(np.ldexp(0.01, power * exponent))
    extreme = forest(**params, **{name: threshold}).fit(X, np.ldexp(y, exponent))
    assert_array_equal(extreme.apply(X_NEW), usual.apply(X_NEW))
    assert usual.trees_[0].n_nodes < forest(**params).fit(X, y).trees_[0].n_nodes
    # a threshold that cannot be written in the unit of the trees
    beyond = forest(**params, **{name: 0.01}).fit(X, np.ldexp(y, 3 * exponent))
    sizes = {tree.n_nodes for tree in beyond.trees_}
    assert (sizes == {1}) == (exponent < 0)


def test_what_only_classes_have_is_refused():
    with pytest.raises(TypeError, match="stratify"):
        forest(stratify=True)
    with pytest.raises(
        ValueError, match="empty_leaf must be one of 'ignore', 'empirical', 'prune'"
    ):
        forest(honest=True, empty_leaf="uniform").fit(X, Y)
    with pytest.raises(ValueError, match="criterion must be one of 'squared_error'"):
        forest(criterion="gini").fit(X, Y)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (np.full(300, "a"), TypeError, "y must be real numbers, got entries of type <U1"),
        (np.full(300, 1j), TypeError, "y must be real numbers, got entries of type complex128"),
        (np.full(300, np.nan), ValueError, "y contains NaN"),
        (np.full(300, np.inf), ValueError, "y contains infinity"),
        (np.array([{}] * 300, dtype=object), TypeError, "y must be real numbers, got no number"),
        (Y[:200], ValueError, "equally many rows"),
    ],
)
def test_bad_responses_are_refused(y, error, message):
    fitted = forest().fit(X, Y)
    expected = fitted.predict(X_NEW)
    with pytest.raises(error, match=message):
        fitted.fit(X, y)
    assert_array_equal(fitted.predict(X_NEW), expected)


@pytest.mark.parametrize("rule", ["ignore", "empirical", "prune"])
def test_honest_regression(rule):
    fitted = forest(n_estimators=50, honest=True, empty_leaf=rule, min_samples_leaf=3).fit(X, Y)
    assert np.isfinite(fitted.predict(X_NEW)).all()
    assert fitted.score(X_NEW, Y_NEW) > 0.5
    assert_allclose(fitted.forest_weights(X_NEW) @ Y, fitted.predict(X_NEW))


# -------------------------------------------------------------- quantiles


def naive_quantile(weights, y, q):
    """The smallest y at which the weights of all y up to it sum to q."""
    order = np.argsort(y)
    reached = np.cumsum(weights[order])
    return y[order][np.flatnonzero(reached >= q - 1e-9)[0]]


def test_quantiles_are_those_of_the_weighted_responses():
    fitted = forest(min_samples_leaf=10).fit(X, Y)
    q = [0.0, 0.05, 0.3, 0.5, 0.9, 1.0]
    weights = fitted.forest_weights(X_NEW).toarray()
    responses = [np.where(w > 0, Y, np.inf) for w in weights]
    expected = [
        [naive_quantile(w, y, p) for p in q] for w, y in zip(weights, responses, strict=True)
    ]
    assert_array_equal(fitted.predict_quantiles(X_NEW, q), expected)
    assert_array_equal(fitted.predict_quantiles(X_NEW, 0.3), np.array(expected)[:, 2])


def test_quantiles_do_not_depend_on_the_chunk(monkeypatch):
    fitted = forest().fit(X, Y)
    expected = fitted.predict_quantiles(X_NEW, [0.1, 0.9])
    monkeypatch.setattr("manifoldforest.forests._regressor._CHUNK", 7 * len(X))
    assert_array_equal(fitted.predict_quantiles(X_NEW, [0.1, 0.9]), expected)


def test_intervals_hold_about_as_many_responses_as_they_say():
    X_many, y_many = noisy_data(n=2000, seed=2)
    fitted = forest(n_estimators=50, min_samples_leaf=20).fit(X_many, y_many)
    covered = {}
    for coverage in (0.5, 0.9):
        low, high = fitted.predict_interval(X_NEW, coverage=coverage).T
        assert (low <= high).all()
        covered[coverage] = np.mean((low <= Y_NEW) & (high >= Y_NEW))
    # a forest smooths, so its intervals are on the wide side
    assert 0.45 < covered[0.5] < 0.8
    assert 0.87 < covered[0.9] <= 1.0


def test_bad_probabilities_are_refused():
    fitted = forest().fit(X, Y)
    for q in (-0.1, 1.1, np.nan, [], [0.5, 2.0]):
        with pytest.raises(ValueError, match="q must be"):
            fitted.predict_quantiles(X, q)
    for q in ([[0.5]], "a", "0.5", 0.5j, True, [0.1, [0.2]], None):
        with pytest.raises(TypeError, match="q must be"):
            fitted.predict_quantiles(X, q)
    for coverage in (0.0, 1.0):
        with pytest.raises(ValueError, match="coverage must be"):
            fitted.predict_interval(X, coverage)
    with pytest.raises(TypeError, match="coverage must be"):
        fitted.predict_interval(X, "wide")
    with pytest.raises(ValueError, match="keep_samples"):
        forest(keep_samples=False).fit(X, Y).predict_quantiles(X, 0.5)


# ------------------------------------------------------------------- trees


@pytest.mark.parametrize("honest", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_predictions_of_single_trees(n_outputs, honest):
    rng = np.random.default_rng(0)
    X, X_new = rng.normal(size=(2, 60, 4))
    y = X[:, 0] if n_outputs == 1 else X[:, :2]
    forest = mf.ForestRegressor(12, honest=honest, random_state=0).fit(X, y)
    responses = forest.predict_per_tree(X_new)
    assert responses.shape == ((12, 60) if n_outputs == 1 else (12, 60, 2))
    assert np.isnan(responses).any() == honest
    assert_allclose(np.nanmean(responses, axis=0), forest.predict(X_new), rtol=1e-12)
    np.testing.assert_array_equal(forest.predict_per_tree(X_new, trees=[7]), responses[[7]])
    with pytest.raises(ValueError, match=r"trees must be an integer in \[0, 11\] .* got 12"):
        forest.predict_per_tree(X_new, trees=12)

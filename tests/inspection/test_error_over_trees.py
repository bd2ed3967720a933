"""The error of the first trees is that of a forest which has no others."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

import manifoldforest as mf
from manifoldforest.inspection import _error_over_trees

RNG = np.random.default_rng(0)
X, LABELS = load_iris(return_X_y=True)
X = X + RNG.normal(scale=0.5, size=X.shape)
NUMBERS = X[:, 0] - X[:, 2] ** 2
TRAIN, TEST = slice(None, None, 2), slice(1, None, 2)
ANGLES = np.arctan2(X[:, 1] - 3, X[:, 0] - 6)
N_TREES = 12

CLASSIFIERS = {
    "soft": {},
    "hard": {"voting": "hard"},
    "honest": {"honest": True, "max_samples": 20},
    "empirical": {"honest": True, "max_samples": 20, "empty_leaf": "empirical"},
    "patches": {"projection": "patches"},
}


def curve(forest, *data):
    (errors,) = forest._tree_errors(*(data or (None, None))).curves.values()
    return errors


def grown(make, n_trees, y, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that few trees leave rows without a prediction
        return make(n_trees, random_state=0, **params).fit(X[TRAIN], y[TRAIN])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_error_of_the_first_trees_is_that_of_a_smaller_classifier(kind):
    forest = grown(mf.ForestClassifier, N_TREES, LABELS, **CLASSIFIERS[kind])
    errors = curve(forest, X[TEST], LABELS[TEST])
    assert len(errors) == N_TREES
    for n_trees in (1, 2, 7, N_TREES):
        smaller = grown(mf.ForestClassifier, n_trees, LABELS, **CLASSIFIERS[kind])
        assert errors[n_trees - 1] == pytest.approx(1 - smaller.score(X[TEST], LABELS[TEST]))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_error_out_of_bag_is_that_of_a_smaller_classifier(kind):
    params = {**CLASSIFIERS[kind], "oob_score": True}
    forest = grown(mf.ForestClassifier, N_TREES, LABELS, **params)
    for n_trees in (1, 2, 7, N_TREES):
        smaller = grown(mf.ForestClassifier, n_trees, LABELS, **params)
        assert curve(forest)[n_trees - 1] == pytest.approx(1 - smaller.oob_score_)


@pytest.mark.parametrize("y", [NUMBERS, np.stack([NUMBERS, X[:, 3]], axis=1)])
def test_the_error_of_the_first_trees_is_that_of_a_smaller_regressor(y):
    def root_of_mean_square(truth, predicted):
        return np.sqrt(np.mean((truth - predicted) ** 2))

    forest = grown(mf.ForestRegressor, N_TREES, y)
    for n_trees in (1, 5, N_TREES):
        smaller = grown(mf.ForestRegressor, n_trees, y, oob_score=root_of_mean_square)
        expected = root_of_mean_square(y[TEST], smaller.predict(X[TEST]))
        assert curve(forest, X[TEST], y[TEST])[n_trees - 1] == pytest.approx(expected)
        assert curve(forest)[n_trees - 1] == pytest.approx(smaller.oob_score_)


def test_a_label_is_wrong_if_any_output_is():
    y = np.stack([LABELS, LABELS[::-1]], axis=1)
    forest = grown(mf.ForestClassifier, N_TREES, y)
    expected = np.mean((forest.predict(X[TEST]) != y[TEST]).any(axis=1))
    assert curve(forest, X[TEST], y[TEST])[-1] == pytest.approx(expected)


def test_the_scores_of_a_refined_forest_are_added_up():
    forest = grown(mf.ForestClassifier, N_TREES, LABELS, refine=True)
    expected = 1 - forest.score(X[TEST], LABELS[TEST])
    assert curve(forest, X[TEST], LABELS[TEST])[-1] == pytest.approx(expected)


def test_chunks_of_rows_change_nothing(monkeypatch):
    forest = grown(mf.ForestClassifier, N_TREES, LABELS, honest=True, max_samples=20)
    whole = curve(forest), curve(forest, X[TEST], LABELS[TEST])
    monkeypatch.setattr(_error_over_trees, "_CHUNK", 7 * N_TREES * 3)
    np.testing.assert_array_equal(curve(forest), whole[0])
    np.testing.assert_array_equal(curve(forest, X[TEST], LABELS[TEST]), whole[1])


@pytest.mark.parametrize("prediction", ["auto", "medoid", "drf"])
def test_the_error_of_responses_is_the_distance_of_a_smaller_forest(prediction):
    params = {"space": "circle", "prediction": prediction}
    forest = grown(mf.MetricForestRegressor, N_TREES, ANGLES, **params)
    outside, oob = forest._tree_errors(X[TEST], ANGLES[TEST]), forest._tree_errors(None, None)
    assert outside.n_trees[0] == 1
    assert outside.n_trees[-1] == N_TREES
    for place in (0, 3, -1):
        n_trees = outside.n_trees[place]
        smaller = grown(mf.MetricForestRegressor, n_trees, ANGLES, oob_score=True, **params)
        distances = smaller.space_.paired_distances(ANGLES[TEST], smaller.predict(X[TEST]))
        expected = np.sqrt(np.mean(distances**2))
        assert outside.curves["given examples"][place] == pytest.approx(expected)
        expected = np.sqrt(np.nanmean(smaller.oob_distance_**2))
        assert oob.curves["out of bag"][place] == pytest.approx(expected)


BOOSTED = {
    "two classes": (mf.BoostedForestClassifier, LABELS > 0, {}),
    "three classes": (mf.BoostedForestClassifier, LABELS, {}),
    "two columns of labels": (
        mf.BoostedForestClassifier,
        np.stack([LABELS, LABELS > 0], axis=1),
        {},
    ),
    "squared": (mf.BoostedForestRegressor, NUMBERS, {}),
    "absolute": (mf.BoostedForestRegressor, NUMBERS, {"loss": "absolute_error"}),
    "poisson": (
        mf.BoostedForestRegressor,
        np.round(np.abs(np.stack([NUMBERS, X[:, 3]], axis=1))),
        {"loss": "poisson"},
    ),
}


@pytest.mark.parametrize("kind", BOOSTED)
def test_losses_of_given_examples_are_those_of_the_core(kind):
    make, y, params = BOOSTED[kind]
    forest = make(N_TREES, random_state=0, **params).fit(X, y)
    errors = forest._tree_errors(X, y)
    assert errors.curves["training"] is forest.train_loss_
    np.testing.assert_allclose(errors.curves["given examples"], forest.train_loss_, rtol=1e-5)
    assert errors.n_kept is None


def test_rounds_without_trees_have_no_loss_of_given_examples():
    forest = mf.BoostedForestClassifier(
        100, learning_rate=0.5, early_stopping=True, n_iter_no_change=3, random_state=0
    ).fit(X, LABELS)
    errors = forest._tree_errors(X, LABELS)
    kept = errors.n_kept
    assert kept == forest.n_estimators_ == len(forest.train_loss_) - 3
    assert np.isfinite(errors.curves["given examples"][:kept]).all()
    assert np.isnan(errors.curves["given examples"][kept:]).all()
    assert errors.curves["held out"] is forest.validation_loss_


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"keep_samples": False}, "keep_samples=True"),
        ({"bootstrap": False}, "X must be given .* no rows out of bag"),
        ({"refine": True}, "X must be given .* fitted to all training rows"),
    ],
)
def test_a_forest_without_rows_out_of_bag_asks_for_examples(params, message):
    forest = grown(mf.ForestClassifier, 3, LABELS, **params)
    with pytest.raises(ValueError, match=message):
        forest._tree_errors(None, None)


def test_labels_that_are_not_known_have_no_log_loss():
    forest = mf.BoostedForestClassifier(3, random_state=0).fit(X, LABELS)
    with pytest.raises(ValueError, match="y must hold labels that the forest has learned"):
        forest._tree_errors(X[:4], [0, 1, 2, 9])

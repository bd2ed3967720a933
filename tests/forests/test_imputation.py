"""Missing values of forests with dense directions count as the means of their columns."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import manifoldforest as mf
from manifoldforest.forests._imputation import fill_values, filled
from manifoldforest.projections import Axis, MeanDifference, Mixture, PrincipalAxes, Rotation, Sporf

DENSE = {
    "rotation": Rotation(),
    "some dims": Rotation(max_dims=3),
    "mean_difference": MeanDifference(),
    "principal_axes": PrincipalAxes(),
    "sum": Sporf() + MeanDifference(),
    "mixture": Mixture([("axis", Axis(), 1), ("rotation", Rotation(), 1)]),
    "nested": Axis() + Mixture([("axes", PrincipalAxes(), 1)]),
}
every_dense = pytest.mark.parametrize("projection", DENSE.values(), ids=DENSE)


def with_gaps(X, share=0.1, seed=0):
    gaps = np.random.default_rng(seed).random(X.shape) < share
    return np.where(gaps, np.nan, X).astype(np.float32)


RNG = np.random.default_rng(0)
X = with_gaps(RNG.normal(size=(120, 6)))
Y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) > 0
X_NEW = with_gaps(RNG.normal(size=(50, 6)), 0.3)
MEANS = np.nanmean(X.astype(np.float64), axis=0).astype(np.float32)


def completed(X, means=MEANS):
    return np.where(np.isnan(X), means, X)


def classifier(projection, **params):
    return mf.ForestClassifier(
        **({"n_estimators": 12, "projection": projection, "random_state": 0} | params)
    )


@pytest.mark.parametrize("projection", ["rotation", "mean_difference", "principal_axes"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_one_missing_value_in_ten_costs_little(projection, task):
    is_regression = task == "regression"
    load, kind = (
        (load_diabetes, mf.ForestRegressor)
        if is_regression
        else (load_breast_cancer, mf.ForestClassifier)
    )
    data, y = load(return_X_y=True)
    data = StandardScaler().fit_transform(data)
    scores = []
    for examples in (data, with_gaps(data)):
        train, test, y_train, y_test = train_test_split(examples, y, random_state=0)
        forest = kind(40, projection=projection, random_state=0).fit(train, y_train)
        scores.append(forest.score(test, y_test))
    assert scores[1] > scores[0] - (0.12 if is_regression else 0.04)


@every_dense
def test_forests_are_those_of_completed_data(projection):
    forest = classifier(projection, oob_score=True).fit(X, Y)
    expected = classifier(projection, oob_score=True).fit(completed(X), Y)
    assert_array_equal(forest._model.fill_values, MEANS)
    for name, array in expected._model.trees.arrays.items():
        assert_array_equal(forest._model.trees[name], array, err_msg=name)
    assert forest.oob_score_ == expected.oob_score_
    whole = completed(X_NEW)
    assert_array_equal(forest.predict_proba(X_NEW), expected.predict_proba(whole))
    assert_array_equal(forest.apply(X_NEW), expected.apply(whole))
    assert (forest.decision_path(X_NEW)[0] != expected.decision_path(whole)[0]).nnz == 0
    assert abs(forest.forest_weights(X_NEW) - expected.forest_weights(whole)).max() == 0
    importance = forest.permutation_importance(X, Y, features=[0], random_state=0)
    assert (
        importance[0]
        == expected.permutation_importance(completed(X), Y, features=[0], random_state=0)[0]
    )


@every_dense
def test_training_rows_are_where_apply_finds_them(projection):
    forest = classifier(projection, honest=True).fit(X, Y)
    assert_array_equal(forest.apply(X).T, forest._model.trees["leaf_of_row"])


def test_regions_hold_completed_examples():
    forest = classifier("rotation", n_estimators=2).fit(X, Y)
    leaves = forest.apply(X_NEW)
    for x, leaf in zip(completed(X_NEW), leaves[:, 1], strict=True):
        A, b = forest.leaf_region(1, leaf)
        assert (A @ x.astype(np.float64) <= b + 1e-5).all()


@every_dense
def test_missing_values_may_come_later(projection):
    whole = completed(X)
    forest = classifier(projection).fit(whole, Y)
    means = whole.astype(np.float64).mean(axis=0).astype(np.float32)
    assert_array_equal(forest.predict_proba(X_NEW), forest.predict_proba(completed(X_NEW, means)))
    images = (whole * 20 + 128).clip(0, 255).astype(np.uint8)
    forest = classifier(projection).fit(images, Y)
    means = images.mean(axis=0, dtype=np.float64).astype(np.float32)
    assert_array_equal(forest.predict_proba(X_NEW), forest.predict_proba(completed(X_NEW, means)))


def test_files_and_pickles_keep_what_is_filled_in(tmp_path):
    for projection in DENSE.values():
        forest = classifier(projection).fit(X, Y)
        forest.save(tmp_path / "model.mf")
        for again in (mf.load(tmp_path / "model.mf"), pickle.loads(pickle.dumps(forest))):
            assert_array_equal(again._model.fill_values, MEANS)
            assert_array_equal(again.predict_proba(X_NEW), forest.predict_proba(X_NEW))


def test_warm_starts_go_on_with_the_same_values():
    forest = classifier("rotation", n_estimators=4, warm_start=True).fit(X, Y)
    forest.set_params(n_estimators=12).fit(X, Y)
    expected = classifier("rotation").fit(X, Y)
    assert_array_equal(forest.predict_proba(X_NEW), expected.predict_proba(X_NEW))


def test_columns_without_values_are_zero():
    empty = X.copy()
    empty[:, 2] = np.nan
    forest = classifier("rotation").fit(empty, Y)
    assert forest._model.fill_values[2] == 0
    assert np.isfinite(forest.predict_proba(X_NEW)).all()


def test_weights_count_and_so_do_ranks():
    weight = np.r_[np.zeros(20), np.full(40, 3.0), np.ones(60)]
    forest = classifier("rotation").fit(X, Y, weight)
    assert_allclose(
        forest._model.fill_values,
        [np.average(x[~np.isnan(x)], weights=weight[~np.isnan(x)]) for x in X.T.astype(float)],
        rtol=1e-6,
    )
    ranked = classifier("rotation", ranks=True).fit(X, Y)
    n_there = (~np.isnan(X)).sum(axis=0)
    assert_allclose(ranked._model.fill_values, (n_there + 1) / 2)


@pytest.mark.parametrize("space", ["circle", "euclidean"])
def test_forests_in_metric_spaces_fill_in_too(space):
    forest = mf.MetricForestRegressor(8, space=space, projection="rotation", random_state=0)
    y = np.nan_to_num(X[:, 0])
    expected = forest.fit(completed(X), y).predict(completed(X_NEW))
    assert_array_equal(forest.fit(X, y).predict(X_NEW), expected)


@pytest.mark.parametrize("projection", ["axis", "sporf", "patches"])
def test_other_forests_see_what_is_missing(projection):
    forest = classifier(projection).fit(X, Y)
    assert forest._model.fill_values is None
    only_missing = np.where(np.isnan(X[:, :1]), 1.0, 0.0)
    informed = classifier("axis").fit(X[:, :1], only_missing.ravel())
    assert informed.score(X[:, :1], only_missing.ravel()) == 1.0


def test_rows_are_copied_only_where_something_is_missing():
    rows = np.array([[1.0, np.nan], [3.0, 4.0]], np.float32)
    before = rows.copy()
    values = fill_values(Rotation(), rows, np.ones(2))
    assert_array_equal(values, np.array([2.0, 4.0], np.float32))
    result = filled(rows, values)
    assert_array_equal(result, [[1, 4], [3, 4]])
    assert result.dtype == np.float32
    assert_array_equal(rows, before)
    assert filled(result, values) is result
    assert filled(rows, None) is rows


def test_means_do_not_depend_on_chunks(monkeypatch):
    expected = fill_values(Rotation(), X, np.ones(len(X)))
    monkeypatch.setattr("manifoldforest.forests._imputation._CHUNK", 20)
    assert_array_equal(fill_values(Rotation(), X, np.ones(len(X))), expected)

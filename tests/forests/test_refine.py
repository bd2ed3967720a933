"""Forests whose leaf values are fitted together: refine=True."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.datasets import load_digits

import manifoldforest as mf
from manifoldforest.io import ModelFileError
from reference import refinement
from reference.forged_files import repacked

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4, 3))
Y = np.digitize(X[:, 0, 0] + X[:, 1, 1] + RNG.normal(size=120), [-0.7, 0.7])
X_NEW = RNG.normal(size=(50, 4, 3))
TWO = np.stack([Y, X[:, 2, 1] > 0], axis=1)


def forest(n_estimators=8, **params):
    defaults = {"refine": True, "min_samples_leaf": 3, "random_state": 0}
    return mf.ForestClassifier(n_estimators, **(defaults | params))


def sums_of_scores(model):
    leaves = model.apply(X_NEW)
    return sum(tree.value[leaves[:, t]] for t, tree in enumerate(model.trees_))


def test_probabilities_are_the_softmax_of_the_sum_of_scores():
    model = forest().fit(X, Y)
    assert_allclose(model.predict_proba(X_NEW), softmax(sums_of_scores(model), axis=1), rtol=1e-12)
    assert_array_equal(model.predict(X_NEW), sums_of_scores(model).argmax(axis=1))


def test_scores_are_those_of_the_plain_version():
    model = forest().fit(X, Y)
    leaves = model._model.trees.leaves_of_rows().T
    is_leaf = model._model.trees["left"] == 0
    values = model._model.trees["value"]
    expected = refinement.refined(
        leaves, len(values), Y[:, None], [3], np.ones(120), model._model.seed
    )
    assert_allclose(values[is_leaf], expected[is_leaf], rtol=2**-23, atol=1e-12)


def test_every_output_has_probabilities_of_its_own():
    model = forest().fit(X, TWO)
    scores = sums_of_scores(model)
    first, second = model.predict_proba(X_NEW)
    assert_allclose(first, softmax(scores[:, :3], axis=1), rtol=1e-12)
    assert_allclose(second, softmax(scores[:, 3:], axis=1), rtol=1e-12)
    assert model.predict(X_NEW).shape == (50, 2)


def test_the_trees_are_those_of_a_forest_without_refinement():
    refined, plain = forest().fit(X, Y), forest(refine=False).fit(X, Y)
    assert_array_equal(refined.apply(X_NEW), plain.apply(X_NEW))
    assert_array_equal(
        refined.forest_weights(X_NEW).toarray(), plain.forest_weights(X_NEW).toarray()
    )
    assert_array_equal(refined.feature_importances_, plain.feature_importances_)


def test_refinement_makes_fewer_errors_on_digits():
    digits = load_digits()
    train, test = slice(None, 1000), slice(1000, None)
    plain, refined = (
        forest(50, projection="axis", min_samples_leaf=5, refine=refine)
        .fit(digits.data[train], digits.target[train])
        .score(digits.data[test], digits.target[test])
        for refine in (False, True)
    )
    assert refined > plain


@pytest.mark.parametrize(
    "params",
    [
        {"n_jobs": 2},
        {"keep_samples": False},
        {"verbose": 0, "keep_samples": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("rows", [X, (X * 40).clip(0, 255).astype(np.uint8)], ids=["f", "u"])
def test_the_forest_depends_on_nothing_but_data_and_seed(params, rows):
    one, other = forest().fit(rows, Y), forest(**params).fit(rows, Y)
    assert_array_equal(one._model.trees["value"], other._model.trees["value"])


@pytest.mark.parametrize("keep_samples", [True, False, "auto"])
def test_a_warm_start_refines_all_trees(keep_samples):
    warm = forest(3, warm_start=True, keep_samples=keep_samples).fit(X, Y)
    warm.set_params(n_estimators=8).fit(X, Y)
    assert_array_equal(warm.predict_proba(X_NEW), forest().fit(X, Y).predict_proba(X_NEW))


def test_a_warm_start_goes_on_as_it_began():
    warm = forest(3, warm_start=True).fit(X, Y)
    before = warm.predict_proba(X_NEW)
    with pytest.raises(ValueError, match="warm_start must continue with the refine it began with"):
        warm.set_params(n_estimators=8, refine=False).fit(X, Y)
    assert_array_equal(warm.predict_proba(X_NEW), before)


def test_sample_weights_count_in_the_refinement():
    weight = np.where(Y == 0, 5.0, 1.0)
    params = {"bootstrap": False, "max_depth": 1, "n_estimators": 4}
    plain, weighted = forest(**params).fit(X, Y), forest(**params).fit(X, Y, weight)
    assert weighted.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean() + 0.05
    by_class = forest(class_weight={0: 5.0}, **params).fit(X, Y)
    assert_array_equal(by_class.predict_proba(X), weighted.predict_proba(X))


def test_rows_without_weight_are_absent():
    weight = (np.arange(120) % 2).astype(float)
    params = {"bootstrap": False, "projection": "axis", "max_features": None}
    some = forest(**params).fit(X, Y, weight)
    half = forest(**params).fit(X[1::2], Y[1::2])
    assert_array_equal(some.predict_proba(X_NEW), half.predict_proba(X_NEW))


def test_balanced_subsamples_are_balanced_as_a_whole():
    rare = (np.arange(120) % 8 == 0).astype(int)
    params = {"max_depth": 1, "n_estimators": 4}
    plain = forest(**params).fit(X, rare)
    balanced = forest(class_weight="balanced_subsample", **params).fit(X, rare)
    assert balanced.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1


@pytest.mark.parametrize("y", [Y, TWO, np.array(["a", "b", "c"])[Y]], ids=["one", "two", "words"])
@pytest.mark.parametrize("keep_samples", [True, False])
def test_files_and_pickles_bring_it_back(y, keep_samples, tmp_path):
    model = forest(keep_samples=keep_samples).fit(X, y)
    model.save(tmp_path / "model.mf")
    for again in (mf.load(tmp_path / "model.mf"), pickle.loads(pickle.dumps(model))):
        assert again.refine is True
        assert_array_equal(np.hstack(again.predict_proba(X)), np.hstack(model.predict_proba(X)))
        assert_array_equal(again._model.trees["value"], model._model.trees["value"])
        assert again._model.trees["value"].dtype == np.float64
        again.save(tmp_path / "again.mf")
        assert (tmp_path / "again.mf").read_bytes() == (tmp_path / "model.mf").read_bytes()


def test_a_file_keeps_scores_in_single_precision(tmp_path):
    sizes = []
    for refine in (False, True):
        model = forest(50, refine=refine, keep_samples=False).fit(X, Y)
        model.save(tmp_path / "model.mf")
        sizes.append((tmp_path / "model.mf").stat().st_size)
    n_values = model._model.trees["value"].size
    assert sizes[1] < sizes[0] + 4 * n_values


def unknown_link(content, arrays):
    content["link"] = "probit"


def link_without_scores(content, arrays):
    arrays["trees.value"] = arrays["trees.value"].astype(np.float32)


def too_few_scores(content, arrays):
    arrays["trees.value"] = arrays["trees.value"][:, :2].copy()


@pytest.mark.parametrize("change", [unknown_link, link_without_scores, too_few_scores])
def test_files_with_wrong_scores_are_refused(change, tmp_path):
    forest().fit(X, Y).save(tmp_path / "model.mf")
    repacked(tmp_path / "model.mf", change)
    with pytest.raises(ModelFileError):
        mf.load(tmp_path / "model.mf")


def test_a_regression_forest_has_no_softmax(tmp_path):
    mf.ForestRegressor(2).fit(X, X[:, 0, 0]).save(tmp_path / "model.mf")
    repacked(tmp_path / "model.mf", lambda content, _: content.update(link="softmax"))
    with pytest.raises(ModelFileError):
        mf.load(tmp_path / "model.mf")


@pytest.mark.parametrize("y", [np.zeros(120, int), np.arange(120) % 2, np.arange(120) % 60])
def test_any_number_of_classes_has_probabilities(y):
    proba = forest().fit(X, y).predict_proba(X_NEW)
    assert proba.shape == (50, y.max() + 1)
    assert_allclose(proba.sum(axis=1), 1.0)


def test_one_row_is_learned():
    model = forest(bootstrap=False).fit(X[:1], ["only"])
    assert_array_equal(model.predict(X_NEW), ["only"] * 50)
    assert_array_equal(model.predict_proba(X_NEW), np.ones((50, 1)))


@pytest.mark.parametrize("params", [{"ccp_alpha": 0.02}, {"max_leaf_nodes": 4}, {"ranks": True}])
def test_it_goes_with_other_ways_to_grow(params):
    model = forest(**params).fit(X, Y)
    assert_allclose(model.predict_proba(X_NEW), softmax(sums_of_scores(model), axis=1), rtol=1e-12)


def test_missing_values_are_allowed():
    holes = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    assert np.isfinite(forest().fit(holes, Y).predict_proba(holes)).all()


@pytest.mark.parametrize(
    ("name", "value"), [("honest", True), ("oob_score", True), ("voting", "hard")]
)
def test_what_cannot_go_together_is_refused_before_any_work(name, value):
    model = forest().fit(X, Y)
    before = model.predict_proba(X_NEW)
    with pytest.raises(ValueError, match=f"{name} must be .* with refine=True.*got {value!r}"):
        model.set_params(**{name: value}).fit(X, Y)
    model.set_params(voting="soft")
    assert_array_equal(model.predict_proba(X_NEW), before)


def test_votes_that_are_asked_for_later_are_refused():
    model = forest().fit(X, Y).set_params(voting="hard")
    with pytest.raises(ValueError, match="voting must be 'soft'"):
        model.predict(X_NEW)


def test_single_trees_have_no_probabilities():
    with pytest.raises(ValueError, match="predict_proba_per_tree needs a forest .* refine=False"):
        forest().fit(X, Y).predict_proba_per_tree(X_NEW)


def test_importance_by_permutation_needs_held_out_examples():
    model = forest(30).fit(X, Y)
    with pytest.raises(ValueError, match="held_out=True"):
        model.permutation_importance(X, Y)
    increase = model.permutation_importance(X, Y, held_out=True, random_state=0)
    assert increase[0, 0] > 0


def test_paths_of_pruning_are_those_without_refinement():
    paths = [forest(refine=refine).cost_complexity_pruning_path(X, Y) for refine in (False, True)]
    assert_array_equal(paths[0].ccp_alphas, paths[1].ccp_alphas)
    assert_array_equal(paths[0].impurities, paths[1].impurities)

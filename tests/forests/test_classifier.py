"""ForestClassifier: predictions, weights, bags, and what users of scikit-learn do with it."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import manifoldforest as mf
from manifoldforest.projections import Mixture, Patches, Sporf


def noisy_data(n=200, p=5, n_classes=3, seed=0):
    """Labels that no forest can learn perfectly, so that leaves and votes differ."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = np.digitize(X[:, 0] + 0.7 * rng.normal(size=n), np.linspace(-1, 1, n_classes - 1))
    return X, y


X, Y = noisy_data()
X_NEW, Y_NEW = noisy_data(seed=1)


def forest(**params):
    return mf.ForestClassifier(**({"n_estimators": 8, "random_state": 0} | params))


def leaf_values(fitted, rows):
    """Class shares of the leaf of each row in each tree: trees × rows × classes."""
    leaves = fitted.apply(rows)
    return np.stack([tree.value[leaves[:, t]] for t, tree in enumerate(fitted.trees_)])


def counts_in_bag(fitted):
    return np.stack([np.bincount(rows, minlength=len(Y)) for rows in fitted.estimators_samples_])


# -------------------------------------------------------------- predictions


def test_soft_votes_are_the_mean_of_leaf_shares():
    fitted = forest(min_samples_leaf=5).fit(X, Y)
    values = leaf_values(fitted, X_NEW)
    assert (values.max(axis=2) < 1).any()
    assert_allclose(fitted.predict_proba(X_NEW), values.mean(axis=0), rtol=1e-6)
    assert_array_equal(fitted.predict(X_NEW), fitted.predict_proba(X_NEW).argmax(axis=1))


def test_hard_votes_are_shares_of_leaf_majorities():
    fitted = forest(min_samples_leaf=5, voting="hard").fit(X, Y)
    votes = leaf_values(fitted, X_NEW).argmax(axis=2)
    shares = np.stack([(votes == k).mean(axis=0) for k in range(3)], axis=1)
    assert_allclose(fitted.predict_proba(X_NEW), shares)
    assert not np.allclose(shares, leaf_values(fitted, X_NEW).mean(axis=0))


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("empty_leaf", ["ignore", "uniform", "empirical"])
def test_probabilities_of_single_trees(voting, empty_leaf):
    Y2 = np.stack([Y, Y_NEW], axis=1)
    honest = {"honest": True, "empty_leaf": empty_leaf, "voting": voting}
    for params in ({"voting": voting}, honest):
        for y in (Y, Y2):
            fitted = forest(n_estimators=12, **params).fit(X, y)
            outputs = fitted.predict_proba_per_tree(X_NEW)
            expected = fitted.predict_proba(X_NEW)
            if y is Y:
                outputs, expected = [outputs], [expected]
            for shares, mean in zip(outputs, expected, strict=True):
                assert shares.shape == (12, len(X_NEW), 3)
                assert_allclose(np.nanmean(shares, axis=0), mean, rtol=1e-6, atol=1e-12)
                left_out = np.isnan(shares).all(axis=2)
                assert_allclose(shares[~left_out].sum(axis=1), 1.0, rtol=1e-6)
                assert left_out.any() == (params is honest and empty_leaf == "ignore")
                if voting == "hard":
                    assert set(np.unique(shares[~left_out])) == {0.0, 1.0}


def test_some_trees_can_be_asked():
    fitted = forest().fit(X, Y)
    everything = fitted.predict_proba_per_tree(X_NEW)
    assert_array_equal(fitted.predict_proba_per_tree(X_NEW, trees=[5, 2]), everything[[5, 2]])
    assert_array_equal(fitted.predict_proba_per_tree(X_NEW, trees=3), everything[[3]])
    assert_array_equal(fitted.predict_proba_per_tree(X_NEW, trees=[]), everything[:0])
    assert_array_equal(everything[4], leaf_values(fitted, X_NEW)[4])
    message = r"trees must be an integer in \[0, 7\] or a sequence of these, got"
    for trees in ([8], [-1], [[0]]):
        with pytest.raises(ValueError, match=message):
            fitted.predict_proba_per_tree(X_NEW, trees=trees)
    for trees in ([0.5], "all", True):
        with pytest.raises(TypeError, match=message):
            fitted.predict_proba_per_tree(X_NEW, trees=trees)


def test_the_length_of_a_forest_is_its_number_of_trees():
    assert len(forest().fit(X, Y)) == 8
    fresh = forest()
    assert fresh, "as every object without a length, a forest that is not fitted is true"
    with pytest.raises(NotFittedError):
        len(fresh)
    grid = GridSearchCV(make_pipeline(forest()), {"forestclassifier": [forest(), forest()]}, cv=2)
    assert len(grid.fit(X, Y).best_estimator_[-1]) == 8


@pytest.mark.parametrize(
    ("max_features", "n"),
    [("sqrt", 2), ("2sqrt", 4), ("log2", 2), (None, 5), (3, 3), (0.5, 2), (2.0, 10)],
)
def test_the_number_of_candidates_is_told(tmp_path, max_features, n):
    fitted = forest(max_features=max_features).fit(X, Y)
    assert fitted.max_features_ == n
    assert isinstance(fitted.max_features_, int)
    fitted.set_params(max_features=4).save(tmp_path / "forest.mf")
    assert mf.load(tmp_path / "forest.mf").max_features_ == n
    assert f"{n} candidates per node" in str(fitted.describe())


def test_log_probabilities_are_logarithms_without_a_warning():
    fitted = forest().fit(X, Y)
    shares = fitted.predict_proba(X_NEW)
    assert (shares == 0).any()
    assert_allclose(np.exp(fitted.predict_log_proba(X_NEW)), shares)


def test_leaves_of_training_rows_give_the_class_shares_of_the_bag():
    fitted = forest(min_samples_leaf=5).fit(X, Y)
    leaves = fitted.apply(X)
    for t, (tree, counts) in enumerate(zip(fitted.trees_, counts_in_bag(fitted), strict=True)):
        leaf = leaves[0, t]
        in_leaf = (leaves[:, t] == leaf) * counts
        expected = np.bincount(Y, in_leaf, minlength=3) / in_leaf.sum()
        assert_allclose(tree.value[leaf], expected, rtol=1e-6)
        assert tree.weight[leaf] == in_leaf.sum()


def test_several_label_columns():
    y = np.stack([Y, (X[:, 1] > 0).astype(int)], axis=1)
    fitted = forest(n_estimators=30, oob_score=True).fit(X, y)
    shares = fitted.predict_proba(X)
    assert [part.shape for part in shares] == [(200, 3), (200, 2)]
    assert all(np.allclose(part.sum(axis=1), 1) for part in shares)
    assert fitted.n_outputs_ == 2
    assert fitted.n_classes_ == [3, 2]
    assert fitted.predict(X).shape == (200, 2)
    assert np.mean(fitted.predict(X) == y) > 0.95
    assert [part.shape for part in fitted.oob_decision_function_] == [(200, 3), (200, 2)]
    label = np.stack([part.argmax(axis=1) for part in fitted.oob_decision_function_], axis=1)
    assert fitted.oob_score_ == np.mean((label == y).all(axis=1))


# --------------------------------------------------------------- out of bag


def test_out_of_bag_votes_come_from_trees_that_did_not_see_the_row():
    fitted = forest(n_estimators=40, oob_score=True).fit(X, Y)
    outside = (counts_in_bag(fitted) == 0)[:, :, None]
    values = leaf_values(fitted, X)
    expected = (values * outside).sum(axis=0) / outside.sum(axis=0)
    assert_allclose(fitted.oob_decision_function_, expected, rtol=1e-6)
    assert fitted.oob_score_ == np.mean(expected.argmax(axis=1) == Y)
    assert fitted.oob_skipped_ == 0


def test_rows_in_every_bag_are_skipped_and_counted():
    fitted = forest(n_estimators=2, oob_score=True)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores") as caught:
        fitted.fit(X, Y)
    assert len(caught) == 1
    never = (counts_in_bag(fitted) > 0).all(axis=0)
    assert fitted.oob_skipped_ == never.sum() > 0
    assert_array_equal(np.isnan(fitted.oob_decision_function_).any(axis=1), never)
    seen = fitted.oob_decision_function_[~never]
    assert fitted.oob_score_ == np.mean(seen.argmax(axis=1) == Y[~never])


def test_out_of_bag_score_may_be_any_metric_of_labels():
    words = np.array(["a", "b", "c"])[Y]
    fitted = forest(n_estimators=40, oob_score=balanced_accuracy_score).fit(X, words)
    label = fitted.classes_[fitted.oob_decision_function_.argmax(axis=1)]
    assert fitted.oob_score_ == balanced_accuracy_score(words, label)


def test_out_of_bag_score_needs_rows_out_of_bag():
    for params in ({}, {"max_samples": 1.0}, {"max_samples": 200}):
        with pytest.raises(ValueError, match="oob_score must be False"):
            forest(bootstrap=False, oob_score=True, **params).fit(X, Y)
    fitted = forest(n_estimators=30, bootstrap=False, oob_score=True, max_samples=0.5).fit(X, Y)
    assert 0.4 < fitted.oob_score_ < 1


def test_out_of_bag_score_does_not_need_kept_samples():
    kept = forest(n_estimators=40, oob_score=True).fit(X, Y)
    dropped = forest(n_estimators=40, oob_score=True, keep_samples=False).fit(X, Y)
    assert dropped.oob_score_ == kept.oob_score_
    with pytest.raises(ValueError, match="forest_weights .* keep_samples=True"):
        dropped.forest_weights(X)
    with pytest.raises(ValueError, match="estimators_samples_ .* keep_samples=True"):
        _ = dropped.estimators_samples_
    assert not hasattr(dropped, "estimators_samples_")
    assert "estimators_samples_" not in dict(inspect.getmembers(dropped))


# --------------------------------------------------------------------- bags


@pytest.mark.parametrize(
    "params",
    [{}, {"max_samples": 0.5}, {"bootstrap": False, "max_samples": 60}, {"honest": True}],
    ids=str,
)
def test_rows_are_in_the_bag_or_out_of_it(params):
    fitted = forest(**params).fit(X, Y)
    bags, others = fitted.estimators_samples_, fitted.oob_samples_
    assert len(bags) == len(others) == 8
    for bag, other in zip(bags, others, strict=True):
        assert_array_equal(other, np.setdiff1d(np.arange(len(X)), bag))
        assert other.dtype == np.intp
    assert not hasattr(forest(keep_samples=False).fit(X, Y), "oob_samples_")
    assert all(len(rows) == 0 for rows in forest(bootstrap=False).fit(X, Y).oob_samples_)


def test_bootstrap_draws_as_many_rows_as_there_are():
    counts = counts_in_bag(forest(n_estimators=50).fit(X, Y))
    assert_array_equal(counts.sum(axis=1), 200)
    # the share of rows in a bag is 1 - 1/e; 50 bags of 200 rows have a standard error of 0.003
    assert abs((counts > 0).mean() - 0.632) < 0.015


@pytest.mark.parametrize("max_samples", [np.int64(500), 2.5, np.float32(2.5)])
def test_a_bootstrap_may_draw_more_often_than_there_are_rows(max_samples):
    counts = counts_in_bag(forest(max_samples=max_samples).fit(X, Y))
    assert_array_equal(counts.sum(axis=1), 500)


@pytest.mark.parametrize("max_samples", [201, 1.01, 2**40])
def test_rows_drawn_without_replacement_are_at_most_all_rows(max_samples):
    with pytest.raises(ValueError, match="max_samples must give at most 200 rows"):
        forest(max_samples=max_samples, bootstrap=False).fit(X, Y)


@pytest.mark.parametrize("max_samples", [2**31, 2**70, 1e300])
def test_draws_are_counted_in_32_bits(max_samples):
    with pytest.raises(ValueError, match="max_samples must give at most 2147483647 draws"):
        forest(max_samples=max_samples).fit(X, Y)


@pytest.mark.parametrize(("max_samples", "drawn"), [(30, 30), (0.25, 50), (1e-9, 1)])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_max_samples_is_the_number_of_draws(max_samples, drawn, bootstrap):
    counts = counts_in_bag(forest(max_samples=max_samples, bootstrap=bootstrap).fit(X, Y))
    assert_array_equal(counts.sum(axis=1), drawn)
    if not bootstrap:
        assert counts.max() == 1


def test_stratified_bags_have_the_class_counts_of_the_data():
    counts = counts_in_bag(forest(stratify=True).fit(X, Y))
    for bag in counts:
        assert_array_equal(np.bincount(Y, bag), np.bincount(Y))
    free = counts_in_bag(forest().fit(X, Y))
    assert any((np.bincount(Y, bag) != np.bincount(Y)).any() for bag in free)


# ------------------------------------------------------------------ weights


@pytest.mark.parametrize("projection", ["axis", "sporf", "patches"])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("ranks", [True, False])
def test_whole_weights_are_repetitions_without_bootstrap(projection, criterion, ranks):
    weight = np.random.default_rng(0).integers(0, 4, size=200)
    params = {"projection": projection, "criterion": criterion, "bootstrap": False, "ranks": ranks}
    # bins of other splitters follow the number of rows
    params |= {"min_samples_leaf": 4, "min_samples_split": 0.05, "splitter": "exact"}
    weighted = forest(**params).fit(X, Y, sample_weight=weight)
    repeated = forest(**params).fit(X.repeat(weight, axis=0), Y.repeat(weight))
    assert_allclose(weighted.predict_proba(X_NEW), repeated.predict_proba(X_NEW), rtol=1e-6)


@pytest.mark.parametrize("projection", ["axis", "sporf"])
def test_whole_weights_are_repetitions_in_large_nodes_that_are_searched_exactly(projection):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1500, 4))
    labels = (rows[:, 0] + rng.normal(size=1500) > 0).astype(int)
    weight = rng.integers(0, 4, size=1500)
    params = {"projection": projection, "bootstrap": False, "splitter": "exact"}
    weighted = forest(**params).fit(rows, labels, sample_weight=weight)
    repeated = forest(**params).fit(rows.repeat(weight, axis=0), labels.repeat(weight))
    assert_array_equal(weighted.predict_proba(rows), repeated.predict_proba(rows))


@pytest.mark.parametrize("scale", [1.0, 10_000.0, 1e12, 0.3])
def test_a_bootstrap_draws_in_proportion_to_weights_as_often_as_there_are_rows(scale):
    weight = scale * np.tile([1.0, 3.0], 100)
    fitted = forest(n_estimators=400).fit(X, Y, sample_weight=weight)
    counts = counts_in_bag(fitted)
    assert_array_equal(counts.sum(axis=1), 200)
    # 400 bags of 200 draws, a share of 0.75 of them: standard error 0.0015
    assert abs(counts[:, 1::2].sum() / counts.sum() - 0.75) < 0.008
    roots = [tree.weight[0] for tree in fitted.trees_]
    assert_array_equal(roots, 200)  # a draw counts 1


@pytest.mark.parametrize(("max_samples", "drawn"), [(None, 120), (30, 30), (0.5, 60), (1.5, 180)])
def test_fractions_are_of_the_rows_that_have_weight(max_samples, drawn):
    weight = np.where(np.arange(200) < 80, 0.0, 7.0)
    counts = counts_in_bag(forest(max_samples=max_samples).fit(X, Y, sample_weight=weight))
    assert_array_equal(counts.sum(axis=1), drawn)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")  # of a rare class
@pytest.mark.parametrize("factor", [5.0, 100.0, 2.0**30, 0.1])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"stratify": True},
        {"honest": True},
        {"class_weight": "balanced"},
        {"class_weight": "balanced_subsample"},
        {"ranks": True},
        {"min_samples_leaf": 3, "min_samples_split": 0.1},
        {"max_samples": 0.5},
    ],
)
@pytest.mark.parametrize("weights", ["equal", "whole", "fractional"])
def test_a_factor_of_all_weights_changes_nothing_with_bootstrap(weights, params, factor):
    rng = np.random.default_rng(3)
    weight = {
        "equal": np.ones(200),
        "whole": rng.integers(0, 5, 200).astype(float),
        "fractional": rng.uniform(0.1, 2, 200),
    }[weights]
    one = forest(n_estimators=30, oob_score=True, **params).fit(X, Y, sample_weight=weight)
    two = forest(n_estimators=30, oob_score=True, **params).fit(X, Y, sample_weight=factor * weight)
    assert_array_equal(one.predict_proba(X_NEW), two.predict_proba(X_NEW))
    assert one.oob_score_ == two.oob_score_
    if weights == "equal":
        none = forest(n_estimators=30, oob_score=True, **params).fit(X, Y)
        assert_array_equal(one.predict_proba(X_NEW), none.predict_proba(X_NEW))
        assert one.oob_score_ == none.oob_score_


@pytest.mark.parametrize("bootstrap", [True, False])
def test_rows_of_weight_zero_are_absent(bootstrap):
    weight = np.where(np.arange(200) < 100, 0.0, 0.5)
    fitted = forest(bootstrap=bootstrap).fit(X, Y, sample_weight=weight)
    assert counts_in_bag(fitted)[:, :100].max() == 0
    assert counts_in_bag(fitted)[:, 100:].max() > 0


@pytest.mark.parametrize("ranks", [True, False])
@pytest.mark.parametrize("factor", [4.0, 2.0**1020, 2.0**-1000])
def test_weights_matter_only_up_to_a_factor_without_bootstrap(ranks, factor):
    weight = np.random.default_rng(0).uniform(0.1, 2, size=200)
    params = {"bootstrap": False, "max_depth": 4, "ranks": ranks}
    one = forest(**params).fit(X, Y, sample_weight=weight)
    two = forest(**params).fit(X, Y, sample_weight=factor * weight)
    none = forest(**params).fit(X, Y)
    assert_allclose(one.predict_proba(X_NEW), two.predict_proba(X_NEW), rtol=1e-6)
    assert not np.allclose(one.predict_proba(X_NEW), none.predict_proba(X_NEW))


@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_class_weight_is_a_sample_weight_for_the_class(bootstrap):
    params = {"bootstrap": bootstrap, "max_depth": 3}
    by_class = forest(class_weight={0: 0.5, 2: 2.5}, **params).fit(X, Y)
    by_row = forest(**params).fit(X, Y, sample_weight=np.array([0.5, 1.0, 2.5])[Y])
    assert_allclose(by_class.predict_proba(X_NEW), by_row.predict_proba(X_NEW), rtol=1e-6)
    assert not np.allclose(
        by_class.predict_proba(X_NEW), forest(**params).fit(X, Y).predict_proba(X_NEW)
    )


@pytest.mark.parametrize(
    "params",
    [
        {"class_weight": "balanced"},
        {"class_weight": "balanced", "bootstrap": False},
        {"class_weight": "balanced", "stratify": True},
        {"class_weight": "balanced_subsample"},
        {"class_weight": "balanced_subsample", "bootstrap": False},
        {"class_weight": "balanced_subsample", "bootstrap": False, "max_samples": 0.7},
    ],
)
def test_balanced_classes_weigh_the_same(params):
    few = np.flatnonzero(np.cumsum(Y == 0) <= 10)  # class 0 becomes rare
    rows = np.union1d(few, np.flatnonzero(Y != 0))
    balanced = forest(n_estimators=50, max_depth=1, **params).fit(X[rows], Y[rows])
    roots = np.stack([tree.value[0] for tree in balanced.trees_])
    assert np.bincount(Y[rows])[0] / len(rows) < 0.1
    assert_allclose(roots.mean(axis=0), 1 / 3, atol=0.03)


@pytest.mark.parametrize("max_samples", [None, 0.5])
def test_balanced_subsamples_count_weights_of_rows(max_samples):
    weight = np.random.default_rng(0).uniform(0.1, 3, 200) * np.array([1.0, 5.0, 0.2])[Y]
    params = {"class_weight": "balanced_subsample", "bootstrap": False, "max_depth": 1}
    balanced = forest(max_samples=max_samples, **params).fit(X, Y, sample_weight=weight)
    for tree in balanced.trees_:
        assert_allclose(tree.value[0], 1 / 3, rtol=1e-6)
    shares = balanced.forest_weights(X_NEW) @ np.eye(3)[Y]
    assert_allclose(shares, balanced.predict_proba(X_NEW), rtol=1e-5)


def test_class_weights_of_several_outputs_multiply():
    y = np.stack([Y, (X[:, 1] > 0).astype(int)], axis=1)
    tables = [{0: 2.0, 1: 1.0, 2: 1.0}, {0: 1.0, 1: 3.0}]
    weight = np.array([2.0, 1.0, 1.0])[y[:, 0]] * np.array([1.0, 3.0])[y[:, 1]]
    by_class = forest(class_weight=tables, bootstrap=False, max_depth=3).fit(X, y)
    by_row = forest(bootstrap=False, max_depth=3).fit(X, y, sample_weight=weight)
    for a, b in zip(by_class.predict_proba(X_NEW), by_row.predict_proba(X_NEW), strict=True):
        assert_allclose(a, b, rtol=1e-6)


# ------------------------------------------------------------------ honesty


def test_honest_leaves_hold_only_rows_that_did_not_choose_splits():
    fitted = forest(honest=True, honest_fraction=0.6, empty_leaf="prune", max_samples=150)
    fitted.set_params(bootstrap=False).fit(X, Y)
    leaves = fitted.apply(X)
    for t, tree in enumerate(fitted.trees_):
        inbag = tree.arrays["inbag"]
        assert 50 < (inbag > 0).sum() < 70  # (1 - 0.6) × 150, rounded in each class
        assert (inbag != 0).sum() == 150
        assert tree.weight[0] == (inbag > 0).sum()
        for leaf in np.unique(leaves[:, t]):
            estimating = Y[(leaves[:, t] == leaf) & (inbag > 0)]
            expected = np.bincount(estimating, minlength=3) / max(len(estimating), 1)
            assert_allclose(tree.value[leaf], expected, rtol=1e-6)


def test_empty_leaves_speak_as_asked():
    params = {"honest": True, "honest_fraction": 0.8, "n_estimators": 1, "bootstrap": False}
    answers = {}
    for rule in ("ignore", "uniform", "empirical", "prune"):
        fitted = forest(empty_leaf=rule, **params).fit(X, Y)
        tree, leaves = fitted.trees_[0], fitted.apply(X)[:, 0]
        answers[rule] = fitted.predict_proba(X)
        if rule == "prune":
            assert (tree.weight[tree.is_leaf] > 0).all()
        else:
            empty = tree.weight[leaves] == 0
            assert 0 < empty.sum() < 200
    prior = np.bincount(Y) / 200
    estimating = np.bincount(Y[tree.arrays["inbag"] > 0], minlength=3)
    assert_allclose(answers["ignore"][empty], np.tile(prior, (empty.sum(), 1)), rtol=1e-6)
    assert_allclose(answers["uniform"][empty], 1 / 3, rtol=1e-6)
    assert_allclose(answers["empirical"][empty][0], estimating / estimating.sum(), rtol=1e-6)
    assert_array_equal(answers["ignore"][~empty], answers["empirical"][~empty])


# ------------------------------------------------- repeatable, continued


def test_same_seed_same_forest_for_any_number_of_threads():
    expected = forest(n_jobs=1).fit(X, Y)
    for n_jobs in (2, 8, -1):
        again = forest(n_jobs=n_jobs).fit(X, Y)
        for name, array in expected._model.trees.arrays.items():
            assert_array_equal(again._model.trees[name], array)
    other = forest(random_state=1).fit(X, Y)
    assert not np.array_equal(other.predict_proba(X_NEW), expected.predict_proba(X_NEW))


def test_growing_on_equals_growing_at_once():
    for extra in ({}, {"projection": "patches"}, {"projection": "rotation"}, {"ranks": True}):
        at_once = forest(n_estimators=12, oob_score=True, **extra)
        step_by_step = forest(n_estimators=5, warm_start=True, oob_score=True, **extra)
        with pytest.warns(UserWarning, match="OOB"):
            step_by_step.fit(X, Y)
        with pytest.warns(UserWarning, match="OOB"):
            step_by_step.set_params(n_estimators=12).fit(X, Y)
        with pytest.warns(UserWarning, match="OOB"):
            at_once.fit(X, Y)
        for name, array in at_once._model.trees.arrays.items():
            assert_array_equal(step_by_step._model.trees[name], array)
            assert step_by_step._model.trees[name].dtype == array.dtype
        assert step_by_step.oob_score_ == at_once.oob_score_
        assert_array_equal(step_by_step.predict_proba(X_NEW), at_once.predict_proba(X_NEW))


def test_growing_on_keeps_the_first_seed():
    fitted = forest(n_estimators=3, warm_start=True, random_state=None).fit(X, Y)
    first = fitted.apply(X)
    assert_array_equal(fitted.set_params(n_estimators=6).fit(X, Y).apply(X)[:, :3], first)


def test_growing_on_refuses_what_does_not_belong():
    fitted = forest(n_estimators=5, warm_start=True).fit(X, Y)
    for params, data, message in [
        ({"n_estimators": 4}, (X, Y), "n_estimators must be at least 5"),
        ({"n_estimators": 6}, (X[:, :4], Y), "shape of examples"),
        ({"n_estimators": 6}, (X[:100], Y[:100]), "y it began with"),
        ({"n_estimators": 6}, (X, Y + 1), "y it began with"),
        ({"n_estimators": 6, "projection": "axis"}, (X, Y), "projection"),
        ({"n_estimators": 6, "ranks": True}, (X, Y), "ranks"),
        ({"n_estimators": 6, "honest": True}, (X, Y), "honesty"),
        ({"n_estimators": 6, "bootstrap": False}, (X, Y), "weights and bags"),
        ({"n_estimators": 6}, (X, Y, np.arange(200)), "weights and bags"),
    ]:
        with pytest.raises(ValueError, match=message):
            clone_fitted(fitted).set_params(**params).fit(*data)
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        assert len(fitted.fit(X, Y).trees_) == 5
    dropped = forest(n_estimators=5, warm_start=True, keep_samples=False).fit(X, Y)
    with pytest.raises(ValueError, match="number of rows it began with"):
        clone_fitted(dropped).set_params(n_estimators=6).fit(X[:150], Y[:150])
    with pytest.raises(ValueError, match="keep_samples"):
        dropped.set_params(n_estimators=6, oob_score=True).fit(X, Y)


def clone_fitted(fitted):
    return pickle.loads(pickle.dumps(fitted))


def test_an_interrupted_fit_leaves_the_forest_as_it_was(monkeypatch):
    def interrupt(done, total):
        raise KeyboardInterrupt

    monkeypatch.setattr("manifoldforest.forests._growing._progress_lines", lambda name: interrupt)
    fresh, fitted = forest(verbose=1), forest().fit(X, Y).set_params(verbose=1)
    expected = fitted.predict_proba(X_NEW)
    for interrupted in (fresh, fitted):
        with pytest.raises(KeyboardInterrupt):
            interrupted.fit(X[:100], Y[:100])
    assert not hasattr(fresh, "classes_")
    assert_array_equal(fitted.predict_proba(X_NEW), expected)


def test_progress_goes_to_the_error_stream(capsys):
    forest(n_estimators=20, verbose=1).fit(X, Y)
    written = capsys.readouterr()
    assert written.out == ""
    assert "ForestClassifier: 20 of 20 trees" in written.err
    forest().fit(X, Y)
    assert capsys.readouterr().err == ""


# ------------------------------------------------------- parameters that bite


def test_stop_rules_reach_the_trees():
    def trees(**params):
        return forest(bootstrap=False, **params).fit(X, Y).trees_

    free = trees()
    assert max(tree.depth.max() for tree in trees(max_depth=3)) == 3
    assert min(tree.weight[tree.is_leaf].min() for tree in trees(min_samples_leaf=7)) >= 7
    assert min(tree.weight[~tree.is_leaf].min() for tree in trees(min_samples_split=20)) >= 20
    assert max(tree.is_leaf.sum() for tree in trees(max_leaf_nodes=6)) == 6
    for bound in ({"ccp_alpha": 0.01}, {"min_impurity_decrease": 0.01}):
        assert sum(tree.n_nodes for tree in trees(**bound)) < sum(tree.n_nodes for tree in free)
    for tree in trees(min_balance=0.3):
        smaller = np.minimum(tree.weight[tree.left], tree.weight[tree.right])[~tree.is_leaf]
        assert (smaller >= 0.3 * tree.weight[~tree.is_leaf] - 1).all()


def test_fractions_of_rows_and_features():
    by_count = forest(min_samples_leaf=10, max_features=2, max_samples=100).fit(X, Y)
    by_share = forest(min_samples_leaf=0.05, max_features=0.4, max_samples=0.5).fit(X, Y)
    assert_array_equal(by_count.predict_proba(X_NEW), by_share.predict_proba(X_NEW))
    for one, two in [("sqrt", 2), ("log2", 2), (None, 5), (0.01, 1), (2.0, 10)]:
        left, right = forest(max_features=one).fit(X, Y), forest(max_features=two).fit(X, Y)
        assert_array_equal(left.predict_proba(X_NEW), right.predict_proba(X_NEW))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("name", ["ccp_alpha", "min_impurity_decrease"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_thresholds_of_impurity_mean_what_they_mean_in_scikit_learn(load, name, criterion):
    data, labels = load(return_X_y=True)
    data = data.astype(np.float32)
    for threshold in (0.0, 0.005, 0.01, 0.02, 0.05, 0.1):
        params = {"criterion": criterion, "random_state": 0, name: threshold}
        theirs = DecisionTreeClassifier(**params).fit(data, labels)
        everything = {"max_features": 1000, "bootstrap": False, "splitter": "exact"}
        ours = forest(n_estimators=1, projection="axis", **everything, **params).fit(data, labels)
        assert ours.trees_[0].is_leaf.sum() == theirs.get_n_leaves()


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_gains_are_those_of_scikit_learn(criterion):
    everything = {"max_features": 1000, "bootstrap": False, "splitter": "exact"}
    data = X.astype(np.float32)
    ours = forest(n_estimators=1, projection="axis", criterion=criterion, **everything)
    tree = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(data, Y).tree_
    weight = tree.weighted_n_node_samples * tree.impurity
    inner = tree.children_left >= 0
    decrease = weight - weight[tree.children_left] - weight[tree.children_right]
    found = ours.fit(data, Y).trees_[0].gain
    assert_allclose(found.max(), (decrease[inner] / len(Y)).max(), rtol=1e-5)
    assert_allclose(found.sum(), decrease[inner].sum() / len(Y), rtol=1e-5)


def test_log_loss_is_entropy():
    shares = [forest(criterion=c).fit(X, Y).predict_proba(X_NEW) for c in ("entropy", "log_loss")]
    assert_array_equal(*shares)


def test_ranks_make_the_forest_blind_to_monotone_changes():
    stretched = np.sign(X) * np.abs(X) ** 3
    plain = [forest(max_features=5).fit(x, Y).predict_proba(x) for x in (X, stretched)]
    ranked = [forest(max_features=5, ranks=True).fit(x, Y) for x in (X, stretched)]
    assert not np.array_equal(*plain)
    assert_array_equal(ranked[0].predict_proba(X), ranked[1].predict_proba(stretched))
    assert isinstance(ranked[0].rank_transformer_, mf.RankTransformer)
    assert not hasattr(ranked[0].set_params(ranks=False).fit(X, Y), "rank_transformer_")


# -------------------------------------------------- with scikit-learn's tools


def test_clone_and_pickle():
    fitted = forest(projection=Patches(max_size=2)).fit(X, Y)
    expected = fitted.predict_proba(X_NEW)
    assert not hasattr(clone(fitted), "classes_")
    assert clone(fitted).get_params() == fitted.get_params()
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.predict_proba(X_NEW), expected)
    with pytest.raises(ValueError, match="read-only"):
        again.trees_[0].threshold[0] = 0.0


def test_nested_parameters_are_tuned():
    digits = load_digits()
    images, labels = digits.images[:200], digits.target[:200]
    search = GridSearchCV(
        forest(projection=Patches(), n_estimators=10), {"projection__max_size": [1, 3]}, cv=2
    )
    search.fit(images, labels)
    assert (
        search.best_estimator_.projection_.max_size == search.best_params_["projection__max_size"]
    )
    mixture = Mixture([("axis", Sporf(), 0.5), ("patches", Patches(), 0.5)])
    tuned = forest(projection=mixture).set_params(projection__patches__max_size=2)
    assert tuned.fit(images, labels).score(images, labels) > 0.9


def test_parameters_of_a_projection_given_by_name_are_tuned():
    params = forest().get_params(deep=True)
    assert params["projection"] == "sporf"
    assert params["projection__rate"] == 1.5
    assert "projection__rate" not in forest().get_params(deep=False)
    search = GridSearchCV(forest(), {"projection__rate": [1.0, 3.0]}, cv=2).fit(X, Y)
    assert search.best_estimator_.projection.rate == search.best_params_["projection__rate"]
    assert search.estimator.projection == "sporf"

    original = forest(projection="patches")
    tuned = clone(original).set_params(projection__max_size=3)
    assert (original.projection, tuned.projection) == ("patches", Patches(max_size=3))
    assert clone(tuned).get_params() == tuned.get_params()
    again = forest().set_params(projection__max_size=2, projection="patches")
    assert again.projection == Patches(max_size=2)
    for params, message in [
        ({"projection__max_size": 3}, "Invalid parameter 'max_size'"),
        ({"projection": "diagonal", "projection__rate": 3}, "projection must be one of"),
    ]:
        with pytest.raises(ValueError, match=message):
            forest().set_params(**params)


def test_pipelines_and_cross_validation():
    X_iris, y_iris = load_iris(return_X_y=True)
    scores = cross_val_score(make_pipeline(StandardScaler(), forest()), X_iris, y_iris, cv=3)
    assert scores.min() > 0.9


def test_sample_weights_are_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            forest(bootstrap=False, max_depth=2).set_fit_request(sample_weight=True),
        )
        weight = np.where(Y == 0, 10.0, 1.0)
        routed = pipeline.fit(X, Y, sample_weight=weight).predict_proba(X_NEW)
        plain = pipeline.fit(X, Y).predict_proba(X_NEW)
    assert routed[:, 0].mean() > plain[:, 0].mean() + 0.1


def test_images_go_straight_in():
    digits = load_digits()
    fitted = forest(n_estimators=30, projection=Patches(max_size=3))
    fitted.fit(digits.images[:900], digits.target[:900])
    assert fitted.score(digits.images[900:], digits.target[900:]) > 0.9
    border = fitted.feature_importances_[:, [0, 7]].sum()
    assert border < 0.1  # almost nothing is written there

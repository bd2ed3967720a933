"""What a fitted forest tells about examples, training rows, features and leaves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance

import manifoldforest as mf
from manifoldforest.projections import Patches


def noisy_data(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4, 3))
    return X, (X[:, 1, :2].sum(axis=1) + 0.5 * rng.normal(size=n) > 0).astype(int)


X, Y = noisy_data()
X_NEW, _ = noisy_data(n=40, seed=1)

KINDS = {
    "plain": {},
    "patches": {"projection": Patches(max_size=2)},
    "rotation": {"projection": "rotation"},
    "all rows": {"bootstrap": False},
    "subsample": {"bootstrap": False, "max_samples": 0.5},
    "weighted classes": {"class_weight": {0: 1.0, 1: 3.0}},
    "weighted classes, all rows": {"class_weight": {0: 1.0, 1: 3.0}, "bootstrap": False},
    "weighted classes, stratified": {"class_weight": {0: 1.0, 1: 3.0}, "stratify": True},
    "balanced bags": {"class_weight": "balanced_subsample"},
    "balanced subsamples": {
        "class_weight": "balanced_subsample",
        "bootstrap": False,
        "max_samples": 0.5,
    },
    "honest, ignore": {"honest": True, "honest_fraction": 0.9},
    "honest, empirical": {"honest": True, "honest_fraction": 0.9, "empty_leaf": "empirical"},
    "honest, prune": {"honest": True, "honest_fraction": 0.7, "empty_leaf": "prune"},
    "honest, balanced": {
        "honest": True,
        "empty_leaf": "empirical",
        "class_weight": "balanced_subsample",
    },
    "honest, all rows": {"honest": True, "bootstrap": False},
    "honest, tiny bags": {"honest": True, "max_samples": 2, "min_samples_split": 2},
}


def fitted_forest(**params):
    params = {"n_estimators": 6, "random_state": 0, "min_samples_leaf": 2} | params
    return mf.ForestClassifier(**params).fit(X, Y)


# ------------------------------------------------------------------ weights


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_are_means_under_forest_weights(kind):
    forest = fitted_forest(**KINDS[kind])
    weights = forest.forest_weights(X_NEW)
    assert weights.shape == (40, 150)
    assert weights.data.min() > 0
    assert_allclose(weights.sum(axis=1), 1.0)
    assert_allclose(weights @ np.eye(2)[Y], forest.predict_proba(X_NEW), atol=1e-6)


def test_predictions_are_means_under_forest_weights_with_sample_weights():
    for sample_weight in (np.arange(150) % 4, np.linspace(0, 2, 150)):
        for params in ({}, {"bootstrap": False}, {"bootstrap": False, "honest": True}):
            forest = mf.ForestClassifier(6, random_state=0, min_samples_leaf=3, **params)
            forest.fit(X, Y, sample_weight=sample_weight)
            weights = forest.forest_weights(X_NEW)
            assert_allclose(weights @ np.eye(2)[Y], forest.predict_proba(X_NEW), atol=1e-6)
            assert weights[:, sample_weight == 0].nnz == 0


def test_forest_weights_of_one_tree_are_shares_of_its_leaf():
    forest = fitted_forest(n_estimators=1)
    leaves, of_new = forest.apply(X)[:, 0], forest.apply(X_NEW)[:, 0]
    counts = forest.trees_[0].arrays["inbag"]
    for row, leaf in enumerate(of_new):
        expected = np.where(leaves == leaf, counts, 0)
        assert_allclose(
            forest.forest_weights(X_NEW[row : row + 1]).toarray()[0], expected / expected.sum()
        )


def test_uniform_empty_leaves_are_left_out_of_forest_weights():
    forest = fitted_forest(honest=True, honest_fraction=0.9, empty_leaf="uniform")
    assert_allclose(forest.forest_weights(X_NEW).sum(axis=1), 1.0)
    assert not np.allclose(forest.forest_weights(X_NEW) @ np.eye(2)[Y], forest.predict_proba(X_NEW))


def test_proximity_is_the_share_of_trees_with_a_common_leaf():
    forest = fitted_forest()
    expected = (forest.apply(X_NEW)[:, None, :] == forest.apply(X)[None, :, :]).mean(axis=2)
    assert_allclose(forest.proximity(X_NEW).toarray(), expected)
    assert_allclose(forest.proximity(X).diagonal(), 1.0)


# -------------------------------------------------------------------- paths


def test_decision_path_is_the_path_in_each_tree():
    forest = fitted_forest()
    indicator, starts = forest.decision_path(X_NEW)
    leaves = forest.apply(X_NEW)
    assert indicator.shape == (40, starts[-1])
    assert_array_equal(np.diff(starts), [tree.n_nodes for tree in forest.trees_])
    for row in range(40):
        expected = np.concatenate(
            [
                np.array(tree.path(leaves[row, t])) + starts[t]
                for t, tree in enumerate(forest.trees_)
            ]
        )
        assert_array_equal(indicator[row].indices, np.sort(expected))
        assert (indicator[row].data == 1).all()


def test_decision_path_has_the_form_of_scikit_learns():
    ours = fitted_forest().decision_path(X_NEW)
    theirs = (
        RandomForestClassifier(6).fit(X.reshape(150, -1), Y).decision_path(X_NEW.reshape(40, -1))
    )
    assert type(ours[0]) is type(theirs[0])
    assert ours[0].dtype == theirs[0].dtype
    assert ours[1].shape == theirs[1].shape


@pytest.mark.parametrize("kind", ["plain", "patches", "rotation"])
def test_leaf_regions_hold_exactly_the_rows_of_the_leaf(kind):
    forest = fitted_forest(**KINDS[kind])
    rows = np.concatenate([X, X_NEW])
    leaves, flat = forest.apply(rows), rows.reshape(len(rows), -1)
    for tree in (0, 3):
        for leaf in np.flatnonzero(forest.trees_[tree].is_leaf):
            A, b = forest.leaf_region(tree, leaf)
            assert A.shape == (forest.trees_[tree].depth[leaf], 12)
            inside = (b[:, None] + 1e-6 >= A @ flat.T).all(axis=0)
            assert_array_equal(inside, leaves[:, tree] == leaf)


def test_leaf_regions_of_nodes_that_are_no_leaves_are_refused():
    forest = fitted_forest()
    for tree, leaf, name in [(6, 1, "tree"), (-1, 1, "tree"), (0, 0, "leaf"), (0, 10**6, "leaf")]:
        with pytest.raises(ValueError, match=f"{name} must be"):
            forest.leaf_region(tree, leaf)


# -------------------------------------------------------------------- trees


def test_trees_are_consistent_and_read_only():
    forest = fitted_forest(bootstrap=False)
    for tree in forest.trees_:
        inner = ~tree.is_leaf
        assert_allclose(
            tree.weight[inner], tree.weight[tree.left[inner]] + tree.weight[tree.right[inner]]
        )
        assert_array_equal(tree.depth[tree.left[inner]], tree.depth[inner] + 1)
        assert tree.n_nodes == 2 * tree.is_leaf.sum() - 1
        assert tree.atoms().shape == (tree.n_nodes, 12)
        assert_array_equal(np.diff(tree.atoms().indptr) > 0, inner)
        for name in (
            "left",
            "right",
            "threshold",
            "missing_left",
            "gain",
            "weight",
            "value",
            "depth",
        ):
            assert not getattr(tree, name).flags.writeable
        assert not any(array.flags.writeable for array in tree.arrays.values())
    assert "depth" in repr(tree)


def test_trees_can_be_walked_by_hand():
    forest = fitted_forest()
    flat = X_NEW.reshape(40, -1).astype(np.float32)
    leaves = forest.apply(X_NEW)
    for t, tree in enumerate(forest.trees_):
        values = tree.atoms() @ flat.T
        for row in range(40):
            node = 0
            while not tree.is_leaf[node]:
                left = values[node, row] <= tree.threshold[node]
                node = tree.left[node] if left else tree.right[node]
            assert node == leaves[row, t]


# --------------------------------------------------------------- importance


def test_usage_counts_the_features_of_splits():
    forest = fitted_forest(projection=Patches(max_size=2))
    counts = sum(np.asarray((tree.atoms() != 0).sum(axis=0)).ravel() for tree in forest.trees_)
    assert_allclose(forest.feature_usage_.ravel(), counts / counts.sum())


def test_gain_is_shared_by_the_features_of_a_split():
    forest = fitted_forest(projection=Patches(max_size=2))
    expected = np.zeros(12)
    for tree in forest.trees_:
        used = (tree.atoms() != 0).astype(float)
        size = np.maximum(np.asarray(used.sum(axis=1)).ravel(), 1)
        gain = np.asarray(used.multiply((tree.gain / size)[:, None]).sum(axis=0)).ravel()
        expected += gain / gain.sum()
    assert_allclose(forest.feature_importances_.ravel(), expected / expected.sum(), rtol=1e-5)
    assert_allclose(forest.feature_importances_.sum(), 1.0)


def test_importances_find_the_features_that_matter():
    forest = fitted_forest(n_estimators=50, projection="axis", min_samples_leaf=5)
    for importance in (
        forest.feature_importances_,
        forest.permutation_importance(X, Y, n_repeats=3, random_state=0),
    ):
        assert importance.shape == (4, 3)
        assert set(np.argsort(importance.ravel())[-2:]) == {3, 4}


def test_permutation_importance_is_the_increase_of_the_out_of_bag_error():
    forest = fitted_forest(n_estimators=30)
    increase = forest.permutation_importance(X, Y, features=[3], random_state=7)
    assert_array_equal(np.isnan(increase.ravel()), np.arange(12) != 3)

    def error(rows):
        leaves, trees = forest.apply(rows), forest.trees_
        outside = np.stack([tree.arrays["inbag"] == 0 for tree in trees])[:, :, None]
        values = np.stack([tree.value[leaves[:, t]] for t, tree in enumerate(trees)])
        votes = (values.astype(float) * outside).sum(axis=0) / outside.sum(axis=0)
        return np.mean(votes.argmax(axis=1) != Y)

    shuffled = X.reshape(150, -1).astype(np.float32)
    before = error(shuffled)
    shuffled[:, 3] = np.random.RandomState(7).permutation(shuffled[:, 3])
    assert_allclose(increase[1, 0], error(shuffled) - before)


def test_permutation_importance_of_a_regression():
    forest = mf.ForestRegressor(30, projection="axis", random_state=0).fit(X, 10 * X[:, 2, 2])
    increase = forest.permutation_importance(X, 10 * X[:, 2, 2], random_state=0)
    assert np.argmax(increase) == 8
    assert increase[2, 2] > 50  # the variance of the response is 100


@pytest.mark.parametrize("criterion", ["poisson", "squared_distance", "none"])
def test_permutation_importance_does_not_ask_what_a_later_fit_would_learn(criterion):
    forest = mf.ForestRegressor(10, projection="axis", random_state=0).fit(X, X[:, 2, 2])
    expected = forest.permutation_importance(X, X[:, 2, 2], features=[8], random_state=0)
    forest.set_params(criterion=criterion)
    found = forest.permutation_importance(X, X[:, 2, 2], features=[8], random_state=0)
    assert_array_equal(found, expected)


def test_permutation_importance_wants_the_training_data():
    forest = fitted_forest()
    for X_bad, y_bad, name in [(X[::-1], Y, "X"), (X, 1 - Y, "y")]:
        with pytest.raises(ValueError, match=f"{name} must be"):
            forest.permutation_importance(X_bad, y_bad)
    for name, value, error in [
        ("features", [12], ValueError),
        ("features", [], ValueError),
        ("features", np.array([], dtype=int), ValueError),
        ("features", [0.5], TypeError),
        ("n_repeats", 0, ValueError),
        ("random_state", "a", TypeError),
    ]:
        with pytest.raises(error, match=f"{name} must be"):
            forest.permutation_importance(X, Y, **{name: value})
    with pytest.raises(ValueError, match="out of bag"):
        fitted_forest(bootstrap=False).permutation_importance(X, Y)
    with pytest.raises(ValueError, match="keep_samples"):
        fitted_forest(keep_samples=False).permutation_importance(X, Y)


# -------------------------------------------------- importance on held-out data

X_OTHER = np.random.default_rng(9).normal(size=(80, 4, 3))


def held_out_labels(forest):
    """Labels that a forest gets wrong now and then."""
    labels = forest.predict(X_OTHER)
    return np.where(np.arange(80) % 7 == 0, labels[::-1], labels)


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_held_out_importance_is_the_increase_of_the_error(voting):
    forest = fitted_forest(n_estimators=20, voting=voting, bootstrap=False, keep_samples=False)
    y = held_out_labels(forest)
    increase = forest.permutation_importance(
        X_OTHER, y, held_out=True, features=[3], random_state=7
    )
    assert_array_equal(np.isnan(increase.ravel()), np.arange(12) != 3)
    rows = X_OTHER.reshape(80, -1).astype(np.float32)
    before = 1 - forest.score(rows, y)
    rows[:, 3] = np.random.RandomState(7).permutation(rows[:, 3])
    assert_allclose(increase[1, 0], (1 - forest.score(rows, y)) - before)


def test_held_out_importance_of_several_outputs_and_unseen_labels():
    names = np.array(["no", "yes", "never"])
    Y2 = np.stack([names[Y], names[1 - Y]], axis=1)
    forest = fitted_forest(n_estimators=20).fit(X, Y2)
    y = forest.predict(X_OTHER)
    y[::8, 1] = "never"
    rows = X_OTHER.reshape(80, -1)
    increase = forest.permutation_importance(rows, y, held_out=True, features=[4], random_state=0)
    shuffled = rows.astype(np.float32)
    shuffled[:, 4] = np.random.RandomState(0).permutation(shuffled[:, 4])
    wrong = (forest.predict(shuffled) != y).any(axis=1).mean()
    assert_allclose(increase[1, 1], wrong - 0.125)
    with pytest.raises(ValueError, match="y must have as many outputs as at fit, 2, got 1"):
        forest.permutation_importance(rows, y[:, 0], held_out=True)
    learned = "y must hold labels that the forest has learned, such as 'no', got none of them, but"
    with pytest.raises(ValueError, match=f"^{learned} 0$"):
        forest.permutation_importance(rows, np.zeros((80, 2), dtype=int), held_out=True)


def test_held_out_importance_of_a_regression():
    forest = mf.ForestRegressor(20, projection="axis", random_state=0).fit(X, X[:, 2, :2])
    truth = X_OTHER[:, 2, :2]
    increase = forest.permutation_importance(
        X_OTHER, truth, held_out=True, n_repeats=2, random_state=3
    )
    rows, rng, errors = X_OTHER.reshape(80, -1).astype(np.float32), np.random.RandomState(3), []
    for column in range(12):
        for _ in range(2):
            shuffled = rows.copy()
            shuffled[:, column] = rng.permutation(shuffled[:, column])
            errors.append(np.mean((forest.predict(shuffled) - truth) ** 2))
    before = np.mean((forest.predict(rows) - truth) ** 2)
    assert_allclose(increase.ravel(), np.reshape(errors, (12, 2)).mean(axis=1) - before)
    assert set(np.argsort(increase.ravel())[-2:]) == {6, 7}


def test_training_data_are_not_taken_for_held_out_ones():
    forest = fitted_forest()
    for X_bad, y_bad in [(X_OTHER, Y[:80]), (X[::-1], Y)]:
        with pytest.raises(ValueError, match="held_out=True"):
            forest.permutation_importance(X_bad, y_bad)
    with pytest.raises(TypeError, match="held_out must be True or False, got 'yes'"):
        forest.permutation_importance(X, Y, held_out="yes")
    with pytest.raises(ValueError, match=r"without held_out=True .* keep_samples=True"):
        fitted_forest(keep_samples=False).permutation_importance(X, Y)


@pytest.mark.parametrize("ranks", [False, True])
def test_scikit_learns_importance_takes_flat_images(ranks):
    forest = fitted_forest(n_estimators=30, projection="axis", ranks=ranks)
    y = held_out_labels(forest)
    flat = X_OTHER.reshape(80, -1)
    theirs = permutation_importance(forest, flat, y, n_repeats=20, random_state=0)
    by_pixel = theirs.importances_mean.reshape(forest.feature_shape_)
    ours = forest.permutation_importance(X_OTHER, y, held_out=True, n_repeats=20, random_state=0)
    assert_allclose(by_pixel, ours, atol=0.06)  # different permutations
    assert by_pixel.argmax() == ours.argmax()


def test_no_splits_no_importance():
    forest = mf.ForestClassifier(3).fit(X, np.zeros(150))
    assert not forest.feature_importances_.any()
    assert not forest.feature_usage_.any()


# ----------------------------------------------------------------- describe


def test_a_description_says_what_the_forest_is():
    forest = fitted_forest(n_estimators=40, projection=Patches(max_size=2), oob_score=True)
    text = str(forest.describe())
    for part in ("ForestClassifier", "40", "4 × 3", "Patches(max_size=2)", "2 classes", "accuracy"):
        assert part in text
    assert "3 candidates per node" in text
    response = str(mf.ForestRegressor(2).fit(X, X[:, 0, :2]).describe())
    assert "2 responses" in response
    assert "classes" not in response


@pytest.mark.parametrize("honest", [False, True])
def test_weights_and_proximities_are_the_same_in_chunks(honest, monkeypatch):
    forest = fitted_forest(honest=honest)
    expected = forest.forest_weights(X_NEW), forest.proximity(X_NEW)
    monkeypatch.setattr("manifoldforest.inspection._forest_weights._PRODUCTS_AT_ONCE", 100)
    for found, whole in zip(
        (forest.forest_weights(X_NEW), forest.proximity(X_NEW)), expected, strict=True
    ):
        assert found.shape == whole.shape
        for part in ("data", "indices", "indptr"):
            assert_array_equal(getattr(found, part), getattr(whole, part))


@pytest.mark.parametrize(
    ("node", "error"), [(-1, ValueError), (3, ValueError), (10**30, ValueError), (1.0, TypeError)]
)
def test_a_path_leads_to_a_node_of_the_tree(node, error):
    forest = mf.ForestClassifier(1, bootstrap=False).fit([[0.0], [1.0]], [0, 1])
    assert forest.trees_[0].path(np.int64(2)) == [0, 2]
    with pytest.raises(error, match="node must be the number of a node, of which this tree has 3"):
        forest.trees_[0].path(node)

"""The path of cost-complexity pruning, against scikit-learn's and against pruned fits."""

from itertools import pairwise as pairs

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import manifoldforest as mf
import stages
import versions
from reference.criteria import impurity
from reference.responses import pairwise

FORESTS = {
    "gini": (mf.ForestClassifier, DecisionTreeClassifier),
    "entropy": (mf.ForestClassifier, DecisionTreeClassifier),
    "log_loss": (mf.ForestClassifier, DecisionTreeClassifier),
    "squared_error": (mf.ForestRegressor, DecisionTreeRegressor),
    "absolute_error": (mf.ForestRegressor, DecisionTreeRegressor),
    "poisson": (mf.ForestRegressor, DecisionTreeRegressor),
}


def table(criterion, n=150, n_outputs=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    signal = X[:, :n_outputs] + 0.7 * rng.normal(size=(n, n_outputs))
    if FORESTS[criterion][0] is mf.ForestClassifier:
        y = np.digitize(signal, [-0.5, 0.6])
    else:
        y = np.exp(signal) if criterion == "poisson" else signal
    return X, y[:, 0] if n_outputs == 1 else y


# ------------------------------------------------------------------------------ scikit-learn's path


def distinct(path):
    """Steps whose alphas differ by more than rounding, and what is left after each of them."""
    alphas, impurities = np.asarray(path.ccp_alphas), np.asarray(path.impurities)
    last = np.flatnonzero(np.append(np.diff(alphas) > 1e-9 * alphas[-1], True))
    first = np.append(0, last[:-1] + 1)
    return alphas[first], impurities[last]


def assert_paths_agree(X, y, criterion, sample_weight=None, **limits):
    ours, theirs = FORESTS[criterion]
    tree = ours(
        1,
        projection="axis",
        splitter="exact",
        max_features=None,
        bootstrap=False,
        criterion=criterion,
        **limits,
    )
    found = distinct(tree.cost_complexity_pruning_path(X, y, sample_weight))
    reference = theirs(criterion=criterion, random_state=0, **limits)
    expected = distinct(reference.cost_complexity_pruning_path(X, y, sample_weight))
    assert len(found[0]) > 3
    for mine, correct in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, correct, rtol=1e-9, atol=1e-9 * correct[-1])


REAL = {
    "iris": (load_iris, "gini"),
    "wine": (load_wine, "entropy"),
    "cancer": (load_breast_cancer, "log_loss"),
    "diabetes": (load_diabetes, "squared_error"),
}


@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 5}, {"max_leaf_nodes": 8}], ids=str)
@pytest.mark.parametrize("data", REAL)
def test_the_path_of_one_tree_is_that_of_scikit_learn(data, limits):
    load, criterion = REAL[data]
    X, y = load(return_X_y=True)
    # weights of all sizes: of equally good splits each library takes another
    weight = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    assert_paths_agree(X.astype(np.float32), y, criterion, weight, **limits)


# rows of equal weight often have thresholds of equal absolute error
WEIGHED = [(criterion, kind) for criterion in FORESTS for kind in ("none", "whole", "any")]
WEIGHED = [case for case in WEIGHED if case[0] != "absolute_error" or case[1] == "any"]


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize(("criterion", "weights"), WEIGHED)
def test_weights_and_outputs_act_as_in_scikit_learn(criterion, n_outputs, weights):
    if criterion == "absolute_error" and versions.SKLEARN < (1, 8):
        pytest.skip("scikit-learn measured absolute errors with weights otherwise")
    X, y = table(criterion, n_outputs=n_outputs)
    rng = np.random.default_rng(1)
    weight = {
        "none": None,
        "whole": rng.integers(1, 4, len(y)).astype(float),
        "any": rng.uniform(0.5, 1.5, len(y)),
    }[weights]
    assert_paths_agree(X[:, :1], y, criterion, weight, max_depth=6)


# ------------------------------------------------------------------------------------- pruned fits


def n_leaves(forest):
    return [int(tree.is_leaf.sum()) for tree in forest.trees_]


def leaf_impurity(forest, y, criterion, n_classes):
    """Impurities of leaves times their share of the bag, summed, mean over trees."""
    sums = []
    for inbag, leaf in zip(
        forest._model.trees["inbag"], forest._model.trees["leaf_of_row"], strict=True
    ):
        weight = inbag.astype(float)
        parts = [leaf == node for node in np.unique(leaf[inbag > 0])]
        sums.append(
            sum(
                weight[part].sum() * impurity(y[part], weight[part], criterion, n_classes)
                for part in parts
            )
            / weight.sum()
        )
    return np.mean(sums)


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("criterion", FORESTS)
def test_impurities_are_those_of_the_leaves_of_pruned_forests(criterion, n_outputs):
    X, y = table(criterion, n_outputs=n_outputs)
    forest = FORESTS[criterion][0](3, criterion=criterion, max_depth=5, random_state=0)
    path = forest.cost_complexity_pruning_path(X, y)
    columns = y.reshape(len(y), -1)
    n_classes = [3] * n_outputs if FORESTS[criterion][0] is mf.ForestClassifier else []
    bits = criterion in ("entropy", "log_loss")
    for step in range(0, len(path.ccp_alphas), 5):
        forest.set_params(ccp_alpha=path.ccp_alphas[step]).fit(X, y)
        expected = leaf_impurity(forest, columns, "entropy" if bits else criterion, n_classes)
        if bits:
            expected /= np.log(2)
        assert path.impurities[step] == pytest.approx(expected, rel=1e-9, abs=1e-12)


SETTINGS = {
    "one tree": (mf.ForestClassifier, "gini", {"n_estimators": 1, "bootstrap": False}),
    "forest": (mf.ForestClassifier, "gini", {}),
    "bits": (mf.ForestClassifier, "entropy", {}),
    "balanced": (mf.ForestClassifier, "gini", {"class_weight": "balanced_subsample"}),
    "honest": (mf.ForestClassifier, "gini", {"honest": True}),
    "empty leaves": (mf.ForestClassifier, "entropy", {"honest": True, "empty_leaf": "prune"}),
    "numbers": (mf.ForestRegressor, "squared_error", {}),
    "medians": (mf.ForestRegressor, "absolute_error", {"max_depth": 4}),
    "counts": (mf.ForestRegressor, "poisson", {}),
    "best first": (mf.ForestRegressor, "squared_error", {"max_leaf_nodes": 12}),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_at_every_alpha_of_the_path_some_tree_loses_leaves(setting):
    kind, criterion, parameters = SETTINGS[setting]
    X, y = table(criterion, n=60)
    forest = kind(**({"n_estimators": 3} | parameters), criterion=criterion, random_state=0)
    path = forest.cost_complexity_pruning_path(X, y)
    assert path.ccp_alphas[0] == 0
    assert len(path.ccp_alphas) == len(path.impurities) > 5
    assert np.all(np.diff(path.ccp_alphas) > 0)
    assert np.all(np.diff(path.impurities) >= 0)
    before = n_leaves(forest.fit(X, y))
    for last, alpha in pairs(path.ccp_alphas):
        at = n_leaves(forest.set_params(ccp_alpha=alpha).fit(X, y))
        assert np.all(np.subtract(before, at) >= 0)
        assert sum(at) < sum(before)
        if last > 0:  # a price of 0 leaves even splits without a gain
            forest.set_params(ccp_alpha=max(last, alpha * (1 - 1e-12)))
            assert n_leaves(forest.fit(X, y)) == before
        before = at
    assert set(before) == {1}


@pytest.mark.parametrize("scale", [1e-120, 1e150])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_responses_of_extreme_size_have_a_path_in_their_unit(criterion, scale):
    X, y = table(criterion, n=60)
    forest = mf.ForestRegressor(2, criterion=criterion, random_state=0)
    usual = forest.cost_complexity_pruning_path(X, y)
    extreme = forest.cost_complexity_pruning_path(X, y * scale)
    unit = scale**2 if criterion == "squared_error" else scale
    np.testing.assert_allclose(extreme.ccp_alphas[-1], usual.ccp_alphas[-1] * unit, rtol=1e-9)
    np.testing.assert_allclose(extreme.impurities[-1], usual.impurities[-1] * unit, rtol=1e-9)
    middle = len(extreme.ccp_alphas) // 2
    forest.set_params(ccp_alpha=extreme.ccp_alphas[middle]).fit(X, y * scale)
    found = n_leaves(forest)
    forest.set_params(ccp_alpha=extreme.ccp_alphas[middle - 1]).fit(X, y * scale)
    assert sum(found) < sum(n_leaves(forest))


def test_forests_in_metric_spaces_have_a_path():
    X, y = table("squared_error", n=60, n_outputs=2)
    forest = mf.MetricForestRegressor(n_estimators=1, bootstrap=False, random_state=0)
    path = forest.cost_complexity_pruning_path(X, y)
    # Fréchet variance adds up over coordinates
    assert path.impurities[-1] == pytest.approx(y.var(axis=0).sum(), rel=1e-6)
    leaves = [
        n_leaves(forest.set_params(ccp_alpha=alpha).fit(X, y))[0] for alpha in path.ccp_alphas[::9]
    ]
    assert np.all(np.diff(leaves) < 0)


def test_a_tree_that_never_splits_has_a_path_of_one_step():
    path = mf.ForestRegressor(2, max_depth=1, random_state=0).cost_complexity_pruning_path(
        np.zeros((5, 2)), np.arange(5.0)
    )
    assert path.ccp_alphas.tolist() == [0.0]
    assert path.impurities[0] > 0


def test_asking_for_the_path_leaves_the_forest_as_it_is():
    X, y = table("gini")
    seeds = np.random.RandomState(0)
    forest = mf.ForestClassifier(3, ccp_alpha=0.01, warm_start=True, random_state=seeds)
    with pytest.raises(ValueError, match="y must"):
        forest.cost_complexity_pruning_path(X, y[:-1])
    first = forest.cost_complexity_pruning_path(X, y)
    assert not hasattr(forest, "trees_")
    second = forest.cost_complexity_pruning_path(X, y)
    assert np.array_equal(first.ccp_alphas, second.ccp_alphas)
    model = forest.fit(X, y)._model
    forest.cost_complexity_pruning_path(X, 2 - y)
    assert forest._model is model
    assert forest.ccp_alpha == 0.01
    assert "path_alphas" not in model.trees.arrays
    again = clone(forest).set_params(random_state=np.random.RandomState(0)).fit(X, y)
    assert n_leaves(again) == n_leaves(forest)


def test_the_path_needs_no_rows_out_of_bag():
    X, y = table("gini")
    forest = mf.ForestClassifier(2, random_state=0)
    expected = forest.cost_complexity_pruning_path(X, y)
    found = forest.set_params(oob_score=True).cost_complexity_pruning_path(X, y)  # no warning
    assert np.array_equal(found.ccp_alphas, expected.ccp_alphas)
    assert np.array_equal(found.impurities, expected.impurities)


def test_the_path_checks_all_parameters():
    X, y = table("gini")
    with pytest.raises(ValueError, match="ccp_alpha must be"):
        mf.ForestClassifier(2, ccp_alpha=-1.0).cost_complexity_pruning_path(X, y)


# ---------------------------------------------------------------------------- impurities of a node


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize(
    "criterion", ["gini", "entropy", "squared_error", "absolute_error", "poisson"]
)
def test_the_impurity_of_a_node_is_the_naive_one(criterion, n_outputs):
    _, y = table(criterion, n=40, n_outputs=n_outputs)
    is_classes = FORESTS[criterion][0] is mf.ForestClassifier
    y = np.ascontiguousarray(y.reshape(40, -1), np.int32 if is_classes else np.float64)
    n_classes = [3] * n_outputs if is_classes else []
    for weight in (np.ones(40), np.random.default_rng(0).uniform(0.1, 3, 40)):
        found = stages.node_impurity(y, weight, criterion, n_classes)
        assert found == pytest.approx(impurity(y, weight, criterion, n_classes), rel=1e-12)


def test_the_impurity_of_points_is_half_the_mean_of_squared_distances():
    rng = np.random.default_rng(0)
    points, signs, weight = rng.normal(size=(20, 3)), np.array([1.0, 1, -1]), rng.uniform(1, 2, 20)
    D2 = np.sum(signs * (points[:, None] - points) ** 2, axis=2)
    expected = pairwise(D2)(np.arange(20)[:, None], weight)
    found = stages.node_impurity(points, weight, "squared_distance", [], signs)
    assert found == pytest.approx(expected, rel=1e-9)
    zeros, D2 = np.zeros((20, 1)), np.float32(D2)
    found = stages.node_impurity(zeros, weight, "squared_distance", [], None, D2)
    assert found == pytest.approx(expected, rel=1e-5)

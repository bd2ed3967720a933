"""Boosted forests with exact splits, beside the short versions of reference/boosting.py."""

import numpy as np
import pytest

import manifoldforest as mf
from reference import boosting

RNG = np.random.default_rng(0)
N, P = 60, 3
X = RNG.normal(size=(N, P)).astype(np.float32)
SIGNAL = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=N)
TARGETS = {
    "softmax": np.digitize(SIGNAL, [-0.8, 0.2, 1.0]),
    "odds": (SIGNAL > 0).astype(int),
    "squared_error": np.stack([SIGNAL, X[:, 1] ** 2], axis=1),
    "absolute_error": SIGNAL[:, None],
    "poisson": np.round(np.exp(SIGNAL))[:, None],
}
MAX_STEP = {"softmax": 4.0, "odds": 4.0, "poisson": 4.0}


def forest_for(loss, **params):
    """A forest that sees every feature, every threshold and every row in each round."""
    fixed = {
        "projection": "axis",
        "max_features": P,
        "splitter": "exact",
        "subsample": 1.0,
        "max_depth": 6,
        "l2": 1.0,
        "early_stopping": False,
        "random_state": 0,
    }
    if loss in ("softmax", "odds"):
        return mf.BoostedForestClassifier(**{**fixed, **params})
    return mf.BoostedForestRegressor(**{**fixed, **params}, loss=loss)


def check_tree(view, X, G, H, value_of, options, root_weight):
    """Compare every node with the reference; returns the value of each row.

    Equally good splits of a node are told apart by the order of candidates alone: any of them is
    right.
    """
    atoms = view.atoms().toarray()
    values = np.zeros((len(X), view.value.shape[1]))
    stack = [(0, np.arange(len(X)), 0)]
    while stack:
        node, rows, depth = stack.pop()
        best = -np.inf
        if depth < options.max_depth:
            best = boosting.best_gain(X, rows, G, H, options)
        left = view.left[node]
        if left == 0:
            assert best < 1e-9
            values[rows] = value_of(rows)
            np.testing.assert_allclose(view.value[node], values[rows[0]], rtol=2e-5, atol=1e-6)
            continue
        goes_left = X[rows] @ atoms[node] <= view.threshold[node]
        gain = boosting.gain_of(goes_left, rows, G, H, options.l2)
        assert gain == pytest.approx(best, rel=1e-5, abs=1e-6)
        assert view.gain[node] * root_weight == pytest.approx(gain, rel=1e-4, abs=1e-5)
        stack += [(left, rows[goes_left], depth + 1), (left + 1, rows[~goes_left], depth + 1)]
    return values


def check_forest(forest, loss, y, weight, options):
    """Compare start, all trees and the scores after them with the reference."""
    n_scores = forest._model.fallback.size
    factor = (n_scores - 1) / n_scores if loss == "softmax" else 1.0
    start = boosting.start(loss, y, weight, n_scores)
    np.testing.assert_allclose(forest._model.fallback, start, rtol=1e-12, atol=1e-15)
    scores = np.tile(start, (len(X), 1))
    for view in forest.trees_:
        G, H = (weight[:, None] * part for part in boosting.derivatives(loss, scores, y))

        def value_of(rows, G=G, H=H, scores=scores):
            if loss == "absolute_error":
                return boosting.median_value(rows, y - scores, weight, options)
            return boosting.leaf_value(rows, G, H, factor, options)

        scores = scores + check_tree(view, X, G, H, value_of, options, weight.sum())
    np.testing.assert_allclose(forest._scores(X), scores, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", TARGETS)
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_and_scores_are_those_of_the_reference(loss, weighted):
    weight = np.random.default_rng(1).uniform(0.5, 2.0, N) if weighted else np.ones(N)
    y, options = TARGETS[loss], boosting.Options(max_step=MAX_STEP.get(loss, np.inf))
    forest = forest_for(loss, n_estimators=4, max_depth=3)
    target = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    check_forest(forest.fit(X, target, sample_weight=weight), loss, y, weight, options)


@pytest.mark.parametrize("loss", ["softmax", "squared_error"])
def test_parameters_mean_what_they_mean_in_the_reference(loss):
    params = {"learning_rate": 0.5, "l2": 3.0, "max_depth": 2, "min_samples_leaf": 9}
    options = boosting.Options(**params, max_step=MAX_STEP.get(loss, np.inf))
    forest = forest_for(loss, n_estimators=3, **params).fit(X, TARGETS[loss])
    check_forest(forest, loss, TARGETS[loss], np.ones(N), options)


def test_steps_of_log_loss_are_cut():
    """One row in a million of the rare class has a Newton step that is far too large."""
    x = np.zeros((1000, 1), dtype=np.float32)
    x[0] = 1
    y = (x[:, 0] > 0).astype(int)
    forest = forest_for("odds", n_estimators=1, l2=0.0, learning_rate=0.5, max_depth=1)
    forest.set_params(max_features=1).fit(x, y)
    assert forest.trees_[0].value[forest.trees_[0].left == 0].max() == 2.0


@pytest.mark.parametrize("n_classes", [3, 8, 20])
@pytest.mark.parametrize("n_rows", [100, 400])
def test_rounded_derivatives_find_splits_that_are_as_good(n_classes, n_rows):
    """Of few rows all thresholds are tried, of more those between bins."""
    rng = np.random.default_rng(n_classes)
    values = rng.integers(0, 60, size=(n_rows, 2)).astype(np.uint8)
    y = (values[:, 0] // 7 + rng.integers(0, 3, n_rows)) % n_classes
    y[:n_classes] = np.arange(n_classes)
    scores = np.tile(boosting.start("softmax", y, np.ones(n_rows), n_classes), (n_rows, 1))
    G, H = boosting.derivatives("softmax", scores, y)
    rows, options = np.arange(n_rows), boosting.Options(max_depth=1)
    best = boosting.best_gain(values.astype(np.float64), rows, G, H, options)
    forest = mf.BoostedForestClassifier(
        1, projection="axis", max_features=2, max_depth=1, subsample=1.0, l2=1.0, random_state=0
    ).fit(values, y)
    tree = forest.trees_[0]
    feature = int(np.flatnonzero(tree.atoms().toarray()[0])[0])
    left = values[:, feature] <= tree.threshold[0]
    gain = boosting.gain_of(left, rows, G, H, 1.0)
    assert gain >= best * (1 - 1e-4)
    assert tree.gain[0] * n_rows == pytest.approx(gain, rel=1e-3)


def test_many_classes_are_searched_by_combinations_and_learned_all_the_same():
    rng = np.random.default_rng(0)
    n_classes = 40
    x = rng.uniform(size=(2000, 4)).astype(np.float32)
    y = (x[:, 0] * 8).astype(int) * 5 + (x[:, 1] * 5).astype(int)
    forest = mf.BoostedForestClassifier(30, projection="axis", random_state=0)
    forest.fit(x[:1500], y[:1500])
    assert forest._model.trees["value"].shape[1] == n_classes == forest.n_classes_
    assert forest.score(x[1500:], y[1500:]) > 0.9

"""Probabilities of every classifier lie in [0, 1] and add up to 1 within rounding."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import log_loss

import manifoldforest as mf
from manifoldforest.boundary._numpy_tree import build_tree

CLASSES = 7
RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3)).round(1)
Y = RNG.integers(0, CLASSES, 400)
WEIGHTS = RNG.random(400)


def assert_probabilities(shares, y):
    """Sums of scikit-learn may deviate by 1.5e-8; warnings of it are errors here."""
    assert shares.min() >= 0
    assert shares.max() <= 1
    assert np.abs(shares.sum(axis=1) - 1).max() <= 4 * np.finfo(np.float64).eps
    assert np.isfinite(log_loss(y, shares, labels=np.arange(CLASSES)))


FORESTS = {
    "soft": {},
    "hard": {"voting": "hard"},
    "honest": {"honest": True},
    "honest, uniform": {"honest": True, "empty_leaf": "uniform"},
    "honest, empirical": {"honest": True, "empty_leaf": "empirical"},
}


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("max_depth", [1, 3, None])
@pytest.mark.parametrize("n_estimators", [1, 3, 37])
@pytest.mark.parametrize("case", FORESTS)
def test_of_forests(case, n_estimators, max_depth, weights):
    forest = mf.ForestClassifier(
        n_estimators, max_depth=max_depth, random_state=0, **FORESTS[case]
    ).fit(X, Y, weights)
    shares = forest.predict_proba(X)
    assert_probabilities(shares, Y)
    with np.errstate(divide="ignore"):
        assert_array_equal(forest.predict_log_proba(X), np.log(shares))


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("max_depth", [1, 3, None])
def test_out_of_bag(max_depth, voting):
    forest = mf.ForestClassifier(
        40, max_depth=max_depth, voting=voting, oob_score=True, random_state=0
    )
    assert_probabilities(forest.fit(X, Y, WEIGHTS).oob_decision_function_, Y)


def test_of_every_output():
    both = np.stack([Y, Y[::-1]], axis=1)
    forest = mf.ForestClassifier(3, max_depth=2, oob_score=False, random_state=0).fit(X, both)
    for shares, y in zip(forest.predict_proba(X), both.T, strict=True):
        assert_probabilities(shares, y)


@pytest.mark.parametrize("power", [0, 1, 2.5, 30])
@pytest.mark.parametrize("metric", ["euclidean", "hamming", lambda a, b: np.abs(a - b).sum()])
def test_of_boundary_forests(metric, power):
    forest = mf.BoundaryForestClassifier(50, metric=metric, power=power, random_state=0)
    for y in (Y, Y > 3, np.zeros_like(Y)):
        forest.fit(X[:200], y[:200])
        shares = np.zeros((400, CLASSES))
        shares[:, forest.classes_.astype(int)] = forest.predict_proba(X)
        assert_probabilities(shares, y.astype(int))


@pytest.mark.parametrize("paths", ["greedy", "all"])
@pytest.mark.parametrize("sigma", [0.01, 0.3, 30.0])
def test_of_differentiable_trees(sigma, paths):
    """The tree is built by hand, in the space of X: the torch package is not needed."""
    tree = mf.DifferentiableBoundaryTree(paths=paths, sigma=sigma)
    tree.classes_, tree.n_features_in_, tree.feature_shape_ = np.arange(CLASSES), 3, (3,)
    tree.layers_ = [(np.eye(3, dtype=np.float32), np.zeros(3, dtype=np.float32))]
    tree._tree = build_tree(X, Y)
    tree._node_points = X[tree._tree.example]
    tree._fitted_paths, tree._fitted_sigma = paths, sigma
    assert_probabilities(tree.predict_proba(X), Y)

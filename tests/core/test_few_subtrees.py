"""Subtrees of few rows, which are grown at once.

Growing best first searches one node after the other in the general way, and without a limit that
matters it ends with the same tree in another order of nodes.
"""

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest import _core

NO_LIMIT = 10**6
N_ROWS = 300
FORESTS = {
    "numbers, exact": (mf.ForestRegressor, {"splitter": "exact"}),
    "numbers, random": (mf.ForestRegressor, {"splitter": "random"}),
    "classes, random": (mf.ForestClassifier, {"splitter": "random"}),
}
OPTIONS = [
    {},
    {"bootstrap": False},
    {"max_features": 1},
    {"max_features": 6, "max_depth": 7},
    {"min_samples_leaf": 3},
    {"min_samples_leaf": 2, "bootstrap": False, "max_depth": 9},
    {"min_samples_split": 7},
    {"min_weight_fraction_leaf": 0.01},
    {"min_balance": 0.2},
    {"min_impurity_decrease": 0.002},
    {"honest": True},
    {"honest": True, "empty_leaf": "prune", "min_samples_leaf": 2},
    {"ccp_alpha": 0.003},
]


def table(kind="plain"):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N_ROWS, 6)).astype(np.float32)
    if kind == "ties":  # columns of few values, a constant one, and rows that are the same
        X = np.round(2 * X) / 2
        X[:, 4] = 1
        X[:, 5] = np.where(X[:, 5] > 0, 0.0, -0.0)
        X[100:200] = X[:100]
    if kind == "binary":  # most candidates of small nodes are constant
        X = (X > 1).astype(np.float32)
    if kind == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    return X


def responses(estimator, X, seed=0):
    rng = np.random.default_rng(seed)
    score = np.nansum(X[:, :2], axis=1) + rng.normal(size=len(X))
    return score if estimator is mf.ForestRegressor else np.digitize(score, [-1, 0, 1])


def nested(arrays, start, node=0):
    """All that a tree says of its nodes, whatever their numbers."""
    at = start + node
    names = ("weight", "value", "threshold", "gain", "missing_left")
    own = [arrays[name][at].tolist() for name in names]
    left = arrays["left"][at]
    if left == 0:
        return own
    feature = arrays["atom_ints"][arrays["atom_offsets"][at]]
    return [*own, feature, nested(arrays, start, left), nested(arrays, start, left + 1)]


def trees_of(estimator, X, y, weight=None, **params):
    params = {"projection": "axis", "max_features": 3, "random_state": 5, "n_jobs": 1} | params
    forest = estimator(3, **params).fit(X, y, sample_weight=weight)
    arrays = forest._model.trees.arrays
    return [nested(arrays, start) for start in arrays["tree_offsets"][:-1]], forest


def assert_grown_node_by_node(estimator, X, y, weight=None, **params):
    at_once, forest = trees_of(estimator, X, y, weight, **params)
    one_by_one, other = trees_of(estimator, X, y, weight, max_leaf_nodes=NO_LIMIT, **params)
    assert at_once == one_by_one
    shared, _ = trees_of(estimator, X, y, weight, **params | {"n_jobs": 3})
    assert at_once == shared
    if not params.get("honest") and not params.get("ccp_alpha"):
        leaves = [f.apply(X).T for f in (forest, other)]
        assert np.array_equal(*(of[:, :, None] == of[:, None] for of in leaves))
    return forest


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", FORESTS)
def test_options_hold_in_subtrees_that_are_grown_at_once(name, options):
    estimator, params = FORESTS[name]
    X = table()
    forest = assert_grown_node_by_node(estimator, X, responses(estimator, X), **params | options)
    assert max(tree.is_leaf.sum() for tree in forest.trees_) > 5


@pytest.mark.parametrize("kind", ["ties", "binary", "missing"])
@pytest.mark.parametrize("options", [{}, {"bootstrap": False, "min_samples_leaf": 2}], ids=str)
@pytest.mark.parametrize("name", FORESTS)
def test_any_table_gives_the_same_tree(name, options, kind):
    estimator, params = FORESTS[name]
    X = table(kind)
    assert_grown_node_by_node(estimator, X, responses(estimator, X), **params | options)


@pytest.mark.parametrize("weighted", ["counts", "fractions", "extreme", "some zero"])
@pytest.mark.parametrize("options", [{}, {"bootstrap": False}, {"min_samples_leaf": 2}], ids=str)
@pytest.mark.parametrize("name", FORESTS)
def test_weights_count_as_in_the_general_search(name, options, weighted):
    estimator, params = FORESTS[name]
    X = table()
    rng = np.random.default_rng(3)
    weight = {
        "counts": rng.integers(1, 5, N_ROWS).astype(float),
        "fractions": rng.random(N_ROWS) + 0.1,
        "extreme": np.exp2(rng.integers(-300, 300, N_ROWS).astype(float)),
        "some zero": rng.integers(0, 2, N_ROWS).astype(float),
    }[weighted]
    assert_grown_node_by_node(estimator, X, responses(estimator, X), weight, **params | options)


@pytest.mark.parametrize("name", FORESTS)
def test_blocks_and_instruction_sets_change_nothing(name):
    """5000 rows do not fit one block."""
    estimator, params = FORESTS[name]
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 6)).astype(np.float32)
    y = responses(estimator, X)
    sets = _core.supported_kernels()
    found = []
    try:
        for kernels in sets:
            _core.use_kernels(kernels)
            found.append(trees_of(estimator, X, y, **params)[0])
    finally:
        _core.use_kernels(sets[-1])
    assert all(trees == found[0] for trees in found)
    assert trees_of(estimator, X, y, max_leaf_nodes=NO_LIMIT, **params)[0] == found[0]


def test_large_responses_that_differ_by_little_are_told_apart():
    X = table()
    y = 1e9 + 1e-6 * np.arange(N_ROWS) % 7
    for splitter in ("exact", "random"):
        assert_grown_node_by_node(mf.ForestRegressor, X, y, splitter=splitter)

"""Leaf values by softmax regression, and links from scores to predictions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit
from scipy.special import softmax as scipy_softmax

import manifoldforest as mf
from manifoldforest import _core
from reference import refinement


def grown(n=60, n_outputs=1, n_trees=7, seed=0, **params):
    """Flat arrays of a forest, its leaves counted through all trees, labels and class counts."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=n), [-1.0, 0.5])
    if n_outputs == 2:
        y = np.stack([y, X[:, 2] > 0], axis=1)
    forest = mf.ForestClassifier(n_trees, random_state=seed, min_samples_leaf=3, **params)
    model = forest.fit(X, y)._model
    return model.trees, model.trees.leaves_of_rows().T, model.record.table, model.n_classes


def refine(trees, y, n_classes, weight, seed=0):
    leaf_of_row = trees["leaf_of_row"]
    return _core.refine_leaves(trees.arrays, leaf_of_row, y, n_classes, weight, seed)


WEIGHTS = {
    "equal": np.ones(60),
    "zeros": np.arange(60) % 3 * 1.0,
    "uneven": np.random.default_rng(1).exponential(size=60) ** 3,
    "huge": np.full(60, 2.0**190),
}


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_values_of_leaves_are_those_of_plain_gradient_descent(n_outputs, name):
    trees, leaves, y, n_classes = grown(n_outputs=n_outputs)
    expected = refinement.refined(leaves, trees.n_nodes, y, n_classes, WEIGHTS[name], 11)
    values = refine(trees, y, n_classes, WEIGHTS[name], 11)
    is_leaf = trees["left"] == 0
    assert_allclose(values[is_leaf], expected[is_leaf], rtol=2**-23, atol=1e-12)
    assert_array_equal(values, values.astype(np.float32))


def test_the_order_of_rows_comes_from_the_seed():
    trees, _, y, n_classes = grown()
    one, two = (refine(trees, y, n_classes, WEIGHTS["equal"], seed) for seed in (1, 2))
    assert not np.array_equal(one, two)
    assert_array_equal(one, refine(trees, y, n_classes, WEIGHTS["equal"], 1))


@pytest.mark.parametrize("name", ["equal", "uneven"])
def test_the_penalised_loss_comes_close_to_its_minimum(name):
    trees, leaves, y, n_classes = grown(n_trees=3)
    weight = WEIGHTS[name]

    def loss(flat):
        return refinement.loss(flat.reshape(trees.n_nodes, -1), leaves, y, n_classes, weight)

    start = np.zeros(trees.n_nodes * 3)
    least = minimize(loss, start, method="L-BFGS-B", options={"maxfun": 10**6}).fun
    reached = loss(refine(trees, y, n_classes, weight).ravel())
    assert least <= reached < least + 0.1 * (loss(start) - least)


def test_inner_nodes_have_the_means_of_their_children():
    trees, _, y, n_classes = grown()
    values, weight = refine(trees, y, n_classes, WEIGHTS["equal"]), trees["weight"]
    inner = np.flatnonzero(trees["left"])
    tree = np.searchsorted(trees["tree_offsets"], inner, side="right") - 1
    left = trees["tree_offsets"][tree] + trees["left"][inner]
    share = (weight[left] / (weight[left] + weight[left + 1]))[:, None]
    mean = share * values[left] + (1 - share) * values[left + 1]
    assert_array_equal(values[inner], mean.astype(np.float32))


def test_weights_count_in_relation_to_each_other_only():
    trees, _, y, n_classes = grown()
    weight = WEIGHTS["uneven"]
    assert_array_equal(refine(trees, y, n_classes, weight), refine(trees, y, n_classes, 4 * weight))


def wrong_inputs():
    trees, _, y, n_classes = grown()
    good = {
        "arrays": trees.arrays,
        "leaf_of_row": trees["leaf_of_row"],
        "y": y,
        "n_classes": n_classes,
        "weight": WEIGHTS["equal"],
        "seed": 0,
    }
    leaves = trees["leaf_of_row"].copy()
    leaves[1, 5] = 0
    beyond = trees["leaf_of_row"].copy()
    beyond[1, 5] = 10**6
    return good, {
        "leaf_of_row names a node that is no leaf": {"leaf_of_row": leaves},
        "leaf_of_row names a node that is no leaf of": {"leaf_of_row": beyond},
        "leaf_of_row must be trees x rows": {"leaf_of_row": leaves[:-1]},
        "y holds a class that does not exist": {"y": y + 1},
        "n_classes must be positive": {"n_classes": [0]},
        "n_classes must not be empty": {"n_classes": []},
        "weight must not be negative": {"weight": -WEIGHTS["equal"]},
        "weight must have a finite sum above 0": {"weight": np.zeros(60)},
        "y must have one row": {"y": y[:-1]},
        "weight must have one entry per node": {
            "arrays": trees.arrays | {"weight": trees["weight"][:-1]}
        },
    }


@pytest.mark.parametrize("message", wrong_inputs()[1])
def test_wrong_inputs_of_a_refinement_are_refused(message):
    good, changes = wrong_inputs()
    _core.refine_leaves(**good)
    with pytest.raises(ValueError, match=message):
        _core.refine_leaves(**good | changes[message])


# ----------------------------------------------------------------------------- links

SCORES = np.random.default_rng(0).normal(size=(50, 5)) * 10


def test_softmax_is_that_of_scipy_for_each_output():
    linked = _core.link_scores("softmax", SCORES, [2, 3])
    expected = np.hstack([scipy_softmax(part, axis=1) for part in (SCORES[:, :2], SCORES[:, 2:])])
    assert_allclose(linked, expected, rtol=1e-13)


def test_logistic_has_one_score_for_up_to_two_classes():
    assert _core.n_scores("logistic", [2, 3, 1], 3) == 5
    linked = _core.link_scores("logistic", SCORES, [2, 3, 1])
    second = expit(SCORES[:, 0])
    softmax = scipy_softmax(SCORES[:, 1:4], axis=1)
    assert_allclose(linked[:, 0], expit(-SCORES[:, 0]), rtol=1e-13)
    assert_allclose(linked[:, 1:], np.column_stack([second, softmax, np.ones(50)]), rtol=1e-13)


def test_identity_and_exp_keep_the_number_of_columns():
    assert_array_equal(_core.link_scores("identity", SCORES, []), SCORES)
    assert_allclose(_core.link_scores("exp", SCORES, []), np.exp(SCORES), rtol=1e-15)


@pytest.mark.parametrize("size", [1e-300, 1.0, 700.0, 1e6, 1e300])
def test_probabilities_lie_between_0_and_1_and_sum_to_1(size):
    linked = _core.link_scores("softmax", SCORES * size, [5])
    assert ((linked >= 0) & (linked <= 1)).all()
    assert_allclose(linked.sum(axis=1), 1.0, rtol=0, atol=1e-15)


def test_no_rows_have_no_predictions():
    assert _core.link_scores("softmax", SCORES[:0], [2, 3]).shape == (0, 5)


@pytest.mark.parametrize(
    ("link", "n_classes", "message"),
    [
        ("logit", [5], "unknown link logit"),
        ("softmax", [], "n_classes must not be empty for probabilities"),
        ("softmax", [4], "scores must have as many columns"),
        ("softmax", [5, 0], "n_classes must be positive"),
    ],
)
def test_wrong_links_are_refused(link, n_classes, message):
    with pytest.raises(ValueError, match=message):
        _core.link_scores(link, SCORES, n_classes)

"""Predictions against a naive walk over the flat arrays and naive averages over trees."""

import numpy as np
import pytest

from manifoldforest import _core
from reference import growing
from reference.tree import average, leaves_of_rows, split_off, vote

GRIDS = [([5, 6], [True, True])]
P = 30


def forest(dtype, task, n=150, missing=0.0, sampler="patches", seed=0, **options):
    """Flat arrays, geometry and training rows of a small forest."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, size=(n, P)).astype(dtype)
    signal = X[:, :12].sum(axis=1) + rng.normal(size=n) * 100
    if task == "classes":
        y = np.column_stack([np.digitize(signal, [1300, 1700]), signal > 1500]).astype(np.int32)
    else:
        y = np.column_stack([signal, X[:, 3] / 7.0])
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    defaults = {
        "n_trees": 12,
        "n_classes": [3, 2] if task == "classes" else [],
        "criterion": "gini" if task == "classes" else "squared_error",
        "n_candidates": 5,
        "keep_samples": True,
        "min_samples_leaf": 2,
    }
    settings = growing.grow_options(**{**defaults, **options})
    geometry = _core.Geometry(P)
    geometry.add_grid(*GRIDS[0])
    samplers = {
        "patches": _core.patch_sampler(
            [5, 6], 0, ["contiguous", "wrap"], [1, 1], [4, 4], "uniform"
        ),
        "axis": _core.axis_sampler(P),
        "sporf": _core.sporf_sampler(P, 1.5, "fixed"),
    }
    arrays = growing.grow(
        X,
        y,
        y[:, 0].astype(np.int32) if task == "classes" else np.zeros(n, np.int32),
        np.ones(n),
        np.ones(n),
        np.ones(n, np.int64),
        geometry,
        samplers[sampler],
        settings,
    )
    return arrays, geometry, list(settings.n_classes), X


def new_rows(dtype, missing, n=97):
    rng = np.random.default_rng(99)
    X = rng.integers(0, 256, size=(n, P)).astype(dtype)
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
        X[0] = np.nan
    return X


def naive_leaves(arrays, X):
    n_trees = len(arrays["tree_offsets"]) - 1
    return np.array([leaves_of_rows(arrays, t, X, grids=GRIDS) for t in range(n_trees)])


def leaf_values(arrays, leaves, aggregation, n_classes):
    """Value or vote of every tree for every row (trees, rows, V), and the leaf's weight."""
    values, weights = [], []
    for t, leaf in enumerate(leaves):
        flat = split_off(arrays, t)
        value = flat["value"][leaf].astype(np.float64)
        values.append(vote(value, n_classes) if aggregation == "vote" else value)
        weights.append(flat["weight"][leaf])
    return np.array(values), np.array(weights)


AVERAGES = [("classes", "mean"), ("classes", "vote"), ("regression", "mean")]
CASES = [
    (np.uint8, 0.0, "patches"),
    (np.uint8, 0.0, "sporf"),
    (np.float32, 0.0, "patches"),
    (np.float32, 0.03, "patches"),
    (np.float32, 0.03, "axis"),
    (np.float32, 0.03, "sporf"),
]


@pytest.mark.parametrize(("dtype", "missing", "sampler"), CASES)
@pytest.mark.parametrize("n_threads", [1, 3])
def test_apply_is_the_naive_walk(dtype, missing, sampler, n_threads):
    arrays, geometry, n_classes, X = forest(dtype, "classes", missing=missing, sampler=sampler)
    predictor = _core.Predictor(arrays, geometry, n_classes, False, np.zeros(5))
    X_new = new_rows(dtype, missing)
    assert np.array_equal(predictor.apply(X_new, n_threads).T, naive_leaves(arrays, X_new))
    assert np.array_equal(predictor.apply(X, n_threads).T, arrays["leaf_of_row"])


@pytest.mark.parametrize(("task", "aggregation"), AVERAGES)
@pytest.mark.parametrize(("dtype", "missing", "sampler"), CASES)
def test_predictions_are_averages_over_trees(task, aggregation, dtype, missing, sampler):
    arrays, geometry, n_classes, _ = forest(dtype, task, missing=missing, sampler=sampler)
    V = arrays["value"].shape[1]
    predictor = _core.Predictor(arrays, geometry, n_classes, False, np.zeros(V))
    X = new_rows(dtype, missing)
    values, _ = leaf_values(arrays, naive_leaves(arrays, X), aggregation, n_classes)
    found = predictor.predict(X, aggregation, 1)
    assert found.dtype == np.float64
    everyone = np.ones(values.shape[:2], bool)
    assert found == pytest.approx(average(values, everyone, 0.0, n_classes), rel=1e-12)
    assert np.array_equal(found, predictor.predict(X, aggregation, 3))


def test_values_missing_only_at_prediction_follow_the_heavier_child():
    arrays, geometry, n_classes, X = forest(np.float32, "classes", sampler="axis", n_draws=0)
    predictor = _core.Predictor(arrays, geometry, n_classes, False, np.zeros(5))
    leaves = predictor.apply(np.full((1, P), np.nan, np.float32), 1)[0]
    for t, leaf in enumerate(leaves):
        flat = split_off(arrays, t)
        left = flat["left"]
        drawn = arrays["inbag"][t]
        size = np.zeros(len(left), int)
        for node in range(len(left) - 1, -1, -1):
            if left[node] == 0:
                size[node] = drawn[arrays["leaf_of_row"][t] == node].sum()
            else:
                size[node] = size[left[node]] + size[left[node] + 1]
        node = 0
        while left[node]:
            smaller = size[left[node]] < size[left[node] + 1]
            node = left[node] + smaller
        assert node == leaf


def test_a_split_of_present_from_missing_rows_sends_every_present_value_left():
    X = np.array([[0], [1], [np.nan], [np.nan]], np.float32)
    y = np.array([[0], [0], [1], [1]], np.int32)
    settings = _core.GrowOptions()
    settings.n_trees, settings.n_classes, settings.bootstrap = 1, [2], False
    geometry, ones, count = _core.Geometry(1), np.ones(4), np.ones(4, np.int64)
    rest = (ones, ones, count, geometry, _core.axis_sampler(1), settings)
    arrays = growing.grow(X, y, y[:, 0].copy(), *rest)
    predictor = _core.Predictor(arrays, geometry, [2], False, np.zeros(2))
    X_new = np.array([[-5], [0.5], [1.5], [1e30], [np.nan]], np.float32)
    assert predictor.predict(X_new, "mean", 1)[:, 0].tolist() == [1, 1, 1, 1, 0]


@pytest.mark.parametrize(("task", "aggregation"), AVERAGES)
def test_out_of_bag_predictions_average_the_trees_that_did_not_see_the_row(task, aggregation):
    arrays, geometry, n_classes, _ = forest(np.uint8, task, n_trees=4)
    V = arrays["value"].shape[1]
    predictor = _core.Predictor(arrays, geometry, n_classes, False, np.zeros(V))
    leaf_of_row, inbag = arrays["leaf_of_row"], arrays["inbag"]
    found, used = predictor.predict_oob(leaf_of_row, inbag, aggregation)
    values, _ = leaf_values(arrays, leaf_of_row, aggregation, n_classes)
    out = inbag == 0
    assert np.array_equal(used, out.sum(axis=0))
    assert 0 < np.count_nonzero(used == 0) < len(used)
    expected = average(values, out, np.nan, n_classes)
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_rows_that_grew_an_honest_tree_are_not_out_of_bag():
    arrays, geometry, n_classes, _ = forest(np.uint8, "classes", honest=True, empty_leaf="prune")
    predictor = _core.Predictor(arrays, geometry, n_classes, False, np.zeros(5))
    leaf_of_row, inbag = arrays["leaf_of_row"], arrays["inbag"]
    assert (inbag < 0).any()
    found, used = predictor.predict_oob(leaf_of_row, inbag, "mean")
    assert np.array_equal(used, np.count_nonzero(inbag == 0, axis=0))
    values, _ = leaf_values(arrays, leaf_of_row, "mean", n_classes)
    expected = average(values, inbag == 0, np.nan, n_classes)
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(("task", "aggregation"), AVERAGES)
@pytest.mark.parametrize("n_trees", [1, 12])
def test_trees_whose_leaf_is_empty_are_left_out(task, aggregation, n_trees):
    arrays, geometry, n_classes, X = forest(
        np.uint8, task, honest=True, min_samples_leaf=1, n_trees=n_trees, empty_leaf="ignore"
    )
    V = arrays["value"].shape[1]
    fallback = np.linspace(0.1, 0.9, V)
    predictor = _core.Predictor(arrays, geometry, n_classes, True, fallback)
    X_new = new_rows(np.uint8, 0.0)
    values, weights = leaf_values(arrays, naive_leaves(arrays, X_new), aggregation, n_classes)
    assert (weights == 0).any()
    assert (weights == 0).all(axis=0).any() == (n_trees == 1)
    expected = average(values, weights > 0, fallback, n_classes)
    assert predictor.predict(X_new, aggregation, 1) == pytest.approx(expected, rel=1e-12)

    leaf_of_row, inbag = arrays["leaf_of_row"], arrays["inbag"]
    values, weights = leaf_values(arrays, leaf_of_row, aggregation, n_classes)
    expected = average(values, (weights > 0) & (inbag == 0), fallback, n_classes)
    expected[np.all(inbag != 0, axis=0)] = np.nan
    found, _ = predictor.predict_oob(leaf_of_row, inbag, aggregation)
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


def sums_of_trees(values, used):
    """Sum over trees of values (trees, rows, V) where used (trees, rows), in their order."""
    total = np.zeros(values.shape[1:])
    for value, counts in zip(values, used, strict=True):
        total[counts] += value[counts]
    return total


@pytest.mark.parametrize("task", ["classes", "regression"])
@pytest.mark.parametrize(("dtype", "missing", "sampler"), CASES)
def test_a_sum_adds_up_the_values_of_all_trees(task, dtype, missing, sampler):
    arrays, geometry, n_classes, _ = forest(dtype, task, missing=missing, sampler=sampler)
    V = arrays["value"].shape[1]
    predictor = _core.Predictor(arrays, geometry, n_classes, False, np.full(V, 7.0))
    X = new_rows(dtype, missing)
    nodes = predictor.apply(X, 1) + arrays["tree_offsets"][:-1]
    values = arrays["value"][nodes.T].astype(np.float64)
    expected = sums_of_trees(values, np.ones(nodes.T.shape, bool))
    assert np.array_equal(predictor.predict(X, "sum", 1), expected)
    assert np.array_equal(predictor.predict(X, "sum", 3), expected)
    assert np.array_equal(predictor.predict(X[:1], "sum", 1), expected[:1])


@pytest.mark.parametrize("task", ["classes", "regression"])
@pytest.mark.parametrize("n_trees", [1, 12])
def test_an_empty_leaf_adds_nothing_to_a_sum(task, n_trees):
    arrays, geometry, n_classes, _ = forest(
        np.uint8, task, honest=True, min_samples_leaf=1, n_trees=n_trees, empty_leaf="ignore"
    )
    V = arrays["value"].shape[1]
    predictor = _core.Predictor(arrays, geometry, n_classes, True, np.full(V, 7.0))
    X = new_rows(np.uint8, 0.0)
    values, weights = leaf_values(arrays, naive_leaves(arrays, X), "sum", n_classes)
    assert (weights == 0).any()
    assert np.array_equal(predictor.predict(X, "sum", 1), sums_of_trees(values, weights > 0))

    leaf_of_row, inbag = arrays["leaf_of_row"], arrays["inbag"]
    values, weights = leaf_values(arrays, leaf_of_row, "sum", n_classes)
    expected = sums_of_trees(values, (weights > 0) & (inbag == 0))
    expected[np.all(inbag != 0, axis=0)] = np.nan
    found, _ = predictor.predict_oob(leaf_of_row, inbag, "sum")
    assert np.array_equal(found, expected, equal_nan=True)


def test_aggregations_that_make_no_sense_are_refused():
    arrays, geometry, n_classes, _ = forest(np.uint8, "regression")
    predictor = _core.Predictor(arrays, geometry, n_classes, False, np.zeros(2))
    X = new_rows(np.uint8, 0.0)
    with pytest.raises(ValueError, match="aggregation must be mean or sum for responses, got vote"):
        predictor.predict(X, "vote", 1)
    with pytest.raises(ValueError, match="aggregation must be mean or sum for responses, got vote"):
        predictor.predict_oob(arrays["leaf_of_row"], arrays["inbag"], "vote")
    with pytest.raises(ValueError, match="unknown aggregation median"):
        predictor.predict(X, "median", 1)


def changed(arrays, name, node, value):
    array = arrays[name].copy()
    array[node] = value
    return arrays | {name: array}


def test_forests_that_cannot_be_walked_are_refused():
    arrays, geometry, n_classes, _ = forest(np.uint8, "classes")
    arrays = dict(arrays)
    split, other, last = np.flatnonzero(arrays["left"][: arrays["tree_offsets"][1]])[[0, 3, -1]]
    leaf = np.flatnonzero(arrays["left"] == 0)[0]
    cases = {
        "kind 2, a split by a set of categories": ("kind", split, 2),
        "a node is of unknown kind": ("kind", split, 3),
        "unknown kind of atom": ("atom_kind", split, 4),
        "rotation atom is malformed": ("atom_kind", split, 3),
        "children outside its tree": ("left", other, other),
        "several parents": ("left", other, arrays["left"][last]),
        "has no parent": ("left", last, 0),
        "unknown kind": ("kind", leaf, 1),
    }
    for message, change in cases.items():
        broken = changed(arrays, *change)
        with pytest.raises(ValueError, match=message):
            _core.Predictor(broken, geometry, n_classes, False, np.zeros(5))


def test_hard_votes_go_to_the_first_of_equal_shares():
    arrays, geometry, n_classes, _ = forest(np.uint8, "classes", max_depth=0, n_trees=1)
    arrays = dict(arrays)
    arrays["value"] = np.array([[0.25, 0.375, 0.375, 0.5, 0.5]], np.float32)
    predictor = _core.Predictor(arrays, geometry, n_classes, False, np.zeros(5))
    found = predictor.predict(new_rows(np.uint8, 0.0, n=2), "vote", 1)
    assert found.tolist() == [[0, 1, 0, 1, 0]] * 2


# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("leaf", [-1, -(2**31), 10_000, 2**31 - 1])
def test_leaves_that_are_not_there_are_refused(leaf):
    arrays, geometry, *_ = forest(np.float32, "classes")
    predictor = _core.Predictor(arrays, geometry, [3, 2], False, np.zeros(5))
    leaves = arrays["leaf_of_row"].copy()
    leaves[1, 2] = leaf
    with pytest.raises(ValueError, match="leaf_of_row names a node that its tree does not have"):
        predictor.predict_oob(leaves, np.zeros_like(arrays["inbag"]), "mean")


@pytest.mark.parametrize("n_classes", [[5, 0], [-1_000_000, 1_000_005]])
def test_outputs_without_classes_are_refused(n_classes):
    arrays, geometry, *_ = forest(np.float32, "classes")
    with pytest.raises(ValueError, match="n_classes must be positive"):
        _core.Predictor(arrays, geometry, n_classes, False, np.zeros(5))

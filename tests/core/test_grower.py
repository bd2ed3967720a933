"""Grown trees, verified node by node against the naive reading of their flat arrays."""

from dataclasses import dataclass, field
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest

import manifoldforest as mf
import stages
from manifoldforest import _core
from reference import growing
from reference.chance import assert_equally_likely
from reference.criteria import candidate_splits, first_best, impurity
from reference.tree import (
    depths,
    direction,
    leaves_of_rows,
    node_risk,
    outline,
    project,
    prune_weakest_links,
    rows_of_nodes,
    split_off,
    summary,
)

CRITERIA = ("gini", "entropy", "squared_error", "absolute_error", "poisson")
CLASSIFICATION = ("gini", "entropy")


@dataclass
class Grown:
    """A forest with everything it was grown from."""

    arrays: dict
    X: np.ndarray
    y: np.ndarray
    row_weight: np.ndarray
    geometry: object
    options: SimpleNamespace
    reading: dict = field(default_factory=dict)  # grids and dictionary, for the naive reading

    @property
    def n_trees(self):
        return len(self.arrays["tree_offsets"]) - 1

    def tree(self, t):
        return split_off(self.arrays, t)

    def rows(self, t):
        return rows_of_nodes(self.arrays, t, self.X, **self.reading)

    def weight(self, t, role="growing"):
        """Weight and count of every row in a tree, for growing or for estimating."""
        inbag = self.arrays["inbag"][t].astype(np.int64)
        if self.options.honest:
            inbag = np.where(inbag < 0, 1, 0) if role == "growing" else np.maximum(inbag, 0)
        # Without bootstrap the weight of a row includes its multiplicity.
        factor = inbag if self.options.bootstrap else inbag > 0
        return factor * self.row_weight, inbag


def grow(X, y, *, sampler=None, geometry=None, reading=None, arrays=(), n_threads=1, **options):
    n, p = X.shape
    given = dict(arrays)
    classification = y.dtype == np.int32
    defaults = {
        "n_trees": 3,
        "seed": 1,
        "criterion": "gini" if classification else "squared_error",
        "n_classes": [int(k) + 1 for k in y.max(axis=0)] if classification else [],
        "n_candidates": p,
        "max_depth": -1,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "min_balance": 0.0,
        "min_impurity_decrease": 0.0,
        "max_leaf_nodes": -1,
        "bootstrap": True,
        "honest": False,
        "keep_samples": True,
    }
    options = {**defaults, **options}
    settings = growing.grow_options(**options)
    geometry = geometry or _core.Geometry(p)
    strata = given.get("strata", y[:, 0] if classification else np.zeros(n))
    row_weight = np.asarray(given.get("row_weight", np.ones(n)), np.float64)
    flat = growing.grow(
        np.ascontiguousarray(X),
        np.ascontiguousarray(y),
        np.asarray(strata, np.int32),
        np.asarray(given.get("draw_weight", np.ones(n)), np.float64),
        row_weight,
        np.asarray(given.get("row_count", np.ones(n)), np.int64),
        geometry,
        sampler or _core.axis_sampler(p),
        settings,
        n_threads=n_threads,
    )
    return Grown(flat, X, y, row_weight, geometry, SimpleNamespace(**options), reading or {})


def table(criterion, n=120, p=4, seed=0, missing=0.0, outputs=1):
    """Rows on a grid of eighths, which keeps thresholds exact, and responses that follow them."""
    rng = np.random.default_rng(seed)
    X = (rng.integers(-40, 40, size=(n, p)) / 8).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * (X[:, 2] > 0)
    if criterion in CLASSIFICATION:
        y = np.column_stack(
            [np.searchsorted([-2 - o, 1], signal + rng.normal(size=n)) for o in range(outputs)]
        ).astype(np.int32)
    else:
        y = np.column_stack([signal * (1 + o) + rng.normal(size=n) for o in range(outputs)])
    if criterion == "poisson":
        y = np.maximum(y, 0)
    X[rng.random((n, p)) < missing] = np.nan
    return X, y


# --- what a node says about its rows ----------------------------------------------------------


def assert_nodes_are_consistent(grown):
    """Shape, routing, weights, values and children's limits of every node."""
    options, arrays = grown.options, grown.arrays
    for t in range(grown.n_trees):
        flat, rows = grown.tree(t), grown.rows(t)
        left = flat["left"]
        assert np.array_equal(flat["kind"] == 0, left == 0)
        assert len(left) == 2 * np.count_nonzero(left) + 1
        children = left[left > 0]
        assert sorted([*children, *(children + 1), 0]) == list(range(len(left)))
        leaves = leaves_of_rows(arrays, t, grown.X, **grown.reading)
        assert np.array_equal(leaves, arrays["leaf_of_row"][t])
        _, count = grown.weight(t)
        weight, _ = grown.weight(t, role="estimating")
        depth = depths(left)
        for node in range(len(left)):
            w = weight[rows[node]]
            assert flat["weight"][node] == pytest.approx(w.sum(), rel=1e-12)
            if w.sum() > 0:
                present = rows[node][w > 0]
                expected = summary(
                    grown.y[present], weight[present], options.criterion, options.n_classes
                )
                assert flat["value"][node] == pytest.approx(expected, rel=1e-6, abs=1e-7)
            if node > 0:
                assert count[rows[node]].sum() >= options.min_samples_leaf
            if left[node] == 0:
                assert flat["gain"][node] == 0
                continue
            n_node = count[rows[node]].sum()
            assert n_node >= options.min_samples_split
            assert options.max_depth < 0 or depth[node] < options.max_depth
            for child in (left[node], left[node] + 1):
                assert count[rows[child]].sum() >= options.min_balance * n_node - 1e-9
            assert flat["gain"][node] > 0
            assert flat["gain"][node] >= options.min_impurity_decrease * (1 - 1e-6)
        if options.max_leaf_nodes > 0:
            assert np.count_nonzero(left == 0) <= options.max_leaf_nodes


def assert_splits_are_the_best(grown):
    """With all axes as candidates every split is the naive best, and leaves have none left.

    Which of several features with equal gains was drawn first is not known here; the threshold is
    the first best of the chosen feature.
    """
    options, arrays = grown.options, grown.arrays
    n_classes = options.n_classes
    for t in range(grown.n_trees):
        flat, rows = grown.tree(t), grown.rows(t)
        weight, count = grown.weight(t)
        root_weight = weight.sum()
        depth = depths(flat["left"])
        for node in range(len(flat["left"])):
            inside = rows[node][count[rows[node]] > 0]
            y, w, c = grown.y[inside], weight[inside], count[inside]
            splits = {
                feature: candidate_splits(
                    grown.X[inside, feature],
                    y,
                    w,
                    c,
                    options.criterion,
                    n_classes,
                    options.min_samples_leaf,
                    options.min_balance,
                )
                for feature in range(grown.X.shape[1])
            }
            best = max((s.gain for found in splits.values() for s in found), default=0.0)
            rounding = 1e-11 * w.sum() * impurity(y, w, options.criterion, n_classes)
            if flat["left"][node] == 0:
                assert (
                    c.sum() < options.min_samples_split
                    or depth[node] == options.max_depth
                    or impurity(y, w, options.criterion, n_classes) < 1e-12
                    or best <= rounding
                    or best / root_weight < options.min_impurity_decrease
                    or options.max_leaf_nodes > 0
                )
                continue
            vector = direction(arrays, t, node, grown.X.shape[1])
            (feature,) = np.flatnonzero(vector)
            assert vector[feature] == 1
            assert flat["gain"][node] == pytest.approx(best / root_weight, rel=1e-6)
            first = first_best(splits[feature], tolerance=rounding)
            values = grown.X[inside, feature]
            if np.isfinite(first.threshold):
                assert flat["threshold"][node] == first.threshold
            else:
                assert flat["threshold"][node] >= np.nanmax(values)
            if np.isnan(values).any():
                assert bool(flat["missing_left"][node]) == first.missing_left


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_every_split_of_a_tree_is_the_naive_best_split(criterion, bootstrap):
    X, y = table(criterion)
    weight = np.random.default_rng(3).integers(1, 5, size=len(X)) / 4
    grown = grow(
        X, y, criterion=criterion, bootstrap=bootstrap, n_trees=2, arrays={"row_weight": weight}
    )
    assert_nodes_are_consistent(grown)
    assert_splits_are_the_best(grown)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_splits_with_missing_values_are_the_naive_best_splits(criterion):
    X, y = table(criterion, missing=0.15)
    grown = grow(X, y, criterion=criterion, n_trees=2)
    assert_nodes_are_consistent(grown)
    assert_splits_are_the_best(grown)
    assert {0, 1} <= set(grown.arrays["missing_left"][grown.arrays["left"] > 0].tolist())


@pytest.mark.parametrize("criterion", CRITERIA)
def test_splits_for_several_outputs_are_the_naive_best_splits(criterion):
    X, y = table(criterion, n=80, outputs=3)
    grown = grow(X, y, criterion=criterion, n_trees=2)
    assert grown.arrays["value"].shape[1] == (sum(grown.options.n_classes) or 3)
    assert_nodes_are_consistent(grown)
    assert_splits_are_the_best(grown)


RULES = [
    {"max_depth": 0},
    {"max_depth": 1},
    {"max_depth": 3},
    {"min_samples_split": 30},
    {"min_samples_leaf": 7},
    {"min_balance": 0.2},
    {"max_depth": 4, "min_samples_leaf": 3, "min_balance": 0.1, "min_samples_split": 15},
]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: ", ".join(rules))
def test_stop_rules_stop_exactly_where_they_say(criterion, rules):
    X, y = table(criterion, n=90)
    grown = grow(X, y, criterion=criterion, n_trees=1, **rules)
    free = grow(X, y, criterion=criterion, n_trees=1)
    assert outline(grown.tree(0)) != outline(free.tree(0))
    assert_nodes_are_consistent(grown)
    assert_splits_are_the_best(grown)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_splits_decrease_impurity_by_at_least_what_is_asked_for(criterion):
    X, y = table(criterion, n=90)
    free = grow(X, y, criterion=criterion, n_trees=1).arrays
    gains = np.sort(free["gain"][free["left"] > 0])
    at_least = float(gains[len(gains) // 3 : len(gains) // 3 + 2].mean())
    grown = grow(X, y, criterion=criterion, n_trees=1, min_impurity_decrease=at_least)
    assert 1 < len(grown.arrays["left"]) < len(free["left"])
    assert_nodes_are_consistent(grown)
    assert_splits_are_the_best(grown)


def test_nodes_are_counted_in_draws_not_in_distinct_rows():
    X, y = table("squared_error", n=60)
    count = np.random.default_rng(0).integers(1, 4, size=60)
    grown = grow(
        X,
        y,
        bootstrap=False,
        n_trees=1,
        min_samples_leaf=10,
        arrays={"row_count": count, "row_weight": count},
    )
    assert np.array_equal(grown.arrays["inbag"][0], count)
    assert_nodes_are_consistent(grown)
    assert_splits_are_the_best(grown)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_trees_without_limits_grow_until_leaves_are_pure(criterion):
    X, y = table(criterion, n=150, p=6)
    assert len(np.unique(X, axis=0)) == 150
    grown = grow(X, y, criterion=criterion)
    for t in range(grown.n_trees):
        weight, _ = grown.weight(t)
        for leaf in np.unique(grown.arrays["leaf_of_row"][t]):
            inside = (grown.arrays["leaf_of_row"][t] == leaf) & (weight > 0)
            if criterion == "absolute_error" and len(np.unique(y[inside])) > 1:
                # The median may cost as much after as before: such a split has no gain.
                continue
            if criterion == "poisson" and np.count_nonzero(y[inside]) == 1:
                continue  # one of the children would have the mean 0
            assert len(np.unique(y[inside], axis=0)) <= 1


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((20, 3), np.float32), np.arange(20)[:, None] % 2),
        (np.zeros((20, 3), np.uint8), np.arange(20)[:, None] % 2),
        (np.arange(60, dtype=np.float32).reshape(20, 3), np.zeros((20, 1))),
        (np.full((20, 3), np.nan, np.float32), np.arange(20)[:, None] % 2),
        (np.ones((1, 3), np.float32), np.zeros((1, 1))),
    ],
    ids=["equal rows", "equal byte rows", "one class", "all missing", "one row"],
)
def test_a_tree_that_cannot_split_is_one_leaf(X, y):
    for response in (y.astype(np.int32), y.astype(np.float64)):
        for bootstrap in (True, False):
            grown = grow(X, response, bootstrap=bootstrap)
            assert len(grown.arrays["left"]) == grown.n_trees
            assert_nodes_are_consistent(grown)


def test_rows_without_weight_take_no_part():
    X, y = table("gini", n=100)
    weight = np.ones(100)
    weight[::3] = 0
    for arrays in ({"row_weight": weight}, {"draw_weight": weight}):
        grown = grow(X, y, arrays=arrays)
        assert not grown.arrays["inbag"][:, ::3].any()
        assert_nodes_are_consistent(grown)
    present = weight > 0
    arrays = {"row_weight": weight, "row_count": present}
    with_zeros = grow(X, y, bootstrap=False, n_trees=1, arrays=arrays)
    without = grow(X[present], y[present], bootstrap=False, n_trees=1)
    assert outline(with_zeros.tree(0)) == outline(without.tree(0))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weight_two_is_the_row_given_twice(criterion):
    X, y = table(criterion, missing=0.05)
    count = np.random.default_rng(5).integers(1, 4, size=len(X))
    rules = {"criterion": criterion, "bootstrap": False, "n_trees": 1, "min_samples_leaf": 4}
    once = grow(X, y, **rules, arrays={"row_count": count, "row_weight": count})
    repeated = grow(np.repeat(X, count, axis=0), np.repeat(y, count, axis=0), **rules)
    assert outline(once.tree(0)) == outline(repeated.tree(0))
    for name in ("weight", "value", "gain"):
        assert once.arrays[name] == pytest.approx(repeated.arrays[name], rel=1e-6)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_rows_does_not_matter(criterion):
    X, y = table(criterion, missing=0.05)
    order = np.random.default_rng(6).permutation(len(X))
    rules = {"criterion": criterion, "bootstrap": False, "n_trees": 1, "min_samples_leaf": 3}
    one = grow(X, y, **rules)
    other = grow(X[order], y[order], **rules)
    assert outline(one.tree(0)) == outline(other.tree(0))
    assert np.array_equal(one.arrays["leaf_of_row"][0][order], other.arrays["leaf_of_row"][0])


@pytest.mark.parametrize("outputs", [1, 2])
def test_balanced_subsample_gives_every_class_the_same_weight_at_the_root(outputs):
    X, y = table("gini", outputs=outputs)
    y[:, 0] = np.where(np.arange(len(y)) % 10 == 0, y[:, 0], 0)
    grown = grow(X, y, balanced_subsample=True, n_trees=5)
    for t in range(5):
        inbag = grown.arrays["inbag"][t]
        weight = inbag.astype(np.float64)
        for output in range(outputs):
            drawn = np.bincount(y[:, output], weights=inbag, minlength=3)
            weight *= inbag.sum() / (np.count_nonzero(drawn) * np.maximum(drawn, 1))[y[:, output]]
        flat = grown.tree(t)
        assert flat["weight"][0] == pytest.approx(weight.sum())
        expected = summary(y, weight, "gini", grown.options.n_classes)
        assert flat["value"][0] == pytest.approx(expected, abs=1e-6)
        if outputs == 1:
            present = flat["value"][0][flat["value"][0] > 0]
            assert present == pytest.approx(1 / len(present), abs=1e-6)


# --- routing of every kind of atom ------------------------------------------------------------


def image_forest(dtype, n, missing=0.0, **options):
    rng = np.random.default_rng(11)
    shape = [6, 7, 2]
    grids = [(shape, [True, True, False])]
    geometry = _core.Geometry(84)
    geometry.add_grid(*grids[0])
    sampler = _core.patch_sampler(
        shape, 0, ["contiguous", "wrap", "channel"], [1, 2, 1], [6, 5, 1], "uniform"
    )
    X = rng.integers(0, 256, size=(n, 84)).astype(dtype)
    y = ((X.reshape(n, *shape)[:, 2:4, 1:5, 0].sum(axis=(1, 2)) > 1000) + (X[:, 3] > 128)) % 2
    y = np.where(rng.random(n) < 0.1, 1 - y, y).astype(np.int32)[:, None]
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    keywords = {"n_candidates": 8, "n_trees": 2, "geometry": geometry, "sampler": sampler}
    return grow(X, y, reading={"grids": grids}, **{**keywords, **options})


@pytest.mark.parametrize("n", [60, 3000])
@pytest.mark.parametrize(
    ("dtype", "missing"), [(np.uint8, 0.0), (np.float32, 0.0), (np.float32, 0.01)]
)
def test_rows_are_routed_by_their_patch_sums(n, dtype, missing):
    grown = image_forest(dtype, n, missing)
    assert_nodes_are_consistent(grown)
    internal = grown.arrays["left"] > 0
    assert set(grown.arrays["atom_kind"][internal].tolist()) == {1}


@pytest.mark.parametrize("n", [60, 3000])
def test_whole_numbers_grow_the_same_forest_as_bytes_and_as_floats(n):
    as_bytes = image_forest(np.uint8, n).arrays
    as_floats = image_forest(np.float32, n).arrays
    for name in ("tree_offsets", "left", "threshold", "atom_ints", "inbag", "leaf_of_row"):
        assert np.array_equal(as_bytes[name], as_floats[name]), name
    for name in ("gain", "weight", "value"):
        assert as_bytes[name] == pytest.approx(as_floats[name], rel=1e-6), name


SPARSE = {
    "axis": lambda p: _core.axis_sampler(p),
    "rerf": lambda p: _core.rerf_sampler(p, "paper"),
    "sporf": lambda p: _core.sporf_sampler(p, 1.5, "fixed"),
    "sporf poisson": lambda p: _core.sporf_sampler(p, 2.0, "poisson"),
    "sum": lambda p: _core.sum_sampler([_core.axis_sampler(p), _core.sporf_sampler(p, 3, "fixed")]),
}


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_rows_are_routed_by_their_whole_sparse_sums(name, dtype):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 256, size=(1500, 10)).astype(dtype)
    y = (X[:, 0].astype(int) + X[:, 1] > X[:, 2].astype(int) + 100).astype(np.int32)[:, None]
    if dtype == np.float32:
        X[rng.random(X.shape) < 0.02] = np.nan
    grown = grow(X, y, sampler=SPARSE[name](10), n_candidates=4, n_trees=2)
    assert_nodes_are_consistent(grown)


REAL = {
    "forest_rc": lambda p: _core.forest_rc_sampler(p, 3),
    "rotation": lambda p: _core.rotation_sampler(p, 0),
    "partial rotation": lambda p: _core.rotation_sampler(p, 4),
    "principal axes": lambda p: _core.principal_axes_sampler(p, 3, 500),
    "mean difference": lambda p: _core.mean_difference_sampler(p),
}


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_rows_are_routed_by_their_real_sums(name, dtype):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 256, size=(800, 7)).astype(dtype)
    y = (X[:, 0].astype(int) + X[:, 1] > X[:, 2].astype(int) + 100).astype(np.int32)[:, None]
    grown = grow(X, y, sampler=REAL[name](7), n_candidates=4, n_trees=2)
    for t in range(2):
        # Values are rounded to float32; a row that close to a threshold may go either way.
        flat, rows = grown.tree(t), grown.rows(t)
        close = np.zeros(len(X), bool)
        for node in np.flatnonzero(flat["left"]):
            values = project(X[rows[node]], direction(grown.arrays, t, node, 7))
            near = np.abs(values - flat["threshold"][node]) < 1e-4
            close[rows[node][near]] = True
        assert close.mean() < 0.05
        naive = leaves_of_rows(grown.arrays, t, X)
        assert np.array_equal(naive[~close], grown.arrays["leaf_of_row"][t][~close])
        assert len(flat["left"]) > 5


def test_dictionary_atoms_route_rows():
    rng = np.random.default_rng(4)
    dense = rng.integers(-2, 3, size=(9, 6)) * (rng.random((9, 6)) < 0.5)
    dense[:, 0] = 1
    geometry = _core.Geometry(6)
    rows, columns = np.nonzero(dense)
    offsets = np.concatenate([[0], np.cumsum(np.count_nonzero(dense, axis=1))])
    weights = dense[rows, columns].astype(np.float32)
    first = geometry.add_dictionary(offsets, columns.astype(np.int32), weights)
    X = rng.integers(0, 256, size=(300, 6)).astype(np.uint8)
    y = (X.astype(int) @ dense[4] > np.median(X.astype(int) @ dense[4])).astype(np.int32)[:, None]
    sampler = _core.dictionary_sampler(first, 9)
    reading = {"dictionary": dense}
    grown = grow(X, y, sampler=sampler, geometry=geometry, reading=reading, n_candidates=9)
    assert_nodes_are_consistent(grown)
    for t in range(grown.n_trees):
        assert len(grown.tree(t)["left"]) == 3  # one split by atom 4 separates the classes
        assert np.array_equal(direction(grown.arrays, t, 0, 6, dictionary=dense), dense[4])


def test_a_rotation_differs_from_tree_to_tree_and_is_orthogonal():
    X, y = table("gini")
    grown = grow(X, y, sampler=_core.rotation_sampler(4, 3), n_trees=4)
    dims, rotations = grown.arrays["rotation_dims"], grown.arrays["rotations"]
    assert dims.shape == (4, 3)
    assert rotations.shape == (4, 3, 3)
    for t in range(4):
        assert len(set(dims[t].tolist())) == 3
        Q = rotations[t].astype(np.float64)
        assert np.max(np.abs(Q.T @ Q - np.eye(3))) < 2e-6
    assert len({rotations[t].tobytes() for t in range(4)}) == 4


def predictor_of(grown):
    n_values = grown.arrays["value"].shape[1]
    n_classes = grown.options.n_classes
    return _core.Predictor(grown.arrays, grown.geometry, n_classes, False, np.zeros(n_values))


@pytest.mark.parametrize("kind", ["patches", "sporf", "rotation"])
def test_expanded_atoms_are_those_of_the_flat_arrays(kind):
    if kind == "patches":
        grown = image_forest(np.uint8, 200)
    else:
        X, y = table("gini", p=6)
        samplers = {
            "sporf": _core.sporf_sampler(6, 1.5, "fixed"),
            "rotation": _core.rotation_sampler(6, 4),
        }
        grown = grow(X, y, sampler=samplers[kind])
    p = grown.X.shape[1]
    predictor = predictor_of(grown)
    for t in range(grown.n_trees):
        offsets, features, weights = predictor.expand_atoms(t)
        assert predictor.nonlinear_kind(t) is None
        left = grown.tree(t)["left"]
        assert len(offsets) == len(left) + 1
        for node in range(len(left)):
            part = slice(offsets[node], offsets[node + 1])
            dense = np.zeros(p)
            dense[features[part]] = weights[part]
            if left[node] == 0:
                assert not dense.any()
            else:
                expected = direction(grown.arrays, t, node, p, **grown.reading)
                assert dense == pytest.approx(expected, abs=1e-7)


def test_importances_count_and_weigh_the_features_of_splits():
    grown = image_forest(np.uint8, 300, n_trees=4)
    usage, gain, of_views = predictor_of(grown).importances()
    assert of_views == []
    counted, gained = np.zeros(84), np.zeros(84)
    for t in range(4):
        flat = grown.tree(t)
        of_tree = np.zeros(84)
        for node in np.flatnonzero(flat["left"]):
            touched = direction(grown.arrays, t, node, 84, **grown.reading) != 0
            counted += touched
            of_tree += flat["gain"][node] * touched / touched.sum()
        gained += of_tree / of_tree.sum() / 4
    assert np.array_equal(usage, counted)
    assert gain == pytest.approx(gained, rel=1e-5)
    assert gain.sum() == pytest.approx(1)


# --- best-first growth and pruning ------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("max_leaf_nodes", [2, 7, 15])
def test_with_limited_leaves_the_node_of_largest_gain_is_split_next(criterion, max_leaf_nodes):
    X, y = table(criterion)
    grown = grow(X, y, criterion=criterion, n_trees=2, max_leaf_nodes=max_leaf_nodes)
    assert_nodes_are_consistent(grown)
    assert_splits_are_the_best(grown)
    n_classes = grown.options.n_classes
    for t in range(2):
        flat, rows = grown.tree(t), grown.rows(t)
        weight, count = grown.weight(t)
        left = flat["left"]
        assert np.count_nonzero(left == 0) == max_leaf_nodes
        gain = np.zeros(len(left))
        for node in range(len(left)):
            inside = rows[node][count[rows[node]] > 0]
            rest = (y[inside], weight[inside], count[inside], criterion, n_classes)
            for feature in range(X.shape[1]):
                for split in candidate_splits(X[inside, feature], *rest):
                    gain[node] = max(gain[node], split.gain)
        frontier = [0]
        for _ in range(max_leaf_nodes - 1):
            # Equal gains up to rounding leave the choice open.
            best = max(gain[node] for node in frontier)
            chosen = [n for n in frontier if gain[n] >= best * (1 - 1e-9) and left[n] > 0]
            assert chosen
            frontier.remove(chosen[0])
            frontier += [left[chosen[0]], left[chosen[0]] + 1]
        assert all(left[node] == 0 for node in frontier)


def test_leaves_that_suffice_give_the_depth_first_tree():
    X, y = table("squared_error")
    unlimited = grow(X, y, n_trees=1, min_samples_leaf=5)
    limited = grow(X, y, n_trees=1, min_samples_leaf=5, max_leaf_nodes=10_000)
    assert outline(unlimited.tree(0)) == outline(limited.tree(0))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("share", [0.01, 0.03, 0.1, 10.0])
def test_pruning_cuts_the_weakest_links(criterion, share):
    X, y = table(criterion)
    full = grow(X, y, criterion=criterion)
    n_classes = full.options.n_classes
    alpha = share * impurity(y, np.ones(len(y)), criterion, n_classes)
    pruned = grow(X, y, criterion=criterion, ccp_alpha=alpha)
    assert_nodes_are_consistent(pruned)
    sizes = []
    for t in range(full.n_trees):
        flat, rows = full.tree(t), full.rows(t)
        weight, _ = full.weight(t)
        risk = [node_risk(y, weight, inside, criterion, n_classes, weight.sum()) for inside in rows]
        cut = prune_weakest_links(flat["left"], risk, alpha)
        assert outline(pruned.tree(t)) == outline(flat, cut)
        sizes.append((1, len(pruned.tree(t)["left"]), len(flat["left"])))
    some, most, all_ = np.sum(sizes, axis=0)
    assert most < all_ or share == 0.01
    assert (most == some) == (share == 10.0)


# --- honesty ----------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_honest_trees_grow_on_one_part_and_estimate_on_the_other(criterion, bootstrap):
    X, y = table(criterion, n=160)
    grown = grow(X, y, criterion=criterion, bootstrap=bootstrap, honest=True, n_trees=2)
    inbag = grown.arrays["inbag"]
    assert set(np.unique(inbag)) == ({-1, 0, 1} if bootstrap else {-1, 1})
    assert_nodes_are_consistent(grown)
    assert_splits_are_the_best(grown)


@pytest.mark.parametrize("fraction", [0.5, 0.7])
def test_honest_parts_are_stratified_by_class(fraction):
    X, y = table("gini", n=200)
    grown = grow(X, y, honest=True, honest_fraction=fraction, n_trees=10)
    for inbag in grown.arrays["inbag"]:
        for label in range(3):
            estimating = np.count_nonzero(inbag[y[:, 0] == label] > 0)
            growing = np.count_nonzero(inbag[y[:, 0] == label] < 0)
            assert growing + estimating > 5
            assert abs(growing - fraction * (growing + estimating)) < 1


def test_honest_parts_divide_the_bag_of_the_ordinary_tree():
    X, y = table("gini", n=200)
    honest = grow(X, y, honest=True).arrays["inbag"]
    ordinary = grow(X, y).arrays["inbag"]
    assert np.array_equal(honest != 0, ordinary != 0)


def empty_leaf_forest(rule, criterion="gini", **options):
    X, y = table(criterion, n=80)
    rules = {"honest": True, "empty_leaf": rule, "n_trees": 6, "honest_fraction": 0.7}
    return grow(X, y, criterion=criterion, **{**rules, **options})


@pytest.mark.parametrize("criterion", CRITERIA)
def test_an_ignored_empty_leaf_has_no_weight(criterion):
    grown = empty_leaf_forest("ignore", criterion)
    assert_nodes_are_consistent(grown)
    assert np.count_nonzero((grown.arrays["left"] == 0) & (grown.arrays["weight"] == 0)) > 5


def test_a_uniform_empty_leaf_knows_nothing():
    grown = empty_leaf_forest("uniform")
    assert_nodes_are_consistent(grown)
    empty = (grown.arrays["left"] == 0) & (grown.arrays["weight"] == 0)
    assert empty.sum() > 5
    assert grown.arrays["value"][empty] == pytest.approx(1 / 3)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_an_empirical_empty_leaf_says_what_the_estimation_sample_says(criterion):
    grown = empty_leaf_forest("empirical", criterion)
    assert_nodes_are_consistent(grown)
    n_empty = 0
    for t in range(grown.n_trees):
        flat = grown.tree(t)
        weight, _ = grown.weight(t, role="estimating")
        inside = weight > 0
        expected = summary(grown.y[inside], weight[inside], criterion, grown.options.n_classes)
        for leaf in np.flatnonzero((flat["left"] == 0) & (flat["weight"] == 0)):
            assert flat["value"][leaf] == pytest.approx(expected, rel=1e-6)
            n_empty += 1
    assert n_empty > 5


@pytest.mark.parametrize("criterion", CRITERIA)
def test_pruned_empty_leaves_leave_the_split_above_them_out(criterion):
    full = empty_leaf_forest("ignore", criterion)
    pruned = empty_leaf_forest("prune", criterion)
    assert_nodes_are_consistent(pruned)
    assert np.all(pruned.arrays["weight"] > 0)
    for t in range(full.n_trees):
        flat = full.tree(t)
        left = flat["left"]
        cut = {
            node
            for node in np.flatnonzero(left)
            if min(flat["weight"][left[node]], flat["weight"][left[node] + 1]) == 0
        }
        assert cut
        assert outline(pruned.tree(t)) == outline(flat, cut)


# --- reproducibility --------------------------------------------------------------------------


def assert_same_arrays(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].dtype == other[name].dtype, name
        assert one[name].tobytes() == other[name].tobytes(), name


VARIANTS = {
    "classes": {},
    "regression": {"criterion": "squared_error"},
    "medians": {"criterion": "absolute_error"},
    "honest": {"honest": True, "empty_leaf": "prune"},
    "best first": {"max_leaf_nodes": 9},
    "pruned": {"ccp_alpha": 0.005},
    "rotation": {"sampler": "rotation"},
    "sporf": {"sampler": "sporf", "n_candidates": 3},
    "mean difference": {"sampler": "mean difference", "n_candidates": 3},
}


def variant(name, **options):
    chosen = {**VARIANTS[name], **options}
    X, y = table(chosen.get("criterion", "gini"), p=6, missing=0.02)
    makers = {
        "rotation": lambda: _core.rotation_sampler(6, 4),
        "sporf": lambda: _core.sporf_sampler(6, 1.5, "poisson"),
        "mean difference": lambda: _core.sum_sampler(
            [_core.sporf_sampler(6, 1.5, "fixed"), _core.mean_difference_sampler(6)]
        ),
    }
    if "sampler" in chosen:
        chosen["sampler"] = makers[chosen["sampler"]]()
    return grow(X, y, **{"n_trees": 10, "n_candidates": 2, **chosen}).arrays


@pytest.mark.parametrize("name", VARIANTS)
def test_the_number_of_threads_does_not_change_a_forest(name):
    one = variant(name, n_threads=1)
    assert_same_arrays(one, variant(name, n_threads=2))
    assert_same_arrays(one, variant(name, n_threads=8))


@pytest.mark.parametrize("name", VARIANTS)
def test_trees_grown_later_continue_the_forest(name):
    whole = variant(name)
    parts = [variant(name, n_trees=5), variant(name, n_trees=5, first_tree=5)]
    assert whole.keys() == parts[0].keys() == parts[1].keys()
    for key in whole:
        if key.endswith("offsets"):
            joined = np.concatenate([parts[0][key], parts[0][key][-1] + parts[1][key][1:]])
        else:
            joined = np.concatenate([part[key] for part in parts])
        assert np.array_equal(whole[key], joined, equal_nan=key == "value"), key


def test_another_seed_grows_another_forest():
    one, other = variant("classes", seed=1), variant("classes", seed=2)
    assert one["inbag"].tobytes() != other["inbag"].tobytes()
    assert one["threshold"].tobytes() != other["threshold"].tobytes()


def test_trees_of_a_forest_differ():
    X, y = table("gini", p=6)
    grown = grow(X, y, bootstrap=False, n_candidates=1, n_trees=8)
    assert len({str(outline(grown.tree(t))) for t in range(8)}) == 8


def test_nodes_of_a_tree_draw_their_candidates_independently():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(40, 5)).astype(np.float32)
    y = rng.normal(size=(40, 1))
    rules = {"n_candidates": 1, "max_depth": 2, "min_balance": 0.4, "bootstrap": False}
    arrays = grow(X, y, n_trees=2000, **rules).arrays
    assert len(arrays["left"]) == 7 * 2000
    chosen = []
    for t in range(2000):
        child = split_off(arrays, t)["left"][0]
        nodes = (0, child, child + 1)
        chosen.append([int(np.argmax(direction(arrays, t, node, 5))) for node in nodes])
    chosen = np.array(chosen)
    for a, b in combinations(range(3), 2):
        pairs = zip(chosen[:, a].tolist(), chosen[:, b].tolist(), strict=True)
        assert_equally_likely(pairs, product(range(5), range(5)))


def test_samples_are_kept_only_when_asked_for():
    X, y = table("gini")
    kept = grow(X, y).arrays
    dropped = grow(X, y, keep_samples=False).arrays
    assert kept.keys() - dropped.keys() == {"inbag", "leaf_of_row"}
    assert_same_arrays(dropped, {name: kept[name] for name in dropped})


def test_progress_is_reported_to_the_end_and_an_exception_stops_the_growth():
    X, y = table("gini")
    settings = _core.GrowOptions()
    for name, value in {"n_trees": 7, "n_classes": [3], "n_candidates": 2}.items():
        setattr(settings, name, value)
    strata, ones, count = y[:, 0].copy(), np.ones(len(X)), np.ones(len(X), np.int64)
    arguments = (X, y, strata, ones, ones, count, _core.Geometry(4), _core.axis_sampler(4))
    calls = []
    growing.grow(*arguments, settings, lambda done, total: calls.append((done, total)))
    assert calls[-1] == (7, 7)
    assert calls == sorted(calls)

    def refuse(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        growing.grow(*arguments, settings, refuse)


# ------------------------------------------------------------------ splits without gain

GRID = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)]).repeat(5, axis=0)
PARITY = (GRID[:, 0] != GRID[:, 1]).astype(int)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("splitter", ["auto", "exact", "histogram", "random"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("weight", [None, 0.1, 70000.0])
def test_an_exclusive_or_is_learned_though_no_first_split_has_a_gain(
    criterion, splitter, dtype, weight
):
    kind = mf.ForestRegressor if criterion == "squared_error" else mf.ForestClassifier
    forest = kind(
        3, criterion=criterion, splitter=splitter, projection="axis", bootstrap=False, n_jobs=1
    )
    X = GRID.astype(dtype)
    forest.fit(X, PARITY, None if weight is None else np.full(20, weight))
    np.testing.assert_array_equal(forest.predict(X), PARITY)
    assert all(tree.gain[0] == 0 for tree in forest.trees_)


def test_distances_of_an_exclusive_or_are_learned():
    space = mf.spaces.FromCallable(lambda a, b: abs(a - b))
    forest = mf.MetricForestRegressor(3, space=space, projection="axis", bootstrap=False)
    responses = [float(label) for label in PARITY]
    assert forest.fit(GRID, responses).predict(GRID) == responses


def test_a_split_that_is_worse_than_none_is_not_taken():
    # The second coordinate counts negatively: both children would have more variance than the node.
    y = np.array([[0.0, -1.0], [0.0, 1.0]]).repeat(4, axis=0)
    assert (
        stages.find_split(
            np.arange(8, dtype=np.float32),
            y,
            np.ones(8),
            np.ones(8, np.int64),
            "squared_distance",
            [],
            1,
            0.0,
            signs=np.array([1.0, -1.0]),
        )
        is None
    )


def test_a_split_without_gain_does_not_pass_min_impurity_decrease():
    forest = mf.ForestClassifier(
        1, projection="axis", bootstrap=False, min_impurity_decrease=1e-9
    ).fit(GRID, PARITY)
    assert len(forest.trees_[0].left) == 1


# ------------------------------------------------------------------ weight of leaves


@pytest.mark.parametrize("weights", ["none", "whole", "fractional"])
@pytest.mark.parametrize("splitter", ["exact", "auto", "random"])
@pytest.mark.parametrize("fraction", [0.01, 0.07, 0.3, 0.5])
@pytest.mark.parametrize(
    ("kind", "criterion"),
    [
        (mf.ForestClassifier, "gini"),
        (mf.ForestClassifier, "entropy"),
        (mf.ForestRegressor, "squared_error"),
        (mf.ForestRegressor, "absolute_error"),
        (mf.ForestRegressor, "poisson"),
    ],
)
def test_leaves_weigh_at_least_a_fraction_of_the_tree(kind, criterion, fraction, splitter, weights):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    weight = {
        "none": None,
        "whole": rng.integers(0, 90000, 300).astype(float),
        "fractional": rng.uniform(0.1, 5, 300),
    }[weights]
    params = {"criterion": criterion, "splitter": splitter, "random_state": 0, "n_jobs": 1}
    for bootstrap in (True, False):
        forest = kind(3, min_weight_fraction_leaf=fraction, bootstrap=bootstrap, **params)
        for tree in forest.fit(X, y, weight).trees_:
            leaves = tree.weight[tree.left == 0]
            assert leaves.min() >= fraction * tree.weight[0] * (1 - 1e-9)
            if fraction == 0.01 and splitter != "random":
                assert leaves.min() < 3 * fraction * tree.weight[0]  # and no more than that


def test_leaves_of_distances_weigh_at_least_a_fraction_of_the_tree():
    rng = np.random.default_rng(0)
    X, angles = rng.normal(size=(100, 3)), rng.uniform(-3, 3, 100)
    space = mf.spaces.FromCallable(lambda a, b: abs(a - b))
    forest = mf.MetricForestRegressor(3, space=space, min_weight_fraction_leaf=0.2)
    for tree in forest.fit(X, list(angles), rng.uniform(0.1, 5, 100)).trees_:
        assert tree.weight[tree.left == 0].min() >= 0.2 * tree.weight[0] * (1 - 1e-9)
        assert len(tree.left) > 1

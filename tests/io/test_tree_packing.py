"""Packed forests: every array comes back bit for bit, and what follows is not stored."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import manifoldforest as mf
from manifoldforest.io._bit_packing import PackedArrays, same_bits
from manifoldforest.io._tree_packing import pack_trees, unpack_trees
from manifoldforest.projections import Patches, Rotation, Sporf

RNG = np.random.default_rng(0)
N = 150
FLOATS = RNG.normal(size=(N, 5))
BYTES = RNG.integers(0, 256, size=(N, 6, 4), dtype=np.uint8)
HOLES = np.where(RNG.random(FLOATS.shape) < 0.1, np.nan, FLOATS)
Y = np.digitize(FLOATS[:, 0] + FLOATS[:, 1], [-0.7, 0.7])
WEIGHTS = RNG.random(N)


def grown(X=FLOATS, y=Y, sample_weight=None, kind=mf.ForestClassifier, **params):
    forest = kind(**({"n_estimators": 7, "random_state": 0} | params))
    return forest.fit(X, y, sample_weight=sample_weight)


def regressor(**params):
    return grown(y=FLOATS[:, :2] @ [1.0, 2.0], kind=mf.ForestRegressor, **params)


# a forest, and what is stored besides the arrays that all have
COUNTS, SHARES, VALUES = (
    {"present", "columns", "counts"},
    {"present", "columns", "shares"},
    {"value"},
)
FORESTS = {
    "default": (lambda: grown(), COUNTS),
    "bytes": (lambda: grown(BYTES, projection="axis"), COUNTS),
    "patches": (lambda: grown(BYTES, projection=Patches()), COUNTS),
    "rotation": (lambda: grown(projection=Rotation()), COUNTS),
    "oblique": (lambda: grown(projection=Sporf(2.0)), COUNTS),
    "missing values": (lambda: grown(HOLES, projection="axis"), COUNTS),
    "mixed leaves": (lambda: grown(min_samples_leaf=9), COUNTS),
    "only roots": (lambda: grown(min_samples_split=1000), COUNTS),
    "one class": (lambda: grown(y=np.zeros(N)), COUNTS),
    "two outputs": (lambda: grown(y=np.stack([Y, Y > 0, Y % 2], 1), max_depth=4), COUNTS),
    "honest": (lambda: grown(honest=True, empty_leaf="ignore"), COUNTS),
    "whole weights": (lambda: grown(sample_weight=RNG.integers(0, 5, N), bootstrap=False), COUNTS),
    "best first": (lambda: grown(max_leaf_nodes=9), COUNTS | {"left"}),
    "pruned": (lambda: grown(ccp_alpha=0.01), COUNTS | {"left"}),
    "weights": (lambda: grown(sample_weight=WEIGHTS, bootstrap=False), SHARES),
    "balanced": (lambda: grown(class_weight="balanced_subsample"), SHARES),
    "uniform leaves": (lambda: grown(honest=True, empty_leaf="uniform"), SHARES),
    "heavy rows": (lambda: grown(sample_weight=np.full(N, 1e9), bootstrap=False), SHARES),
    "large leaves": (lambda: grown(class_weight="balanced_subsample", max_depth=1), VALUES),
    "regression": (regressor, VALUES),
    "medians": (lambda: regressor(criterion="absolute_error"), VALUES),
}
OPTIONAL = COUNTS | SHARES | VALUES | {"left", "leaf_of_row"}


@pytest.mark.parametrize("name", FORESTS)
def test_every_array_comes_back_bit_for_bit(name):
    make, optional = FORESTS[name]
    model = make()._model
    packed = pack_trees(model.trees.arrays, model.n_classes)
    assert optional == OPTIONAL & set(packed)
    again = unpack_trees(packed, model.n_classes)
    assert again.keys() == model.trees.arrays.keys()
    for array, content in model.trees.arrays.items():
        assert same_bits(again[array], content), array


def test_a_forest_of_a_large_image_set_takes_a_few_bytes_for_each_node():
    X = np.random.default_rng(0).integers(0, 256, size=(3000, 28, 28), dtype=np.uint8)
    y = (X[:, 10, 10] // 26).astype(int)
    model = grown(X, y, n_estimators=5, projection="axis", keep_samples=False)._model
    packed = pack_trees(model.trees.arrays, model.n_classes)
    unpacked = sum(array.nbytes for array in model.trees.arrays.values())
    assert packed.nbytes < 6 * model.trees.n_nodes < 0.1 * unpacked


def test_values_that_would_grow_too_much_are_stored_as_they_are():
    X = np.arange(8000.0)[:, None]
    trees = grown(X, np.arange(8000) // 2, max_depth=3, keep_samples=False)._model.trees.arrays
    packed = pack_trees(trees, [4000])
    assert "value" in packed
    assert same_bits(unpack_trees(packed, [4000])["value"], trees["value"])


def changed(trees, **arrays):
    return {name: array.copy() for name, array in trees.items()} | arrays


def test_arrays_that_follow_no_rule_are_stored_as_they_are():
    trees = grown()._model.trees.arrays
    is_leaf = trees["left"] == 0
    inner = int(np.flatnonzero(~is_leaf)[3])
    leaf = int(np.flatnonzero(is_leaf)[3])
    strange = changed(trees)
    strange["gain"][leaf] = 1.0
    strange["threshold"][leaf] = -0.0
    strange["weight"][inner] += 1.0
    strange["leaf_of_row"][0, 0] = 0
    packed = pack_trees(strange, [3])
    assert {"leaf_of_row", "weight", "shares"} <= set(packed)
    again = unpack_trees(packed, [3])
    for name, array in strange.items():
        assert same_bits(again[name], array), name


def test_nodes_may_not_have_two_parents():
    # children come after their parent and inside of the tree, and yet walks meet
    trees = grown(n_estimators=1, max_leaf_nodes=2)._model.trees.arrays
    packed = pack_trees(trees, [3])
    packed["tree_sizes"] = np.array([101])
    packed["inner"] = np.r_[np.ones(99), 0, 0].astype(np.uint8)
    packed["left"] = np.arange(1, 100, dtype=np.int32)
    with pytest.raises(ValueError, match="a node has several parents"):
        unpack_trees(packed, [3])


FORGERIES = {
    "no trees": ("tree_sizes", lambda a: a[:0]),
    "an empty tree": ("tree_sizes", lambda a: np.r_[a, 0]),
    "a larger tree": ("tree_sizes", lambda a: a + 2),
    "trees of even size": ("tree_sizes", lambda a: np.r_[a[0] + 1, a[1] - 1, a[2:]]),
    "a negative tree": ("tree_sizes", lambda a: np.r_[a, 5, -5]),
    "sizes of another type": ("tree_sizes", lambda a: a.astype(np.float64)),
    "no inner nodes": ("inner", lambda a: a * 0),
    "no leaves": ("inner", lambda a: a | 1),
    "leaves and inner nodes swapped": ("inner", lambda a: 1 - a),
    "nodes in rows": ("inner", lambda a: a[:, None]),
    "children before their parents": ("left", lambda a: np.ones_like(a)),
    "children outside": ("left", lambda a: a + 1000),
    "fewer children": ("left", lambda a: a[:-1]),
    "fewer thresholds": ("threshold", lambda a: a[:-1]),
    "one threshold": ("threshold", lambda a: a[:1]),
    "fewer atoms": ("atom_sizes", lambda a: a[:-1]),
    "fractional atoms": ("atom_sizes", lambda a: a + 0.5),
    "fewer leaves": ("present", lambda a: a[:-1]),
    "leaves of more classes": ("present", lambda a: a + 1),
    "leaves of a negative class": ("present", lambda a: np.r_[a[0] - 5, a[1] + 5, a[2:]]),
    "classes that do not exist": ("columns", lambda a: a + 3),
    "negative classes": ("columns", lambda a: a - 3),
    "fewer classes": ("columns", lambda a: a[:-1]),
    "fewer counts": ("counts", lambda a: a[:-1]),
    "counts of another type": ("counts", lambda a: a.astype(np.float32)),
    "no counts": ("counts", None),
    "ranks beyond the leaves": ("leaf_rank_of_row", lambda a: a + 1000),
    "negative ranks": ("leaf_rank_of_row", lambda a: a - 1),
    "ranks of fewer trees": ("leaf_rank_of_row", lambda a: a[:-1]),
    "ranks in a line": ("leaf_rank_of_row", lambda a: a.reshape(-1)),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_arrays_are_refused(forgery):
    name, change = FORGERIES[forgery]
    # best first, so that there are children, and mixed leaves
    trees = grown(max_leaf_nodes=9)._model.trees.arrays
    packed = pack_trees(trees, [3])
    whole = unpack_trees(packed, [3])
    assert_array_equal(whole["left"], trees["left"])
    if change is None:
        packed = PackedArrays(
            {n: text for n, text in packed.described.items() if n != name},
            {n: array for n, array in packed.stored.items() if n != name},
        )
    else:
        packed[name] = change(packed[name])
    with pytest.raises((ValueError, IndexError)):
        unpack_trees(packed, [3])


def test_pickles_are_small_and_give_back_every_array():
    forest = grown(BYTES, projection="axis", n_estimators=50)
    text = pickle.dumps(forest)
    assert len(text) < 0.25 * sum(a.nbytes for a in forest._model.trees.arrays.values())
    again = pickle.loads(text)
    for name, array in forest._model.trees.arrays.items():
        assert same_bits(again._model.trees[name], array)
        assert not again._model.trees[name].flags.writeable
    assert_array_equal(again.predict_proba(BYTES), forest.predict_proba(BYTES))


def test_deep_copies_share_the_trees():
    forest = grown()
    again = copy.deepcopy(forest)
    assert again is not forest
    assert again._model.trees["left"] is forest._model.trees["left"]
    again.set_params(n_estimators=9, warm_start=True).fit(FLOATS, Y)
    assert (len(forest.trees_), len(again.trees_)) == (7, 9)

"""Flat forests that are joined: the trees of all parts, one copy of each."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import manifoldforest as mf
from manifoldforest.forests._flat_forest import FlatForest
from manifoldforest.io._bit_packing import same_bits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 5))
Y = np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])


def rounds(n_rounds, **params):
    """Return the trees of a warm start, those of each round for themselves, and all together."""
    params = {"random_state": 0, "warm_start": True, **params}
    whole = mf.ForestClassifier(2 * n_rounds, **params).fit(X, Y)._model.trees
    return [part_of(whole, 2 * k, 2 * k + 2) for k in range(n_rounds)], whole


def part_of(forest, first, end):
    """Return some trees of a forest, by slicing."""
    arrays, ends = forest.arrays, forest["tree_offsets"]
    a, b = ends[first], ends[end]
    part = {"tree_offsets": ends[first : end + 1] - a}
    for offsets, content in (("atom_offsets", "atom_ints"), ("weight_offsets", "atom_weights")):
        c, d = arrays[offsets][[a, b]]
        part[offsets] = arrays[offsets][a : b + 1] - c
        part[content] = arrays[content][c:d]
    for name in arrays.keys() - part.keys():
        per_tree = len(arrays[name]) == forest.n_trees
        part[name] = arrays[name][first:end] if per_tree else arrays[name][a:b]
    return FlatForest(part)


@pytest.mark.parametrize("projection", ["axis", "sporf", "rotation"])
@pytest.mark.parametrize("n_rounds", [1, 2, 7])
def test_joined_parts_are_the_forest_they_come_from(projection, n_rounds):
    parts, whole = rounds(n_rounds, projection=projection)
    joined = FlatForest.joined(parts)
    assert joined.arrays.keys() == whole.arrays.keys()
    for name, array in whole.arrays.items():
        assert same_bits(joined[name], array), name
        assert not joined[name].flags.writeable


def test_parts_of_one_tree_that_is_a_leaf_can_be_joined():
    parts, _ = rounds(2, max_depth=1, min_samples_split=1000)
    joined = FlatForest.joined(parts)
    assert joined["tree_offsets"].tolist() == [0, 1, 2, 3, 4]
    assert joined["atom_offsets"].tolist() == [0] * 5


def test_counts_take_the_type_that_holds_all_of_them():
    parts, whole = rounds(2)
    wide = FlatForest(parts[1].arrays | {"inbag": parts[1]["inbag"].astype(np.int32)})
    joined = FlatForest.joined([parts[0], wide])
    assert joined["inbag"].dtype == np.int32
    assert_array_equal(joined["inbag"], whole["inbag"])


def test_parts_that_know_different_things_cannot_be_joined():
    parts, _ = rounds(2)
    for mixed in ([parts[0], parts[1].without_samples()], [parts[0].without_samples(), parts[1]]):
        with pytest.raises(ValueError, match="parts must all know"):
            FlatForest.joined(mixed)


def test_hundreds_of_rounds_cost_one_copy():
    parts, _ = rounds(3)
    many = parts * 200
    size = sum(array.nbytes for part in many for array in part.arrays.values())
    tracemalloc.start()
    try:
        FlatForest.joined(many)
        assert tracemalloc.get_traced_memory()[1] < 1.1 * size
    finally:
        tracemalloc.stop()

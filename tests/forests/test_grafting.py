"""A tree that was cut into a top and subtrees and put together again is the same tree."""

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest.forests._flat_forest import FlatForest
from manifoldforest.forests._grafting import grafted
from manifoldforest.forests._ranges import ends_of, ranges

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
LABELS = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int) + (X[:, 3] > 1)
NUMBERS = np.stack([X[:, 0] * X[:, 1], X[:, 2]], axis=1)


def one_tree(forest, y, **params):
    params = {"random_state": 0, "keep_samples": False} | params
    return forest(1, **params).fit(X, y)._model.trees


def part_of(tree, nodes, is_leaf):
    """Return some nodes of a tree, of which the first is the root, as a tree."""
    number = np.zeros(tree.n_nodes, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    sizes = np.where(is_leaf[nodes], 0, np.diff(tree["atom_offsets"])[nodes])
    at = ranges(tree["atom_offsets"][nodes], sizes)
    arrays = {name: array[nodes] for name, array in tree.arrays.items() if len(array) > max(nodes)}
    for name in ("kind", "threshold", "missing_left", "gain", "atom_kind"):
        arrays[name] = np.where(is_leaf[nodes], 0, tree[name][nodes]).astype(tree[name].dtype)
    arrays["left"] = np.where(is_leaf[nodes], 0, number[tree["left"][nodes]]).astype(np.int32)
    arrays["gain"] = arrays["gain"] / (tree["weight"][nodes[0]] / tree["weight"][0])
    arrays["gain"] = arrays["gain"].astype(np.float32)
    arrays |= {"tree_offsets": np.array([0, len(nodes)]), "atom_offsets": ends_of(sizes)}
    arrays |= {"weight_offsets": ends_of(sizes), "atom_ints": tree["atom_ints"][at]}
    return FlatForest(arrays | {"atom_weights": tree["atom_weights"][at]})


def below(tree, node):
    """Return a node and all below it, children side by side, in an order of breadth."""
    nodes, level = [node], [node]
    while level := [child for i in level if (k := tree["left"][i]) for child in (k, k + 1)]:
        nodes += level
    return np.array(nodes)


def cut(tree, depth):
    """Return the top of a tree, its leaves that go on, and what is below them."""
    depths = tree.depths()
    is_leaf = (tree["left"] == 0) | (depths == depth)
    nodes = np.flatnonzero(depths <= depth)
    top = part_of(tree, nodes, is_leaf)
    leaves = np.flatnonzero((depths[nodes] == depth) | (tree["left"][nodes] == 0))
    subtrees = [part_of(tree, below(tree, nodes[leaf]), tree["left"] == 0) for leaf in leaves]
    return top, leaves, FlatForest.joined(subtrees)


@pytest.mark.parametrize("depth", [0, 1, 3, 5])
@pytest.mark.parametrize(
    ("forest", "y", "params"),
    [
        (mf.ForestClassifier, LABELS, {}),
        (mf.ForestClassifier, np.stack([LABELS, LABELS % 2], axis=1), {"projection": "sporf"}),
        (mf.ForestRegressor, NUMBERS, {"projection": "axis"}),
    ],
)
def test_a_tree_that_was_cut_comes_back(forest, y, params, depth):
    tree = one_tree(forest, y, **params)
    top, leaves, subtrees = cut(tree, depth)
    assert subtrees.n_trees == len(leaves)
    again = grafted(top, leaves, subtrees, seen=1.0, means=True)
    assert again.arrays.keys() == tree.arrays.keys()
    for name, array in tree.arrays.items():
        assert again[name].dtype == array.dtype, name
        if name in ("gain", "value", "weight"):
            assert np.allclose(again[name], array, rtol=1e-6), name
        else:
            assert np.array_equal(again[name], array), name
    if forest is mf.ForestClassifier:  # shares are numbers of rows over the weight, to the bit
        assert np.array_equal(again["value"], tree["value"])
        assert np.array_equal(again["weight"], tree["weight"])


def test_inner_nodes_of_the_top_tell_of_the_rows_of_the_subtrees():
    tree = one_tree(mf.ForestRegressor, NUMBERS, projection="axis")
    top, leaves, _ = cut(tree, 2)
    stays, goes_on = leaves[0], leaves[1:]
    three = FlatForest.joined(
        [one_tree(mf.ForestRegressor, NUMBERS + k, projection="axis") for k in goes_on]
    )
    whole = grafted(top, goes_on, three, seen=0.25, means=True)
    assert whole["weight"][0] == 4 * top["weight"][stays] + 300 * len(goes_on)
    means = [4 * top["weight"][stays] * top["value"][stays]]
    means += [300 * three["value"][root] for root in three["tree_offsets"][:-1]]
    assert np.allclose(whole["value"][0], np.sum(means, axis=0) / whole["weight"][0])
    medians = grafted(top, goes_on, three, seen=0.25, means=False)
    assert np.array_equal(medians["value"][0], top["value"][0])


def test_a_top_that_does_not_go_on_stays_as_it_is():
    tree = one_tree(mf.ForestClassifier, LABELS)
    assert grafted(tree, np.zeros(0, dtype=np.int64), None, seen=0.5, means=True) is tree

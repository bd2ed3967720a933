"""Parameters of parts of a tree are those of the whole tree in proportion."""

import pytest

import manifoldforest as mf
from manifoldforest.dask._tops import (
    Totals,
    forest_of_subtree,
    forest_of_tops,
    stays_whole,
    weight_of_tree,
)
from manifoldforest.validation._parameters import INT32_MAX

ALL = Totals(n_rows=1000, n_present=800, weight=2000.0, drawn=2000.0)
LEAF = Totals(n_rows=100, n_present=80, weight=500.0, drawn=500.0)


def subtree(**params):
    return forest_of_subtree(mf.ForestClassifier(**params), LEAF, ALL, 3)


def test_numbers_and_shares_of_rows_are_those_of_the_whole_tree():
    forest = subtree(min_samples_leaf=0.05, min_samples_split=7, max_depth=10)
    assert (forest.min_samples_leaf, forest.min_samples_split) == (50, 7)
    assert forest.max_depth == 7
    assert subtree(min_samples_split=0.1).min_samples_split == 100


def test_limits_that_are_relative_to_the_tree_grow_in_a_part_of_it():
    forest = subtree(min_impurity_decrease=0.01, min_weight_fraction_leaf=0.1)
    assert forest.min_impurity_decrease == pytest.approx(0.04)
    assert forest.min_weight_fraction_leaf == pytest.approx(0.4)
    assert forest.min_samples_split == 2
    none = subtree(min_weight_fraction_leaf=0.2)  # 0.8 of the leaf: no split has two such sides
    assert none.min_samples_split == INT32_MAX


@pytest.mark.parametrize(
    ("params", "draws", "weight"),
    [
        ({}, 200, 800),  # by weight: a quarter of as many draws as there are rows
        ({"max_samples": 0.5}, 100, 400),
        ({"max_samples": 40}, 10, 40),
        ({"max_samples": 1}, 1, 1),
        ({"bootstrap": False}, None, 2000),
        ({"bootstrap": False, "max_samples": 0.5}, 40, 1000),
        ({"bootstrap": False, "max_samples": 400}, 40, 1000),
        ({"bootstrap": False, "max_samples": 10_000}, None, 2000),  # of all partitions
    ],
)
def test_a_leaf_gets_its_part_of_the_draws(params, draws, weight):
    assert subtree(**params).max_samples == draws
    assert weight_of_tree(mf.ForestClassifier(**params), ALL) == weight


@pytest.mark.parametrize(
    ("params", "share"),
    [
        ({}, 0.9),
        ({"max_samples": 0.25}, 0.25),
        ({"max_samples": 2.0}, 0.9),
        ({"bootstrap": False}, None),
        ({"bootstrap": False, "max_samples": 5000}, 0.5),
        ({"bootstrap": False, "max_samples": 20_000}, None),
    ],
)
def test_a_top_draws_without_replacement(params, share):
    top = forest_of_tops(mf.ForestClassifier(**params), 2500, 10_000)
    assert not top.bootstrap
    assert top.max_samples == share
    assert top.min_samples_split == 1 + max(8, round(2500 * (share or 1.0)) // 32)


def test_a_top_has_its_part_of_numbers_of_rows():
    forest = mf.ForestClassifier(min_samples_leaf=100, min_samples_split=4000, bootstrap=False)
    top = forest_of_tops(forest, 2500, 10_000)
    assert (top.min_samples_leaf, top.min_samples_split) == (25, 1000)
    shares = mf.ForestClassifier(min_samples_leaf=0.01, min_samples_split=0.4, bootstrap=False)
    top = forest_of_tops(shares, 2500, 10_000)
    assert (top.min_samples_leaf, top.min_samples_split) == (25, 1000)


def test_trees_that_are_more_than_their_parts_stay_whole():
    rotation = mf.projections.Mixture(
        [("axis", mf.projections.Axis(), 0.5), ("rotation", mf.projections.Rotation(), 0.5)]
    )
    for params in (
        {"honest": True},
        {"max_leaf_nodes": 9},
        {"ccp_alpha": 0.1},
        {"augment": 1},
        {"class_weight": "balanced_subsample"},
        {"projection": "rotation"},
        {"projection": rotation},
    ):
        assert stays_whole(mf.ForestClassifier(**params)), params
    for params in ({}, {"projection": "auto"}, {"class_weight": "balanced"}, {"stratify": True}):
        assert not stays_whole(mf.ForestClassifier(**params)), params

"""The plain boundary forest that the fast one is compared with, itself compared with paper."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from reference.boundary import (
    BoundaryForest,
    BoundaryTree,
    always_differ,
    best_first,
    classes_differ,
    distances,
    edit_distance,
    tree_of,
    values_differ,
)


def ascending(tree, m):
    """The order of the first examples, without chance."""
    return [i for i in range(m) if i != tree]


def forest_on_a_line(n_trees, max_children, differ, pass_order=lambda n_pass, n: range(n)):
    return BoundaryForest(
        n_trees,
        max_children,
        lambda a, b: abs(a - b),
        differ,
        start_order=ascending,
        pass_order=pass_order,
    )


def drawn_tree():
    """One tree with at most two children per node, and the examples 0 to 6.

    0 (0, A)                    the root; example 3 (4, A) is closest to it and not kept
    |- 1 (10, B)
    |  `- 2 (6, A)              4 away from 1, 6 from the root
    |     `- 4 (5, B)           as far from the root as from 1: the child is taken
    `- 5 (-1, B)                now the root has two children
       `- 6 (0, A)              at the root, which is no place to stay any more
    """
    forest = forest_on_a_line(1, 2, classes_differ)
    return forest.learn([0, 10, 6, 4, 5, -1, 0], "ABAABBA")


def test_a_tree_drawn_on_paper():
    forest = drawn_tree()
    (tree,) = forest.trees
    assert tree.preorder() == ([0, 1, 2, 4, 5, 6], [-1, 0, 1, 2, 0, 4])
    assert len(tree.nodes()) == 6
    assert tree.depth() == 3
    assert forest.stored() == [0, 1, 2, 4, 5, 6]


@pytest.mark.parametrize(
    ("point", "end", "distance", "measured"),
    [
        (2, 6, 2, [0, 1, 5, 6]),
        (9, 1, 1, [0, 1, 5, 2]),
        (5.5, 4, 0.5, [0, 1, 5, 2, 4]),  # as far from 2 as from its child 4
        (-5, 5, 4, [0, 1, 5, 6]),
        (4.5, 4, 0.5, [0, 1, 5, 2, 4]),  # as far from 1 as from 5, the first child is taken
    ],
)
def test_walks_drawn_on_paper(point, end, distance, measured):
    forest = drawn_tree()
    walk = forest.walk(forest.trees[0], point)
    assert (walk.node.example, walk.distance) == (end, distance)
    assert [node.example for node, _ in walk.measured] == measured


def test_a_view_becomes_the_tree_it_shows():
    class View:
        example = np.array([0, 1, 2, 4, 5, 6])
        parent = np.array([-1, 0, 1, 2, 0, 4])

    assert tree_of(View, 2).preorder() == drawn_tree().trees[0].preorder()
    View.parent = np.array([-1, 0, 0, 1, 0, 4])  # the child of 1 does not follow it
    with pytest.raises(AssertionError):
        tree_of(View, 2)
    assert BoundaryTree(0, 2).depth() == 0


def two_trees_for_regression():
    """Tree 0 has the root 0 with the child 1 and the grandchild 2, tree 1 the root 1 with child 0.

    Example 2 is as far from 0 as from 1. Its response 4 is within 5 of that of 0, but not of 1.
    """
    return forest_on_a_line(2, 50, values_differ(5.0)).learn([0, 4, 2], [0.0, 10.0, 4.0])


def test_two_trees_drawn_on_paper():
    forest = two_trees_for_regression()
    assert [tree.preorder() for tree in forest.trees] == [
        ([0, 1, 2], [-1, 0, 1]),
        ([1, 0], [-1, 0]),
    ]


@pytest.mark.parametrize(
    ("point", "power", "value"),
    [
        (3.0, 1.0, 7.0),  # 4 and 10 at the distance 1
        (2.5, 1.0, 5.5),  # 4 at 1/2 and 10 at 3/2: weights 2 and 2/3
        (2.5, 2.0, 4.6),  # weights 4 and 4/9
        (2.5, 0.0, 7.0),
        (2.0, 1.0, 4.0),  # 4 at 0, so that 0 at 2 does not count
        (4.0, 1.0, 10.0),
    ],
)
def test_shepards_weights_computed_on_paper(point, power, value):
    assert_allclose(two_trees_for_regression().value(point, power), value, rtol=1e-15)


def test_neighbours_are_all_that_was_measured():
    forest = two_trees_for_regression()
    assert forest.nearest_on_walks(3.0, 2) == ([1.0, 1.0], [1, 2])
    assert drawn_tree().nearest_on_walks(9, 4) == ([1, 3, 9, 10], [1, 2, 0, 5])
    # 4 and 6 were not measured: now all stored examples are, of which 0 and 6 are equally far
    assert drawn_tree().nearest_on_walks(9, 5) == ([1, 3, 4, 9, 9], [1, 2, 4, 0, 6])


def test_a_search_measures_neighbours_of_the_nearest_first():
    forest = two_trees_for_regression()  # 0 - 2 - 4 in one tree, 2 - 0 in the other
    assert forest.nearest(3.0, 2, 9) == ([1.0, 1.0], [1, 2])
    tree = drawn_tree()
    distance_to = [abs(point - 9) for point in tree.points].__getitem__
    neighbours = {i: set() for i in range(len(tree.points))}
    for node in tree.trees[0].nodes():
        for child in node.children:
            neighbours[node.example].add(child.example)
            neighbours[child.example].add(node.example)
    measured = best_first(tree.trees, distance_to, 99)
    assert sorted(measured) == tree.stored()  # all, as a tree is connected
    for effort in range(1, len(measured)):
        first = best_first(tree.trees, distance_to, effort)
        assert first == measured[:effort]
        assert measured[effort] in set.union(*(neighbours[i] for i in first))
    # 4 and 6 are not measured: now all stored examples are, of which 0 and 6 are equally far
    assert tree.nearest(9, 5, 4) == ([1, 3, 4, 9, 9], [1, 2, 4, 0, 6])


def test_classes_share_the_weights():
    forest = forest_on_a_line(2, 50, classes_differ).learn([0, 4], "ab")
    assert_allclose(forest.shares(1, "abc"), [1, 0, 0])  # both trees end at 0
    forest.labels[:] = "ab"
    forest.trees[1].root.children.clear()  # now one ends at 0 and one at 4
    assert_allclose(forest.shares(1, "abc"), [3 / 4, 1 / 4, 0])
    assert_allclose(forest.shares(1, "abc", power=2), [9 / 10, 1 / 10, 0])


def test_every_tree_starts_with_its_own_root():
    forest = forest_on_a_line(3, 50, always_differ)
    forest.learn([5], "?")
    assert [tree.preorder() for tree in forest.trees] == [([0], [-1])]
    forest.learn([7], "?")
    assert [tree.preorder()[0] for tree in forest.trees] == [[0, 1], [1, 0]]
    forest.learn([6], "?")
    assert [tree.preorder() for tree in forest.trees] == [
        ([0, 1, 2], [-1, 0, 1]),  # 6 is as far from 5 as from its child 7
        ([1, 0, 2], [-1, 0, 1]),
        ([2, 0, 1], [-1, 0, 0]),
    ]
    forest.learn([5.4], "?")
    assert [tree.preorder() for tree in forest.trees] == [
        ([0, 1, 2, 3], [-1, 0, 1, 0]),
        ([1, 0, 2, 3], [-1, 0, 1, 1]),
        ([2, 0, 3, 1], [-1, 0, 1, 0]),
    ]


def test_equal_points_with_two_labels_are_kept_once_each():
    forest = forest_on_a_line(1, 50, classes_differ).learn([0, 0], "AB")
    assert forest.trees[0].preorder() == ([0, 1], [-1, 0])
    assert forest.learn_again(None) == 2
    assert forest.trees[0].preorder() == ([0, 1], [-1, 0])
    # online a label that comes again is learned again
    assert forest.learn([0], "A").trees[0].preorder() == ([0, 1, 2], [-1, 0, 1])


def test_a_point_that_is_lost_in_a_full_node_is_learned_again():
    forest = forest_on_a_line(1, 2, classes_differ).learn([0, 1, -1], "ABB")
    assert forest.labels[forest.walk(forest.trees[0], 0).node.example] == "B"
    assert forest.learn_again(None) == 3
    assert forest.trees[0].preorder() == ([0, 1, 0, 2], [-1, 0, 1, 0])
    assert forest.labels[forest.walk(forest.trees[0], 0).node.example] == "A"


def test_passes_end_at_the_given_number():
    forest = forest_on_a_line(1, 2, classes_differ).learn([0, 1, -1], "ABB")
    assert forest.learn_again(1) == 1
    assert len(forest.trees[0].nodes()) == 3
    assert forest.learn_again(2) == 2
    assert len(forest.trees[0].nodes()) == 4


def test_distances_computed_on_paper():
    A, B = [[1, 0], [0, 0]], [[3, 4], [0, 2], [0, 0]]
    assert_array_equal(distances("euclidean", A, B)[1], [5, 2, 0])
    assert_array_equal(distances("manhattan", A, B), [[6, 3, 1], [7, 2, 0]])
    assert_array_equal(distances("chebyshev", A, B), [[4, 2, 1], [4, 2, 0]])
    assert_array_equal(distances("hamming", A, B), [[1, 1, 0.5], [1, 0.5, 0]])
    assert_allclose(distances("cosine", A, B), [[0.4, 1, 1], [1, 1, 0]], rtol=1e-15)
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("", "abc") == 3
    assert values_differ(5.0)([0.0, 0.0], [3.1, 4.0])
    assert not values_differ(5.0)([0.0, 0.0], [3.0, 4.0])

"""Points in the plane are the classical scaling of 1 - proximity."""

import numpy as np
from sklearn.datasets import load_iris

import manifoldforest as mf
from manifoldforest.inspection._proximity_embedding import proximity_coordinates


def coordinates_of(forest, X, n_dims=2):
    offsets = forest._model.trees["tree_offsets"]
    return proximity_coordinates(forest.apply(X) + offsets[:-1], int(offsets[-1]), n_dims)


def test_coordinates_are_the_eigenvectors_of_the_centred_proximities():
    X, y = load_iris(return_X_y=True)
    forest = mf.ForestClassifier(10, random_state=0).fit(X, y)
    squared = 1 - forest.proximity(X).toarray()  # of the training rows to each other
    centring = np.eye(len(X)) - 1 / len(X)
    values, vectors = np.linalg.eigh(-0.5 * centring @ squared @ centring)
    points, shares = coordinates_of(forest, X)
    np.testing.assert_allclose(shares, values[:-3:-1] / values.sum(), rtol=1e-6)
    expected = vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])
    signs = np.sign(np.sum(points * expected, axis=0))
    np.testing.assert_allclose(points, signs * expected, atol=1e-6)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-9)


def test_all_dimensions_together_have_the_distances():
    X = np.arange(6.0)[:, None]
    forest = mf.ForestClassifier(5, random_state=0).fit(X, [0, 0, 1, 1, 2, 2])
    points, shares = coordinates_of(forest, X, n_dims=5)
    squared = np.sum((points[:, None] - points) ** 2, axis=2)
    np.testing.assert_allclose(squared, 1 - forest.proximity(X).toarray(), atol=1e-6)
    np.testing.assert_allclose(shares.sum(), 1)


def test_examples_that_share_all_leaves_are_one_point():
    forest = mf.ForestClassifier(5, random_state=0).fit([[0.0], [1.0]], [0, 1])
    points, shares = coordinates_of(forest, np.zeros((4, 1)))
    assert not points.any()
    assert not shares.any()


def test_two_groups_lie_on_a_line():
    forest = mf.ForestClassifier(5, bootstrap=False, random_state=0).fit([[0.0], [1.0]], [0, 1])
    points, shares = coordinates_of(forest, np.array([[0.0], [0.0], [1.0], [1.0]]))
    np.testing.assert_allclose(np.abs(points[:, 0]), 0.5)
    np.testing.assert_allclose(points[:, 1], 0, atol=1e-6)
    np.testing.assert_allclose(shares, [1, 0], atol=1e-9)

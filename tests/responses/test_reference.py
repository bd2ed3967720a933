"""What the criterion of distance forests has in common with others, on the reference versions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from reference import criteria
from reference import responses as reference


@pytest.fixture
def node():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 4))
    Y = np.column_stack([X[:, 1] > 0, X[:, 1] * X[:, 0]]) + 0.3 * rng.normal(size=(15, 2))
    return X, Y, rng.integers(1, 4, size=15).astype(float)


def gaussian(Y, sigma):
    return np.exp(-cdist(Y, Y, "sqeuclidean") / (2 * sigma**2))


def test_the_sum_of_squares_is_that_around_the_mean(node):
    _, Y, weight = node
    around = np.sum(weight[:, None] * (Y - np.average(Y, axis=0, weights=weight)) ** 2)
    assert_allclose(reference.sum_of_squares(cdist(Y, Y, "sqeuclidean"), weight), around)


def test_weights_are_repetitions(node):
    _, Y, weight = node
    many = np.repeat(Y, weight.astype(int), axis=0)
    D2, D2_many = cdist(Y, Y, "sqeuclidean"), cdist(many, many, "sqeuclidean")
    expected = reference.sum_of_squares(D2_many, np.ones(len(many)))
    assert_allclose(reference.sum_of_squares(D2, weight), expected)


def test_euclidean_distances_have_the_splits_of_several_outputs(node):
    X, Y, weight = node
    number, split = reference.best_split(X.T, cdist(Y, Y, "sqeuclidean"), weight)
    count = np.ones(len(X), int)
    splits = [
        criteria.first_best(criteria.candidate_splits(x, Y, weight, count, "squared_error"))
        for x in X.T
    ]
    gains = [2 * split.gain for split in splits]  # the mean of two outputs, not their sum
    assert number == np.argmax(gains)
    assert_allclose(split.gain, max(gains))
    assert split.threshold == splits[number].threshold


def test_kernel_forests_score_splits_as_distance_forests_do(node):
    X, Y, _ = node
    G = gaussian(Y, 0.8)
    D2 = reference.kernel_distances(G)
    rows, weight = np.arange(len(X))[:, None], np.ones(len(X))
    for threshold in np.sort(X[:, 1])[:-1]:
        left = X[:, 1] <= threshold
        gain = criteria.gain_of(left, rows, weight, reference.pairwise(D2))
        assert_allclose(gain, len(X) * reference.ok3_score(G, left), atol=1e-12)


def test_the_pre_image_of_a_gaussian_kernel_is_the_largest_sum(node):
    _, Y, weight = node
    G, a = gaussian(Y, 0.8), weight / weight.sum()
    assert reference.ok3_pre_image(G, a) == np.argmax(G @ a)
    D2 = reference.kernel_distances(G)
    assert reference.ok3_pre_image(G, a) == np.argmin(D2 @ a)


def test_no_split_of_equal_responses(node):
    X, _, _ = node
    assert reference.best_split(X.T, np.zeros((15, 15))) is None

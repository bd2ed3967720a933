"""Classical scaling and its extension, against the equations of the paper."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from manifoldforest.responses import _classical_scaling
from manifoldforest.responses._classical_scaling import (
    classical_scaling,
    out_of_sample,
    scaling_of_points,
)
from reference import responses as reference


def squared(points, others=None):
    return cdist(points, points if others is None else others, "sqeuclidean")


def up_to_signs(Z, like):
    return Z * np.sign(np.sum(Z * like, axis=0))


def curved_distances(n, seed=0):
    """Squared distances on a circle along arcs, which are not Euclidean."""
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi, n)
    apart = np.abs(angle[:, None] - angle)
    return np.minimum(apart, 2 * np.pi - apart) ** 2


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 4)) * [3, 2, 1, 0.5] + 7


@pytest.fixture
def small_chunks(monkeypatch):
    """More responses than are decomposed completely, at a size that is tested quickly."""
    monkeypatch.setattr(_classical_scaling, "_FULL", 60)
    monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", 1000)


def test_the_centred_matrix_is_that_of_the_paper(points):
    D2 = squared(points)
    assert_allclose(_classical_scaling._doubly_centred(D2), reference.centred(D2), atol=1e-10)


def test_coordinates_are_those_of_the_paper(points):
    D2 = squared(points)
    scaling = classical_scaling(D2, 3)
    expected = reference.embedding(D2, 3)
    assert_allclose(scaling.coordinates, up_to_signs(expected, scaling.coordinates), atol=1e-9)
    assert_allclose(np.sum(scaling.coordinates**2, axis=0), scaling.eigenvalues)
    assert (np.diff(scaling.eigenvalues) < 0).all()
    assert_allclose(scaling.row_means, D2.mean(axis=1))


def test_all_dimensions_give_the_distances_back(points):
    scaling = classical_scaling(squared(points), 4)
    assert_allclose(squared(scaling.coordinates), squared(points), atol=1e-9)
    assert scaling.negative_share < 1e-12


def test_points_and_their_distances_have_the_same_scaling(points):
    of_distances = classical_scaling(squared(points), 3)
    of_points = scaling_of_points(points, 3)
    assert_allclose(of_points.coordinates, of_distances.coordinates, atol=1e-9)
    assert_allclose(of_points.eigenvalues, of_distances.eigenvalues)
    assert_allclose(of_points.row_means, of_distances.row_means)
    assert of_points.negative_share == 0


@pytest.mark.parametrize("n_features", [3, 100])
def test_points_with_more_and_with_fewer_features_than_points(n_features):
    points = np.random.default_rng(1).normal(size=(30, n_features))
    of_points, of_distances = scaling_of_points(points), classical_scaling(squared(points))
    assert of_points.n_dims == of_distances.n_dims
    assert_allclose(of_points.coordinates, of_distances.coordinates, atol=1e-8)


@pytest.mark.parametrize("scaled", [classical_scaling, scaling_of_points])
def test_the_number_of_dimensions_explains_95_percent(scaled, points):
    values = np.sort(np.linalg.eigvalsh(np.cov(points.T)))[::-1]
    share = np.cumsum(values) / values.sum()
    expected = 1 + np.count_nonzero(share < 0.95)
    argument = points if scaled is scaling_of_points else squared(points)
    assert scaled(argument, None).n_dims == expected == 3


def test_negative_eigenvalues_do_not_count_as_inertia():
    D2 = curved_distances(50)
    values = np.linalg.eigvalsh(reference.centred(D2))[::-1]
    positive = np.cumsum(values[values > 0])
    with pytest.warns(UserWarning, match="not Euclidean"):
        scaling = classical_scaling(D2)
    assert scaling.n_dims == 1 + np.count_nonzero(positive < 0.95 * positive[-1])
    assert_allclose(scaling.negative_share, -values[values < 0].sum() / np.abs(values).sum())


def test_distances_that_are_not_euclidean_are_reported():
    with pytest.warns(
        UserWarning, match=r"not Euclidean: negative .* are \d+\.\d % of the inertia"
    ):
        scaling = classical_scaling(curved_distances(50), 2)
    assert (scaling.eigenvalues > 0).all()
    assert scaling.negative_share > 0.01


def test_a_little_negative_inertia_is_not_reported(points):
    D2 = squared(points)
    rng = np.random.default_rng(0)
    noise = 1e-4 * rng.normal(size=D2.shape)
    noise += noise.T
    np.fill_diagonal(noise, 0)
    scaling = classical_scaling(D2 + noise, 3)
    assert 0 < scaling.negative_share < 0.01


# ------------------------------------------------------------------- signs


def test_signs_do_not_depend_on_the_decomposition(points):
    scaling = classical_scaling(squared(points), 3)
    assert (scaling.coordinates[np.argmax(np.abs(scaling.coordinates), axis=0), range(3)] > 0).all()


def test_the_first_of_equally_large_entries_is_positive():
    symmetric = np.array([-1.0, -3.0, 3.0, 1.0])[:, None]
    for scaling in (classical_scaling(squared(symmetric), 1), scaling_of_points(symmetric, 1)):
        assert_allclose(scaling.coordinates.ravel(), [1, 3, -3, -1])


def test_the_order_of_responses_does_not_matter(points):
    order = np.random.default_rng(3).permutation(len(points))
    scaling = classical_scaling(squared(points), 3)
    shuffled = classical_scaling(squared(points[order]), 3)
    assert_allclose(shuffled.coordinates, scaling.coordinates[order], atol=1e-9)


# ------------------------------------------------------------ many responses


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_large_matrices_have_the_same_scaling(dtype, monkeypatch):
    points = np.random.default_rng(0).normal(size=(300, 10)) * np.arange(1, 11)
    D2 = squared(points).astype(dtype)
    completely = classical_scaling(D2, 4)
    monkeypatch.setattr(_classical_scaling, "_FULL", 60)
    monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", 1000)
    partly = classical_scaling(D2, 4)
    assert_allclose(partly.eigenvalues, completely.eigenvalues, rtol=1e-9)
    assert_allclose(partly.coordinates, completely.coordinates, atol=1e-6)
    assert_allclose(partly.row_means, completely.row_means)
    assert partly.coordinates.dtype == np.float64


def test_large_matrices_at_their_true_limit():
    points = np.random.default_rng(0).normal(size=(_classical_scaling._FULL + 1, 3)) * [3, 2, 1]
    of_distances = classical_scaling(squared(points).astype(np.float32), 3)
    of_points = scaling_of_points(points, 3)
    assert_allclose(of_distances.coordinates, of_points.coordinates, atol=1e-5)


def test_the_number_of_dimensions_of_large_matrices(small_chunks):
    points = np.random.default_rng(0).normal(size=(300, 6)) * [9, 8, 7, 0.1, 0.1, 0.1]
    assert classical_scaling(squared(points)).n_dims == 3


def test_large_matrices_that_are_not_euclidean(small_chunks):
    with pytest.warns(UserWarning, match="not Euclidean"):
        scaling = classical_scaling(curved_distances(200), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        again = classical_scaling(curved_distances(200), 2)
    assert_array_equal(again.coordinates, scaling.coordinates)
    assert 0.05 < scaling.negative_share < 0.5


def test_large_matrices_of_few_dimensions(small_chunks):
    points = np.random.default_rng(0).normal(size=(200, 2)) * 1e3
    with pytest.warns(UserWarning, match="embedding_dim is 5, but .* only have 2 dimensions"):
        scaling = classical_scaling(squared(points), 5)
    assert_allclose(squared(scaling.coordinates), squared(points), rtol=1e-6, atol=1e-3)


# ------------------------------------------------------------------- limits


@pytest.mark.parametrize("scaled", [classical_scaling, scaling_of_points])
def test_more_dimensions_than_there_are(scaled):
    points = np.random.default_rng(0).normal(size=(20, 2))
    argument = points if scaled is scaling_of_points else squared(points)
    with pytest.warns(UserWarning, match="embedding_dim is 3, but .* only have 2 dimensions"):
        assert scaled(argument, 3).n_dims == 2


@pytest.mark.parametrize("scaled", [classical_scaling, scaling_of_points])
def test_more_dimensions_than_responses_allow(scaled):
    with pytest.raises(ValueError, match="embedding_dim must be at most 4 for 5 .* got 5"):
        scaled(np.zeros((5, 5)), 5)


@pytest.mark.parametrize("scaled", [classical_scaling, scaling_of_points])
@pytest.mark.parametrize("n", [1, 6])
def test_equal_responses_have_no_dimension(scaled, n):
    scaling = scaled(np.zeros((n, n)), None)
    assert scaling.coordinates.shape == (n, 0)
    assert out_of_sample(scaling, np.zeros((2, n))).shape == (2, 0)


def test_equal_responses_in_a_large_matrix(small_chunks):
    with pytest.warns(UserWarning, match="only have 0 dimensions"):
        assert classical_scaling(np.zeros((100, 100)), 2).n_dims == 0


def test_duplicates_share_their_coordinates(points):
    twice = np.repeat(points, 2, axis=0)
    Z = classical_scaling(squared(twice), 4).coordinates
    assert_allclose(Z[::2], Z[1::2], atol=1e-7)


# ------------------------------------------------------------ out of sample


@pytest.mark.parametrize("euclidean", [True, False])
def test_equations_2_and_3_of_the_paper(euclidean, points):
    D2 = squared(points) if euclidean else curved_distances(40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        scaling = classical_scaling(D2, 3)
    new = np.random.default_rng(5).uniform(0, D2.max(), size=(4, len(D2)))
    result = out_of_sample(scaling, new, formula="paper")
    signs = np.sign(np.sum(scaling.coordinates * reference.embedding(D2, 3), axis=0))
    for row, d2 in zip(result, new, strict=True):
        assert_allclose(row, signs * reference.out_of_sample(D2, d2, 3), atol=1e-8)
    n = len(D2)
    assert_allclose(out_of_sample(scaling, new) * n / (n + 1), result)


def test_training_responses_are_placed_where_they_are(points):
    D2 = squared(points)
    scaling = classical_scaling(D2, 3)
    assert_allclose(out_of_sample(scaling, D2), scaling.coordinates, atol=1e-9)


def test_new_points_are_placed_by_the_rotation_of_the_old(points):
    scaling = scaling_of_points(points, 4)
    new = points[::3] + 0.3
    placed = out_of_sample(scaling, squared(new, points))
    assert_allclose(squared(placed, scaling.coordinates), squared(new, points), atol=1e-9)


def test_unknown_rule(points):
    scaling = scaling_of_points(points, 2)
    with pytest.raises(ValueError, match="out_of_sample must be one of 'gower', .* got 'bengio'"):
        out_of_sample(scaling, squared(points), formula="bengio")

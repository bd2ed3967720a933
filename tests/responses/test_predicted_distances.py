"""Distances of a new response: the shortcuts against the loop that the paper prints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from manifoldforest.responses._classical_scaling import classical_scaling, out_of_sample
from manifoldforest.responses._predicted_distances import (
    in_decreasing_order,
    in_increasing_order,
    most_affine,
    new_squared_distances,
    rows_of_matrix,
    rows_of_points,
    smallest_of_matrix,
    smallest_of_points,
)
from reference import responses as reference


def metric_matrix(n, rng):
    points = rng.normal(size=(n, 3))
    return cdist(points, points)


def any_matrix(n, rng):
    """Symmetric, without a triangle inequality."""
    D = np.triu(rng.exponential(size=(n, n)), 1)
    return D + D.T


def tied_matrix(n, rng):
    """Few different distances, and responses that coincide."""
    D = np.triu(rng.integers(0, 4, size=(n, n)), 1).astype(float)
    return D + D.T


MATRICES = {"metric": metric_matrix, "any": any_matrix, "tied": tied_matrix}


@pytest.fixture(params=MATRICES)
def matrices(request):
    rng = np.random.default_rng(0)
    return [MATRICES[request.param](int(rng.integers(1, 25)), rng) for _ in range(40)]


def predicted_by_loop(D, order):
    return np.array([reference.algorithm_1(np.eye(len(D))[i], D, order) for i in range(len(D))])


def test_the_printed_algorithm_copies_the_row_of_the_closest_response(matrices):
    for D in matrices:
        D2 = D**2
        nearest = np.arange(len(D))
        result = in_decreasing_order(rows_of_matrix(D2), nearest, smallest_of_matrix(D2))
        assert_allclose(np.sqrt(result), predicted_by_loop(D, "decreasing"), atol=1e-12)


def test_increasing_order_is_the_loop_in_increasing_order(matrices):
    for D in matrices:
        D2 = D**2
        nearest = np.arange(len(D))
        result = in_increasing_order(rows_of_matrix(D2), nearest, smallest_of_matrix(D2))
        assert_allclose(np.sqrt(result), predicted_by_loop(D, "increasing"), atol=1e-12)


def test_increasing_order_shortens_distances_along_chains():
    chain = np.arange(5.0)[:, None]
    D2 = cdist(chain, chain, "sqeuclidean")
    result = in_increasing_order(rows_of_matrix(D2), np.array([0]), 1.0)
    assert_array_equal(result, [[1, 1, 1, 1, 1]])


def test_queries_in_any_order_and_number(monkeypatch):
    monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", 60)
    rng = np.random.default_rng(1)
    D2 = metric_matrix(20, rng) ** 2
    nearest = np.array([7, 3, 7, 19, 0, 3])
    for predict in (in_decreasing_order, in_increasing_order):
        result = predict(rows_of_matrix(D2), nearest, 0.1)
        one_by_one = [
            predict(rows_of_matrix(D2), nearest[[k]], 0.1)[0] for k in range(len(nearest))
        ]
        assert_array_equal(result, one_by_one)


def test_the_matrix_is_left_as_it_is():
    D2 = metric_matrix(6, np.random.default_rng(0)) ** 2
    before = D2.copy()
    for order in ("decreasing", "increasing"):
        new_squared_distances(order, rows_of_matrix(D2), np.arange(6), 5.0)
    smallest_of_matrix(D2)
    assert_array_equal(D2, before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_are_in_double_precision(dtype):
    D2 = (metric_matrix(6, np.random.default_rng(0)) ** 2).astype(dtype)
    for order in ("decreasing", "increasing"):
        rows = rows_of_matrix(D2)
        result = new_squared_distances(order, rows, np.arange(6), 5.0)
        assert result.dtype == np.float64


# --------------------------------------------------------------- barycentres


def weights_of(q, n, rng):
    weights = rng.uniform(size=(q, n)) * (rng.uniform(size=(q, n)) < 0.3)
    weights[range(q), rng.integers(0, n, q)] += 0.1
    return csr_matrix(weights / weights.sum(axis=1, keepdims=True))


@pytest.mark.filterwarnings("ignore:the distances between responses are not Euclidean")
@pytest.mark.parametrize("make", [metric_matrix, any_matrix])
@pytest.mark.parametrize("n_dims", [1, 3])
def test_barycentres_are_placed_at_the_weighted_mean(make, n_dims):
    rng = np.random.default_rng(3)
    D2 = make(30, rng) ** 2
    weights = weights_of(6, 30, rng)
    scaling = classical_scaling(D2, n_dims)
    squared = np.array([reference.barycentre(w, D2) for w in weights.toarray()])
    placed = out_of_sample(scaling, squared)
    assert_allclose(placed, weights @ scaling.coordinates, atol=1e-10)


def test_barycentres_of_points_are_their_means():
    rng = np.random.default_rng(4)
    points = rng.normal(size=(30, 2))
    weights = weights_of(6, 30, rng)
    D2 = cdist(points, points, "sqeuclidean")
    expected = cdist(weights @ points, points, "sqeuclidean")
    found = [reference.barycentre(w, D2) for w in weights.toarray()]
    assert_allclose(found, expected, atol=1e-12)


# ------------------------------------------------------- the closest response


def test_the_most_affine_response():
    affinity = csr_matrix([[0.0, 0.5, 0.2], [0.9, 0.0, 0.0]])
    assert_array_equal(most_affine(affinity, csr_matrix((2, 3))), [1, 0])


def test_ties_go_to_the_larger_weight_then_to_the_first():
    affinity = csr_matrix([[0.1, 0.5, 0.5, 0.5], [0.5, 0.5, 0.1, 0.0]])
    weights = csr_matrix([[0.7, 0.1, 0.2, 0.0], [0.3, 0.3, 0.4, 0.0]])
    assert_array_equal(most_affine(affinity, weights), [2, 0])


def test_the_most_affine_response_in_chunks(monkeypatch):
    rng = np.random.default_rng(5)
    affinity, weights = csr_matrix(rng.integers(0, 3, size=(50, 7))), weights_of(50, 7, rng)
    together = most_affine(affinity, weights)
    monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", 20)
    assert_array_equal(most_affine(affinity, weights), together)


# ---------------------------------------------------------- squared distances


@pytest.mark.parametrize("n_dims", [2, 40])
def test_the_smallest_distance(n_dims, monkeypatch):
    monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", 100)
    points = np.random.default_rng(6).normal(size=(50, n_dims))
    D2 = cdist(points, points, "sqeuclidean")
    expected = D2[~np.eye(50, dtype=bool)].min()
    assert_allclose(smallest_of_matrix(D2), expected)
    assert_allclose(smallest_of_points(points), expected)


@pytest.mark.parametrize("n_dims", [2, 40])
def test_the_smallest_distance_of_duplicates_and_of_one_response(n_dims):
    points = np.ones((4, n_dims))
    points[2:] = 2
    assert smallest_of_points(points) == 0
    assert smallest_of_points(points[:1]) == 0
    assert smallest_of_matrix(np.zeros((1, 1))) == 0


def test_rows_of_points_are_their_squared_distances():
    points = np.random.default_rng(7).normal(size=(12, 3))
    chosen = np.array([3, 3, 11])
    expected = cdist(points, points, "sqeuclidean")[chosen]
    assert_allclose(rows_of_points(points)(chosen), expected)

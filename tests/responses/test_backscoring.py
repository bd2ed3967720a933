"""From coordinates back to responses, against the equations of the paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from manifoldforest.responses._backscoring import BackScoring, mean_squared_distance
from reference import responses as reference


@pytest.fixture
def example():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(12, 2))
    return Z, np.column_stack([Z[:, 0] ** 2, np.sin(Z[:, 1]), Z.sum(axis=1) + 5])


@pytest.mark.parametrize(("ridge", "added"), [("eq8", 12 / 50), ("objective", 1 / 50)])
def test_equations_4_to_9_of_the_paper(example, ridge, added):
    Z, Y = example
    new = np.random.default_rng(1).normal(size=(5, 2))
    back = BackScoring.fit(Z, Y, bandwidth=1.0, smoothness=50.0, ridge=ridge)
    expected = [reference.back_score(Z, Y, z, 2.0, 50.0, added) for z in new]
    assert_allclose(back.predict(new), expected, rtol=1e-9)
    if ridge == "eq8":
        assert_allclose(expected[0], reference.back_score(Z, Y, new[0], 2.0, 50.0))


def test_only_one_over_gamma_minimises_the_printed_objective(example):
    Z, Y = example
    rng = np.random.default_rng(2)

    def cost(C):
        return reference.back_scoring_objective(Z, Y, C, 2.0, 50.0)

    def best(ridge):
        return BackScoring.fit(Z, Y, bandwidth=1.0, smoothness=50.0, ridge=ridge).coefficients

    C = best("objective")
    for _ in range(20):
        assert cost(C + 0.01 * rng.normal(size=C.shape)) > cost(C)
    assert cost(best("eq8")) > cost(C)


def test_much_smoothness_weight_interpolates(example):
    Z, Y = example
    assert_allclose(BackScoring.fit(Z, Y, smoothness=1e9).predict(Z), Y, atol=1e-5)


def test_far_from_all_points_only_a_centred_map_has_a_value(example):
    Z, Y = example
    far = np.full((1, 2), 1e3)
    assert_allclose(BackScoring.fit(Z, Y).predict(far), 0, atol=1e-12)
    assert_allclose(BackScoring.fit(Z, Y, center=True).predict(far), Y.mean(axis=0)[None])


def test_a_centred_map_follows_a_shift(example):
    Z, Y = example
    plain = BackScoring.fit(Z, Y, center=True).predict(Z)
    shifted = BackScoring.fit(Z, Y + 1000, center=True).predict(Z)
    assert_allclose(shifted, plain + 1000)


def test_the_default_divisor_is_the_mean_squared_distance(example):
    Z, Y = example
    apart = cdist(Z, Z, "sqeuclidean")[~np.eye(12, dtype=bool)]
    assert_allclose(mean_squared_distance(Z), apart.mean())
    assert BackScoring.fit(Z, Y).divisor == mean_squared_distance(Z)


@pytest.mark.parametrize("Z", [np.ones((3, 2)), np.zeros((3, 0)), np.zeros((1, 2))])
def test_points_that_coincide_have_the_mean_response(Z):
    Y = np.arange(3.0)[: len(Z), None] + 4
    back = BackScoring.fit(Z, Y, center=True)
    assert back.divisor == 1
    assert_allclose(back.predict(Z), np.full((len(Z), 1), Y.mean()))


def test_a_matrix_that_is_singular_in_floating_point():
    Z = np.repeat(np.linspace(0, 1, 10), 3)[:, None]
    Y = np.cos(Z)
    back = BackScoring.fit(Z, Y, bandwidth=np.sqrt(50.0), smoothness=1e30)
    assert_allclose(back.predict(Z), Y, atol=1e-3)


def test_the_bandwidth_is_the_distance_of_one_standard_deviation(example):
    Z, Y = example
    new = np.random.default_rng(1).normal(size=(5, 2))
    back = BackScoring.fit(Z, Y, bandwidth=0.7)
    kernel = np.exp(-0.5 * (cdist(new, Z) / 0.7) ** 2)
    assert_allclose(back.predict(new), kernel @ back.coefficients, rtol=1e-12)


@pytest.mark.parametrize(
    ("bandwidth", "kernel"), [(1e-200, np.eye(12)), (1e200, np.ones((12, 12)))]
)
def test_bandwidths_whose_squares_are_no_numbers(example, bandwidth, kernel):
    Z, Y = example
    expected = kernel @ np.linalg.solve(kernel + np.eye(12), Y)
    assert_allclose(BackScoring.fit(Z, Y, bandwidth=bandwidth).predict(Z), expected)


def test_chunks_of_new_points(example, monkeypatch):
    Z, Y = example
    new = np.random.default_rng(3).normal(size=(17, 2))
    back = BackScoring.fit(Z, Y)
    together = back.predict(new)
    monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", 30)
    assert_allclose(back.predict(new), together, rtol=1e-12)
    assert back.predict(new[:0]).shape == (0, 3)


def test_unknown_ridge(example):
    with pytest.raises(ValueError, match="ridge must be one of 'objective', 'eq8', got 'gcv'"):
        BackScoring.fit(*example, ridge="gcv")

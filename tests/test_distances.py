"""Distance kernels against NumPy, on every instruction set of the machine."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from manifoldforest import _core

KERNELS = _core.supported_kernels()
METRICS = ["euclidean", "manhattan", "chebyshev", "cosine", "hamming"]
WIDTHS = [1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 200, 784]
NAMES = {"manhattan": "cityblock"}


@pytest.fixture(autouse=True)
def _best_kernels_afterwards():
    yield
    _core.use_kernels(KERNELS[-1])


def rows(rng, n, width, dtype):
    if dtype == np.uint8:
        few = rng.integers(0, 3, (n, width)) * 127 + rng.integers(0, 2, (n, width))
        return np.where(rng.random((n, 1)) < 0.5, few, rng.integers(0, 256, (n, width))).astype(
            np.uint8
        )
    return rng.normal(size=(n, width)).round(1).astype(np.float32)


def reference(metric, X, Y):
    wide = [a.astype(np.float64) for a in (X, Y)]
    with np.errstate(invalid="ignore", divide="ignore"):
        D = cdist(*wide, NAMES.get(metric, metric))
    if metric == "cosine":
        zeros = [~a.any(axis=1) for a in (X, Y)]
        D[zeros[0]] = 1.0
        D[:, zeros[1]] = 1.0
        D[np.ix_(*zeros)] = 0.0
    return D


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_distances_are_those_of_numpy(metric, dtype, kernels):
    rng = np.random.default_rng(0)
    _core.use_kernels(kernels)
    for width in WIDTHS:
        X, Y = rows(rng, 7, width, dtype), rows(rng, 13, width, dtype)
        expected = reference(metric, X, Y)
        exact = dtype == np.uint8 and metric != "cosine"
        for tiles in (False, True):
            found = _core.distances(metric, X, Y, tiles)
            tolerance = {"rtol": 1e-15, "atol": 0} if exact else {"rtol": 3e-6, "atol": 3e-6}
            np.testing.assert_allclose(found, expected, **tolerance)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_all_instruction_sets_agree_to_the_last_bit(metric, dtype):
    rng = np.random.default_rng(1)
    for width in WIDTHS:
        X, Y = rows(rng, 9, width, dtype), rows(rng, 11, width, dtype)
        found = []
        for kernels in KERNELS:
            _core.use_kernels(kernels)
            found += [_core.distances(metric, X, Y, tiles) for tiles in (False, True)]
        for other in found[1:]:
            np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_the_distance_of_a_row_to_itself_is_zero(metric, dtype, kernels):
    _core.use_kernels(kernels)
    X = rows(np.random.default_rng(2), 12, 77, dtype)
    X[3] = 0
    for tiles in (False, True):
        assert not np.diag(_core.distances(metric, X, X, tiles)).any()


@pytest.mark.parametrize("kernels", KERNELS)
def test_sums_beyond_32_bits(kernels):
    _core.use_kernels(kernels)
    width = 300_000
    X = np.zeros((5, width), np.uint8)
    Y = np.full((5, width), 255, np.uint8)
    assert (_core.distances("euclidean", X, Y, True) == np.sqrt(width * 255.0**2)).all()
    assert (_core.distances("manhattan", X, Y, True) == width * 255.0).all()
    assert (_core.distances("hamming", X, Y, True) == 1.0).all()


@pytest.mark.parametrize("kernels", KERNELS)
def test_widest_rows_of_the_fast_product(kernels):
    _core.use_kernels(kernels)
    for width in (32_767, 32_768, 32_769):
        X = np.full((5, width), 255, np.uint8)
        Y = np.zeros((5, width), np.uint8)
        Y[:, ::2] = 255
        expected = np.sqrt((width // 2) * 255.0**2)
        assert (_core.distances("euclidean", X, Y, True) == expected).all()
        assert (_core.distances("euclidean", Y, X, True) == expected).all()

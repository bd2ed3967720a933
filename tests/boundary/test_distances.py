"""Distance kernels against NumPy, on every instruction set of the machine."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import stages
from manifoldforest import _core

KERNELS = _core.supported_kernels()
PROPERTIES = {metric.name: metric for metric in _core.metrics()}
METRICS = list(PROPERTIES)
# of queries and rows
TYPES = {
    "bytes": (np.uint8, np.uint8),
    "floats": (np.float32, np.float32),
    "doubles": (np.float64, np.float64),
    "doubles to floats": (np.float64, np.float32),
}
WIDTHS = [1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 200, 784]
NAMES = {"manhattan": "cityblock"}


@pytest.fixture(autouse=True)
def _best_kernels_afterwards():
    yield
    stages.use_kernels(KERNELS[-1])


def rows(rng, n, width, dtype):
    if dtype == np.uint8:
        few = rng.integers(0, 3, (n, width)) * 127 + rng.integers(0, 2, (n, width))
        return np.where(rng.random((n, 1)) < 0.5, few, rng.integers(0, 256, (n, width))).astype(
            np.uint8
        )
    return rng.normal(size=(n, width)).round(1).astype(dtype)


def reference(metric, X, Y):
    wide = [a.astype(np.float64) for a in (X, Y)]
    if metric == "inner_product":
        return 1 - wide[0] @ wide[1].T
    with np.errstate(invalid="ignore", divide="ignore"):
        D = cdist(*wide, NAMES.get(metric, metric))
    if metric == "cosine":
        zeros = [~a.any(axis=1) for a in (X, Y)]
        D[zeros[0]] = 1.0
        D[:, zeros[1]] = 1.0
        D[np.ix_(*zeros)] = 0.0
    return D


def exact_reference(metric, X, Y):
    """Distances from whole numbers: only a last root or quotient is rounded."""
    X, Y = (a.astype(np.int64) for a in (X, Y))
    apart = np.abs(X[:, None] - Y)
    if metric == "euclidean":
        return np.sqrt((apart * apart).sum(axis=2))
    if metric == "hamming":
        return (apart > 0).sum(axis=2) / X.shape[1]
    if metric == "inner_product":
        return 1.0 - X @ Y.T
    return {"manhattan": apart.sum, "chebyshev": apart.max}[metric](axis=2).astype(np.float64)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("types", TYPES)
def test_distances_are_those_of_numpy(metric, types, kernels):
    rng = np.random.default_rng(0)
    stages.use_kernels(kernels)
    tolerance = {"floats": 3e-6}.get(types, 1e-13)
    if types == "bytes" and PROPERTIES[metric].exact_for_bytes:
        tolerance = 1e-15
    if metric in ("cosine", "inner_product"):  # differences in the reference
        tolerance = max(tolerance, 1e-11)
    for width in WIDTHS:
        X, Y = (rows(rng, n, width, dtype) for n, dtype in zip((7, 13), TYPES[types], strict=True))
        expected = reference(metric, X, Y)
        if metric == "inner_product":
            tolerance = tolerance * max(1, np.abs(expected).max())
        for tiles in (False, True):
            found = stages.distances(metric, X, Y, tiles)
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", [name for name in METRICS if PROPERTIES[name].exact_for_bytes])
def test_distances_between_bytes_are_exact_where_the_metric_says_so(metric, kernels):
    rng = np.random.default_rng(4)
    stages.use_kernels(kernels)
    for width in WIDTHS:
        X, Y = (rows(rng, n, width, np.uint8) for n in (7, 13))
        for tiles in (False, True):
            found = stages.distances(metric, X, Y, tiles)
            np.testing.assert_array_equal(found, exact_reference(metric, X, Y))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("scale", [1, 1e-30, 1e30])
@pytest.mark.parametrize("types", TYPES)
def test_all_instruction_sets_agree_to_the_last_bit(metric, types, scale):
    rng = np.random.default_rng(1)
    for width in WIDTHS:
        X, Y = (rows(rng, n, width, dtype) for n, dtype in zip((9, 11), TYPES[types], strict=True))
        if types != "bytes":
            X, Y = X * X.dtype.type(scale), Y * Y.dtype.type(scale)
        found = []
        for kernels in KERNELS:
            stages.use_kernels(kernels)
            found += [stages.distances(metric, X, Y, tiles) for tiles in (False, True)]
        for other in found[1:]:
            np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("types", TYPES)
def test_the_distance_of_a_row_to_itself_is_zero(metric, types, kernels):
    if metric == "inner_product":
        pytest.skip("no metric")
    stages.use_kernels(kernels)
    of_queries, of_rows = TYPES[types]
    X = rows(np.random.default_rng(2), 12, 77, of_rows)
    X[3] = 0
    for tiles in (False, True):
        assert not np.diag(stages.distances(metric, X.astype(of_queries), X, tiles)).any()


@pytest.mark.parametrize("kernels", KERNELS)
def test_sums_beyond_32_bits(kernels):
    stages.use_kernels(kernels)
    width = 300_000
    X = np.zeros((5, width), np.uint8)
    Y = np.full((5, width), 255, np.uint8)
    assert (stages.distances("euclidean", X, Y, True) == np.sqrt(width * 255.0**2)).all()
    assert (stages.distances("manhattan", X, Y, True) == width * 255.0).all()
    assert (stages.distances("hamming", X, Y, True) == 1.0).all()


@pytest.mark.parametrize("kernels", KERNELS)
def test_widest_rows_of_the_fast_product(kernels):
    stages.use_kernels(kernels)
    for width in (32_767, 32_768, 32_769):
        X = np.full((5, width), 255, np.uint8)
        Y = np.zeros((5, width), np.uint8)
        Y[:, ::2] = 255
        expected = np.sqrt((width // 2) * 255.0**2)
        assert (stages.distances("euclidean", X, Y, True) == expected).all()
        assert (stages.distances("euclidean", Y, X, True) == expected).all()


# ------------------------------------------------------------------- ends of ranges

# sizes of entries: extremes of the types, and what squares of theirs overflow or vanish
SIZES = {
    "floats": [1e-45, 1e-38, 1e-30, 1e-23, 1e-19, 1.0, 1e19, 1e20, 9.97e36, 3e38],
    "doubles": [5e-324, 1e-310, 1e-200, 1e-160, 1e-23, 1.0, 1e20, 1e154, 1e200, 1e300],
    "doubles to floats": [1e-45, 1e-38, 1e-23, 1.0, 1e20, 3e38],
}


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine", "hamming"])
@pytest.mark.parametrize(("types", "size"), [(t, s) for t in SIZES for s in SIZES[t]])
def test_numbers_of_any_size_have_right_distances(types, size, metric, kernels):
    """In units of the size, distances are those of small whole numbers, which are exact."""
    stages.use_kernels(kernels)
    of_queries, of_rows = TYPES[types]
    rng = np.random.default_rng(3)
    for width in (3, 150):
        whole = rng.integers(-1, 2, (12, width))
        whole[:, 0] = 1
        X = (whole * of_rows(size)).astype(of_rows)
        expected = reference(metric, whole, whole)
        if metric not in ("cosine", "hamming"):
            expected *= float(of_rows(size))
        found = stages.distances(metric, X.astype(of_queries), X, False)
        if metric == "cosine":
            expected[expected < 1e-12] = 0  # rounding in the reference
        smallest = np.finfo(np.float64).smallest_subnormal
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=smallest)
        np.testing.assert_array_equal(found == 0, expected == 0)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "hamming"])
@pytest.mark.parametrize("types", ["floats", "doubles", "doubles to floats"])
def test_different_rows_are_not_at_distance_zero(types, metric, kernels):
    """They differ in one entry, by as little as the type allows, beside entries of any size."""
    stages.use_kernels(kernels)
    of_queries, of_rows = TYPES[types]
    for size in (0.0, 1e-30, 1.0, 1e30):
        X = np.full((1, 70), of_rows(size))
        Y = X.copy()
        Y[0, 64] = np.nextafter(Y[0, 64], of_rows(np.inf))
        for tiles in (False, True):
            assert stages.distances(metric, X.astype(of_queries), Y, tiles) > 0


@pytest.mark.parametrize("kernels", KERNELS)
def test_small_angles_keep_their_digits(kernels):
    stages.use_kernels(kernels)
    for angle in (1e-3, 1e-5, 1e-10, 1e-15):
        X = np.array([[1.0, 0.0, 0.0]])
        Y = np.array([[np.cos(angle), np.sin(angle), 0.0]])
        found = stages.distances("cosine", X, Y, False)
        np.testing.assert_allclose(found, angle**2 / 2, rtol=1e-6)
        assert stages.distances("cosine", X, 4.0 * X, False) == 0
    X = np.array([[1.0, 0.0]], dtype=np.float32)
    Y = np.array([[1.0, 2.0**-20]], dtype=np.float32)
    np.testing.assert_allclose(stages.distances("cosine", X, Y, False), 2.0**-41, rtol=1e-6)


@pytest.mark.parametrize("kernels", KERNELS)
def test_only_parallel_bytes_have_no_angle(kernels):
    stages.use_kernels(kernels)
    wide = np.full((1, 1_000_000), 255, np.uint8)
    other = wide.copy()
    other[0, -1] = 254
    assert stages.distances("cosine", wide, wide - 1, False) == 0
    n, one_less = float(wide.size), 254 / 255  # cos in closed form: 1 - cos = (1 - 254/255)^2 / 2n
    expected = (1 - one_less) ** 2 / (2 * n)
    np.testing.assert_allclose(stages.distances("cosine", wide, other, False), expected, rtol=1e-5)
    parallel = np.array([[1, 2, 3], [70, 140, 210], [0, 0, 0]], np.uint8)
    np.testing.assert_array_equal(
        stages.distances("cosine", parallel, parallel, False), [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    )


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("width", [2**15 - 1, 2**15, 2**15 + 1, 2**18 - 1, 2**18, 2**18 + 1])
def test_integers_at_the_edges_of_their_ranges(width, kernels):
    """Sums of products of 32 bits end at 2^15 columns (VNNI) or at 2^18 (all others)."""
    stages.use_kernels(kernels)
    X = np.array([[0], [255]], np.uint8).repeat(width, axis=1).repeat(4, axis=0)
    far = np.kron([[0, 1], [1, 0]], np.ones((4, 4)))
    own = np.kron([[0, 0], [0, 1]], np.ones((4, 4)))
    for tiles in (False, True):
        expected = {
            "euclidean": np.sqrt(255.0**2 * width) * far,
            "manhattan": 255.0 * width * far,
            "chebyshev": 255.0 * far,
            "cosine": far,
            "hamming": far,
            "inner_product": 1 - 255.0**2 * width * own,
        }
        for metric, distances in expected.items():
            found = stages.distances(metric, X, X, tiles)
            np.testing.assert_array_equal(found, distances, err_msg=metric)


@pytest.mark.parametrize("types", ["floats", "doubles"])
def test_inner_products_are_ordered_whatever_their_size(types):
    dtype = TYPES[types][0]
    for size in (1e-23, 1e-40, 1e30) if types == "floats" else (1e-150, 1e-23, 1e145):
        X = (np.array([[1.0, 2.0, 3.0]]) * size).astype(dtype)
        found = stages.distances("inner_product", X, np.vstack([X, 2 * X, -X]), False)
        assert np.isfinite(found).all()
        assert found[0, 1] <= found[0, 0] <= found[0, 2]

"""The nearest of several rows by estimates: what measuring all of them finds, to the last bit."""

import numpy as np
import pytest

import stages
from manifoldforest import BoundaryForestClassifier, _core

KERNELS = _core.supported_kernels()
# vectors of 8 and 16 floats, their ends, and sums that are folded
WIDTHS = [1, 3, 7, 8, 9, 16, 17, 64, 65, 441]


@pytest.fixture(autouse=True)
def _best_kernels_afterwards():
    yield
    stages.use_kernels(KERNELS[-1])


def spread(rng, n, width):
    return rng.normal(size=(n, width))


def with_ties(rng, n, width):
    """Few different rows, many at the same distance from others."""
    return rng.integers(0, 2, (n, width)).astype(np.float64)


def nearly_equal(rng, n, width):
    """Rows that differ in the last bits of some entries."""
    row = rng.normal(size=width).astype(np.float32)
    steps = rng.integers(-2, 3, (n, width)) * (rng.random((n, width)) < 0.2)
    return row + steps * np.spacing(row)


def far_away(rng, n, width):
    """Rows near each other and far from the origin, whose products say little."""
    return 1000.0 + rng.normal(size=(n, width))


def of_any_size(rng, n, width):
    """Squares overflow or vanish in some rows; some rows are 0."""
    sizes = 10.0 ** rng.choice([-45, -30, -20, -12, 0, 12, 18, 25, 38], (n, 1))
    return rng.uniform(-3, 3, (n, width)) * sizes * (rng.random((n, 1)) < 0.9)


DATA = [spread, with_ties, nearly_equal, far_away, of_any_size]


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("data", DATA)
def test_the_nearest_row_is_the_first_at_the_least_distance(data, kernels):
    stages.use_kernels(kernels)
    rng = np.random.default_rng(0)
    for width in WIDTHS:
        for n_queries, n_rows in [(1, 5), (2, 9), (3, 3), (4, 2), (5, 1), (9, 64), (11, 131)]:
            both = data(rng, n_queries + n_rows, width).astype(np.float32)
            X, Y = both[:n_queries], both[n_queries:]
            expected = stages.distances("euclidean", X, Y, False)
            found = stages.nearest_rows("euclidean", X, Y)
            if found is None:
                assert kernels == "baseline"
                return
            positions, distances, _ = found
            np.testing.assert_array_equal(distances, expected.min(axis=1))
            np.testing.assert_array_equal(distances, expected[np.arange(n_queries), positions])
            if data is not of_any_size:  # roots of different sums in double may be equal
                np.testing.assert_array_equal(positions, expected.argmin(axis=1))


@pytest.mark.parametrize("kernels", [name for name in KERNELS if name != "baseline"])
def test_few_rows_are_measured_where_estimates_tell_them_apart(kernels):
    stages.use_kernels(kernels)
    rng = np.random.default_rng(1)
    X, Y = (spread(rng, n, 441).astype(np.float32) for n in (64, 50))
    assert 64 <= stages.nearest_rows("euclidean", X, Y)[2] <= 66
    assert stages.nearest_rows("euclidean", X + 1000, Y + 1000)[2] > 640


@pytest.mark.parametrize("data", DATA)
def test_a_forest_is_the_same_on_every_instruction_set(data):
    rng = np.random.default_rng(2)
    X = data(rng, 1500, 33).astype(np.float32)
    y = rng.integers(0, 3, len(X))
    found = []
    for kernels in KERNELS:
        stages.use_kernels(kernels)
        forest = BoundaryForestClassifier(n_estimators=4, max_children=6, random_state=0)
        forest.fit(X[:1000], y[:1000])
        forest.partial_fit(X[1000:1200], y[1000:1200])
        found.append(forest.predict_proba(X[1200:]))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])

"""The search of splits by distances between responses against the double sum of the criterion."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import stages
from manifoldforest import _core
from manifoldforest.forests._forest_model import make_sampler
from manifoldforest.projections import Axis, MeanDifference
from reference import growing
from reference.responses import best_split, kernel_distances, ok3_score, pairwise

from reference.criteria import candidate_splits, first_best  # isort: skip

KERNELS = _core.supported_kernels()


@pytest.fixture(autouse=True)
def best_kernels():
    yield
    stages.use_kernels(KERNELS[-1])


def metric_responses(rng, n, kind, signal):
    """Squared distances between responses that depend on a signal."""
    angle = 0.8 * signal + 0.4 * rng.normal(size=n)
    if kind == "plane":
        points = np.column_stack([angle, rng.normal(size=n)])
        return cdist(points, points, "sqeuclidean")
    if kind == "arcs":  # not Euclidean
        gap = np.abs(angle[:, None] - angle) % (2 * np.pi)
        return np.minimum(gap, 2 * np.pi - gap) ** 2
    if kind == "any":  # no metric at all
        D = rng.random((n, n))
        D2 = (D + D.T) ** 2
        np.fill_diagonal(D2, 0)
        return D2
    raise ValueError(kind)


def pseudo_euclidean(D2):
    """Coordinates and signs of full rank: D2_ij = sum_k s_k (z_ik - z_jk)^2."""
    centred = D2 - D2.mean(axis=0)
    centred = -0.5 * (centred - centred.mean(axis=1, keepdims=True))
    values, vectors = np.linalg.eigh(centred)
    return vectors * np.sqrt(np.abs(values)), np.where(values < 0, -1.0, 1.0)


def find(values, weight, count, *, D2=None, points=None, signs=None, splitter="exact", **limits):
    n = len(values)
    y = np.zeros((n, 1)) if points is None else np.ascontiguousarray(points)
    return stages.find_split(
        np.ascontiguousarray(values, dtype=np.float32),
        y,
        np.asarray(weight, np.float64),
        np.asarray(count, np.int64),
        "squared_distance",
        [],
        limits.get("min_samples_leaf", 1),
        limits.get("min_balance", 0.0),
        splitter,
        7,
        signs,
        None if D2 is None else D2.astype(np.float32),
    )


def rounded(rng, n):
    return np.round(rng.normal(size=n) * 64).astype(np.float32) / 64


def assert_same_split(found, expected, scale):
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert found[0] == expected.threshold
    assert found[1] == pytest.approx(expected.gain, abs=2e-6 * scale)
    assert found[2] == expected.missing_left


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("kind", ["plane", "arcs", "any"])
@pytest.mark.parametrize(("n", "repeats"), [(2, 10), (3, 10), (7, 10), (16, 3), (17, 3), (45, 2)])
def test_best_threshold_of_a_column(kernels, kind, n, repeats):
    stages.use_kernels(kernels)
    for seed in range(repeats):
        rng = np.random.default_rng([seed, n])
        values = rounded(rng, n)
        D2 = metric_responses(rng, n, kind, values).astype(np.float32).astype(np.float64)
        weight = rng.integers(1, 4, size=n).astype(float)
        count = np.ones(n, int)
        limits = {"min_samples_leaf": int(rng.integers(1, 3))}
        rows = np.arange(n)[:, None]
        best = first_best(
            candidate_splits(values, rows, weight, count, pairwise(D2), **limits),
            tolerance=1e-6 * weight.sum() * pairwise(D2)(rows, weight),
        )
        scale = weight.sum() * pairwise(D2)(rows, weight)
        assert_same_split(find(values, weight, count, D2=D2, **limits), best, scale)
        points, signs = pseudo_euclidean(D2)
        by_points = find(values, weight, count, points=points, signs=signs, **limits)
        assert_same_split(by_points, best, scale)


@pytest.mark.parametrize("n", [5, 20, 40])
def test_missing_values_go_where_they_fit_best(n):
    sides = set()
    for seed in range(12):
        rng = np.random.default_rng([seed, n])
        values = rounded(rng, n)
        D2 = metric_responses(rng, n, "arcs", values).astype(np.float32).astype(np.float64)
        values[rng.random(n) < 0.3] = np.nan
        if np.isnan(values).all():
            continue
        weight, count, rows = np.ones(n), np.ones(n, int), np.arange(n)[:, None]
        splits = candidate_splits(values, rows, weight, count, pairwise(D2))
        scale = n * pairwise(D2)(rows, weight)
        best = first_best(splits, tolerance=1e-6 * scale)
        found = find(values, weight, count, D2=D2)
        if best is not None and np.isinf(best.threshold):
            assert found[0] == np.inf
        else:
            assert_same_split(found, best, scale)
        sides.add(found[2])
    assert sides == {False, True}


def grow(
    X,
    y,
    *,
    criterion="squared_distance",
    projection=None,
    D2=None,
    signs=None,
    n_threads=1,
    **options,
):
    X = np.ascontiguousarray(X, dtype=np.float32)
    n = len(X)
    geometry, sampler = make_sampler(Axis() if projection is None else projection, (X.shape[1],))[
        :2
    ]
    defaults = {
        "n_trees": 1,
        "splitter": "exact",
        "n_candidates": X.shape[1],
        "bootstrap": False,
    }
    grow_options = growing.grow_options(criterion, **{**defaults, **options})
    ones = np.ones(n)
    return growing.grow(
        X,
        None if y is None else np.ascontiguousarray(y, dtype=np.float64),
        np.zeros(n, np.int32),
        ones,
        ones,
        np.ones(n, np.int64),
        geometry,
        sampler,
        grow_options,
        None,
        signs,
        None if D2 is None else np.ascontiguousarray(D2, dtype=np.float32),
        n_threads=n_threads,
    )


def test_distances_need_no_coordinates():
    rng = np.random.default_rng(0)
    X, points = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    D2 = ((points[:, None] - points) ** 2).sum(axis=2)
    with_zeros, alone = grow(X, np.zeros((80, 1)), D2=D2), grow(X, None, D2=D2)
    for name in with_zeros:
        assert np.array_equal(with_zeros[name], alone[name])
    with pytest.raises(ValueError, match="y must be there for directions"):
        grow(X, None, D2=D2, projection=MeanDifference())
    with pytest.raises(ValueError, match="y must have coordinates or squared_distances"):
        grow(X, None)
    with pytest.raises(ValueError, match="y must hold numbers for the criterion squared_error"):
        grow(X, None, criterion="squared_error")


@pytest.mark.parametrize("p", [1, 3, 5, 8, 40])
def test_best_of_several_candidates(p):
    """More candidates than orders are searched together, and fewer."""
    n = 12
    for seed in range(3):
        rng = np.random.default_rng([seed, p])
        X = rng.normal(size=(n, p)).astype(np.float32)
        D2 = metric_responses(rng, n, "any", X[:, 0]).astype(np.float32).astype(np.float64)
        number, split = best_split(X.T, D2)
        arrays = grow(X, np.zeros((n, 1)), D2=D2, max_depth=1)
        assert arrays["atom_ints"].tolist() == [number]
        assert arrays["threshold"][0] == split.threshold


def equal_forests(a, b):
    names = ("left", "threshold", "missing_left", "atom_ints", "leaf_of_row", "weight")
    return all(np.array_equal(a[name], b[name]) for name in names)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_euclidean_responses_give_the_ordinary_forest(n_outputs):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 5))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2], X[:, 3]])[:, :n_outputs]
    Y = Y + 0.1 * rng.normal(size=Y.shape)
    options = {"n_trees": 5, "bootstrap": True, "min_samples_leaf": 3, "n_candidates": 2}
    ordinary = grow(X, Y, criterion="squared_error", **options)
    points = grow(X, Y, **options)
    distances = grow(X, np.zeros((300, 1)), D2=cdist(Y, Y, "sqeuclidean"), **options)
    assert equal_forests(ordinary, points)
    assert equal_forests(ordinary, distances)
    np.testing.assert_allclose(points["gain"], n_outputs * ordinary["gain"], rtol=1e-5)
    np.testing.assert_allclose(distances["gain"], points["gain"], rtol=1e-3, atol=1e-7)


def test_coordinates_of_full_rank_give_the_forest_of_the_distances():
    """Negative directions keep their sign: the arcs of a circle are not Euclidean."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 4))
    D2 = metric_responses(rng, 150, "arcs", X[:, 0] + X[:, 1])
    points, signs = pseudo_euclidean(D2)
    assert np.abs(points[:, signs < 0]).max() > 0.1
    options = {"n_trees": 3, "bootstrap": True, "min_samples_leaf": 5}
    distances = grow(X, np.zeros((150, 1)), D2=D2, **options)
    assert equal_forests(grow(X, points, signs=signs, **options), distances)
    unsigned = grow(X, points, **options)
    assert not equal_forests(unsigned, distances)


def test_subtrees_are_searched_in_blocks_as_without():
    """More rows than a block of distances holds; the same forest by coordinates."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2500, 3))
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1]]) + 0.5 * rng.normal(size=(2500, 2))
    D2 = cdist(Y, Y, "sqeuclidean")
    options = {"n_trees": 2, "bootstrap": True, "min_samples_leaf": 40}
    for threads in (1, 2):
        found = grow(X, np.zeros((2500, 1)), D2=D2, n_threads=threads, **options)
        assert equal_forests(found, grow(X, Y, **options))


def test_large_nodes_use_coordinates_where_both_are_given():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 2))
    Y = np.column_stack([X[:, 0], np.zeros(60)])
    D2 = cdist(Y, Y, "sqeuclidean")
    wrong = np.column_stack([X[:, 1], np.zeros(60)])  # another geometry, to see which one is used
    arrays = grow(X, wrong, D2=D2, signs=np.ones(2), max_depth=4)
    assert arrays["atom_ints"][0] == 1
    deep = grow(X, wrong, D2=D2, signs=np.ones(2), min_samples_leaf=1)
    assert 0 in deep["atom_ints"]


def test_gain_is_the_score_of_output_kernel_trees():
    """OK3's variance reduction, for the distances that the kernel induces."""
    rng = np.random.default_rng(7)
    Y = rng.normal(size=(20, 2))
    G = np.exp(-cdist(Y, Y, "sqeuclidean") / 2)
    values = rounded(rng, 20)
    threshold, gain, _ = find(values, np.ones(20), np.ones(20), D2=kernel_distances(G))
    assert gain == pytest.approx(20 * ok3_score(G, values <= threshold), rel=1e-5)
    scores = [ok3_score(G, values <= v) for v in np.unique(values)[:-1]]
    assert gain == pytest.approx(20 * max(scores), rel=1e-5)


def test_random_thresholds_have_their_own_gain():
    rng = np.random.default_rng(8)
    n = 30
    values = rng.normal(size=n).astype(np.float32)
    D2 = metric_responses(rng, n, "plane", 3 * values)
    threshold, gain, _ = find(values, np.ones(n), np.ones(n), D2=D2, splitter="random")
    exact = find(values, np.ones(n), np.ones(n), D2=D2)
    left = values <= threshold
    expected = sum(
        sign * D2[np.ix_(part, part)].sum() / (2 * part.sum())
        for part, sign in ((left | ~left, 1), (left, -1), (~left, -1))
    )
    assert gain == pytest.approx(expected, rel=1e-4)
    assert gain <= exact[1] * (1 + 1e-6)
    assert threshold != exact[0]


def test_equal_responses_are_not_split():
    X = np.arange(10.0)[:, None]
    arrays = grow(X, np.zeros((10, 1)), D2=np.zeros((10, 10)))
    assert len(arrays["left"]) == 1
    assert find(X[:, 0], np.ones(10), np.ones(10), D2=np.zeros((10, 10))) is None


def test_mean_difference_divides_by_the_first_coordinate():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(40, 3))
    axis = X @ np.array([1.0, 2.0, -1.0])
    D2 = (axis[:, None] - axis) ** 2
    arrays = grow(X, axis[:, None], D2=D2, projection=MeanDifference(), max_depth=1)
    high = axis > np.sort(axis)[19]
    direction = X[high].mean(axis=0) - X[~high].mean(axis=0)
    np.testing.assert_allclose(np.abs(arrays["atom_weights"]), np.abs(direction), rtol=1e-5)

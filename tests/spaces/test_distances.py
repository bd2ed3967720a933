"""Spaces of which only distances are known, Isomap, distributions, and manifolds of geomstats."""

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.manifold import Isomap as SklearnIsomap

from manifoldforest.spaces import (
    SPD,
    Circle,
    FromCallable,
    FromGeomstats,
    Isomap,
    Precomputed,
    Sphere,
    Wasserstein1D,
)
from manifoldforest.spaces import _precomputed as precomputed_module
from manifoldforest.spaces._isomap import _connected
from reference import spaces as reference


def distance_table(n, seed=0):
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return cdist(points, points)


# Precomputed


def test_rows_of_a_table():
    D = distance_table(10)
    space = Precomputed(D)
    rows = space.check([7, 2, 2, 0])
    assert rows.dtype == np.int64
    assert_array_equal(space.distances(rows), D[np.ix_(rows, rows)])
    assert_array_equal(space.distances(rows, rows[:2]), D[np.ix_(rows, rows[:2])])
    assert_array_equal(space.paired_distances(rows[:2], rows[2:]), [D[7, 2], D[2, 0]])
    assert space.distance(3, 5) == D[3, 5]
    assert_array_equal(space.check(np.array([1, 2], dtype=np.uint8)), [1, 2])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int32, np.float64),
        (np.float16, np.float64),
    ],
)
def test_single_precision_stays(given, expected):
    D = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]], dtype=given)
    space = Precomputed(D)
    rows = space.check([0, 2])
    assert space.distances(rows).dtype == expected
    assert space.distances(rows, rows).dtype == expected
    assert space.paired_distances(rows, rows).dtype == expected
    assert_array_equal(space.distances(rows), [[0, 2], [2, 0]])


def test_rounding_in_a_table_is_evened_out():
    D = distance_table(6)
    D[1, 2] *= 1 + 1e-9
    D[3, 3] = 1e-8
    found = Precomputed(D).distances(np.arange(6))
    assert_array_equal(found, found.T)
    assert_array_equal(np.diag(found), np.zeros(6))
    assert_allclose(found, distance_table(6), rtol=1e-8)
    assert D[3, 3] == 1e-8  # the caller's own


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ((4, 2), np.nan, r"must hold finite numbers >= 0, got D\[4, 2\] = nan"),
        ((0, 5), np.inf, r"must hold finite numbers >= 0, got D\[0, 5\] = inf"),
        ((5, 0), -1.0, r"must hold finite numbers >= 0, got D\[5, 0\] = -1.0"),
        ((3, 3), 0.5, r"must have a zero diagonal, got D\[3, 3\] = 0.5"),
        ((1, 4), 9.0, r"must be symmetric, got D\[1, 4\] = 9.0 and D\[4, 1\] = 3.0"),
        ((4, 1), 3.125, r"must be symmetric, got D\[1, 4\] = 3.0 and D\[4, 1\] = 3.125"),
    ],
)
def test_what_is_no_table_of_distances(kind, entry, value, message, monkeypatch):
    D = np.abs(np.subtract.outer(np.arange(6), np.arange(6))).astype(kind)
    Precomputed(D).check([0])
    D[entry] = value
    for chunk in (1, 13, 2**20):
        monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", chunk)
        with pytest.raises(ValueError, match=f"^Precomputed.D {message}"):
            Precomputed(D).check([0])


@pytest.mark.parametrize(
    ("D", "error", "message"),
    [
        (np.zeros((2, 3)), ValueError, r"a square matrix of distances, got the shape \(2, 3\)"),
        (np.zeros(3), ValueError, r"a square matrix of distances, got the shape \(3,\)"),
        (np.zeros((0, 0)), ValueError, r"a square matrix of distances, got the shape \(0, 0\)"),
        ([["a"]], TypeError, "a square matrix of distances, got entries of type <U1"),
        (None, TypeError, "a square matrix of distances, got None"),
        (csr_matrix((2, 2)), TypeError, "got a sparse csr_matrix"),
        ([[0, 1], [1]], ValueError, "a square matrix of distances: "),
    ],
)
def test_tables_of_wrong_shapes(D, error, message):
    with pytest.raises(error, match=f"Precomputed.D must be .*{message}".replace(".*a sq", "a sq")):
        Precomputed(D).check([0])


@pytest.mark.parametrize(
    ("rows", "error", "got"),
    [
        ([0, 3], ValueError, "3 in response 1"),
        ([-1], ValueError, "-1 in response 0"),
        ([0.0, 1.0], TypeError, "entries of type float64"),
        ([True, False], TypeError, "entries of type bool"),
        ([[0, 1]], ValueError, r"the shape \(1, 2\)"),
        (np.zeros(0, dtype=int), ValueError, r"the shape \(0,\)"),
        (2, TypeError, "an object of type int"),
    ],
)
def test_what_is_no_row(rows, error, got):
    message = rf"^y must be row indices into D, integers from 0 to 2 in .* \(n,\), got {got}$"
    with pytest.raises(error, match=message):
        Precomputed(np.zeros((3, 3))).check(rows, name="y")


def test_a_table_is_checked_without_a_copy():
    D = distance_table(2500).astype(np.float32)
    space = Precomputed(D)
    tracemalloc.start()
    space.check([0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < D.nbytes
    assert space._matrix() is D


def test_a_table_is_checked_once(monkeypatch):
    calls = []
    check = precomputed_module._check_distances
    monkeypatch.setattr(
        precomputed_module, "_check_distances", lambda D: (calls.append(len(D)), check(D))
    )
    space = Precomputed(distance_table(4))
    for _ in range(3):
        space.distances(space.check([0, 1]))
    assert calls == [4]
    space.set_params(D=distance_table(5)).check([4])
    assert calls == [4, 5]
    again = pickle.loads(pickle.dumps(space))
    assert "_checked" not in vars(again)
    assert again == space
    again.check([0])
    clone(space).check([0])
    assert calls == [4, 5, 5, 5]


# Isomap


def arc(n, turn=1.5 * np.pi, seed=0):
    angles = np.sort(np.random.default_rng(seed).uniform(0, turn, n))
    return np.column_stack([np.cos(angles), np.sin(angles)])


@pytest.mark.parametrize(("n", "q", "k"), [(12, 2, 4), (30, 3, 6), (25, 1, 24), (2, 2, 1)])
def test_paths_match_naive_ones(n, q, k):
    Y = np.random.default_rng(n).normal(size=(n, q))
    expected, n_components = reference.shortest_paths(Y, k)
    assert n_components == 1
    D = Isomap(k).split_distances(Isomap(k).check(Y))
    assert_allclose(D, expected, rtol=1e-12)
    assert_array_equal(D, D.T)


def test_paths_match_scikit_learn():
    Y = arc(80)
    expected = SklearnIsomap(n_neighbors=7, neighbors_algorithm="brute").fit(Y).dist_matrix_
    assert_allclose(Isomap(7).split_distances(Y), expected, rtol=1e-10, atol=1e-12)


def test_paths_follow_the_manifold():
    angles = np.linspace(0, 1.5 * np.pi, 200)
    Y = np.column_stack([np.cos(angles), np.sin(angles)])
    along, across = Isomap(4).split_distances(Y), Isomap(4).distances(Y)
    assert_allclose(across, cdist(Y, Y))
    assert (along >= across - 1e-12).all()
    assert along[0, -1] > 1.45 * np.pi
    assert across[0, -1] < 1.5


def test_numbers_and_columns_are_the_same():
    Y = np.random.default_rng(0).normal(size=10)
    assert_array_equal(Isomap(9).split_distances(Y), Isomap(9).split_distances(Y[:, None]))
    assert_allclose(Isomap(9).split_distances(Y), np.abs(np.subtract.outer(Y, Y)))


@pytest.mark.parametrize("n_parts", [2, 3, 7])
def test_components_are_joined_by_the_shortest_edges(n_parts):
    rng = np.random.default_rng(n_parts)
    centres = 40 * rng.normal(size=(n_parts, 2))
    Y = rng.permutation(np.repeat(centres, 6, axis=0) + rng.normal(size=(6 * n_parts, 2)))
    expected, n_components = reference.shortest_paths(Y, 3)
    assert n_components == n_parts
    message = f"n_neighbors=3 has {n_parts} components; they are joined by the shortest edges"
    with pytest.warns(UserWarning, match=message) as record:
        D = Isomap(3).split_distances(Y)
    assert len(record) == 1
    assert record[0].filename == __file__
    assert np.isfinite(D).all()
    assert_allclose(D, expected, rtol=1e-12)
    # whatever the unit of length
    with pytest.warns(UserWarning, match=message):
        assert_allclose(Isomap(3).split_distances(1e-12 * Y), 1e-12 * expected, rtol=1e-12)


def test_components_are_joined_in_chunks(monkeypatch):
    rng = np.random.default_rng(3)
    Y = np.concatenate([rng.normal(size=(15, 2)), rng.normal(30, 1, size=(15, 2))])
    expected, _ = reference.shortest_paths(Y, 2)
    monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", 100)
    with pytest.warns(UserWarning, match="components"):
        assert_allclose(Isomap(2).split_distances(Y), expected, rtol=1e-12)


def test_equal_responses_are_one_vertex():
    rng = np.random.default_rng(4)
    Y = rng.normal(size=(15, 2))
    twice = Y[rng.integers(0, 15, 60)]
    twice[:15] = Y
    twice[0] = 0.0
    twice[1] = -0.0
    expected, n_components = reference.shortest_paths(twice, 4)
    assert n_components == 1
    D = Isomap(4).split_distances(twice)
    assert_allclose(D, expected, rtol=1e-12)
    assert D[0, 1] == 0
    assert ((D == 0) == (cdist(twice, twice) == 0)).all()


def test_few_different_responses():
    assert_array_equal(Isomap(3).split_distances(np.ones((5, 2))), np.zeros((5, 5)))
    two = np.array([0.0, 1, 1, 0, 0, 1])
    expected = np.abs(np.subtract.outer(two, two))
    assert_array_equal(Isomap(5).split_distances(two), expected)


def test_responses_too_close_to_be_told_apart():
    """Different numbers whose squared differences are zero: edges of length zero."""
    Y = np.array([0.0, 1e-200, 2e-200, 1.0, 1.5, 2.0])
    D = Isomap(2).split_distances(Y)
    assert np.isfinite(D).all()
    assert_allclose(D, np.abs(np.subtract.outer(Y, Y)), atol=1e-100)
    # the same between components
    with pytest.warns(UserWarning, match="3 components"):
        graph = _connected(csr_matrix((3, 3)), np.array([[0.0], [1e-200], [1.0]]), 1).tocoo()
    assert graph.nnz == 4
    assert (0, 1) in set(zip(graph.row, graph.col, strict=True))


@pytest.mark.parametrize(("k", "n"), [(5, 5), (7, 3), (1, 1)])
def test_too_many_neighbours(k, n):
    message = f"Isomap.n_neighbors must be less than the number of responses, got {k} for {n} resp"
    with pytest.raises(ValueError, match=message):
        Isomap(k).split_distances(np.arange(float(n)))


# Functions of the user


def letters(a, b):
    return sum(x != y for x, y in zip(a, b, strict=True))


def test_objects_are_passed_as_they_are():
    seen = []

    def distance(a, b):
        seen.append((a, b))
        return abs(a["x"] - b["x"])

    Y = [{"x": 1}, {"x": 4}, {"x": 9}]
    space = FromCallable(distance)
    assert space.check(Y) == Y
    assert all(a is b for a, b in zip(space.check(tuple(Y)), Y, strict=True))
    assert_array_equal(space.distances(Y), [[0, 3, 8], [3, 0, 5], [8, 5, 0]])
    assert all(any(a is y for y in Y) and any(b is y for y in Y) for a, b in seen)
    assert_array_equal(space.distances(Y, Y[:2]), [[0, 3], [3, 0], [8, 5]])
    assert_array_equal(space.paired_distances(Y, Y[::-1]), [8, 0, 8])


def test_rows_of_an_array_are_responses():
    space = FromCallable(lambda a, b: np.abs(a - b).max())
    Y = np.random.default_rng(0).normal(size=(6, 2, 2))
    found = space.distances(space.check(Y))
    assert_allclose(found, np.abs(Y[:, None] - Y[None]).max(axis=(2, 3)))


def test_the_number_of_calls():
    calls = []
    space = FromCallable(lambda a, b: calls.append(1) or abs(a - b))
    space.distances(list(range(40)))
    # all pairs, four responses with themselves, and six pairs both ways
    assert len(calls) == 40 * 39 / 2 + 4 + 12


def test_distances_may_be_any_kind_of_number():
    for kind in (int, np.float32, np.array, lambda x: np.array([[x]])[0, 0], bool):
        assert FromCallable(lambda a, b, kind=kind: kind(float(a != b))).distance("a", "b") == 1.0


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.nan, ValueError, "finite numbers >= 0, got nan for responses 0 and 1"),
        (np.inf, ValueError, "finite numbers >= 0, got inf for responses 0 and 1"),
        (-0.5, ValueError, "finite numbers >= 0, got -0.5 for responses 0 and 1"),
        ("far", TypeError, "a number, got 'far' for responses 0 and 1"),
        (None, TypeError, "a number, got None for responses 0 and 1"),
        ([1.0, 2.0], TypeError, r"a number, got \[1.0, 2.0\] for responses 0 and 1"),
        (1j, TypeError, "a number, got 1j for responses 0 and 1"),
    ],
)
def test_what_is_no_distance(value, error, message):
    space = FromCallable(lambda a, b: 0.0 if a == b else value)
    for measure in (lambda: space.distances([1, 2]), lambda: space.distances([1], [1, 2])):
        with pytest.raises(error, match=f"^FromCallable.distance must return {message}$"):
            measure()
    with pytest.raises(error, match="FromCallable.distance must return"):
        space.distance(1, 2)


def test_errors_of_functions_are_passed_on():
    space = FromCallable(letters)
    words = ["abc", "abd", "bcd", "ccc", "ca"]
    message = "^FromCallable.distance failed for responses 0 and 4: zip"
    with pytest.raises(ValueError, match=message) as caught:
        space.distances(words)
    assert isinstance(caught.value.__cause__, ValueError)

    def stop(a, b):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FromCallable(stop).distances([1, 2])

    broken = FromCallable(letters, mean=lambda Y, w: Y[9])
    with pytest.raises(ValueError, match="^FromCallable.mean failed for query 1: list") as caught:
        FromCallable(letters, lambda Y, w: Y[9 * (w[0] < 1)]).mean(
            words, csr_matrix([[1.0, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0]])
        )
    assert isinstance(caught.value.__cause__, IndexError)
    assert broken.has_mean


def test_functions_that_are_no_distances_at_all():
    with pytest.raises(
        ValueError, match="must be 0 for a response and itself, got 1.0 for resp.* 0"
    ):
        FromCallable(lambda a, b: 1.0).distances([1, 2])
    message = "must be symmetric, got 2.0 for responses 0 and 1, but 1.0 for 1 and 0"
    with pytest.raises(ValueError, match=message):
        FromCallable(lambda a, b: 0.0 if a == b else 2.0 - (a > b)).distances([1, 5, 2])


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (FromCallable(None), "FromCallable.distance must be a callable, got None"),
        (FromCallable("euclidean"), "FromCallable.distance must be a callable, got 'euclidean'"),
        (FromCallable(abs, mean=3), "FromCallable.mean must be a callable or None, got 3"),
    ],
)
def test_functions_that_are_none(space, message):
    with pytest.raises(TypeError, match=message):
        space.check([1])


@pytest.mark.parametrize(
    ("Y", "error", "message"),
    [
        ([], ValueError, "truth must have at least one response, got none"),
        ("abc", TypeError, "truth must be a sequence of responses, got an object of type str"),
        ({1: 2}, TypeError, "truth must be a sequence of responses, got an object of type dict"),
        (None, TypeError, "truth must be a sequence of responses, got None"),
        (csr_matrix((2, 2)), TypeError, "got a sparse csr_matrix"),
    ],
)
def test_what_is_no_list_of_responses(Y, error, message):
    with pytest.raises(error, match=message):
        FromCallable(letters).check(Y, name="truth")


def test_means_of_the_user():
    seen = []

    def longest(responses, weights):
        seen.append((responses, weights.tolist()))
        return max(responses, key=len)

    space = FromCallable(lambda a, b: abs(len(a) - len(b)), mean=longest)
    weights = csr_matrix([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    assert space.mean(["a", "bbb", "cc"], weights) == ["cc", "bbb"]
    assert seen == [(["a", "cc"], [0.5, 0.5]), (["bbb"], [1.0])]


# Distributions


def test_quantiles_of_samples():
    space = Wasserstein1D(n_quantiles=3)
    assert_array_equal(
        space.check([[5], [2, 1], [3, 1, 2], [4, 3, 2, 1], [1, 2, 3, 4, 5, 6]]),
        [[5, 5, 5], [1, 1, 2], [1, 2, 3], [1, 2, 4], [1, 3, 5]],
    )


@pytest.mark.parametrize("m", [1, 4, 7, 50])
def test_quantiles_match_numpy(m):
    rng = np.random.default_rng(m)
    samples = [rng.normal(size=n) for n in (1, 2, 3, 10, 49, 50, 51, 333)]
    shares = (np.arange(m) + 0.5) / m
    # a quarter of an ulp aside: numpy multiplies floats where whole numbers would do
    expected = [np.quantile(x, shares - 1e-12, method="inverted_cdf") for x in samples]
    assert_array_equal(Wasserstein1D(m).check(samples), expected)


def test_samples_of_the_right_length_are_sorted_only():
    Y = np.random.default_rng(0).normal(size=(5, 20))
    space = Wasserstein1D(n_quantiles=20)
    assert_array_equal(space.check(Y), np.sort(Y, axis=1))
    assert_array_equal(space.check(space.check(Y)), np.sort(Y, axis=1))
    assert_array_equal(space.check(list(Y)), space.check(Y))
    ragged = np.empty(5, dtype=object)
    ragged[:] = list(Y)
    assert_array_equal(space.check(ragged), space.check(Y))


def test_distances_of_distributions():
    rng = np.random.default_rng(1)
    samples = [rng.normal(size=n) for n in (2, 3, 4, 6, 12, 1)]
    space = Wasserstein1D(n_quantiles=12)  # a multiple of all lengths: nothing is lost
    expected = reference.matrix(reference.wasserstein, samples, samples)
    assert_allclose(space.distances(space.check(samples)), expected, atol=1e-12)
    Y = rng.normal(size=(4, 5))
    expected = reference.matrix(reference.optimal_assignment, Y, Y)
    assert_allclose(Wasserstein1D(5).distances(Wasserstein1D(5).check(Y)), expected, atol=1e-12)


def test_known_distances_of_distributions():
    space = Wasserstein1D()
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    assert_allclose(space.distance(x, x + 4), 4)
    assert_allclose(space.distance([0], [3]), 3)
    # between normal distributions: means and standard deviations, up to the cut tails
    y = 2 * rng.normal(size=20_000) + 1
    assert_allclose(space.distance(rng.normal(size=20_000), y), np.sqrt(2), rtol=0.05)


def test_mean_distributions_are_averages_of_quantiles():
    space = Wasserstein1D(n_quantiles=2)
    Y = space.check([[0, 10], [4, 4], [8, 0]])
    assert_allclose(
        space.mean(Y, csr_matrix([[0.5, 0.5, 0], [0.25, 0.25, 0.5]])), [[2, 7], [1, 7.5]]
    )


def test_nearest_distributions():
    space = Wasserstein1D(n_quantiles=3)
    assert_allclose(
        space.project([[3, 1, 2], [1, 3, 2], [1, 2, 3]]), [[2, 2, 2], [1, 2.5, 2.5], [1, 2, 3]]
    )


@pytest.mark.parametrize(
    ("Y", "error", "message"),
    [
        ([[1, 2], []], ValueError, r"at least one number each, got the shape \(0,\) in response 1"),
        ([1.0, 2.0], ValueError, r"at least one number each, got the shape \(\) in response 0"),
        (np.zeros((2, 3, 4)), ValueError, r"number each, got the shape \(3, 4\) in response 0"),
        ([[1.0], [2.0, np.nan]], ValueError, "finite numbers .* got nan in response 1"),
        ([[1.0], ["a"]], TypeError, "Y must hold numbers, got entries of type <U1 in response 1"),
        ([], ValueError, "Y must be a list of samples .*, got no samples"),
        ("ab", TypeError, "Y must be a list of samples .*, got an object of type str"),
    ],
)
def test_what_is_no_sample(Y, error, message):
    with pytest.raises(error, match=message):
        Wasserstein1D().check(Y)


# geomstats


@pytest.mark.parametrize("manifold", [None, "Hypersphere", Circle(), Circle])
def test_what_is_no_manifold(manifold):
    message = "FromGeomstats.manifold must be a manifold of geomstats with a metric, got"
    with pytest.raises(TypeError, match=message):
        FromGeomstats(manifold).check([[1.0, 0.0]])


class Line:
    """What a space needs of a manifold, without geomstats: numbers between -10 and 10."""

    shape = (1,)

    class metric:  # noqa: N801
        @staticmethod
        def dist(a, b):
            assert a.shape == b.shape
            assert a.ndim == 2
            return np.abs(a - b)[:, 0]

    def belongs(self, points, atol):
        return np.abs(points[:, 0]) <= 10 + atol


def test_the_part_of_a_manifold_that_is_used(monkeypatch):
    space = FromGeomstats(Line())
    Y = space.check(np.arange(7.0)[:, None])
    expected = np.abs(np.subtract.outer(np.arange(7), np.arange(7)))
    for chunk in (1, 15, 2**20):
        monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", chunk)
        assert_array_equal(space.distances(Y), expected)
        assert_array_equal(space.distances(Y[:3], Y), expected[:3])
    assert space.distance([1], [3]) == 2.0
    assert_array_equal(space.project([[99.0]]), [[99.0]])  # it has no projection
    with pytest.raises(
        ValueError, match=r"Y must hold points of the manifold, got \[11.\] in .* 1"
    ):
        space.check([[1], [11]])
    with pytest.raises(ValueError, match=r"in an array of shape \(n, 1\), got the shape \(1, 2\)"):
        space.check([[1, 2]])
    assert space == FromGeomstats(space.manifold)
    assert space != FromGeomstats(Line())


def test_distances_of_a_manifold_must_be_finite(monkeypatch):
    monkeypatch.setattr(Line.metric, "dist", lambda a, b: np.full(len(a), np.nan))
    space = FromGeomstats(Line())
    with pytest.raises(
        ValueError, match="FromGeomstats.manifold must hold finite distances, got nan"
    ):
        space.distances(np.zeros((2, 1)))


def test_manifolds_of_geomstats_agree_with_ours():
    pytest.importorskip("geomstats")
    from geomstats.geometry.hypersphere import Hypersphere
    from geomstats.geometry.spd_matrices import SPDMatrices

    rng = np.random.default_rng(0)
    weights = rng.random((3, 12))
    weights = csr_matrix(weights / weights.sum(axis=1, keepdims=True))
    A = rng.normal(size=(12, 3, 6))
    cases = [
        (Sphere(), Hypersphere(2), Sphere().project(rng.normal(size=(12, 3)) + [2, 0, 0])),
        (SPD("affine-invariant"), SPDMatrices(3), A @ A.transpose(0, 2, 1)),
    ]
    for ours, manifold, Y in cases:
        theirs = FromGeomstats(manifold)
        Y = theirs.check(Y)
        assert_allclose(theirs.distances(Y), ours.distances(Y), atol=1e-7)
        assert_allclose(theirs.distances(Y[:2], Y), ours.distances(Y[:2], Y), atol=1e-7)
        assert_allclose(theirs.paired_distances(Y, Y[::-1]), ours.paired_distances(Y, Y[::-1]))
        assert_allclose(theirs.mean(Y, weights), ours.mean(Y, weights), atol=1e-5)
        assert_allclose(theirs.project(Y), Y, atol=1e-12)
        with pytest.raises(ValueError, match=r"points of the manifold, got [^a-z]* in response 0"):
            theirs.check(-2 * Y)


def test_geomstats_means_with_a_form_of_their_own():
    pytest.importorskip("geomstats")
    from geomstats.geometry.euclidean import Euclidean
    from geomstats.geometry.hyperboloid import Hyperboloid

    weights = csr_matrix([[0.25, 0.75], [1.0, 0.0]])
    plane = FromGeomstats(Euclidean(2))
    assert_allclose(plane.mean(plane.check([[0, 0], [4, 8]]), weights), [[3, 6], [0, 0]])
    space = FromGeomstats(Hyperboloid(2))
    Y = space.check([[1, 0, 0], [np.cosh(2), np.sinh(2), 0]])
    expected = [[np.cosh(1.5), np.sinh(1.5), 0], [1, 0, 0]]
    assert_allclose(space.mean(Y, weights), expected, atol=1e-6)


def test_shortest_paths_are_the_same_in_chunks(monkeypatch):
    points = np.random.default_rng(0).normal(size=(40, 2))
    expected = Isomap(4).split_distances(points)
    monkeypatch.setattr("manifoldforest.spaces._isomap._PATHS_AT_ONCE", 120)
    assert_array_equal(Isomap(4).split_distances(points), expected)

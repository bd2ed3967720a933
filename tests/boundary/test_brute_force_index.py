"""BruteForceIndex: exact answers, ids, and what it refuses without changing itself."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from manifoldforest.boundary import BruteForceIndex, _exhaustive_search
from manifoldforest.boundary._metrics import METRICS
from reference.boundary import distances, edit_distance

POINTS = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0], [3.0, 0.0]])


def index_of(X, ids=None, **params):
    index = BruteForceIndex(**params)
    index.add(X, ids)
    return index


def expected(metric, X, queries, k):
    """Distances and numbers of the nearest rows; of several equal ones the first."""
    D = distances(metric, queries, X)
    nearest = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, nearest, axis=1), nearest


# ------------------------------------------------------------------ distances


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64, np.int64])
@pytest.mark.parametrize(
    ("metric", "query", "found", "order"),
    [
        ("euclidean", [0, 0], [0, 2, 3, 5], [0, 2, 3, 1]),
        ("manhattan", [0, 0], [0, 2, 3, 7], [0, 2, 3, 1]),
        ("chebyshev", [0, 0], [0, 2, 3, 4], [0, 2, 3, 1]),
        ("hamming", [0, 0], [0, 0.5, 0.5, 1], [0, 2, 3, 1]),
        ("cosine", [0, 1], [0, 0.2, 1, 1], [2, 1, 0, 3]),
        ("cosine", [0, 0], [0, 1, 1, 1], [0, 1, 2, 3]),
    ],
)
def test_distances_computed_on_paper(metric, query, found, order, dtype):
    index = index_of(POINTS.astype(dtype), metric=metric)
    d, ids = index.query(np.array([query], dtype=dtype), k=4)
    assert d.dtype == np.float64
    assert ids.dtype == np.int64
    assert_array_equal(ids, [order])
    assert_allclose(d, [found], rtol=1e-14, atol=1e-16)


def many_points(dtype, n, seed):
    """Few different values, so that many points are equally far away."""
    return np.random.default_rng(seed).integers(0, 4, size=(n, 5)).astype(dtype)


@pytest.mark.parametrize("k", [1, 3, 37])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("metric", METRICS)
def test_blocks_threads_and_ties_change_nothing(metric, dtype, k, monkeypatch):
    monkeypatch.setattr(_exhaustive_search, "_QUERIES_PER_BATCH", 5)
    monkeypatch.setattr(_exhaustive_search, "_POINTS_PER_BATCH", 8)
    if metric == "cosine":  # two ways of computing equal angles may differ in the last digit
        X, queries = np.split(
            np.random.default_rng(0).integers(0, 256, (48, 5)).astype(dtype), [37]
        )
    else:
        X, queries = many_points(dtype, 37, 0), many_points(dtype, 11, 1)
    d, nearest = expected(metric, X, queries, k)
    for n_jobs in (None, 3):
        found, ids = index_of(X, metric=metric, n_jobs=n_jobs).query(queries, k)
        assert_array_equal(ids, nearest)
        assert_allclose(found, d, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("metric", METRICS)
def test_a_point_is_at_distance_zero_from_itself(metric, dtype):
    X = (np.random.default_rng(0).random((50, 33)) * 200).astype(dtype)
    d, ids = index_of(X, metric=metric).query(X)
    assert_array_equal(d, 0)
    assert_array_equal(ids[:, 0], np.arange(50))


def test_bytes_are_measured_exactly():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, size=(20, 5000), dtype=np.uint8)
    whole = X.astype(np.int64)
    squares = ((whole[:1] - whole) ** 2).sum(axis=1)
    d, ids = index_of(X).query(X[:1], k=20)
    assert_array_equal(d[0], np.sqrt(np.sort(squares)))
    assert_array_equal(ids[0], np.argsort(squares))
    parallel = np.array([[1, 2, 3], [70, 140, 210]], dtype=np.uint8)
    assert_array_equal(index_of(parallel, metric="cosine").query(parallel[:1], k=2)[0], 0)


def test_small_angles_keep_their_digits():
    a = np.array([[1.0, 0.0]], dtype=np.float32)
    b = np.array([[1.0, 2.0**-20]], dtype=np.float32)
    assert_allclose(index_of(a, metric="cosine").query(b)[0], 2.0**-41, rtol=1e-6)


def test_bytes_and_floats_may_meet():
    X = many_points(np.uint8, 30, 0)
    index = index_of(X[:10])
    index.add(X[10:20].astype(np.float32) + 0.5)
    index.add(X[20:])
    mixed = np.vstack([X[:10], X[10:20] + 0.5, X[20:]])
    for dtype in (np.uint8, np.float32, bool):
        queries = many_points(np.uint8, 7, 1).astype(dtype)
        d, nearest = expected("euclidean", mixed, queries, 5)
        found, ids = index.query(queries, 5)
        assert_array_equal(ids, nearest)
        assert_allclose(found, d, rtol=1e-14)


def test_memory_does_not_grow_with_queries_times_points():
    X = np.zeros((20_000, 1), dtype=np.float32)
    index = index_of(X)
    tracemalloc.start()
    d, _ = index.query(X[:1000], k=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert d.shape == (1000, 2)
    assert peak < 60e6 < 8 * len(X) * 1000


# ------------------------------------------------------- functions and objects


def test_a_function_gets_the_stored_point_and_then_the_query():
    calls = []

    def metric(a, b):
        calls.append((a, b))
        return abs(len(a) - len(b))

    index = index_of(["ab", "abcd"], metric=metric)
    d, ids = index.query(["xyzt"], k=2)
    assert calls == [("ab", "xyzt"), ("abcd", "xyzt")]
    assert_array_equal(ids, [[1, 0]])
    assert_array_equal(d, [[0, 2]])


def test_words_and_sets_have_neighbours():
    words = index_of(["tree", "three", "forest", "for"], metric=edit_distance)
    assert words.query(["free"], k=3)[1].tolist() == [[0, 1, 2]]  # as far from forest as from for
    assert words.query(["free"], k=3)[0].tolist() == [[1, 2, 3]]
    assert words.query(["forst"], among=[0, 3])[1].tolist() == [[3]]

    def jaccard(a, b):
        return 1 - len(a & b) / len(a | b)

    sets = index_of([{1, 2}, {2, 3, 4}], metric=jaccard)
    d, ids = sets.query([{2, 3}], k=2)
    assert_allclose(d, [[1 / 3, 2 / 3]])
    assert ids.tolist() == [[1, 0]]


def test_an_object_measures_with_its_method():
    class Circle:
        def distance(self, a, b):
            return min((a - b) % 360, (b - a) % 360)

    index = index_of([10, 180, 350], metric=Circle())
    d, ids = index.query([2], k=2)
    assert ids.tolist() == [[0, 2]]
    assert d.tolist() == [[8, 12]]


def test_arrays_keep_their_shapes_for_functions():
    shapes = set()

    def metric(a, b):
        shapes.update([a.shape, b.shape, a.dtype])
        return float(np.abs(a - b).max())

    X = np.random.default_rng(0).normal(size=(5, 2, 3))
    index = index_of(X, metric=metric)
    _, ids = index.query(X)
    assert ids[:, 0].tolist() == list(range(5))
    assert index.query(X.reshape(5, 6))[0].max() == 0
    assert shapes == {(2, 3), np.dtype(np.float64)}  # as given: float32 would round them


# ------------------------------------------------------------------------ ids


def test_ids_are_the_next_integers_or_those_that_are_given():
    index = BruteForceIndex()
    assert index.add(POINTS[:2]).tolist() == [0, 1]
    assert index.add(POINTS[:2], ids=[-5, 40]).tolist() == [-5, 40]
    index.remove([40])
    assert index.add(POINTS[:2]).tolist() == [41, 42]  # 40 was used
    assert index.add(POINTS[:1], ids=[40]).dtype == np.int64
    assert list(index) == index.ids.tolist() == [0, 1, -5, 41, 42, 40]
    assert index.ids.dtype == np.int64
    assert len(index) == 6
    assert 40 in index
    assert np.int64(-5) in index
    assert 39 not in index


def test_removed_points_are_gone():
    index = index_of(POINTS)
    index.remove([0])
    index.remove(np.array([2]))
    assert index.query([[0, 0]], k=10)[1].tolist() == [[3, 1]]
    index.remove([])
    index.remove({1, 3})
    assert len(index) == 0
    with pytest.raises(ValueError, match="at least one point"):
        index.query([[0, 0]])
    assert index.add(POINTS[:1]).tolist() == [4]


def test_updated_points_are_elsewhere_under_their_ids():
    index = index_of(POINTS, ids=[4, 3, 2, 1])
    index.update([3, 1], [[9.0, 9.0], [-1.0, 0.0]])
    d, ids = index.query([[0.0, 0.0]], k=4)
    assert ids.tolist() == [[4, 1, 2, 3]]
    assert_allclose(d, [[0, 1, 2, np.sqrt(162)]])
    assert sorted(index) == [1, 2, 3, 4]


@pytest.mark.parametrize("among", [{1, 3}, [3, 1], np.array([1, 3, 3]), range(1, 4, 2)])
def test_only_some_may_be_found(among):
    d, ids = index_of(POINTS).query([[0.0, 0.0]], k=9, among=among)
    assert ids.tolist() == [[3, 1]]
    assert d.tolist() == [[3, 5]]


def test_what_happens_to_the_callers_array_later_does_not_matter():
    for metric in ("euclidean", lambda a, b: np.abs(a - b).sum()):
        X = np.zeros((3, 2), dtype=np.float32)
        index = index_of(X, metric=metric)
        X[:] = 7
        assert index.query([[0.0, 0.0]] if metric == "euclidean" else np.zeros((1, 2)))[0] == 0


def test_points_with_several_axes_equal_flat_ones():
    X = np.random.default_rng(0).normal(size=(20, 2, 3))
    images, flat = index_of(X), index_of(X.reshape(20, 6))
    for queries in (X[:5] + 0.1, X[:5].reshape(5, 6) + 0.1):
        assert_array_equal(images.query(queries, 3)[1], flat.query(queries, 3)[1])
    table = pd.DataFrame(X.reshape(20, 6))
    assert_array_equal(index_of(table).query(table)[1][:, 0], np.arange(20))


def test_embeddings_come_before_distances():
    X = np.random.default_rng(0).normal(size=(30, 4))
    for embedding in (PCA(2).fit(X), lambda X: np.asarray(X)[:, :2]):
        embed = getattr(embedding, "transform", embedding)
        index = index_of(X, embedding=embedding)
        assert_array_equal(index.query(X, 4)[1], index_of(embed(X)).query(embed(X), 4)[1])
    with pytest.raises(NotFittedError):
        index_of(X, embedding=StandardScaler())
    with pytest.raises(ValueError, match="the embedding of X contains NaN"):
        index_of(X, embedding=lambda X: X * np.nan)


# -------------------------------------------------------------------- refused


def state(index):
    return (
        list(index),
        index._next_id,
        [np.array(point).tolist() for point in index.get(index.ids)],
    )


NAN, INF = np.full((1, 2), np.nan), np.full((1, 2), np.inf)
REFUSED_POINTS = {
    "NaN": (NAN, "X contains NaN"),
    "infinite": (INF, "X contains infinity"),
    "too large": (np.full((1, 2), -1.1e300), r"X must hold numbers in \[-1e\+300, 1e\+300\]"),
    "too narrow": (np.zeros((1, 1)), "X has 1 features, .* 2 features"),
    "another shape": (np.zeros((1, 1, 3)), "X has 3 features"),
    "one axis": (np.zeros(2), r"X must be an array .* got the shape \(2,\)"),
    "no rows": (np.zeros((0, 2)), "X must have at least one row"),
    "ragged": ([[1.0, 2.0], [3.0]], "X must be"),
    "words": ([["a", "b"]], "X must hold numbers"),
    "sparse": (sparse.csr_matrix(POINTS), "[Ss]parse"),
    "complex": (POINTS + 1j, "Complex"),
    "nothing": (None, "X must be .* of type NoneType"),
}


@pytest.mark.parametrize("case", REFUSED_POINTS)
def test_bad_points_are_refused_and_nothing_changes(case):
    X, message = REFUSED_POINTS[case]
    index = index_of(POINTS)
    before = state(index)
    for call in (index.add, index.query, lambda X: index.update([0], X)):
        with pytest.raises((ValueError, TypeError), match=message):
            call(X)
    assert state(index) == before


@pytest.mark.parametrize("X", ["word", b"word", {"a": 1}, {1, 2}, None, 3, [], sparse.eye(2)])
def test_bad_sequences_of_objects_are_refused(X):
    index = index_of(["a"], metric=edit_distance)
    before = state(index)
    for call in (index.add, index.query):
        with pytest.raises((ValueError, TypeError), match="X must"):
            call(X)
    assert state(index) == before


def test_arrays_are_checked_for_functions_too():
    index = index_of(POINTS, metric=lambda a, b: 0.0)
    with pytest.raises(ValueError, match="X contains NaN"):
        index.add(NAN)
    with pytest.raises(ValueError, match="X has 3 features"):
        index.add(np.zeros((1, 3)))
    assert len(index) == 4


REFUSED_IDS = {
    "too few": ([7], ValueError, "ids must have one id for each of the 2 rows of X, got 1"),
    "twice": ([7, 7], ValueError, "ids must be all different, got 7 twice"),
    "floats": ([1.0, 2.0], TypeError, "ids must be a sequence of integers, got 1.0"),
    "float array": (np.array([7.0, 8.0]), TypeError, "ids must be .* type float64"),
    "booleans": ([True, False], TypeError, "ids must be .* got True"),
    "boolean array": (np.array([True, False]), TypeError, "ids must be .* type bool"),
    "words": (["a", "b"], TypeError, "ids must be .* got 'a'"),
    "a word": ("ab", TypeError, "ids must be .* type str"),
    "a set": ({7, 8}, TypeError, "ids must be in the order of the rows of X, got a set"),
    "two axes": (np.array([[7, 8]]), ValueError, "ids must have one axis"),
    "too large": ([7, 2**63], ValueError, "ids must fit into 64 bits"),
    "large unsigned": (np.array([7, 2**63], dtype=np.uint64), ValueError, "ids must fit"),
}


@pytest.mark.parametrize("case", REFUSED_IDS)
def test_bad_ids_are_refused_and_nothing_changes(case):
    ids, error, message = REFUSED_IDS[case]
    index = index_of(POINTS)
    before = state(index)
    for call in (index.add, lambda X, ids: index.update(ids, X)):
        with pytest.raises(error, match=message):
            call(POINTS[:2], ids)
    assert state(index) == before


def test_after_the_largest_id_ids_must_be_given():
    index = index_of(POINTS)
    index.add(POINTS[:1], ids=[2**63 - 1])
    with pytest.raises(ValueError, match="ids must be given"):
        index.add(POINTS)


@pytest.mark.parametrize(
    ("k", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (1.0, TypeError),
        (True, TypeError),
        ("1", TypeError),
        (None, TypeError),
    ],
)
def test_bad_k_is_refused(k, error):
    with pytest.raises(error, match="k must be an integer >= 1"):
        index_of(POINTS).query(POINTS, k)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"metric": "minkowski"}, ValueError, "metric must be one of .* got 'minkowski'"),
        ({"metric": 3}, TypeError, "metric must be one of 'euclidean', .* got 3"),
        ({"metric": type("Space", (), {"distance": None})}, TypeError, "metric must be"),
        ({"embedding": "pca"}, TypeError, "embedding must be a transformer or a callable or None"),
        ({"embedding": PCA}, TypeError, "embedding must be"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be"),
    ],
)
def test_bad_parameters_are_refused(params, error, message):
    with pytest.raises(error, match=message):
        BruteForceIndex(**params)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.nan, ValueError, "metric must return finite numbers >= 0, got nan"),
        (-1, ValueError, "metric must return finite numbers >= 0, got -1"),
        (np.inf, ValueError, "metric must return finite"),
        (10**400, ValueError, "metric must return finite numbers >= 0, got a number too large"),
        ("far", TypeError, "metric must return a number, got 'far'"),
        (None, TypeError, "metric must return a number, got None"),
    ],
)
def test_bad_distances_are_refused(value, error, message):
    index = index_of(["a", "b"], metric=lambda a, b: value)
    with pytest.raises(error, match=message):
        index.query(["c"])

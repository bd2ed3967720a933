"""No two points that differ are at distance 0, and numbers of any size have right neighbours."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import manifoldforest as mf
from manifoldforest import _core
from manifoldforest.boundary import BruteForceIndex
from manifoldforest.boundary._metrics import METRICS

INDEXES = {
    "forest": lambda **params: mf.BoundaryIndex(10, random_state=0, **params),
    "twin": BruteForceIndex,
}
RNG = np.random.default_rng(0)


@pytest.fixture(params=INDEXES)
def make(request):
    return INDEXES[request.param]


# ----------------------------------------------------------------------- precision

# points that float32 cannot tell apart
CLOSE = {
    "unix times": 1_700_000_000 + np.arange(30.0)[:, None],
    "ids above 2**24": 2**24 + np.arange(30)[:, None],
    "uint32": (2**32 - 30 + np.arange(30, dtype=np.uint32))[:, None],
    "float64": 1 + 1e-12 * np.arange(30)[:, None],
    "denormals": 1e-310 * np.arange(30)[:, None],
    "lists": (0.1 + 1e-10 * np.arange(30)[:, None]).tolist(),
    "tables": pd.DataFrame({"time": 1_700_000_000 + np.arange(30), "same": 0.5}),
}


@pytest.mark.parametrize("metric", [m.name for m in _core.metrics() if m.of_differences])
@pytest.mark.parametrize("case", CLOSE)
def test_points_that_differ_are_apart(case, metric, make):
    X = CLOSE[case]
    index = make(metric=metric)
    index.add(X)
    distances, ids = index.query(X, k=30)
    assert_array_equal(ids[:, 0], np.arange(30))
    assert_array_equal(distances[:, 0], 0)
    assert (distances[:, 1:] > 0).all()


def test_points_that_come_later_widen_the_index(make):
    """The first points fit float32, and so does not what comes then."""
    times = np.array([[1_700_000_000.0], [1_700_000_001.0]])
    for later in (times, np.array([[0.1], [np.nextafter(0.1, 1)]])):
        index = make()
        index.add(np.arange(20.0)[:, None])
        index.add(later)
        index.remove([3])
        distances, ids = index.query(later, k=2)
        assert_array_equal(ids, [[20, 21], [21, 20]])
        assert_array_equal(distances[:, 0], 0)
        assert (distances[:, 1] > 0).all()
        assert_array_equal(index.get([20, 21]), later)
        index.update([5], later[:1] + 1e-4 * later[:1])
        assert index.query(later, k=3)[1][0].tolist() == [20, 21, 5]
        assert_array_equal(index.get([0, 19]), [[0], [19]])


def test_queries_may_be_finer_than_the_points(make):
    index = make()
    index.add(np.array([[2.0**24], [0.0], [1.0]], dtype=np.float32))
    for query in (2.0**24 + 1, 1 + 1e-12, 1e-60):
        distances, ids = index.query([[query]])
        stored = index.get(ids[0])[0, 0]
        assert distances[0, 0] == abs(query - float(stored)) > 0
    assert index.get([0]).dtype == np.float32


def test_many_fine_queries_are_those_of_doubles():
    X = RNG.normal(size=(3000, 5)).astype(np.float32)
    queries = RNG.normal(size=(200, 5))
    narrow, wide = (mf.BoundaryIndex(10, random_state=0) for _ in range(2))
    narrow.add(X)
    wide.add(X)
    wide.add(queries[:1])
    wide.remove([3000])
    assert wide.get([0]).dtype == np.float64
    for k in (1, 7):
        for some in (queries, queries[:3]):
            found, ids = narrow.query(some, k)
            exact = np.sqrt(((some[:, None] - X[ids].astype(np.float64)) ** 2).sum(axis=2))
            assert_allclose(found, exact, rtol=1e-14)
            assert_allclose(found, wide.query(some, k)[0], rtol=0.5)  # other trees, same place


def test_a_failed_addition_does_not_widen_the_index():
    index = mf.BoundaryIndex(3, random_state=0)
    index.add([[0.0], [1.0]])
    with pytest.raises(ValueError, match="ids must be new"):
        index.add([[0.1]], ids=[0])
    assert index.get([0]).dtype == np.float32


def test_integers_beyond_doubles_are_refused_by_the_forest():
    X = 2**60 + np.arange(5)[:, None]
    tables = (X, X.astype(np.uint64), X.astype(object), X.tolist(), pd.DataFrame(X))
    for given in (*tables, np.array([[2**63 - 1]]), np.array([[2**64 - 1]], dtype=np.uint64)):
        for call in (
            mf.BoundaryIndex().add,
            lambda X: mf.BoundaryForestClassifier().fit(X, np.arange(len(X))),
            lambda X: mf.BoundaryForestRegressor().partial_fit(X, np.arange(len(X))),
        ):
            with pytest.raises(ValueError, match=r"exact in double precision.*subtract an offset"):
                call(given)
    for table in (pd.DataFrame, pl.DataFrame):
        with pytest.raises(ValueError, match="the column 'time' of X"):
            mf.BoundaryIndex().add(table({"a": [0.5], "time": [2**60 + 1]}))
    index = mf.BoundaryIndex(3)
    index.add([[2**60], [2**61]])  # powers of two are exact
    with pytest.raises(ValueError, match="exact in double precision"):
        index.query([[2**60 + 1]])


def rounded_tables():
    lists = [[2**53 + 1, 0.5], [2**53, 0.5]]
    objects = np.array([[0.5], [0.5]], dtype=object)
    objects[1, 0] = np.int64(2**53 + 1)
    arrays = [np.array([2**53 + 1, 1]), np.array([0.5, 1.5])]
    frame = pd.DataFrame(lists).astype({0: np.int64})
    return {
        "lists": lists,
        "tuples": tuple(map(tuple, lists)),
        "images": [lists, lists],
        "objects": objects,
        "arrays": arrays,
        "frame": frame,
        "both signs": [[2**63 + 1], [-1]],
    }


@pytest.mark.parametrize("kind", rounded_tables())
def test_integers_among_floats_are_not_rounded(kind, make):
    given = rounded_tables()[kind]
    index = make()
    with pytest.raises(ValueError, match=r"exact in double precision, got 9\d+(7|3|9)\b"):
        index.add(given)
    assert len(index) == 0
    if kind != "images":
        for learn in (
            mf.BoundaryForestClassifier().fit,
            mf.BoundaryForestRegressor().partial_fit,
        ):
            with pytest.raises(ValueError, match="exact in double precision"):
                learn(given, [0, 1])


@pytest.mark.skipif(
    np.finfo(np.longdouble).nmant == np.finfo(np.float64).nmant, reason="no longer type of floats"
)
def test_long_doubles_are_not_rounded(make):
    third = np.array([[1]], dtype=np.longdouble) / 3
    for given in (third, third.astype(object), [[third[0, 0]]]):
        with pytest.raises(ValueError, match="exact in double precision"):
            make().add(given)
    index = make()
    index.add(np.array([[0.5]], dtype=np.longdouble).astype(object))
    assert_array_equal(index.get([0]), [[0.5]])


def test_large_numbers_in_lists_that_are_exact(make):
    index = make()
    index.add([[2**60, 0.5], [1e290, np.float32(0.25)], [-(2**62), 2**54 + 4.0]])
    assert_array_equal(
        index.get([0, 1, 2]), [[2.0**60, 0.5], [1e290, 0.25], [-(2.0**62), 2.0**54 + 4]]
    )
    with pytest.raises(ValueError, match="infinity"):
        index.add([[np.inf, 0.5]])


def test_advice_for_integers_that_are_not_exact():
    mixed = [[2**53 + 1, 0.5]]
    for index, advice in (
        (mf.BoundaryIndex(), "or use BruteForceIndex"),
        (BruteForceIndex(), "or give points as an array of int64"),
    ):
        with pytest.raises(ValueError, match=f"subtract an offset that all points share, {advice}"):
            index.add(mixed)
    whole = np.array([[2**53 + 1]])
    for index in (mf.BoundaryIndex(metric=max), BruteForceIndex(metric=max)):
        with pytest.raises(ValueError, match="subtract an offset that all points share$"):
            index.add(whole)
    with pytest.raises(ValueError, match="subtract an offset that all points share$"):
        mf.BoundaryForestClassifier().fit(whole, [0])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "hamming"])
def test_integers_of_64_bits_are_measured_exactly(metric):
    X = np.array([[0, 2**60], [0, 2**60 + 1], [0, -(2**63)], [3, 2**60]])
    index = BruteForceIndex(metric=metric)
    index.add(X)
    distances, ids = index.query(X[:1], k=4)
    expected = {
        "euclidean": [0, 1, 3, 2.0**60 + 2.0**63],
        "manhattan": [0, 1, 3, 2.0**60 + 2.0**63],
        "chebyshev": [0, 1, 3, 2.0**60 + 2.0**63],
        "hamming": [0, 0.5, 0.5, 0.5],
    }[metric]
    assert_array_equal(distances, [expected])
    assert ids[0].tolist() == ([0, 1, 2, 3] if metric == "hamming" else [0, 1, 3, 2])
    assert_array_equal(index.get([1]), X[1:2])
    assert index.query([[0.0, 2.0**60]])[0] == 0  # whole numbers may be of any type
    with pytest.raises(ValueError, match="X must hold whole numbers of 64 bits"):
        index.add([[0.5, 0.0]])
    floats = BruteForceIndex(metric=metric)
    floats.add([[0.5, 0.5]])
    with pytest.raises(ValueError, match="the index must hold whole numbers"):
        floats.query(X)
    with pytest.raises(ValueError, match=r"X must hold integers below 2\*\*63"):
        BruteForceIndex().add(np.array([[2**63 + 1]], dtype=np.uint64))


@pytest.mark.parametrize("unit", ["datetime64[s]", "timedelta64[ns]"])
def test_times_are_no_numbers(unit, make):
    X = np.arange(5)[:, None].astype(unit)
    for given in (X, pd.DataFrame({"t": X[:, 0]}), pd.DataFrame({"t": X[:, 0], "x": 0.5})):
        for metric in ("euclidean", lambda a, b: 0.0):
            with pytest.raises(
                TypeError, match=r"X must hold numbers, got (dates|durations) in column (0|'t')"
            ):
                make(metric=metric).add(given)


def test_classes_of_points_that_float32_would_merge():
    X = 1_700_000_000 + np.arange(40.0)[:, None]
    y = np.arange(40) % 4
    whole = mf.BoundaryForestClassifier(5, random_state=0).fit(X, y)
    stream = mf.BoundaryForestClassifier(5, random_state=0)
    for i in range(40):
        stream.partial_fit(X[i : i + 1], y[i : i + 1])
    for forest in (whole, stream, pickle.loads(pickle.dumps(stream))):
        assert_array_equal(forest.predict(X), y)
        assert_array_equal(forest.query(X, 2)[0][:, 1] > 0, True)
        assert_array_equal(forest.stored_examples_[0][:, 0], X[forest.stored_, 0])


def test_an_estimator_widens_with_a_later_batch():
    forest = mf.BoundaryForestRegressor(5, random_state=0, tolerance=0)
    forest.partial_fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert forest.stored_examples_[0].dtype == np.float32
    with pytest.raises(ValueError, match="outputs"):
        forest.partial_fit([[0.1]], [[1, 2]])
    assert forest.stored_examples_[0].dtype == np.float32
    forest.partial_fit([[1 + 1e-12]], [7])
    assert forest.stored_examples_[0].dtype == np.float64
    assert_array_equal(forest.predict([[0.0], [1.0], [1 + 1e-12], [2.0]]), [0, 1, 7, 2])


def test_examples_may_be_finer_than_what_an_estimator_has_learned():
    X = np.arange(50.0)[:, None]
    forest = mf.BoundaryForestClassifier(5, random_state=0).partial_fit(X, np.arange(50))
    fine = X + 1e-12
    for queries in (fine, fine[1:2]):
        assert (forest.query(queries, 1)[0] > 0).all()
        assert_array_equal(forest.predict(queries), queries[:, 0].astype(int))
        assert_allclose(forest.predict_proba(queries).sum(axis=1), 1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int16, np.int64])
def test_what_fits_float32_is_kept_in_it(dtype):
    X = RNG.integers(0, 2000, (30, 3)).astype(dtype)
    index = mf.BoundaryIndex(3, random_state=0)
    index.add(X)
    assert index.get([0]).dtype == np.float32
    assert_array_equal(index.get(np.arange(30)), X)


def test_files_hold_doubles(tmp_path):
    X = RNG.normal(size=(300, 3))
    index = mf.BoundaryIndex(5, random_state=0)
    index.add(X)
    index.save(tmp_path / "index.mf")
    again = mf.BoundaryIndex.load(tmp_path / "index.mf")
    assert again.get([0]).dtype == np.float64
    assert_array_equal(again.get(index.ids), X)
    assert_array_equal(again.query(X, 3), index.query(X, 3))
    again.add(X[:1] + 1)
    again.save(tmp_path / "again.mf")
    forest = mf.BoundaryForestClassifier(5, random_state=0).fit(X, X[:, 0] > 0)
    forest.save(tmp_path / "forest.mf")
    assert_array_equal(mf.load(tmp_path / "forest.mf").predict_proba(X), forest.predict_proba(X))


# --------------------------------------------------------------------- any size


def unlike_points(n=60):
    """Points with whole coordinates, in no two of which all entries are proportional."""
    X = RNG.permutation(2000)[: 4 * n].reshape(n, 4).astype(float)
    X[:, 0] += 1
    return X


SIZES = [1e-320, 1e-300, 1e-160, 1e-42, 1e-30, 1e-23, 1.0, 1e16, 1e20, 9.97e33, 1e155, 1e290]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("size", SIZES)
def test_neighbours_of_numbers_of_any_size(size, metric, make):
    """They are those of the numbers in other units."""
    X = unlike_points()
    scaled = X * size if size > 1e-300 else np.ldexp(X, -1060)
    index, usual = make(metric=metric), make(metric=metric)
    index.add(scaled)
    usual.add(X)
    distances, ids = index.query(scaled, k=20)
    expected, order = usual.query(X, k=20)
    assert_array_equal(ids[:, 0], np.arange(len(X)))
    assert np.isfinite(distances).all()
    assert_array_equal(distances[:, 0], 0)
    assert (distances[:, 1:] > 0).all()
    if metric in ("cosine", "hamming"):
        assert_allclose(distances, expected, rtol=1e-5, atol=1e-12)
    else:
        unit = size if size > 1e-300 else np.ldexp(1.0, -1060)
        assert_allclose(distances / unit, expected, rtol=1e-5)
        assert (ids == order).mean() > 0.9  # rounding decides between equally far ones


FILL = 9.969209968386869e36  # in files of weather data


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fill_values_spoil_nothing(dtype, metric):
    X = RNG.normal(size=(300, 4)).astype(dtype)
    y = (X[:, 0] > 0).astype(int)
    queries = X[:40].copy()
    queries[:, 1] = FILL
    forest = mf.BoundaryForestClassifier(10, metric=metric, random_state=0).fit(X, y)
    assert np.isfinite(forest.predict_proba(queries)).all()  # far from all examples
    assert np.isfinite(forest.query(queries)[0]).all()

    X[::7, 1] *= dtype(FILL)
    found = mf.BoundaryIndex(10, metric=metric, random_state=0)
    found.add(X)
    exact = BruteForceIndex(metric=metric)
    exact.add(X)
    assert_array_equal(found.query(X, 3)[1][:, 0], np.arange(300))
    distances, ids = found.query(queries, 5)
    expected, nearest = exact.query(queries, 5)
    assert_allclose(distances, expected, rtol=1e-6, atol=1e-12)
    if metric != "cosine":  # directions of the largest are equal within rounding
        apart = np.diff(expected, axis=1).min(axis=1) > 1e-5 * expected[:, 0]
        assert_array_equal(ids[apart], nearest[apart])


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e-154, 1.0, 1e150, 1e154, 1e200, 1e300])
def test_responses_of_any_size_are_learned_and_stored(size, tmp_path):
    X = np.arange(200.0)[:, None]
    whole = np.arange(200) % 50
    y = whole * (size / 50)
    for responses in (y, np.stack([y, -y], axis=1)):
        forest = mf.BoundaryForestRegressor(5, random_state=0).fit(X, responses)
        usual = mf.BoundaryForestRegressor(5, random_state=0).fit(X, np.round(responses / y[1]))
        assert_array_equal(forest.n_nodes_, usual.n_nodes_)
        assert 0 < forest.tolerance_ < np.inf
        forest.save(tmp_path / "forest.mf")
        again = mf.load(tmp_path / "forest.mf")
        assert_array_equal(again.predict(X), forest.predict(X))
        exact = mf.BoundaryForestRegressor(5, random_state=0, tolerance=0).fit(X, responses)
        assert_allclose(exact.predict(X), responses, rtol=1e-14)


@pytest.mark.parametrize("y", [1.1e300, -1.7e308])
def test_larger_responses_are_refused(y):
    forest = mf.BoundaryForestRegressor(3)
    message = r"y must hold numbers in \[-1e\+300, 1e\+300\]"
    with pytest.raises(ValueError, match=message):
        forest.fit([[0.0], [1.0]], [0.0, y])
    forest.fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match=message):
        forest.partial_fit([[0.0]], [y])


@pytest.mark.parametrize("ask", ["predict", "query"])
def test_points_that_need_doubles_may_come_during_a_query(ask, monkeypatch):
    X = np.arange(60, dtype=np.float32).reshape(20, 3)
    forest = mf.BoundaryForestClassifier(5, random_state=0).fit(X, np.arange(20) % 3)
    expected = getattr(forest, ask)(X)
    read, widened = type(forest)._read_points, []

    def read_and_widen(self, *given):
        points = read(self, *given)
        if not widened:
            widened.append(True)
            forest.partial_fit([[0.1, 0.1, 0.1]], [2])  # no float32
        return points

    monkeypatch.setattr(type(forest), "_read_points", read_and_widen)
    found = getattr(forest, ask)(X)  # of the forest as it was when it was asked
    for one, other in zip(np.atleast_2d(found), np.atleast_2d(expected), strict=True):
        assert_array_equal(one, other)
    assert forest._learned.forest.point_format.dtype == np.float64


def test_a_file_holds_points_and_trees_of_one_moment(monkeypatch, tmp_path):
    X = np.arange(60, dtype=np.float32).reshape(20, 3)
    forest = mf.BoundaryForestClassifier(5, random_state=0).fit(X, np.arange(20) % 3)
    learned = type(forest._learned)
    snapshot = learned.snapshot

    def then_widen(self):
        found = snapshot(self)
        forest.partial_fit([[0.1, 0.1, 0.1]], [2])
        return found

    with monkeypatch.context() as patch:
        patch.setattr(learned, "snapshot", then_widen)
        forest.save(tmp_path / "forest.mf")
    assert mf.load(tmp_path / "forest.mf").n_seen_ == 20
    assert forest.n_seen_ == 21

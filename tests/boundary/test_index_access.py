"""Points by id, filters, inner products and unusual inputs of both indexes."""

from __future__ import annotations

import threading
import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import manifoldforest as mf
from manifoldforest.boundary import BruteForceIndex

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
INDEXES = {
    "forest": lambda **params: mf.BoundaryIndex(10, random_state=0, **params),
    "twin": BruteForceIndex,
}


@pytest.fixture(params=INDEXES)
def make(request):
    return INDEXES[request.param]


def letters(a, b):
    return len(set(a) ^ set(b))


def apart(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).sum())


# ------------------------------------------------------------------------ points by id


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", apart])
def test_points_are_returned_by_id_as_they_were_given(metric, dtype, make):
    images = (100 * RNG.random((12, 2, 3))).astype(dtype)
    index = make(metric=metric)
    ids = index.add(images[:8], ids=np.arange(8) * 3)
    index.add(images[8:])
    assert_array_equal(index.get(ids), images[:8])
    some = index.get([9, 0, 9])
    assert_array_equal(some, images[[3, 0, 3]])
    assert some.dtype == dtype
    some[:] = 0  # a copy
    assert_array_equal(index.get([0]), images[:1])
    assert index.get([]).shape == (0, 2, 3)
    index.remove([0])
    index.update([3], images[:1])
    assert_array_equal(index.get([3]), images[:1])
    for unknown in ([0], [3, 999]):
        with pytest.raises(KeyError, match="ids must be in the index"):
            index.get(unknown)
    with pytest.raises(TypeError, match="ids must be"):
        index.get({3})


def test_objects_and_embedded_points_are_returned_by_id(make):
    words = make(metric=letters)
    words.add(["stone", "river"], ids=[4, 2])
    assert words.get([2, 4]) == ["river", "stone"]
    embedded = make(embedding=lambda X: np.asarray(X)[:, :2])
    embedded.add(X)
    assert_array_equal(embedded.get([5]), X[5:6, :2])
    assert embedded.dim == 2


def test_the_number_of_features(make):
    index = make()
    assert index.dim is None
    with pytest.raises(KeyError, match="ids must be in the index"):
        index.get([0])
    index.add(RNG.random((3, 4, 5)))
    assert index.dim == 20
    index.remove([0, 1, 2])
    assert index.dim is None
    words = make(metric=letters)
    words.add(["a"])
    assert words.dim is None


def test_a_set_says_not_in_which_order_points_are_wanted(make):
    index = make()
    index.add(X)
    with pytest.raises(TypeError, match="ids must be in the order of the points to return, got a"):
        index.get({1})
    with pytest.raises(TypeError, match="ids must be in the order of the rows of X, got a set"):
        index.update({1}, X[:1])


def test_only_integers_are_ids(make):
    index = make()
    index.add(X)
    assert 3 in index
    assert np.int64(3) in index
    for stranger in (3.0, "3", None, [3], 2**70):
        assert stranger not in index


# ----------------------------------------------------------------------------- filters


@pytest.mark.parametrize("k", [1, 4, 100])
def test_a_predicate_is_a_filter(k, make):
    index = make()
    index.add(X)
    asked = []

    def even(i):
        asked.append(i)
        return i % 2 == 0

    expected = index.query(X, k, among=range(0, 60, 2))
    assert_array_equal(index.query(X, k, where=even), expected)
    assert sorted(asked) == list(range(60))
    assert all(type(i) is int for i in asked)
    expected = index.query(X, k, among=[4, 8])
    assert_array_equal(index.query(X, k, among=[3, 4, 8, 9], where=even), expected)
    with pytest.raises(ValueError, match="where must accept at least one of the 60 ids"):
        index.query(X, where=lambda i: False)
    with pytest.raises(TypeError, match="where must be a function of an id, got 3"):
        index.query(X, where=3)
    with pytest.raises(ZeroDivisionError):
        index.query(X, where=lambda i: 1 / 0)


def test_a_predicate_while_another_thread_removes_points():
    index = mf.BoundaryIndex(5, random_state=0)
    points = RNG.normal(size=(3000, 3))
    index.add(points)
    done = threading.Event()

    def remove():
        for i in range(0, 200):
            index.remove([i])
        done.set()

    thread = threading.Thread(target=remove)
    thread.start()
    while not done.is_set():
        ids = index.query(points[:3], 5, where=lambda i: i % 2 == 0)[1]
        assert (ids % 2 == 0).all()
    thread.join()


@pytest.mark.parametrize("n_points", [40, 3000])  # measured one by one, found by walks
@pytest.mark.parametrize("n_left", [0, 1, 5])
def test_points_that_go_while_a_predicate_is_asked_are_left_out(n_points, n_left):
    index = mf.BoundaryIndex(5, random_state=0)
    points = RNG.normal(size=(n_points, 3))
    index.add(points)
    accepted = np.arange(20)
    asked = []

    def removes(i):  # as another thread could
        if i == n_points - 1:
            index.remove(accepted[n_left:])
        asked.append(i)
        return i < 20

    distances, ids = index.query(points[:3], 4, where=removes)
    assert asked == list(range(n_points))
    assert distances.shape == ids.shape == (3, min(4, n_left))
    if n_left:
        assert_array_equal((distances, ids), index.query(points[:3], 4, among=accepted[:n_left]))


def test_a_predicate_is_asked_once_while_another_thread_keeps_removing():
    index = mf.BoundaryIndex(3, random_state=0)
    points = RNG.normal(size=(4000, 3))
    index.add(points)
    stop = threading.Event()

    def remove():
        for i in range(3999, 0, -1):
            if stop.is_set():
                return
            index.remove([i])

    thread = threading.Thread(target=remove)
    thread.start()
    asked = []

    def slow(i):
        asked.append(i)
        if i % 100 == 0:
            time.sleep(0.001)  # let the other thread go on
        return True

    index.query(points[:3], 5, where=slow)
    stop.set()
    thread.join()
    assert len(asked) == len(set(asked)) <= 4000


def test_a_point_of_among_that_goes_meanwhile_is_an_error():
    index = mf.BoundaryIndex(5, random_state=0)
    index.add(X)

    def removes(i):
        if i == 3:
            index.remove([1])
        return True

    with pytest.raises(KeyError, match="no point has the id 1"):
        index.query(X[:2], among=[1, 2, 3], where=removes)


# ------------------------------------------------------------------ arrays and sequences


def manhattan(a, b):
    return float(np.abs(np.asarray(a, dtype=float) - b).sum())


def test_sequences_after_arrays_are_arrays(make):
    index = make(metric=manhattan)
    index.add(np.eye(2))
    index.add([[1, 2], [3, 4]])
    index.update([1], [[7, 8]])
    assert_array_equal(index.get([0, 1, 2, 3]), [[1, 0], [7, 8], [1, 2], [3, 4]])
    assert_array_equal(index.query([[3, 5]], 2), ([[1, 5]], [[3, 2]]))
    for wrong in ([[1, 2, 3]], [[1], [2, 3]], ["ab"]):
        for call in (index.add, index.query, lambda X: index.update([0], X)):
            with pytest.raises(ValueError, match="X"):
                call(wrong)
    assert len(index) == 4
    assert index.dim == 2


def test_arrays_after_sequences_are_objects(make):
    index = make(metric=manhattan)
    index.add([(1, 2)])
    rows = np.eye(2, dtype=np.float32)
    index.add(rows)
    rows[:] = 9  # the index has its own
    found = index.get([0, 1, 2])
    assert found[0] == (1, 2)
    assert_array_equal(found[1:], np.eye(2))
    assert isinstance(found, list)
    assert index.dim is None
    assert_array_equal(index.query(np.array([[1, 1]]), 3), ([[1, 1, 1]], [[0, 1, 2]]))
    assert_array_equal(index.query([[1, 3]]), ([[1]], [[0]]))


# ---------------------------------------------------------------------- inner products


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_the_largest_inner_product_is_the_nearest(dtype, make, tmp_path):
    points = (200 * RNG.random((60, 4))).astype(dtype)
    index = make(metric="inner_product")
    index.add(points)
    distances, ids = index.query(points[:7], k=5)  # so few points are all measured
    products = points[:7].astype(float) @ points.T.astype(float)
    assert_array_equal(ids, np.argsort(-products, axis=1, kind="stable")[:, :5])
    expected = 1 - np.take_along_axis(products, ids, axis=1)
    assert_allclose(distances, expected, rtol=1e-5 if dtype == np.float32 else 1e-12)
    index.save(tmp_path / "index.mf")
    again = type(index).load(tmp_path / "index.mf")
    assert_array_equal(again.query(points, 5), index.query(points, 5))


def test_small_products_are_ordered(make):
    """1 - <x, y> is 1 for all of them."""
    index = make(metric="inner_product")
    index.add(np.array([[1.0], [3.0], [2.0]]) * 1e-12)
    assert index.query([[1e-12]], k=3)[1].tolist() == [[1, 2, 0]]


def test_recall_of_inner_products():
    centres = 2 * RNG.normal(size=(40, 16))
    points = (centres[RNG.integers(0, 40, 3000)] + RNG.normal(size=(3000, 16))).astype(np.float32)
    forest, twin = (
        INDEXES["forest"](metric="inner_product"),
        BruteForceIndex(metric="inner_product"),
    )
    for index in (forest, twin):
        index.add(points[100:])
    found, exact = forest.query(points[:100], 10)[1], twin.query(points[:100], 10)[1]
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, exact, strict=True)])
    assert recall > 0.8


def test_inner_products_have_their_range_and_no_forest_to_predict(make):
    with pytest.raises(ValueError, match=r"X must hold numbers in \[-1e\+150, 1e\+150\]"):
        make(metric="inner_product").add([[1e151]])
    for estimator in (mf.BoundaryForestClassifier, mf.BoundaryForestRegressor):
        with pytest.raises(ValueError, match="metric must be one of 'euclidean'"):
            estimator(metric="inner_product").fit(X, np.arange(60) % 3)


# ---------------------------------------------------------------------- unusual inputs


@pytest.mark.parametrize("metric", ["euclidean", apart])
@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame(X),
        X.astype(object),
        X[:, ::-1],
        np.asfortranarray(X),
        np.ma.array(X),
        X.astype(np.longdouble),
        X.round().astype(np.float16),
        X.astype(">f8"),
    ],
    ids=["table", "objects", "view", "columns", "masked", "longdouble", "half", "swapped"],
)
def test_arrays_of_many_kinds(given, metric, make):
    index = make(metric=metric)
    index.add(given)
    distances, ids = index.query(given, 1)
    if np.asarray(given).dtype != np.float16:  # some of these are equal
        assert_array_equal(ids[:, 0], np.arange(60))
    assert_array_equal(distances, 0)
    assert_array_equal(index.get([7]), np.asarray(given, dtype=float)[7:8])


@pytest.mark.parametrize("metric", ["euclidean", apart])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.float64(3), "X must be"),
        (np.array(3.0), "X must be"),
        (pd.DataFrame({"a": ["x", "y"]}), "X must hold numbers"),
        (np.array([["a", "b"]]), "X must hold numbers"),
        (np.array([[None, 1.0]], dtype=object), "X|NaN|float"),
        (X + 1j, "[Cc]omplex"),
        (np.zeros((2, 0)), "feature"),
    ],
    ids=["number", "0-d", "text table", "text", "None", "complex", "no columns"],
)
def test_what_is_no_array_of_numbers_is_refused(given, message, metric, make):
    index = make(metric=metric)
    with pytest.raises((TypeError, ValueError), match=message):
        index.add(given)
        index.query(given)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("metric", ["euclidean", apart])
def test_matrices_are_refused(metric, make):
    with pytest.raises(TypeError, match="matrix"):
        make(metric=metric).add(np.matrix(X))


def test_lists_of_different_lengths_are_objects(make):
    ragged = [[1.0, 2.0], [3.0]]
    with pytest.raises(ValueError, match="X must be a rectangular array of numbers"):
        make().add(ragged)
    index = make(metric=lambda a, b: abs(len(a) - len(b)))
    index.add(ragged)
    assert index.query([[7.0]])[1].tolist() == [[1]]
    assert index.get([0, 1]) == ragged


@pytest.mark.parametrize("shape", [(2, 3), (2, 2, 2)])
def test_memoryviews_are_refused_by_functions_and_read_by_names(shape, make):
    view = memoryview(np.arange(float(np.prod(shape))).reshape(shape))
    with pytest.raises(TypeError, match=r"got a memoryview with \d axes: pass numpy.asarray"):
        make(metric=apart).add(view)
    index = make()
    index.add(view)
    assert_array_equal(index.get([0, 1]), np.asarray(view))
    for metric in ("euclidean", apart):
        forest = mf.BoundaryForestClassifier(2, metric=metric)
        if metric == apart:
            with pytest.raises(TypeError, match="got a memoryview"):
                forest.fit(view, [0, 1])
        else:
            assert forest.fit(view, [0, 1]).predict(view).tolist() == [0, 1]


def test_a_memoryview_with_one_axis_is_a_sequence(make):
    index = make(metric=lambda a, b: abs(a - b))
    index.add(memoryview(b"az"))
    assert index.query(memoryview(b"b"))[1].tolist() == [[0]]

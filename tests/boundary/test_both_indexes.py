"""BoundaryIndex and BruteForceIndex have one interface, and the same answers where all is exact."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import threading
import weakref

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator

import manifoldforest as mf
from manifoldforest.boundary import BruteForceIndex
from manifoldforest.boundary._metrics import INDEX_METRICS
from manifoldforest.boundary._neighbour_index import NeighbourIndex

CLASSES = (mf.BoundaryIndex, BruteForceIndex)
OF_TREES = {"n_estimators", "max_children", "random_state", "n_nodes_", "depth_", "trees_"}
POINTS = np.random.default_rng(0).integers(0, 256, size=(60, 5), dtype=np.uint8)
QUERIES = np.random.default_rng(1).integers(0, 256, size=(20, 5), dtype=np.uint8)

both = pytest.mark.parametrize("index_class", CLASSES)


def public(index_class):
    return {name for name in dir(index_class) if not name.startswith("_")}


def letters(a, b):
    return len(set(a) ^ set(b))


# -------------------------------------------------------------------------- interface


def test_both_have_the_same_methods_and_properties_but_for_trees():
    assert public(mf.BoundaryIndex) - OF_TREES == public(BruteForceIndex)
    assert public(BruteForceIndex) & OF_TREES == set()
    assert public(mf.BoundaryIndex) >= OF_TREES


SPECIAL = ("__len__", "__iter__", "__contains__", "__repr__", "__getstate__", "__setstate__")


@pytest.mark.parametrize("name", sorted((*public(BruteForceIndex), *SPECIAL)))
def test_what_both_have_is_defined_and_documented_once(name):
    one, other = (inspect.getattr_static(index_class, name) for index_class in CLASSES)
    assert one is other is inspect.getattr_static(NeighbourIndex, name)
    if not name.startswith("__"):
        assert inspect.getdoc(one)


def test_constructors_have_the_same_parameters_but_for_trees():
    one, other = (inspect.signature(index_class).parameters for index_class in CLASSES)
    assert set(one) - OF_TREES == set(other)
    for name, parameter in other.items():
        assert parameter == one[name]
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


@both
def test_an_index_is_no_estimator(index_class):
    assert not issubclass(index_class, BaseEstimator)
    for name in ("get_params", "set_params", "fit", "_get_tags"):
        assert not hasattr(index_class, name)


@both
def test_parameters_are_fixed_but_for_the_number_of_threads(index_class):
    index = index_class(metric="manhattan", n_jobs=1)
    names = set(inspect.signature(index_class).parameters)
    for name in names - {"n_jobs"}:
        with pytest.raises(AttributeError):
            setattr(index, name, getattr(index, name))
    index.n_jobs = 2
    assert index.n_jobs == 2
    with pytest.raises(ValueError, match="n_jobs must be an integer other than 0 or None, got 0"):
        index.n_jobs = 0
    assert index.n_jobs == 2


@both
@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        (
            {"metric": "minkowski"},
            ValueError,
            "metric must be one of 'euclidean', .* got 'minkowski'",
        ),
        ({"metric": 3}, TypeError, "metric must be"),
        ({"embedding": "pca"}, TypeError, "embedding must be a transformer or a callable or None"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be"),
        ({"n_jobs": "all"}, TypeError, "n_jobs must be"),
    ],
)
def test_bad_parameters_are_refused_at_once(index_class, params, error, message):
    with pytest.raises(error, match=message):
        index_class(**params)


@both
def test_the_text_of_an_index_says_what_it_holds(index_class):
    index = index_class(metric="manhattan")
    name = index_class.__name__
    assert repr(index) == f"<{name}: 0 points, metric='manhattan'>"
    index.add(POINTS)
    assert repr(index) == f"<{name}: 60 points of shape (5,), metric='manhattan'>"


# ---------------------------------------------------------------------------- answers


def exact_answers(index, metric):
    """All that can be seen of an index; up to 768 points, answers of both are exact."""
    first, second = 2, 4
    seen = [index.add(POINTS[:40], ids=np.arange(40) * 3)]
    seen += [index.add(POINTS[40:50]), *index.query(QUERIES, 60)]
    index.remove([3, 9, 30, 117])
    index.update([0, 6], POINTS[50 : 50 + first])
    seen += [index.ids, index.get(index.ids), *index.query(QUERIES, second)]
    seen += [*index.query(QUERIES, 3, among={0, 12, 15, 118})]
    seen += [*index.query(QUERIES, 3, where=lambda i: i % 2 == 0)]
    seen += [len(index), index.dim, 9 in index, 12 in index, list(index)]
    index.update(index.ids, POINTS[: len(index)][::-1])
    seen += [index.ids, *index.query(QUERIES, 3)]
    index.remove(index.ids)
    seen += [len(index), index.ids, index.dim, index.add(POINTS[:2]), *index.query(QUERIES, 2)]
    return seen


@pytest.mark.parametrize("metric", INDEX_METRICS)
def test_both_give_the_same_answers_to_exact_problems(metric):
    one, other = (exact_answers(index_class(metric=metric), metric) for index_class in CLASSES)
    for a, b in zip(one, other, strict=True):
        if isinstance(a, np.ndarray) and a.dtype == np.float64:
            # 1 - cos of bytes is rounded in another order
            np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-15)
        else:
            assert_array_equal(a, b)
            assert getattr(a, "dtype", type(a)) == getattr(b, "dtype", type(b))


def test_both_give_the_same_answers_for_objects():
    words = ["tree", "three", "forest", "river", "rover", "stone", "tone", "notes"]

    def answers(index):
        seen = [index.add(words).tolist(), *index.query(["trees", "ton"], 8)]
        index.remove([1, 4])
        index.update([0, 5], ["over", "moss"])
        return [*seen, index.ids, index.get(index.ids), *index.query(["tree"], 4)]

    for a, b in zip(*(answers(kind(metric=letters)) for kind in CLASSES), strict=True):
        assert_array_equal(a, b)


@both
def test_an_updated_point_arrives_again_and_loses_ties(index_class):
    index = index_class()
    index.add([[1.0], [1.0], [1.0]])
    index.update([0], [[1.0]])
    assert index.ids.tolist() == [1, 2, 0]
    assert index.query([[1.0]], 3)[1].tolist() == [[1, 2, 0]]


# --------------------------------------------------------------------- copies, threads


@both
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda i: pickle.loads(pickle.dumps(i))]
)
@pytest.mark.parametrize("metric", ["manhattan", letters])
def test_copies_and_pickles_are_indexes_of_their_own(index_class, copied, metric):
    points = POINTS if metric == "manhattan" else ["stone", "river", "wood", "tree", "tones"]
    index = index_class(metric=metric, n_jobs=1)
    for i in range(4):  # one by one: the last ones lie in memory with spare room behind
        index.add(points[i : i + 1])
    index.remove([1])
    again = copied(index)
    assert type(again) is index_class
    assert (again.metric, again.n_jobs) == (metric, 1)
    assert_array_equal(again.query(points[:4], 3), index.query(points[:4], 3))
    assert again.add(points[3:4]).tolist() == index.add(points[4:5]).tolist() == [4]
    assert_array_equal(again.get([4]), points[3:4])
    assert_array_equal(index.get([4]), points[4:5])
    again.remove([4])
    assert 4 in index


@both
def test_queries_run_while_another_thread_changes_the_index(index_class):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3000, 3)).astype(np.float32)
    index = index_class()
    index.add(points[:100])
    done, errors = threading.Event(), []

    def ask():
        try:
            while not done.is_set():
                distances, ids = index.query(points[:20], 5)
                assert distances.shape == ids.shape == (20, 5)
                assert (np.diff(distances, axis=1) >= 0).all()
                assert len(index.ids) >= 100
                assert_array_equal(index.get([0]), points[:1])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for i in range(100, 400, 2):
            index.add(points[i : i + 2])
            index.remove([i - 1])
            index.update([i], points[i : i + 1] + 1)
    finally:
        done.set()
        for thread in threads:
            thread.join(60)
    assert errors == []
    assert len(index) == 250


@both
def test_an_embedding_must_not_change_its_index(index_class):
    def embedding(X):
        index.add(X)
        return X

    index = index_class(embedding=embedding)
    with pytest.raises(RuntimeError, match="nor may an embedding"):
        index.add(POINTS)
    assert len(index) == 0


@both
def test_an_index_that_its_points_hold_is_freed(index_class):
    class Point:
        pass

    index = index_class(metric=lambda a, b: 0.0)
    point = Point()
    point.index = index
    index.add([point, Point()])
    alive = weakref.ref(index)
    del index, point
    gc.collect()
    assert alive() is None


@both
def test_booleans_are_no_ids(index_class):
    index = index_class()
    index.add(POINTS[:3])
    assert 1 in index
    assert np.int64(1) in index
    assert all(key not in index for key in (True, False, np.True_, 1.0, "1"))

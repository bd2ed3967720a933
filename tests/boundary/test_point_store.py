"""How a BruteForceIndex stores its points: few copies, whole changes, and the type of the table."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from manifoldforest.boundary import BruteForceIndex, _point_store
from reference.boundary import edit_distance

POINTS = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0], [3.0, 0.0]])


def index_of(X, **params):
    index = BruteForceIndex(**params)
    index.add(X)
    return index


def state(index):
    return index.ids.tolist(), index._next_id, list(map(str, index.get(index.ids)))


@pytest.fixture
def allocations(monkeypatch):
    """The numbers of rows for which tables were allocated."""
    sizes = []
    empty = np.empty

    def counted(shape, dtype=float):
        if isinstance(shape, tuple) and len(shape) == 2:
            sizes.append(shape[0])
        return empty(shape, dtype)

    monkeypatch.setattr(_point_store.np, "empty", counted)
    return sizes


def test_points_that_come_one_by_one_do_not_copy_those_before(allocations):
    index = BruteForceIndex()
    for i in range(1000):
        index.add([[i, 0.5]])
    assert allocations == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]


def test_getting_points_copies_no_others(monkeypatch):
    index = index_of(np.zeros((20_000, 20)))
    index.add(np.ones((1, 20)))
    tracemalloc.start()
    for _ in range(3):
        index.get([20_000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000 < 20_000 * 20


@pytest.mark.parametrize(
    ("metric", "points"), [("euclidean", POINTS), (edit_distance, ["ab", "c", "def", "g"])]
)
def test_a_call_that_is_interrupted_leaves_the_index_as_it_was(metric, points, monkeypatch):
    index = index_of(points[:3], metric=metric)
    before, answer = state(index), index.query(points, 3)

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(_point_store.GrowingArray, "appended", interrupt)
        for call in (lambda X: index.add(X, ids=[7]), lambda X: index.update([1], X)):
            with pytest.raises(KeyboardInterrupt):
                call(points[3:])
            assert 7 not in index
    assert state(index) == before
    assert_array_equal(index.query(points, 3), answer)
    assert index.add(points[3:]).tolist() == [3]
    assert 7 not in index
    assert_array_equal(index.query(points[3:])[1], [[3]])


def test_the_type_of_the_index_is_that_of_its_points():
    long, half = [[2**60 + 1]], [[0.5]]
    index = index_of([[1.0], [2.0]])
    index.update([0], long)
    with pytest.raises(ValueError, match="X must hold whole numbers"):
        index.add(half)
    index.add(long)
    index.update([0], [[3.0]])
    with pytest.raises(ValueError, match="X must hold whole numbers"):
        index.add(half)
    index.remove([2])
    assert index.add(half) == [3]
    with pytest.raises(ValueError, match="the index must hold whole numbers"):
        index.add(long)
    assert_array_equal(index.get([0, 1, 3]), [[3.0], [2.0], [0.5]])
    assert index.get([0]).dtype == np.float32


def test_a_store_does_not_change_when_the_index_does():
    index = index_of(POINTS)
    for point in POINTS:
        index.add([point + 10])
    before = index._storage
    ids, rows = before.ids, before.rows.copy()
    index.add(POINTS + 20)
    index.update([0, 1], POINTS[:2] + 0.1)  # float64: the table becomes wider
    index.remove([2, 3])
    assert_array_equal(before.ids, ids)
    assert_array_equal(before.rows, rows)
    assert before.contains(2)
    assert not before.contains(8)
    assert index._storage.contains(8)
    assert not index._storage.contains(2)


@pytest.mark.parametrize(("wide", "dtype"), [(0.1, np.float64), (2**60 + 1, np.int64)])
def test_the_table_becomes_wider_and_narrower_with_its_points(wide, dtype):
    index = index_of(np.array([[1, 2]], dtype=np.uint8))
    assert index.get([0]).dtype == np.uint8
    index.add(np.array([[wide, 1]]))
    assert index.get([0]).dtype == dtype
    index.add(np.array([[3, 4]], dtype=np.float32))
    assert index.get([1]).tolist() == [[wide, 1]]
    index.remove([1])
    assert index.get([0, 2]).dtype == np.float32
    index.remove([2])
    assert index.get([0]).dtype == np.uint8
    assert index.get([0]).tolist() == [[1, 2]]

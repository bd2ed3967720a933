"""BoundaryIndex: ids come and go, and answers are near those of the exact twin."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.decomposition import PCA

import manifoldforest as mf
from manifoldforest.boundary import BruteForceIndex
from manifoldforest.boundary._metrics import METRICS
from reference.boundary import edit_distance, tree_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 6)).astype(np.float32)
QUERIES = RNG.normal(size=(50, 6)).astype(np.float32)


def index_of(rows, ids=None, **params):
    index = mf.BoundaryIndex(**({"n_estimators": 6, "max_children": 4, "random_state": 0} | params))
    index.add(rows, ids)
    return index


def twin_of(rows, ids=None, **params):
    twin = BruteForceIndex(**params)
    twin.add(rows, ids)
    return twin


def outlines(index):
    return [(tree.example.tolist(), tree.parent.tolist()) for tree in index.trees_]


def assert_sound(index, max_children=4):
    """Every point is once in every tree, no node has too many children, the numbers fit."""
    ids = index.ids.tolist()
    assert len(index) == len(ids) == len(set(ids))
    assert list(index) == ids
    for view, n_nodes, depth in zip(index.trees_, index.n_nodes_, index.depth_, strict=True):
        tree = tree_of(view, max_children)
        assert sorted(view.example.tolist()) == sorted(ids)
        assert max(len(node.children) for node in tree.nodes()) <= max_children
        assert (n_nodes, depth) == (len(ids), tree.depth())


# ----------------------------------------------------------------- add, query


def test_ids_are_the_next_integers_or_those_that_are_given():
    index = mf.BoundaryIndex(4, random_state=0)
    assert len(index) == 0
    assert index.ids.tolist() == list(index) == []
    ids = index.add(X[:3])
    assert ids.dtype == index.ids.dtype == np.int64
    assert ids.tolist() == [0, 1, 2]
    assert index.add(X[3:5], ids=[-7, 90]).tolist() == [-7, 90]
    index.remove([90])
    assert index.add(X[5:7]).tolist() == [91, 92]  # 90 was used
    assert index.add(X[7:8], ids=np.array([90], dtype=np.uint8)).tolist() == [90]
    assert list(index) == [0, 1, 2, -7, 91, 92, 90]
    assert -7 in index
    assert np.int64(91) in index
    assert 3 not in index
    assert index.query(X[3:4])[1].tolist() == [[-7]]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_answers_are_true_distances_of_different_points(metric, dtype):
    rows = (X * 3 + 10).astype(dtype)
    queries = (QUERIES * 3 + 10).astype(dtype)
    ids = np.arange(300)[::-1] * 10
    index, twin = index_of(rows, ids, metric=metric), twin_of(rows, ids, metric=metric)
    d, found = index.query(queries, k=5)
    assert d.dtype == np.float64
    assert found.dtype == np.int64
    assert d.shape == found.shape == (50, 5)
    assert (np.diff(d, axis=1) >= 0).all()
    for i in range(50):
        assert len(set(found[i].tolist())) == 5
        exact, order = twin.query(queries[i : i + 1], k=5, among=found[i])
        if dtype == np.uint8:
            assert_allclose(d[i], exact[0], rtol=1e-14, atol=1e-15)
        else:
            assert_allclose(d[i], exact[0], rtol=1e-5, atol=1e-7)
    assert (d[:, 0] >= twin.query(queries)[0][:, 0] - 1e-6).all()


@pytest.mark.parametrize("k", [300, 10**6])
def test_all_points_come_back_when_as_many_are_asked_for(k):
    d, found = index_of(X).query(QUERIES, k)
    exact, order = twin_of(X).query(QUERIES, k)
    assert d.shape == (50, 300)
    assert_allclose(d, exact, rtol=1e-5)
    assert_array_equal(found, order)


def test_with_fewer_points_than_trees_answers_are_exact():
    for m in (1, 2, 5):
        d, found = index_of(X[:m]).query(QUERIES, k=3)
        exact, order = twin_of(X[:m]).query(QUERIES, k=3)
        assert_array_equal(found, order)
        assert_allclose(d, exact, rtol=1e-5)


@pytest.mark.parametrize("size", [1, 4, 40])
def test_only_some_may_be_found(size):
    index, twin = index_of(X), twin_of(X)
    some = np.random.default_rng(size).choice(300, size=size, replace=False)
    for among in (some, set(some.tolist()), some.tolist()):
        d, found = index.query(QUERIES, k=7, among=among)
        assert d.shape == found.shape == (50, min(7, size))
        assert np.isin(found, some).all()
        exact, order = twin.query(QUERIES, k=7, among=among)
        assert (d >= exact - 1e-5).all()
        if size <= 7:  # all of them
            assert_array_equal(found, order)
            assert_allclose(d, exact, rtol=1e-5)


def test_recall_is_high_and_more_trees_find_more():
    """Of 10 neighbours in 6 dimensions; 2000 neighbours are looked for, +- 0.01 each.

    As many points are measured as 50 trees need.
    """
    rng = np.random.default_rng(1)
    rows, queries = rng.normal(size=(3000, 6)), rng.normal(size=(200, 6))
    exact = twin_of(rows).query(queries, 10)[1]
    recall = []
    for n_estimators in (1, 8, 50):
        index = index_of(rows, n_estimators=n_estimators, max_children=50)
        found = index.query(queries, 10, effort=300)[1]
        recall.append(np.mean([np.isin(e, f).mean() for e, f in zip(exact, found, strict=True)]))
    assert recall[0] + 0.1 < recall[1] < recall[2]
    assert recall[2] > 0.9


def test_words_and_sets_have_neighbours():
    words = ["tree", "three", "forest", "for", "river", "rover", "stone", "tone"]
    index = index_of(words, metric=edit_distance, max_children=2)
    assert index.query(["trees", "river", "ton"])[1].tolist() == [[0], [4], [7]]
    index.remove([4])
    assert index.query(["river"])[1].tolist() == [[5]]
    index.update([0], ["river"])
    assert index.query(["river"])[1].tolist() == [[0]]
    assert index.add(["rivers"]).tolist() == [8]
    assert index.query(["rivers"], k=2)[1].tolist() == [[8, 0]]
    assert index.query(["river"], k=1, among={2, 3})[1].tolist() == [[3]]

    def jaccard(a, b):
        return 1 - len(a & b) / len(a | b)

    sets = [{i, i + 1, i * 7 % 13} for i in range(40)]
    index, twin = index_of(sets, metric=jaccard), twin_of(sets, metric=jaccard)
    assert_allclose(index.query(sets)[0], 0)
    assert_array_equal(index.query([{1, 2}], 40)[0], twin.query([{1, 2}], 40)[0])


def test_an_embedding_comes_before_distances():
    pca = PCA(2).fit(X)
    for embedding in (pca, pca.transform):
        index = index_of(X, embedding=embedding)
        assert outlines(index) == outlines(index_of(pca.transform(X)))
        assert_array_equal(
            index.query(QUERIES, 3)[1],
            index_of(pca.transform(X)).query(pca.transform(QUERIES), 3)[1],
        )


def test_images_equal_flat_points():
    images = X.reshape(300, 2, 3)
    assert_array_equal(
        index_of(images).query(QUERIES.reshape(50, 2, 3), 3), index_of(X).query(QUERIES, 3)
    )


# ------------------------------------------------------------- remove, update


@pytest.mark.parametrize("max_children", [2, 4, 50])
def test_every_invariant_holds_after_removing(max_children):
    rng = np.random.default_rng(0)
    index = index_of(X, max_children=max_children)
    left, gone = set(range(300)), set()
    while len(left) > 3:
        ids = rng.choice(sorted(left), size=min(17, len(left) - 1), replace=False)
        if len(left) > 200:  # roots too
            ids = np.union1d(ids, [index.trees_[0].example[0]])
        index.remove(ids)
        left -= set(ids.tolist())
        gone |= set(ids.tolist())
        assert_sound(index, max_children)
        assert sorted(index) == sorted(left)
        found = index.query(QUERIES, k=10)[1]
        assert not gone & set(found.ravel().tolist())
        assert not any(i in index for i in gone)
    assert index.ids.tolist() == sorted(left)  # the order of arrival stays


def test_removed_and_updated_trees_can_still_be_walked():
    """Where a walk ends, a point may be added: the next one ends at it."""
    index = index_of(X, max_children=2)
    rng = np.random.default_rng(1)
    for i in range(100):
        index.remove(rng.choice(index.ids, size=2, replace=False))
        (new,) = index.add(QUERIES[i % 50 : i % 50 + 1] + i)
        d, found = index.query(QUERIES[i % 50 : i % 50 + 1] + i)
        assert (d[0, 0], found[0, 0]) == (0, new)
    assert_sound(index, 2)
    assert len(index) == 200


def test_all_points_may_be_removed_and_others_added():
    index = index_of(X[:20])
    index.remove(index.ids)
    assert len(index) == 0
    assert list(index) == []
    with pytest.raises(ValueError, match="point"):
        index.query(QUERIES)
    assert index.add(X[20:60]).tolist() == list(range(20, 60))
    assert_sound(index)
    assert_array_equal(index.query(X[20:60])[1][-1], [59])
    exact = twin_of(X[20:60], np.arange(20, 60)).query(QUERIES, 40)
    assert_array_equal(index.query(QUERIES, 40)[1], exact[1])


def test_points_may_go_while_there_are_fewer_than_trees():
    index = index_of(X[:4], n_estimators=10)
    index.remove([1])
    assert_sound(index)
    index.add(X[4:30])
    assert_sound(index)
    assert sorted(index) == [0, 2, 3, *range(4, 30)]
    assert_array_equal(np.sort(index.query(QUERIES, 100)[1], axis=1), np.tile(index.ids, (50, 1)))


def test_updated_points_are_elsewhere_under_their_ids():
    index = index_of(X)
    far = X[:40] + 100
    index.update(np.arange(40), far)
    assert_sound(index)
    assert sorted(index) == list(range(300))
    d, found = index.query(far)
    moved = np.vstack([far, X[40:]])
    assert_array_equal(found[-1], [39])
    assert_allclose(d[:, 0], np.linalg.norm(moved[found[:, 0]] - far, axis=1), atol=1e-4)
    d, found = index.query(QUERIES, 300)
    exact, order = twin_of(moved).query(QUERIES, 300)
    assert_array_equal(found, order)
    assert_allclose(d, exact, rtol=1e-4)


def test_a_removed_id_may_be_used_for_another_point():
    index = index_of(X)
    index.remove([7])
    index.add(X[7:8] + 50, ids=[7])
    assert_sound(index)
    assert index.query(X[7:8] + 50)[1].tolist() == [[7]]
    assert index.query(X[7:8])[1].tolist() != [[7]]


def test_recall_after_removing_is_that_of_a_fresh_index():
    """Paired t-test over 10 collections, one-sided at the level 1e-4, and 3 % at most."""
    differences = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(3000, 6)).astype(np.float32)
        queries = rng.normal(size=(150, 6)).astype(np.float32)
        gone = rng.choice(3000, size=1500, replace=False)
        left = np.setdiff1d(np.arange(3000), gone)
        params = {"n_estimators": 10, "max_children": 10, "random_state": seed}
        used = index_of(rows, **params)
        for some in np.split(gone, 6):
            used.remove(some)
        fresh = index_of(rows[left], left, **params)
        exact = twin_of(rows[left], left).query(queries, 5)[1]
        recall = [
            np.mean([np.isin(e, f).mean() for e, f in zip(exact, found, strict=True)])
            for found in (index.query(queries, 5, effort=120)[1] for index in (used, fresh))
        ]
        assert 0.5 < recall[1] < 0.99  # so that trees decide
        differences.append(recall[0] - recall[1])
    assert np.mean(differences) > -0.03
    worse = stats.ttest_1samp(differences, 0, alternative="less")
    assert worse.pvalue > 1e-4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_memory_of_removed_points_is_used_again():
    def resident():
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    rows = np.random.default_rng(0).random((200, 20_000)).astype(np.float32)  # 16 MB
    index = mf.BoundaryIndex(1, random_state=0)
    for way in ("remove and add", "update"):
        for cycle in range(13):
            if way == "update" and cycle:
                index.update(index.ids, rows)
            else:
                if len(index):
                    index.remove(index.ids)
                index.add(rows)
            if cycle == 2:
                before = resident()
        assert resident() - before < 80e6 < 10 * rows.nbytes, way
    assert len(index) == 200

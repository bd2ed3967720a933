"""The search of a BoundaryIndex for neighbours, and how many points it measures."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import manifoldforest as mf
import stages
from manifoldforest import _core
from manifoldforest.boundary import BruteForceIndex
from reference import boundary
from reference.boundary import always_differ, best_first, tree_of

N, N_QUERIES = 400, 12
KERNELS = _core.supported_kernels()


def points(kind, n=N + N_QUERIES):
    rng = np.random.default_rng(0)
    if kind == "floats":
        return rng.normal(size=(n, 8)).astype(np.float32)
    return rng.integers(0, 4, (n, 6), dtype=np.uint8)  # many distances are equal


def index_of(rows, n_trees=3, max_children=3, **params):
    index = mf.BoundaryIndex(n_trees, max_children=max_children, random_state=0, **params)
    index.add(rows)
    return index


def recall(found, exact):
    return np.mean([np.isin(e, f).mean() for e, f in zip(exact, found, strict=True)])


@pytest.mark.parametrize("max_children", [2, 5, 50])
@pytest.mark.parametrize("effort", [4, 30, 150, N, 10**12])
@pytest.mark.parametrize("kind", ["floats", "bytes"])
def test_answers_are_those_of_the_plain_search(kind, effort, max_children):
    X = points(kind)
    index = index_of(X[:N], max_children=max_children)
    D = boundary.distances("euclidean", X, X).tolist()
    plain = boundary.BoundaryForest(
        3, max_children, lambda i, j: D[i][j], always_differ, index._seed
    )
    plain.learn(range(N), [None] * N)
    for among in (None, range(0, N, 3)):
        expected = [plain.nearest(query, 4, effort, among) for query in range(N, len(X))]
        d, found = index.query(X[N:], 4, effort=effort, among=among)
        assert_array_equal(found, [examples for _, examples in expected])
        assert_allclose(d, [distances for distances, _ in expected], rtol=1e-5)


def test_a_metric_is_called_once_for_each_point_that_is_measured():
    X = np.random.default_rng(0).random((300, 2))
    calls = []

    def counted(a, b):
        calls.append(tuple(a))
        return float(np.abs(a - b).sum())

    index = index_of(X, metric=counted)
    for effort in (5, 80, 299, 300, 1000):
        calls.clear()
        index.query(X[:1] + 0.1, 2, effort=effort)
        assert len(calls) == len(set(calls)) == min(effort, 300)


@pytest.mark.parametrize("change", ["remove", "update", "add", "save"])
def test_changed_trees_are_searched_as_they_are(change, tmp_path):
    """Parents and children of every point are found after any change."""
    X = points("bytes", 700)
    index = index_of(X[:600], max_children=4)
    rng = np.random.default_rng(1)
    for _ in range(5):
        some = rng.choice(index.ids, 60, replace=False)
        if change == "remove":
            index.remove(np.union1d(some, index.trees_[0].example[:1]))
        elif change == "update":
            index.update(some, X[rng.choice(700, 60)])
        elif change == "add":
            index.remove(some)
            index.add(X[rng.choice(700, 90)])
        else:
            index.save(tmp_path / "index.mf")
            index = mf.BoundaryIndex.load(tmp_path / "index.mf")
            index.remove(some)
        ids = index.ids
        order = {point: n for n, point in enumerate(ids.tolist())}
        rows = index.get(ids)
        trees = [tree_of(view, 4) for view in index.trees_]
        for node in (node for tree in trees for node in tree.nodes()):
            node.example = order[node.example]
        for query in X[600:606]:
            D = np.sum((rows.astype(int) - query) ** 2, axis=1)
            measured = best_first(trees, D.__getitem__, 40)
            expected = sorted(measured, key=lambda i: (D[i], i))[:7]
            d, found = index.query(query[None], 7, effort=40)
            assert_array_equal(found[0], ids[expected])
            assert_allclose(d[0] ** 2, D[expected])


def test_a_change_that_fails_leaves_the_search_as_it_was():
    rows = [(float(i * 37 % 101), float(i * 53 % 97)) for i in range(120)]
    fails = []

    def metric(a, b):
        if fails and len(fails) > 300:
            raise OverflowError("no more")
        if fails:
            fails.append(1)
        return abs(a[0] - b[0]) + abs(a[1] - b[1])

    index = mf.BoundaryIndex(4, max_children=3, metric=metric, random_state=0)
    index.add(rows)
    before = index.query(rows[:20], 5, effort=25)
    for change in (lambda: index.remove([0, 1, 2, 50]), lambda: index.add(rows)):
        fails.append(1)
        with pytest.raises(OverflowError):
            change()
        fails.clear()
        assert_array_equal(index.query(rows[:20], 5, effort=25), before)


def test_batches_threads_and_instruction_sets_change_no_answer():
    X = points("bytes", 3000)
    index = index_of(X[:2900], n_trees=5, max_children=20)
    expected = index.query(X[2900:], 8, effort=200)
    try:
        for kernels in KERNELS:
            stages.use_kernels(kernels)
            for index.n_jobs in (1, 2, 3):
                assert_array_equal(index.query(X[2900:], 8, effort=200), expected)
        one_by_one = [index.query(X[i : i + 1], 8, effort=200) for i in range(2900, 3000)]
        assert_array_equal(np.concatenate(one_by_one, axis=1), expected)
        again = pickle.loads(pickle.dumps(index))
        assert_array_equal(again.query(X[2900:], 8, effort=200), expected)
    finally:
        stages.use_kernels(KERNELS[-1])


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "inner_product"])
def test_more_effort_finds_more_until_answers_are_exact(metric):
    """Of 10 neighbours of 200 queries, in 10 clusters; each recall is known to +- 0.01."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(10, 12)) * 2
    X = (centres[rng.integers(10, size=4200)] + rng.normal(size=(4200, 12))).astype(np.float32)
    index, twin = index_of(X[:4000], 20, 20, metric=metric), BruteForceIndex(metric=metric)
    twin.add(X[:4000])
    exact = twin.query(X[4000:], 10)[1]
    found = [index.query(X[4000:], 10, effort=effort)[1] for effort in (60, 200, None, 4000)]
    recalls = [recall(answer, exact) for answer in found]
    assert recalls[0] + 0.1 < recalls[1] < recalls[2] + 0.01
    assert recalls[2] > 0.98
    assert recalls[3] == 1


def test_by_default_answers_are_exact_for_few_points_or_many_neighbours():
    X = np.random.default_rng(0).integers(0, 256, (3040, 20), dtype=np.uint8)
    X, queries = X[:3000], X[3000:]
    twin = BruteForceIndex()
    twin.add(X)
    index = index_of(X)
    assert_array_equal(index.query(queries, 1500)[1], twin.query(queries, 1500)[1])
    some = range(0, 3000, 4)  # as many as are measured by default, or fewer
    expected = twin.query(queries, 5, among=some)[1]
    assert_array_equal(index.query(queries, 5, among=some)[1], expected)
    assert (index.query(queries, 10)[1] != twin.query(queries, 10)[1]).any()  # it does search


def test_both_indexes_take_an_effort_and_refuse_what_is_none():
    X = points("floats", 50)
    for make in (mf.BoundaryIndex, BruteForceIndex):
        index = make()
        index.add(X)
        assert_array_equal(index.query(X, 3, effort=np.int64(50)), index.query(X, 3))
        for effort in (2.0, "many", True, [10]):
            with pytest.raises(TypeError, match="effort must be"):
                index.query(X, 3, effort=effort)
        with pytest.raises(ValueError, match="effort must be .*, got 0"):
            index.query(X, 3, effort=0)
        with pytest.raises(ValueError, match="effort must be at least k = 3, got 2"):
            index.query(X, 3, effort=2)

"""Trees of boundary forests: node by node those of the plain version, however they are grown."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import manifoldforest as mf
import stages
from manifoldforest import _core
from reference import boundary
from reference.boundary import always_differ, classes_differ, tree_of, values_differ
from reference.chance import assert_equally_likely

N, N_QUERIES = 250, 40
METRICS = tuple(boundary.DISTANCES)


@cache
def rows(kind):
    """Examples, and after them queries; all kinds but the random one have ties and duplicates.

    Sums of squares of the lattice are exact in single precision too.
    """
    rng = np.random.default_rng(0)
    n = N + N_QUERIES
    if kind == "bytes":
        return rng.integers(0, 5, size=(n, 4), dtype=np.uint8)
    if kind == "wide bytes":  # hardly any two angles are the same, but some rows are
        wide = rng.integers(0, 256, size=(n, 37), dtype=np.uint8)
        return wide[rng.integers(0, n // 2, size=n)]
    if kind == "lattice":
        return (rng.integers(-2, 3, size=(n, 4)) / 4).astype(np.float32)
    return rng.normal(size=(n, 19)).astype(np.float32)


@cache
def noisy_labels(n_classes=3):
    X = rows("random")[:N, 0]
    y = np.digitize(X, np.linspace(-0.5, 0.5, n_classes - 1))
    noise = np.random.default_rng(1).integers(0, n_classes, size=N)
    return np.where(np.random.default_rng(2).random(N) < 0.2, noise, y)


@cache
def measured(kind, metric):
    X = rows(kind)
    return boundary.distances(metric, X, X).tolist()


def plain_forest(seed, kind, metric, differ, n_trees, max_children):
    """The plain forest for rows of a kind, which it knows by their numbers."""
    D = measured(kind, metric)
    return boundary.BoundaryForest(n_trees, max_children, lambda i, j: D[i][j], differ, seed)


def outlines(trees):
    return [(tree.example.tolist(), tree.parent.tolist()) for tree in trees]


def assert_same_trees(forest, plain):
    assert outlines(forest.trees_) == [tree.preorder() for tree in plain.trees]
    assert_array_equal(forest.n_nodes_, [len(tree.nodes()) for tree in plain.trees])
    assert_array_equal(forest.depth_, [tree.depth() for tree in plain.trees])


def is_decided(kind, metric):
    """Whether rounding decides nothing between the rows of a kind, which may be equally far."""
    if kind in ("bytes", "lattice"):
        return metric in EXACT
    return (kind, metric) != ("random", "hamming")  # where all are equally far


EXACT = [metric.name for metric in _core.metrics() if metric.exact_for_bytes]
KINDS_AND_METRICS = [
    (kind, metric)
    for kind in ("bytes", "wide bytes", "lattice", "random")
    for metric in METRICS
    if is_decided(kind, metric)
]


# ------------------------------------------------------------- plain versions


@pytest.mark.parametrize("max_children", [2, 3, 50])
@pytest.mark.parametrize(("kind", "metric"), KINDS_AND_METRICS)
def test_trees_and_answers_of_classification_are_those_of_the_plain_forest(
    kind, metric, max_children
):
    X, y = rows(kind), noisy_labels()
    forest = mf.BoundaryForestClassifier(
        4, max_children=max_children, metric=metric, random_state=0
    )
    forest.fit(X[:N], y)
    plain = plain_forest(forest._seed, kind, metric, classes_differ, 4, max_children)
    plain.learn(range(N), y.tolist())
    assert_same_trees(forest, plain)
    for tree in forest.trees_:
        assert_array_equal(tree.label, y[tree.example])
    assert_array_equal(forest.stored_, plain.stored())
    assert forest.stored_.dtype == np.int64
    assert forest.n_seen_ == N
    expected = [plain.shares(query, range(3)) for query in range(N, N + N_QUERIES)]
    # bytes are exact up to the weights, floats are measured in single precision
    rtol = 1e-12 if X.dtype == np.uint8 else 1e-4
    assert_allclose(forest.predict_proba(X[N:]), expected, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("max_children", [2, 3, 50])
@pytest.mark.parametrize("kind", ["bytes", "random"])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_trees_and_answers_of_regression_are_those_of_the_plain_forest(
    kind, max_children, n_outputs
):
    X = rows(kind)
    y = np.random.default_rng(3).normal(size=(N, n_outputs))
    y[::7] = y[0]  # some are as near as can be
    y = y[:, 0] if n_outputs == 1 else y
    tolerance = 0.8 * np.sqrt(n_outputs)
    forest = mf.BoundaryForestRegressor(
        4, max_children=max_children, tolerance=tolerance, random_state=0
    )
    forest.fit(X[:N], y)
    plain = plain_forest(forest._seed, kind, "euclidean", values_differ(tolerance), 4, max_children)
    plain.learn(range(N), y)
    assert_same_trees(forest, plain)
    assert N // 5 < forest.n_nodes_.min() < N  # the tolerance decides something
    for tree in forest.trees_:
        assert_array_equal(np.reshape(tree.label, y[tree.example].shape), y[tree.example])
    expected = [plain.value(query) for query in range(N, N + N_QUERIES)]
    assert forest.predict(X[N:]).shape == y[:N_QUERIES].shape
    assert_allclose(forest.predict(X[N:]), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("max_children", [2, 3, 50])
@pytest.mark.parametrize(("kind", "metric"), KINDS_AND_METRICS)
def test_trees_and_answers_of_retrieval_are_those_of_the_plain_forest(kind, metric, max_children):
    n = 120
    X = rows(kind)
    index = mf.BoundaryIndex(3, max_children=max_children, metric=metric, random_state=0)
    ids = index.add(X[:n])
    plain = plain_forest(index._seed, kind, metric, always_differ, 3, max_children)
    plain.learn(range(n), [None] * n)
    assert_array_equal(ids, np.arange(n))
    assert_same_trees(index, plain)
    D = np.array(measured(kind, metric))[:n, N:].T  # so few that all of them are looked at
    d, found = index.query(X[N:], 4)
    rtol = 1e-12 if X.dtype == np.uint8 else 1e-4
    assert_allclose(d, np.sort(D, axis=1)[:, :4], rtol=rtol, atol=1e-9)
    assert_allclose(np.take_along_axis(D, found, axis=1), d, rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("max_children", [3, 50])
@pytest.mark.parametrize("n_queries", [1, 15, 16, 40])
def test_neighbours_are_the_nearest_that_walks_measure(n_queries, max_children):
    rng = np.random.default_rng(0)
    n = 1100
    X = rng.normal(size=(n + n_queries, 8)).astype(np.float32)
    forest = mf.BoundaryForestRegressor(3, max_children=max_children, tolerance=0.0, random_state=0)
    forest.fit(X[:n], np.arange(n))  # all labels differ, so that every example is stored
    D = boundary.distances("euclidean", X, X).tolist()
    plain = boundary.BoundaryForest(
        3, max_children, lambda i, j: D[i][j], always_differ, forest._seed
    )
    plain.learn(range(n), range(n))
    expected = [plain.nearest_on_walks(query, 4) for query in range(n, n + n_queries)]
    d, found = forest.query(X[n:], 4)
    assert_array_equal(found, [examples for _, examples in expected])
    assert_allclose(d, [distances for distances, _ in expected], rtol=1e-5)
    exact = np.argsort(np.array(D)[n:, :n], axis=1)[:, :4]
    assert n_queries == 1 or (exact != found).any()  # the walks miss some


@pytest.mark.parametrize("max_children", [2, 50])
@pytest.mark.parametrize("passes", [2, 3, None])
@pytest.mark.parametrize("kind", ["bytes", "random"])
def test_trees_of_several_passes_are_those_of_the_plain_forest(kind, passes, max_children):
    X, y = rows(kind)[:N], noisy_labels()
    forest = mf.BoundaryForestClassifier(
        3, max_children=max_children, passes=passes, random_state=0
    )
    forest.fit(X, y)
    plain = plain_forest(forest._seed, kind, "euclidean", classes_differ, 3, max_children)
    plain.learn(range(N), y.tolist())
    online = [len(tree.nodes()) for tree in plain.trees]
    n_passes = plain.learn_again(passes)
    assert_same_trees(forest, plain)
    assert forest.n_passes_ == n_passes
    assert (forest.n_nodes_ > online).all()
    assert forest.n_seen_ == N


@pytest.mark.parametrize("power", [0.5, 2.0])
def test_power_weighs_near_examples_more_or_less(power):
    X, y = rows("random"), noisy_labels()
    forest = mf.BoundaryForestClassifier(5, power=power, random_state=0).fit(X[:N], y)
    plain = plain_forest(forest._seed, "random", "euclidean", classes_differ, 5, 50)
    plain.learn(range(N), y.tolist())
    expected = [plain.shares(query, range(3), power) for query in range(N, N + N_QUERIES)]
    assert_allclose(forest.predict_proba(X[N:]), expected, rtol=1e-4, atol=1e-9)


# ------------------------------------------------------------------ the start


@pytest.mark.parametrize("m", [1, 2, 3, 6, 7, 8, 30])
def test_there_is_a_tree_for_each_of_the_first_examples(m):
    X, y = rows("random"), noisy_labels()
    forest = mf.BoundaryForestClassifier(7, max_children=3, random_state=0)
    forest.partial_fit(X[:m], y[:m], classes=[0, 1, 2])
    plain = plain_forest(forest._seed, "random", "euclidean", classes_differ, 7, 3)
    plain.learn(range(m), y[:m].tolist())
    assert len(forest.trees_) == min(m, 7)
    assert [tree.example[0] for tree in forest.trees_] == list(range(min(m, 7)))
    assert_same_trees(forest, plain)
    expected = [plain.shares(query, range(3)) for query in range(N, N + N_QUERIES)]
    assert_allclose(forest.predict_proba(X[N:]), expected, rtol=1e-4, atol=1e-9)


def test_first_examples_come_in_an_order_of_each_trees_own():
    orders = [tuple(stages.boundary_order(seed, 2, 4).tolist()) for seed in range(1200)]
    assert_equally_likely(
        orders, [(0, 1, 3), (0, 3, 1), (1, 0, 3), (1, 3, 0), (3, 0, 1), (3, 1, 0)]
    )
    first = [int(stages.boundary_order(0, tree, 41)[0]) for tree in range(40)]
    assert len(set(first)) > 10  # 40 draws of 40 give fewer with probability below 1e-9
    assert len({tuple(stages.boundary_order(0, 3, 30).tolist()) for _ in range(3)}) == 1


def test_passes_come_in_orders_of_their_own():
    orders = [tuple(stages.boundary_pass_order(seed, 1, 3).tolist()) for seed in range(1200)]
    assert_equally_likely(
        orders, [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    )
    passes = {tuple(stages.boundary_pass_order(0, n_pass, 30).tolist()) for n_pass in (1, 2, 3)}
    assert len(passes) == 3
    assert all(sorted(order) == list(range(30)) for order in passes)


# -------------------------------------------------- batches, threads, numbers


def split_at(n, *places):
    edges = [0, *places, n]
    return [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]


BATCHES = {
    "row by row": split_at(N, *range(1, N)),
    "first row alone": split_at(N, 1),
    "within the start": split_at(N, 2, 4, 100),
    "to the end of the start": split_at(N, 6),
    "tens": split_at(N, *range(10, N, 10)),
}


@pytest.mark.parametrize("kind", ["bytes", "random"])
@pytest.mark.parametrize("batches", BATCHES)
def test_one_batch_or_many_make_the_same_forest(batches, kind):
    X, y = rows(kind), noisy_labels()
    values = np.stack([y, X[:N, 0]], axis=1)
    params = {"n_estimators": 6, "max_children": 3, "random_state": 0}
    at_once = mf.BoundaryForestClassifier(**params).fit(X[:N], y)
    in_parts = mf.BoundaryForestClassifier(**params)
    for part in BATCHES[batches]:
        in_parts.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert outlines(in_parts.trees_) == outlines(at_once.trees_)
    assert_array_equal(in_parts.stored_, at_once.stored_)
    assert in_parts.n_seen_ == at_once.n_seen_ == N
    assert_array_equal(in_parts.predict_proba(X[N:]), at_once.predict_proba(X[N:]))

    at_once = mf.BoundaryForestRegressor(tolerance=0.5, **params).fit(X[:N], values)
    in_parts = mf.BoundaryForestRegressor(tolerance=0.5, **params)
    for part in BATCHES[batches]:
        in_parts.partial_fit(X[part], values[part])
    assert outlines(in_parts.trees_) == outlines(at_once.trees_)
    assert_array_equal(in_parts.predict(X[N:]), at_once.predict(X[N:]))

    at_once, in_parts = mf.BoundaryIndex(**params), mf.BoundaryIndex(**params)
    at_once.add(X[:N])
    for part in BATCHES[batches]:
        in_parts.add(X[part])
    assert outlines(in_parts.trees_) == outlines(at_once.trees_)
    assert_array_equal(in_parts.query(X[N:], 5), at_once.query(X[N:], 5))


def test_any_number_of_threads_makes_the_same_forest():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=3000) > 0).astype(int)
    for build in (
        lambda n_jobs: mf.BoundaryForestClassifier(7, random_state=0, n_jobs=n_jobs).fit(X, y),
        lambda n_jobs: mf.BoundaryForestClassifier(
            7, random_state=0, passes=3, max_children=4, n_jobs=n_jobs
        ).fit(X, y),
        lambda n_jobs: mf.BoundaryForestRegressor(7, random_state=0, n_jobs=n_jobs).fit(X, X[:, 1]),
    ):
        one = build(1)
        for n_jobs in (2, 4, -1):
            other = build(n_jobs)
            assert outlines(other.trees_) == outlines(one.trees_)
            assert_array_equal(other.stored_, one.stored_)
            assert_array_equal(other.predict(X[:200]), one.predict(X[:200]))
            assert_array_equal(other.query(X[:200]), one.query(X[:200]))


def test_another_seed_makes_another_forest():
    X, y = rows("random")[:N], noisy_labels()
    forests = [mf.BoundaryForestClassifier(5, random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    assert outlines(forests[0].trees_) == outlines(forests[1].trees_)
    assert outlines(forests[0].trees_) != outlines(forests[2].trees_)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "hamming"])
def test_bytes_are_numbers(metric):
    X, y = rows("bytes"), noisy_labels()
    params = {"metric": metric, "max_children": 3, "random_state": 0}
    of_bytes = mf.BoundaryForestClassifier(4, **params).fit(X[:N], y)
    for dtype in (np.float32, np.float64, np.int64):
        of_numbers = mf.BoundaryForestClassifier(4, **params).fit(X[:N].astype(dtype), y)
        assert outlines(of_numbers.trees_) == outlines(of_bytes.trees_)
        for forest in (of_bytes, of_numbers):
            for queries in (X[N:], X[N:].astype(dtype)):
                assert_allclose(
                    forest.predict_proba(queries), of_bytes.predict_proba(X[N:]), rtol=1e-5
                )


@pytest.mark.parametrize("metric", METRICS)
def test_a_function_makes_the_trees_of_the_metric_of_that_name(metric):
    X, y = rows("wide bytes")[:100], noisy_labels()[:100]
    params = {"max_children": 3, "random_state": 0}

    def measure(a, b):
        return boundary.DISTANCES[metric](a.astype(np.float64), b.astype(np.float64))

    named = mf.BoundaryForestClassifier(3, metric=metric, **params).fit(X, y)
    called = mf.BoundaryForestClassifier(3, metric=measure, **params).fit(X, y)
    assert outlines(called.trees_) == outlines(named.trees_)
    assert_allclose(called.predict_proba(X + 1), named.predict_proba(X + 1), rtol=1e-9)


def test_a_view_shows_the_tree_in_preorder():
    X, y = rows("random")[:N], noisy_labels()
    forest = mf.BoundaryForestClassifier(3, max_children=2, random_state=0).fit(X, y)
    for view, n_nodes, depth in zip(forest.trees_, forest.n_nodes_, forest.depth_, strict=True):
        tree = tree_of(view, 2)
        assert view.example.dtype == np.int64
        assert view.parent.dtype == np.int32
        assert len(tree.nodes()) == n_nodes == len(view.label)
        assert tree.depth() == depth > 3
        for array in (view.example, view.parent):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

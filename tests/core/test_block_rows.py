"""Rows of nodes: their partition by vectors, and their places in blocks."""

import numpy as np
import pytest

import manifoldforest as mf
import stages
from manifoldforest import _core

KERNELS = _core.supported_kernels()
LARGEST = 2**32 - 1
BLOCK = 2**14  # rows of a block of a shared loop


@pytest.fixture(autouse=True)
def restore_kernels():
    yield
    stages.use_kernels(KERNELS[-1])


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 1025])
def test_partitions_are_those_of_a_mask_and_write_nothing_behind(n, kernels):
    stages.use_kernels(kernels)
    rng = np.random.default_rng(n)
    rows = rng.permutation(10 * n + 1)[:n].astype(np.int32)
    few = rng.integers(0, 3, n).astype(np.uint32)
    wide = rng.integers(0, LARGEST, n, endpoint=True, dtype=np.uint32)
    wide[::5] = LARGEST  # missing
    wide[1::7] = 0
    thresholds = [0, 1, 2**31 - 1, 2**31, LARGEST - 1, LARGEST]
    for keys in (few, wide):
        for last in thresholds:
            found, n_left, *behind = stages.partition_keys(rows.tolist(), keys, last)
            left = keys <= last
            assert found == [*rows[left], *rows[~left]]
            assert n_left == left.sum()
            assert behind == [-7, -7]


@pytest.mark.parametrize("by_blocks", [False, True])
@pytest.mark.parametrize("missing_left", [False, True])
@pytest.mark.parametrize("n", [0, 1, 5, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
def test_partitions_by_codes_are_those_of_a_mask(n, missing_left, by_blocks):
    rng = np.random.default_rng(n)
    X = rng.integers(0, 4, (n + 9, 1)).astype(np.float32)
    X[::6] = np.nan
    rows = rng.permutation(n + 9)[:n].astype(np.int32)
    values = X[rows, 0]
    for last in range(4):
        left = (values <= last) | (missing_left & np.isnan(values))
        found, n_left = stages.partition_codes(rows.tolist(), X, last, missing_left, by_blocks)
        assert found == [*rows[left], *rows[~left]]
        assert n_left == left.sum()


@pytest.mark.parametrize(("n_blocks", "n_workers"), [(0, 2), (1, 3), (7, 2), (8, 4), (100, 7)])
def test_blocks_are_dealt_once_and_first_those_of_ones_own(n_blocks, n_workers):
    asking = np.random.default_rng(1).integers(0, n_workers, 4 * n_blocks + 9)
    dealt = np.array(stages.deal_blocks(n_blocks, n_workers, asking.tolist()))
    assert sorted(dealt[dealt >= 0]) == list(range(n_blocks))
    shares = [
        set(range(w * n_blocks // n_workers, (w + 1) * n_blocks // n_workers))
        for w in range(n_workers)
    ]
    for worker, block in zip(asking, dealt, strict=True):
        own = shares[worker]
        assert block in own or not own  # all of a share are taken before another one is
        if block >= 0:
            next(s for s in shares if block in s).remove(block)


@pytest.mark.parametrize("inner", [(5, 5 + k) for k in (1, 2, 15)] + [(12, 20), (5, 20)])
@pytest.mark.parametrize("given", [[], [(20, 23)], [(8, 10)], [(20, 22), (12, 14), (5, 6)]])
def test_rows_come_back_from_blocks_in_the_order_of_their_places(inner, given):
    rng = np.random.default_rng(3)
    order = rng.permutation(40)[:30].astype(np.int32)
    packed = (256 + rng.integers(0, 9, 40)).astype(np.int32)
    outer = (5, 25)
    places, classes, after = stages.pass_blocks(order.tolist(), packed, outer, inner, given)
    expected = order.copy()
    expected[inner[0] : inner[1]] = order[inner[0] : inner[1]][::-1]
    assert places == list(range(inner[1] - inner[0]))
    assert classes == list(packed[order[inner[0] : inner[1]]])
    assert after == list(expected)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("learner", [mf.ForestClassifier, mf.ForestRegressor])
def test_trees_that_give_nodes_of_blocks_away_are_those_of_one_thread(learner, missing):
    """One tree for four threads, of more rows than a large block holds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80_000, 4)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > rng.normal(size=80_000)).astype(int)
    if missing:
        X[::31, 1] = np.nan
    params = {"max_features": 2, "splitter": "random", "bootstrap": False, "random_state": 0}
    one, four = (
        learner(1, projection="axis", n_jobs=n, **params).fit(X, y)._model.trees.arrays
        for n in (1, 4)
    )
    assert one.keys() == four.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, four[name], err_msg=name)


@pytest.mark.parametrize("projection", ["axis", "sporf"])
@pytest.mark.parametrize("max_samples", [0.02, 0.5])  # rows that leaves of few or of many get
@pytest.mark.parametrize("kind", ["floats", "missing", "ties", "bytes"])
@pytest.mark.parametrize("learner", [mf.ForestClassifier, mf.ForestRegressor])
def test_rows_outside_the_bag_are_at_the_leaves_that_are_asked_for(
    learner, kind, max_samples, projection
):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 5)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > rng.normal(size=3000)).astype(int)
    if kind == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    if kind == "ties":
        X = np.round(2 * X) / 2 * np.where(rng.random(X.shape) < 0.5, 1, -1)  # both zeros
    if kind == "bytes":
        X = (40 * X + 128).clip(0, 255).astype(np.uint8)
    forest = learner(4, projection=projection, max_samples=max_samples, random_state=0)
    forest.fit(X.astype(X.dtype if kind == "bytes" else np.float32), y)
    leaves = forest._model.trees["leaf_of_row"]
    np.testing.assert_array_equal(leaves, forest.apply(X).T)

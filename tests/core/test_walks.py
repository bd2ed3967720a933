"""Walks through every form of compiled forest against a naive walk over made-up trees."""

from itertools import product

import numpy as np
import pytest

from manifoldforest import _core
from reference.tree import DICTIONARY, PATCH, ROTATION, SPARSE, leaves_of_rows

P = 30
EXTREME = [np.inf, -np.inf, 1e300, -1e300]


class Trees:
    """Flat arrays of random trees whose splits are given one by one."""

    def __init__(self, draw_atom, n_trees=9, depth=7, seed=0):
        self.rng = np.random.default_rng(seed)
        self.nodes = []  # left, threshold, missing_left, kind of atom, ints, weights
        self.offsets = [0]
        for tree in range(n_trees):
            first = len(self.nodes)
            self.add_leaf()
            self.grow(first, 0, 0 if tree == 2 else depth, draw_atom)  # one tree is a leaf
            self.offsets.append(len(self.nodes))

    def add_leaf(self):
        self.nodes.append([0, 0.0, 0, SPARSE, [], []])

    def grow(self, first, node, depth, draw_atom):
        if depth == 0 or self.rng.random() < 0.1:
            return
        kind, ints, weights, middle = draw_atom(self.rng)
        left = len(self.nodes) - first
        self.add_leaf()
        self.add_leaf()
        threshold = np.floor(self.rng.normal(middle, abs(middle) / 2 + 60)) + 0.5
        if self.rng.random() < 0.05:
            threshold = self.rng.choice(EXTREME)
        missing_left = self.rng.integers(0, 2)
        self.nodes[first + node] = [left, threshold, missing_left, kind, ints, weights]
        self.grow(first, left, depth - 1, draw_atom)
        self.grow(first, left + 1, depth - 1, draw_atom)

    def arrays(self):
        left, threshold, missing_left, kind, ints, weights = zip(*self.nodes, strict=True)
        n = len(left)

        def offsets(parts):
            return np.cumsum([0, *map(len, parts)], dtype=np.int64)

        def joined(parts, dtype):
            return np.array([x for part in parts for x in part], dtype)

        return {
            "tree_offsets": np.array(self.offsets, np.int64),
            "left": np.array(left, np.int32),
            "kind": (np.array(left) > 0).astype(np.uint8),
            "threshold": np.array(threshold, np.float64),
            "missing_left": np.array(missing_left, np.uint8),
            "gain": np.zeros(n, np.float32),
            "weight": np.ones(n),
            "value": self.rng.normal(size=(n, 1)),
            "atom_kind": np.array(kind, np.uint8),
            "atom_offsets": offsets(ints),
            "atom_ints": joined(ints, np.int32),
            "weight_offsets": offsets(weights),
            "atom_weights": joined(weights, np.float32),
        }


# ------------------------------------------------------------------ atoms


def sparse(sizes, weights, p=P):
    """Atoms of random features; `sizes` and `weights` are drawn from."""

    def draw(rng):
        features = np.sort(rng.choice(p, rng.choice(sizes), replace=False))
        w = rng.choice(weights, len(features))
        return SPARSE, features.tolist(), w.tolist(), float(128 * w.sum())

    return draw


def patch(grid, shape, summed, largest, wrap=False):
    """Patches of random corners and sizes."""

    def draw(rng):
        ints, area = [grid], 1
        for length, is_summed in zip(shape, summed, strict=True):
            size = int(rng.integers(1, min(length, largest) + 1))
            area *= size
            if is_summed:
                ints += [int(rng.integers(0, length if wrap else length - size + 1)), size]
            else:
                ints += [size, *np.sort(rng.choice(length, size, replace=False)).tolist()]
        return PATCH, ints, [], 128.0 * area

    return draw


def listed(dense):
    """Atoms of a dictionary, which are the rows of a matrix."""

    def draw(rng):
        atom = int(rng.integers(len(dense)))
        return DICTIONARY, [atom], [], float(128 * dense[atom].sum())

    return draw


def rotated(rng):
    """Coordinates of the rotated data."""
    return ROTATION, [int(rng.integers(P))], [], 0.0


def one_of(*draws, p=None):
    return lambda rng: draws[rng.choice(len(draws), p=p)](rng)


RAW = {
    "one feature": sparse([1], [1.0]),
    "one feature with a weight": sparse([1], [2.0]),
    "signs": sparse([1, 2, 2, 3, 3, 4], [1.0, -1.0]),
    "signs, some of them many": sparse([1, 2, 2, 3, 3, 4, 4, 9, 14], [1.0, -1.0]),
    "all the same sign": sparse([1, 2, 3, 4, 5, 6], [-1.0]),
    "fractions": sparse([1, 2, 3, 3, 4, 6], [0.5, -0.25, 1.0]),
    "whole weights": sparse([1, 2, 3, 3, 4, 6], [3.0, -2.0, 1.0]),
    "weights beyond all floats": sparse([1, 2, 3], [65536.0, 1.0, -1.0]),
    "many features": sparse([10, 20], [1.0, -0.5]),
}
GRIDS = {
    "an image": ([5, 6], [True, True], 4),
    "a wide image": ([15, 20], [True, True], 5),
    "a series": ([30], [True], 9),
    "channels of a series": ([3, 10], [False, True], 4),
    "a series of channels": ([10, 3], [True, False], 3),
    "a volume": ([2, 3, 5], [True, True, True], 3),
    "features without order": ([5, 6], [False, False], 2),
    "large patches": ([20, 20], [True, True], 20),
}


def rows_of(dtype, missing, p=P, n=61, seed=5):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, size=(n, p)).astype(dtype)
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
        X[0] = np.nan
    return X


DATA = {"bytes": (np.uint8, 0), "floats": (np.float32, 0), "missing": (np.float32, 0.05)}


def check(arrays, geometry, X, **naive):
    """Leaves and predictions of many rows and of single rows."""
    n_trees = len(arrays["tree_offsets"]) - 1
    expected = np.array([leaves_of_rows(arrays, t, X, **naive) for t in range(n_trees)]).T
    predictor = _core.Predictor(arrays, geometry, [], False, np.zeros(1))
    assert np.array_equal(predictor.apply(X, 1), expected)
    assert np.array_equal(predictor.apply(X, 3), expected)
    means = predictor.predict(X, "mean", 1)
    total = np.zeros(len(X))
    for t, offset in enumerate(arrays["tree_offsets"][:-1]):
        total += arrays["value"][offset + expected[:, t], 0]
    assert np.array_equal(means[:, 0], total / n_trees)  # summed in the order of the trees
    for i in range(0, len(X), 7):
        assert np.array_equal(predictor.apply(X[i : i + 1], 1), expected[i : i + 1])
        assert np.array_equal(predictor.predict(X[i : i + 1], "mean", 2), means[i : i + 1])


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("atoms", RAW)
def test_walks_over_features(atoms, data):
    arrays = Trees(RAW[atoms]).arrays()
    check(arrays, _core.Geometry(P), rows_of(*DATA[data]))


@pytest.mark.parametrize("kernels", _core.supported_kernels())
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("atoms", RAW)
def test_walks_through_small_trees(atoms, data, kernels):
    """Trees of at most 32 leaves; batches of 61 rows are no whole number of groups."""
    arrays = Trees(RAW[atoms], n_trees=19, depth=5, seed=3).arrays()
    assert np.diff(arrays["tree_offsets"]).max() > 40
    try:
        _core.use_kernels(kernels)
        check(arrays, _core.Geometry(P), rows_of(*DATA[data]))
        check(arrays, _core.Geometry(P), rows_of(*DATA[data], n=2100))
    finally:
        _core.use_kernels(_core.supported_kernels()[-1])


@pytest.mark.parametrize("leaves", [31, 32, 33, 34])
def test_walks_through_chains_of_as_many_leaves_as_there_are_bits(leaves):
    """The last of 32 leaves is the sign of a number."""
    trees = Trees(RAW["one feature"], n_trees=2, depth=0)
    trees.nodes = []
    for _ in range(2):
        for i in range(leaves - 1):  # leaf i on the left, all others on the right
            trees.nodes += [
                [2 * i + 1, 5.0 * i, 0, SPARSE, [0], [1.0]],
                [0, 0.0, 0, SPARSE, [], []],
            ]
        trees.nodes.append([0, 0.0, 0, SPARSE, [], []])
    size = 2 * leaves - 1
    trees.offsets = [0, size, 2 * size]
    X = np.arange(256, dtype=np.uint8)[:, None].repeat(P, 1)
    for rows in (X, X.astype(np.float32)):
        check(trees.arrays(), _core.Geometry(P), rows)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_sums_in_small_trees_are_those_of_walks_to_the_last_bit(dtype):
    """Thresholds are values of rows and the numbers next to them; a single row is walked."""
    rng = np.random.default_rng(4)
    X = rng.integers(0, 256, size=(200, P)).astype(dtype)
    if dtype == np.float32:
        X *= 10.0 ** rng.integers(-6, 6, size=X.shape)
    for size, weights in product((1, 2, 3, 5, 12), ([1.0, -1.0], [0.3, -1.7, 2.0])):
        trees = Trees(sparse([size], weights), n_trees=60, depth=1, seed=size)
        expected = np.zeros((len(X), 60), int)
        for tree, offset in enumerate(trees.offsets[:-1]):
            node = trees.nodes[offset]
            if node[0] == 0:
                continue
            total = np.zeros(len(X))
            for feature, weight in zip(node[4], np.float32(node[5]), strict=True):
                total = total + X[:, feature].astype(np.float64) * np.float64(weight)
            values = total.astype(np.float32).astype(np.float64)
            value = values[tree]
            node[1] = [value, np.nextafter(value, -np.inf), np.nextafter(value, np.inf)][tree % 3]
            expected[:, tree] = np.where(values <= node[1], 1, 2)
        predictor = _core.Predictor(trees.arrays(), _core.Geometry(P), [], False, np.zeros(1))
        for kernels in _core.supported_kernels():  # the last one is the one in use otherwise
            _core.use_kernels(kernels)
            assert np.array_equal(predictor.apply(X, 1), expected)
        for i in range(0, len(X), 7):
            assert np.array_equal(predictor.apply(X[i : i + 1], 1), expected[i : i + 1])


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("grid", GRIDS)
def test_walks_over_patches(grid, wrap, data):
    shape, summed, largest = GRIDS[grid]
    p = int(np.prod(shape))
    geometry = _core.Geometry(p)
    geometry.add_grid(shape, summed)
    arrays = Trees(patch(0, shape, summed, largest, wrap)).arrays()
    check(arrays, geometry, rows_of(*DATA[data], p=p), grids=[(shape, summed)])


@pytest.mark.parametrize("data", DATA)
def test_walks_over_two_grids(data):
    grids = [([5, 6], [True, True]), ([30], [True])]
    geometry = _core.Geometry(P)
    for grid in grids:
        geometry.add_grid(*grid)
    draws = [patch(g, shape, summed, 4) for g, (shape, summed) in enumerate(grids)]
    check(Trees(one_of(*draws)).arrays(), geometry, rows_of(*DATA[data]), grids=grids)


@pytest.mark.parametrize("data", DATA)
def test_walks_over_features_and_patches(data):
    grid = ([5, 6], [True, True])
    geometry = _core.Geometry(P)
    geometry.add_grid(*grid)
    draw = one_of(RAW["one feature"], RAW["fractions"], patch(0, *grid, 4))
    check(Trees(draw).arrays(), geometry, rows_of(*DATA[data]), grids=[grid])


def add_dictionary(geometry):
    """Adds random atoms, one of them without features; returns them as rows of a matrix."""
    rng = np.random.default_rng(1)
    dense = rng.choice([0.0, 1.0, -1.0, 0.5], size=(12, P), p=[0.92, 0.03, 0.03, 0.02])
    dense[3] = 0
    features = [np.flatnonzero(row) for row in dense]
    geometry.add_dictionary(
        np.cumsum([0, *map(len, features)], dtype=np.int64),
        np.concatenate(features).astype(np.int32),
        dense[dense != 0].astype(np.float32),
    )
    return dense


@pytest.mark.parametrize("data", DATA)
def test_walks_over_a_dictionary(data):
    geometry = _core.Geometry(P)
    dense = add_dictionary(geometry)
    arrays = Trees(listed(dense)).arrays()
    check(arrays, geometry, rows_of(*DATA[data]), dictionary=dense)


def add_rotations(arrays, n_rotated, seed=0):
    """Rotations of whole numbers but 0: sums are exact in any order, and miss with any feature."""
    rng = np.random.default_rng(seed)
    n_trees = len(arrays["tree_offsets"]) - 1
    dims = [np.sort(rng.choice(P, n_rotated, replace=False)) for _ in range(n_trees)]
    arrays["rotation_dims"] = np.array(dims, np.int32)
    size = (n_trees, n_rotated, n_rotated)
    arrays["rotations"] = rng.choice([-3, -2, -1, 1, 2, 3], size=size).astype(np.float32)


IMAGE = ([5, 6], [True, True])
KINDS = {
    "axis": RAW["one feature"],
    "signs": RAW["signs"],
    "fractions": RAW["fractions"],
    "patches": patch(0, *IMAGE, 4),
    "patches around the ends": patch(0, *IMAGE, 4, wrap=True),
    "series": patch(1, [30], [True], 9),
    "dictionary": None,  # needs the matrix
    "rotation": rotated,
}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("share", [0.05, 0.3])
@pytest.mark.parametrize("few", KINDS)
@pytest.mark.parametrize("most", KINDS)
def test_walks_over_mixtures_of_two_kinds(most, few, share, data):
    """Whatever form most splits are packed into, all others are walked beside them."""
    geometry = _core.Geometry(P)
    grids = [IMAGE, ([30], [True])]
    for grid in grids:
        geometry.add_grid(*grid)
    dense = add_dictionary(geometry)
    kinds = KINDS | {"dictionary": listed(dense)}
    arrays = Trees(one_of(kinds[most], kinds[few], p=[1 - share, share])).arrays()
    add_rotations(arrays, 7)
    check(arrays, geometry, rows_of(*DATA[data]), grids=grids, dictionary=dense)


MOST = {"patches": [0.85, 0.05, 0.05, 0.05], "signs": [0.05, 0.05, 0.85, 0.05]}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("most", MOST)
@pytest.mark.parametrize("largest", [4, 11, 12, 16, 17, 20])
def test_walks_over_mixtures_of_all_kinds(largest, most, data):
    """Sums of bytes over 128 pixels need 15 bits, those over 257 need 16, larger ones more."""
    shape, summed = [20, 20], [True, True]
    geometry = _core.Geometry(400)
    geometry.add_grid(shape, summed)
    draw = one_of(
        patch(0, shape, summed, largest),
        sparse([1], [1.0], 400),
        sparse([1, 2, 3, 4, 5], [1.0, -1.0], 400),
        sparse([1, 2, 9], [0.5, -2.0], 400),
        p=MOST[most],
    )
    arrays = Trees(draw, n_trees=12, depth=9).arrays()
    X = rows_of(*DATA[data], p=400)
    X[1:20] = 255  # the largest sums
    check(arrays, geometry, X, grids=[(shape, summed)])


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("n_rotated", [3, 20])
def test_a_few_rotated_splits_are_those_of_rotated_rows_to_the_last_bit(n_rotated, dtype):
    """Thresholds are values of rotated rows and the numbers next to them.

    Forests of rotated splits rotate rows; where they are few, each is a sum over the row.
    """
    rng = np.random.default_rng(8)
    X = rng.integers(0, 256, size=(60, P)).astype(dtype)
    if dtype == np.float32:
        X *= 10.0 ** rng.integers(-6, 6, size=X.shape)
    n_trees = 40
    # a tree is a rotated split at the root, below which there are as many other splits as wanted
    for other in (None, RAW["one feature"], RAW["signs"]):
        trees = Trees(rotated, n_trees=n_trees, depth=1, seed=2)
        arrays = trees.arrays()
        add_rotations(arrays, n_rotated)
        arrays["rotations"] = rng.normal(size=arrays["rotations"].shape).astype(np.float32)
        expected = np.zeros((len(X), n_trees), int)
        for tree in range(n_trees):
            first = trees.offsets[tree]
            node = trees.nodes[first]
            if node[0] == 0:
                continue
            dims = arrays["rotation_dims"][tree].tolist()
            values = X[:, node[4][0]].astype(np.float32)
            if node[4][0] in dims:
                q = arrays["rotations"][tree][:, dims.index(node[4][0])].astype(np.float64)
                sums = np.zeros(len(X))
                for j, feature in enumerate(dims):
                    sums = sums + X[:, feature].astype(np.float64) * q[j]
                values = sums.astype(np.float32)
            value = float(values[tree])
            node[1] = [value, np.nextafter(value, -np.inf), np.nextafter(value, np.inf)][tree % 3]
            expected[:, tree] = np.where(values.astype(np.float64) <= node[1], 1, 2)
        rotations = {name: arrays[name] for name in ("rotation_dims", "rotations")}
        if other is not None:  # trees of other splits, without rotated ones, after these
            more = Trees(other, n_trees=n_trees, depth=7, seed=3)
            trees.offsets += [len(trees.nodes) + offset for offset in more.offsets[1:]]
            trees.nodes += more.nodes
            rotations = {name: np.concatenate([a, a]) for name, a in rotations.items()}
        predictor = _core.Predictor(
            trees.arrays() | rotations, _core.Geometry(P), [], False, np.zeros(1)
        )
        for kernels in _core.supported_kernels():  # the last one is the one in use otherwise
            _core.use_kernels(kernels)
            assert np.array_equal(predictor.apply(X, 1)[:, :n_trees], expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("atoms", ["one feature", "signs", "patches", "large patches"])
def test_walks_over_very_wide_rows(atoms, dtype):
    p = 70_000  # more than 16 bits count
    geometry = _core.Geometry(p)
    grid = ([p], [True])
    geometry.add_grid(*grid)
    draws = {
        "one feature": sparse([1], [1.0], p),
        "signs": sparse([1, 2, 3], [1.0, -1.0], p),
        "patches": patch(0, *grid, 50),
        "large patches": patch(0, *grid, 900),
    }
    arrays = Trees(draws[atoms], n_trees=4, depth=4).arrays()
    check(arrays, geometry, rows_of(dtype, 0, p=p, n=15), grids=[grid])


@pytest.mark.parametrize("weights", [[1.0, -1.0], [0.3, -1.7, 1.0]])
@pytest.mark.parametrize("sizes", [[1], [1, 2, 3, 4], [1, 2, 3, 4, 8], [8]])
def test_floats_are_summed_in_the_order_of_the_terms_and_then_rounded(sizes, weights):
    """Thresholds are values of rows and the numbers next to them, so every bit counts."""
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(50, P)) * 10.0 ** rng.integers(-9, 9, size=(50, P))).astype(np.float32)
    trees = Trees(sparse(sizes, weights), n_trees=30, depth=1, seed=4)
    expected = np.zeros((len(X), 30), int)
    for tree in range(30):
        node = trees.nodes[trees.offsets[tree]]
        if node[0] == 0:
            continue
        sums = np.zeros(len(X))
        for feature, weight in zip(node[4], node[5], strict=True):
            sums = sums + np.float64(np.float32(weight)) * X[:, feature].astype(np.float64)
        values = sums.astype(np.float32)
        value = float(values[tree])
        node[1] = [value, np.nextafter(value, -np.inf), np.nextafter(value, np.inf)][tree % 3]
        expected[:, tree] = np.where(values.astype(np.float64) <= node[1], 1, 2)
    predictor = _core.Predictor(trees.arrays(), _core.Geometry(P), [], False, np.zeros(1))
    assert np.array_equal(predictor.apply(X, 1), expected)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_blocks_of_rows_are_walked_like_single_rows(n_threads):
    arrays = Trees(RAW["signs"], n_trees=40, depth=9).arrays()
    predictor = _core.Predictor(arrays, _core.Geometry(P), [], False, np.zeros(1))
    X = rows_of(np.uint8, 0, n=5003)
    leaves = predictor.apply(X, n_threads)
    means = predictor.predict(X, "mean", n_threads)
    for part in (slice(0, 1), slice(1, 300), slice(300, 5003)):
        assert np.array_equal(predictor.apply(X[part], 1), leaves[part])
        assert np.array_equal(predictor.predict(X[part], "mean", 1), means[part])
    assert predictor.apply(X[:0], n_threads).shape == (0, 40)


def test_blocks_with_and_without_missing_values_may_follow_each_other():
    shape, summed, largest = GRIDS["an image"]
    geometry = _core.Geometry(P)
    geometry.add_grid(shape, summed)
    arrays = Trees(patch(0, shape, summed, largest), n_trees=3).arrays()
    predictor = _core.Predictor(arrays, geometry, [], False, np.zeros(1))
    X = rows_of(np.float32, 0, n=9000)
    X[4500, 7] = np.nan
    leaves = predictor.apply(X, 1)
    for i in (0, 4499, 4500, 4501, 8999):
        assert np.array_equal(predictor.apply(X[i : i + 1], 1)[0], leaves[i])

"""Projected values against direct sums; patches read a summed-area table and must not show it."""

import numpy as np
import pytest

import manifoldforest as mf
import stages
from manifoldforest import _core

PATCH = 1  # kinds of atoms
SPARSE = 0

GRIDS = {
    "line": ([30], ["contiguous"]),
    "circle": ([30], ["wrap"]),
    "image": ([6, 9], ["contiguous", "contiguous"]),
    "cylinder": ([6, 9], ["contiguous", "wrap"]),
    "torus": ([6, 9], ["wrap", "wrap"]),
    "image, channels last": ([5, 6, 3], ["contiguous", "contiguous", "channel"]),
    "image, channels first": ([3, 5, 6], ["channel", "wrap", "contiguous"]),
    "series": ([5, 20], ["free", "contiguous"]),
    "series, time first": ([20, 5], ["wrap", "free"]),
    "two free axes": ([4, 8, 4], ["free", "contiguous", "free"]),
    "volume": ([4, 5, 6], ["contiguous"] * 3),
    "periodic volume": ([4, 5, 6], ["wrap"] * 3),
    "four dimensions": ([3, 2, 4, 3], ["contiguous", "wrap", "contiguous", "contiguous"]),
}


def random_patch(rng, shape, axes):
    """Cells along every axis, and the numbers by which an atom stores them."""
    cells, ints = [], []
    for length, axis in zip(shape, axes, strict=True):
        if axis in ("contiguous", "wrap"):
            size = int(rng.integers(1, length + 1))
            start = int(rng.integers(0, length if axis == "wrap" else length - size + 1))
            cells.append([(start + step) % length for step in range(size)])
            ints += [start, size]
        else:
            size = 1 if axis == "channel" else int(rng.integers(1, length + 1))
            chosen = sorted(rng.choice(length, size=size, replace=False).tolist())
            cells.append(chosen)
            ints += [size, *chosen]
    return cells, ints


def patches_on(name, n_patches, seed):
    """A geometry with two grids, random patches on the second as masks, and as flat arrays."""
    shape, axes = GRIDS[name]
    rng = np.random.default_rng(seed)
    geometry = _core.Geometry(int(np.prod(shape)))
    geometry.add_grid([int(np.prod(shape))], [True])
    grid = geometry.add_grid(shape, [axis in ("contiguous", "wrap") for axis in axes])
    masks, ints, offsets = [], [], [0]
    for _ in range(n_patches):
        cells, numbers = random_patch(rng, shape, axes)
        mask = np.zeros(shape, bool)
        mask[np.ix_(*cells)] = True
        masks.append(mask.ravel())
        ints += [grid, *numbers]
        offsets.append(len(ints))
    arrays = {
        "atom_kind": np.full(n_patches, PATCH, np.uint8),
        "atom_offsets": np.array(offsets, np.int64),
        "atom_ints": np.array(ints, np.int32),
        "weight_offsets": np.zeros(n_patches + 1, np.int64),
        "atom_weights": np.zeros(0, np.float32),
    }
    return geometry, np.array(masks), arrays


@pytest.mark.parametrize("n", [1, 7, 500])
@pytest.mark.parametrize("name", GRIDS)
def test_patch_sums_of_bytes_are_exact(name, n):
    geometry, masks, arrays = patches_on(name, 200, seed=n)
    rng = np.random.default_rng(n)
    X = rng.integers(0, 256, size=(n, geometry.n_features)).astype(np.uint8)
    X[0] = 255
    expected = X.astype(np.int64) @ masks.T.astype(np.int64)
    assert np.array_equal(stages.project(X, geometry, arrays), expected)


@pytest.mark.parametrize("n", [1, 7, 500])
@pytest.mark.parametrize("name", GRIDS)
def test_patch_sums_of_small_whole_floats_are_exact(name, n):
    geometry, masks, arrays = patches_on(name, 100, seed=n)
    rng = np.random.default_rng(n)
    X = rng.integers(-128, 128, size=(n, geometry.n_features)).astype(np.float32)
    expected = X.astype(np.int64) @ masks.T.astype(np.int64)
    assert np.array_equal(stages.project(X, geometry, arrays), expected)


@pytest.mark.parametrize("name", GRIDS)
def test_patch_sums_of_floats_are_close(name):
    geometry, masks, arrays = patches_on(name, 100, seed=2)
    X = np.random.default_rng(2).normal(size=(50, geometry.n_features)).astype(np.float32)
    expected = X.astype(np.float64) @ masks.T
    # The result is a float32; the table behind it must not add errors of the size of the whole.
    error = np.abs(stages.project(X, geometry, arrays) - expected)
    assert np.all(error <= 2.0**-23 * np.abs(expected) + 1e-10)


@pytest.mark.parametrize("name", GRIDS)
def test_a_patch_is_missing_exactly_when_it_touches_a_missing_value(name):
    geometry, masks, arrays = patches_on(name, 100, seed=3)
    rng = np.random.default_rng(3)
    X = rng.integers(-128, 128, size=(60, geometry.n_features)).astype(np.float32)
    missing = rng.random(X.shape) < 0.02
    missing[0], missing[1] = True, False
    X[missing] = np.nan
    values = stages.project(X, geometry, arrays)
    touched = (missing.astype(int) @ masks.T.astype(int)) > 0
    assert 0 < touched[1:].mean() < 1
    assert np.array_equal(np.isnan(values), touched)
    expected = np.where(missing, 0, X).astype(np.int64) @ masks.T.astype(np.int64)
    assert np.array_equal(values[~touched], expected[~touched])


def sparse_arrays(atoms):
    """Flat arrays of atoms given as (features, weights)."""
    lengths = np.cumsum([0] + [len(features) for features, _ in atoms])
    return {
        "atom_kind": np.full(len(atoms), SPARSE, np.uint8),
        "atom_offsets": lengths.astype(np.int64),
        "atom_ints": np.concatenate([f for f, _ in atoms]).astype(np.int32),
        "weight_offsets": lengths.astype(np.int64),
        "atom_weights": np.concatenate([w for _, w in atoms]).astype(np.float32),
    }


def random_sparse_atoms(rng, p, whole):
    for size in (1, 1, 2, 3, 4, 7, p):
        features = np.sort(rng.choice(p, size=size, replace=False))
        weights = rng.choice([-1.0, 1.0], size=size) if whole else rng.uniform(-1, 1, size=size)
        yield features, np.ones(1) if size == 1 else weights


@pytest.mark.parametrize("n", [1, 7, 500])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("whole", [True, False])
def test_sparse_projections_are_weighted_sums(n, dtype, whole):
    rng = np.random.default_rng(n)
    p = 12
    X = rng.integers(0, 256, size=(n, p)).astype(dtype)
    atoms = list(random_sparse_atoms(rng, p, whole))
    values = stages.project(X, _core.Geometry(p), sparse_arrays(atoms))
    for atom, (features, weights) in enumerate(atoms):
        w = weights.astype(np.float32).astype(np.float64)
        expected = X[:, features].astype(np.float64) @ w
        if whole:
            assert np.array_equal(values[:, atom], expected)
        else:
            scale = X[:, features].astype(np.float64) @ np.abs(w)
            assert np.all(np.abs(values[:, atom] - expected) <= 1e-6 * scale + 1e-12)


def test_a_sparse_projection_is_missing_exactly_when_it_touches_a_missing_value():
    rng = np.random.default_rng(4)
    p = 12
    X = rng.integers(0, 256, size=(100, p)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    atoms = list(random_sparse_atoms(rng, p, whole=True))
    values = stages.project(X, _core.Geometry(p), sparse_arrays(atoms))
    for atom, (features, _) in enumerate(atoms):
        touched = np.isnan(X[:, features]).any(axis=1)
        assert np.array_equal(np.isnan(values[:, atom]), touched)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_dictionary_atoms_project_as_their_rows_say(dtype):
    rng = np.random.default_rng(5)
    p = 12
    atoms = list(random_sparse_atoms(rng, p, whole=True))
    flat = sparse_arrays(atoms)
    geometry = _core.Geometry(p)
    first = geometry.add_dictionary(flat["atom_offsets"], flat["atom_ints"], flat["atom_weights"])
    chosen = np.array([3, 0, 6, 3])
    arrays = {
        "atom_kind": np.full(4, 2, np.uint8),
        "atom_offsets": np.arange(5, dtype=np.int64),
        "atom_ints": (first + chosen).astype(np.int32),
        "weight_offsets": np.zeros(5, np.int64),
        "atom_weights": np.zeros(0, np.float32),
    }
    X = rng.integers(0, 256, size=(40, p)).astype(dtype)
    values = stages.project(X, geometry, arrays)
    for column, atom in enumerate(chosen):
        features, weights = atoms[atom]
        assert np.array_equal(values[:, column], X[:, features].astype(np.float64) @ weights)


# ------------------------------------------------------------------ wide examples of bytes

MOST_FEATURES = 2**23 - 1  # sums of as many bytes stay below 2**31


def wide_bytes(n_features):
    """Two bright examples and two dark ones, the sums of which are near the end of the range."""
    X = np.full((4, n_features), 255, np.uint8)
    X[2:, : n_features // 2] = 254
    return X, np.array([1, 1, 0, 0])


def patches_of(size):
    projection = mf.projections.Patches(min_size=size, max_size=size, placement="interior")
    return mf.ForestClassifier(1, projection=projection, bootstrap=False, max_features=3)


def test_patches_of_as_many_bytes_as_there_may_be():
    X, y = wide_bytes(MOST_FEATURES)
    forest = patches_of(MOST_FEATURES).fit(X, y)
    sums = X.sum(axis=1, dtype=np.int64)
    threshold = forest.trees_[0].threshold[0]
    assert sums[2] < threshold < sums[0] < 2**31
    np.testing.assert_array_equal(forest.predict(X), y)
    np.testing.assert_array_equal(forest.predict(X.astype(np.float32)), y)


def test_corners_of_a_patch_may_add_up_to_more_than_31_bits():
    shape = (2300, 2300)  # two corners of a patch are 2.7e9 together, the patch itself is 1.35e9
    X, y = wide_bytes(shape[0] * shape[1])
    forest = patches_of((2299, 2299)).fit(X.reshape(4, *shape), y)
    np.testing.assert_array_equal(forest.predict(X.reshape(4, *shape)), y)


def test_wider_examples_are_refused():
    X, y = wide_bytes(MOST_FEATURES + 1)
    with pytest.raises(ValueError, match=r"n_features must be between 1 and 2\*\*23 - 1"):
        patches_of(1).fit(X, y)

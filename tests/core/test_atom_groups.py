"""Compiled atoms that reduce groups of terms, against NumPy; grower and predictor must agree."""

import numpy as np
import pytest

import stages
from manifoldforest import _core

SHAPE = (20, 23)  # sums over all of it leave 16 bits
P = 460
REDUCE = {"maximum": np.max, "minimum": np.min}


def rows_of(data, n, seed=0):
    rng = np.random.default_rng(seed)
    if data == "bytes":
        X = rng.integers(0, 256, size=(n, P)).astype(np.uint8)
        X[0] = 255
        return X
    X = rng.integers(-128, 128, size=(n, P)).astype(np.float32)
    if data == "missing":
        X[rng.random(X.shape) < 0.002] = np.nan
        X[0] = np.nan
        X[1] = 1
    return X


def boxes(rng, n_boxes, largest):
    """Random boxes of the grid as masks, and their corners in its summed-area table."""
    masks, columns, weights, ends = [], [], [], []
    for _ in range(n_boxes):
        mask = np.zeros(SHAPE, bool)
        size = [int(rng.integers(1, min(length, largest) + 1)) for length in SHAPE]
        first = [int(rng.integers(0, SHAPE[axis] - size[axis] + 1)) for axis in (0, 1)]
        top, left = first
        bottom, right = top + size[0], left + size[1]
        mask[top:bottom, left:right] = True
        masks.append(mask.ravel())
        for row, column, sign in (
            (bottom, right, 1),
            (bottom, left, -1),
            (top, right, -1),
            (top, left, 1),
        ):
            columns.append(row * (SHAPE[1] + 1) + column)
            weights.append(sign)
        ends.append(len(columns))
    return masks, columns, weights, ends


def project_groups(X, columns, weights, ends, reduction, grid=-1, narrow=False, in_block=False):
    geometry = _core.Geometry(P)
    geometry.add_grid([P], [True])
    geometry.add_grid(list(SHAPE), [True, True])
    columns, weights = np.array(columns, np.int32), np.array(weights, np.float32)
    ends = np.array(ends, np.int64)
    return stages.project_groups(
        X, geometry, columns, weights, ends, reduction, grid, narrow, in_block
    )


def reduced(sums, reduction):
    """Values over groups (rows × groups); NaN where any is NaN."""
    return REDUCE[reduction](sums, axis=1)


@pytest.mark.parametrize("reduction", REDUCE)
@pytest.mark.parametrize("in_block", [False, True])
@pytest.mark.parametrize("n_groups", [1, 2, 25])
@pytest.mark.parametrize("data", ["bytes", "narrow bytes", "floats", "missing"])
def test_sums_of_patches_are_reduced(data, n_groups, in_block, reduction):
    rng = np.random.default_rng(n_groups)
    narrow = data == "narrow bytes"
    X = rows_of("bytes" if narrow else data, 70)
    # 257 bytes are the most that 16 bits hold; larger sums must be masked group by group
    masks, *terms = boxes(rng, n_groups, 16 if narrow else 23)
    sums = np.stack([X[:, mask].astype(np.float64).sum(axis=1) for mask in masks], axis=1)
    projected, predicted = project_groups(X, *terms, reduction, 1, narrow, in_block)
    expected = reduced(sums, reduction)
    if data == "missing":
        assert np.isnan(expected[0])
        assert not np.isnan(expected[1])
    assert np.array_equal(projected, expected, equal_nan=True)
    assert np.array_equal(predicted, expected, equal_nan=True)


@pytest.mark.parametrize("reduction", REDUCE)
@pytest.mark.parametrize("in_block", [False, True])
@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [3.0, -2.0, 1.0], [0.5, -0.25, 1.0]])
@pytest.mark.parametrize("data", ["bytes", "floats", "missing"])
def test_sums_of_features_are_reduced(data, weights, in_block, reduction):
    rng = np.random.default_rng(7)
    X = rows_of(data, 70)
    columns, chosen, ends, sums = [], [], [], []
    for size in (1, 2, 3, 6, 9):
        features = np.sort(rng.choice(P, size, replace=False))
        w = rng.choice(weights, size)
        columns += features.tolist()
        chosen += w.tolist()
        ends.append(len(columns))
        sums.append(X[:, features].astype(np.float64) @ w)
    projected, predicted = project_groups(X, columns, chosen, ends, reduction, in_block=in_block)
    expected = reduced(np.stack(sums, axis=1), reduction)
    assert np.array_equal(projected, expected, equal_nan=True)
    assert np.array_equal(predicted, expected, equal_nan=True)


def test_a_sum_has_one_group():
    X = rows_of("bytes", 20)
    projected, predicted = project_groups(X, [3, 5, 90], [1, -1, 2], [], "sum")
    expected = X[:, 3].astype(int) - X[:, 5] + 2 * X[:, 90].astype(int)
    assert np.array_equal(projected, expected)
    assert np.array_equal(predicted, expected)

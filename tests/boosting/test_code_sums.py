"""Kernels that large nodes of boosting are searched by, beside plain loops."""

import numpy as np
import pytest

import stages
from manifoldforest import _core

# Around what kernels take at once, and the most that a block has.
COUNTS = (0, 1, 2, 3, 15, 16, 17, 1023, 1024, 1025, 16_384)


@pytest.fixture(params=_core.supported_kernels(), autouse=True)
def kernels(request):
    stages.use_kernels(request.param)
    yield
    stages.use_kernels(_core.supported_kernels()[-1])


def reference_sums(rows, codes, features, derivatives):
    sums = np.zeros((len(features), 256, derivatives.shape[1]), dtype=np.int64)
    for place, feature in enumerate(features):
        np.add.at(sums[place], codes[rows, feature], derivatives[rows])
    return sums


def pairs_of(sums):
    """Return the sums of two lanes, which are one number: first * 2^32 + second."""
    return sums[..., 0] * 2**32 + sums[..., 1]


@pytest.mark.parametrize("n_rows", COUNTS)
@pytest.mark.parametrize("n_features", [1, 9, 10, 11, 20, 23, 70])
@pytest.mark.parametrize("chosen", [False, True])
def test_sums_of_pairs_are_those_of_a_plain_loop(n_rows, n_features, chosen):
    rng = np.random.default_rng(n_rows)
    codes = rng.integers(0, 256, (n_rows + 50, n_features), dtype=np.uint8)
    codes[:, 0] = 255  # all rows in one bin, the last one
    derivatives = np.stack(
        [rng.integers(-(2**15) + 1, 2**15, len(codes)), rng.integers(1, 2**15, len(codes))], axis=1
    ).astype(np.int16)
    rows = np.sort(rng.choice(len(codes), n_rows, replace=False)).astype(np.int32)
    features = rng.permutation(n_features)[: (n_features + 1) // 2] if chosen else None
    sums = stages.add_codes(
        rows, codes, None if features is None else features.astype(np.uint32), derivatives
    )
    expected = reference_sums(
        rows, codes, range(n_features) if features is None else features, derivatives
    )
    found = sums.view(np.int64)[..., 0]
    assert np.array_equal(found, pairs_of(expected))


@pytest.mark.parametrize("first", [-(2**15) + 1, 2**15 - 1])
def test_the_largest_sums_of_a_block_have_room(first):
    n = 2**16
    rows = np.arange(n, dtype=np.int32)
    derivatives = np.tile(np.array([first, 2**15 - 1], dtype=np.int16), (n, 1))
    sums = stages.add_codes(rows, np.zeros((n, 2), dtype=np.uint8), None, derivatives)
    assert np.array_equal(sums.view(np.int64)[:, 0, 0], 2 * [n * (first * 2**32 + 2**15 - 1)])


@pytest.mark.parametrize("stride", [4, 8, 16, 32])
def test_sums_of_more_lanes_are_those_of_a_plain_loop(stride):
    rng = np.random.default_rng(stride)
    codes = rng.integers(0, 256, (1500, 5), dtype=np.uint8)
    derivatives = rng.integers(-(2**15) + 1, 2**15, (1500, stride)).astype(np.int16)
    rows = np.arange(0, 1500, 1, dtype=np.int32)
    sums = stages.add_codes(rows, codes, None, derivatives)
    assert np.array_equal(sums, reference_sums(rows, codes, range(5), derivatives))

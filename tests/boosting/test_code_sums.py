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


def draw_pairs(rng, n):
    pairs = np.stack([rng.normal(size=n), rng.uniform(size=n)], axis=1)
    pairs[rng.random(n) < 0.1] *= 1e-9  # hessians that are rounded to 0
    pairs[rng.random(n) < 0.1, 0] = 0.0
    return pairs.astype(np.float32)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 255, 256, 257, 16_384])
@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_are_rounded_to_the_nearest_whole_numbers(n, weighted):
    rng = np.random.default_rng(n)
    pairs = draw_pairs(rng, n)
    weight = 10.0 ** rng.integers(-6, 7, n) if weighted else None
    weighed = pairs * weight.astype(np.float32)[:, None] if weighted else pairs
    largest = stages.largest_pair(pairs, weight)
    assert np.array_equal(largest, np.abs(weighed).max(axis=0, initial=0.0))
    scales = [np.float32(32766) / np.float32(part) if part else 1.0 for part in largest]
    rounded, gradient_units, hessian_units = stages.round_pairs(pairs, weight, *scales)
    expected = np.rint(weighed * np.array(scales, dtype=np.float32))
    expected[:, 1] = np.maximum(expected[:, 1], 1)
    assert np.array_equal(rounded, expected)
    assert gradient_units == np.abs(expected[:, 0]).sum()
    assert hessian_units == expected[:, 1].sum()


def test_halves_are_rounded_to_even_and_the_largest_units_have_room():
    halves = np.array([[k + 0.5, k + 0.5] for k in range(-4, 5)], dtype=np.float32)
    rounded, _, _ = stages.round_pairs(halves, None, 1.0, 1.0)
    assert rounded[:, 0].tolist() == [-4, -2, -2, 0, 0, 2, 2, 4, 4]
    assert rounded[:, 1].tolist() == [1, 1, 1, 1, 1, 2, 2, 4, 4]
    most = np.tile(np.array([-32767, 32767], dtype=np.float32), (2**16, 1))
    _, *units = stages.round_pairs(most, None, 1.0, 1.0)
    assert units == 2 * [2**16 * 32767]


@pytest.mark.parametrize("n_bins", [0, 1, 2, 3, 200, 255])
@pytest.mark.parametrize("l2", [0.0, 3.5])
@pytest.mark.parametrize("missing", [False, True])
def test_cuts_of_pairs_are_those_of_sums_with_counts(n_bins, l2, missing):
    """Counts that are the hessians: both kernels then find the same cut and score."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pairs = np.zeros((n_bins, 2))
        pairs[:, 0] = rng.integers(-(2**40), 2**40, n_bins)
        pairs[:, 1] = rng.integers(1, 2**40, n_bins)
        pairs[rng.random(n_bins) < rng.choice([0.0, 0.4, 0.95])] = 0.0
        left = np.array([-5.0e9, 7.0e9]) if missing else np.zeros(2)
        totals = pairs.sum(axis=0) + left + [3.0e9, 2.0e9]

        def with_counts(part):
            wide = np.stack([part[..., 0], part[..., 1], part[..., 1], 0 * part[..., 0]], axis=-1)
            return np.ascontiguousarray(wide)

        rules = {"tolerance": 1e-3, "min_child": 1.0, "l2": l2}
        for beaten in (-np.inf, 1e11):
            found = stages.cut_gradients(pairs, left, totals, score_to_beat=beaten, **rules)
            expected = stages.cut_gradients(
                *map(with_counts, (pairs, left, totals)), score_to_beat=beaten, **rules
            )
            assert found == expected

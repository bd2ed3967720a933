"""Order codes of float columns, against a short NumPy version."""

import numpy as np
import pytest

from reference.column_codes import column_codes
from stages import column_codes as core_codes

RNG = np.random.default_rng(0)


def columns(n=3000):
    """Return columns: continuous, with ties, missing, crowded, of extreme size."""
    normal = RNG.standard_normal(n)
    few = RNG.integers(-3, 4, n)
    zeros = np.where(RNG.random(n) < 0.6, 0.0, normal)
    signed_zeros = np.where(RNG.random(n) < 0.5, -0.0, 0.0)
    missing = np.where(RNG.random(n) < 0.1, np.nan, np.round(normal, 2))
    all_missing = np.full(n, np.nan)
    constant = np.full(n, 7.0)
    skewed = np.exp(10 * normal)
    tiny = normal * 1e-42  # denormal
    extreme = np.where(RNG.random(n) < 0.5, np.finfo(np.float32).max, -np.finfo(np.float32).max)
    far_away = np.where(RNG.random(n) < 0.001, -1e30, 1e9 + 1e5 * normal)
    infinite = np.where(RNG.random(n) < 0.01, np.inf, normal)
    uneven = np.where(RNG.random(n) < 0.3, normal, 1 + 1e-6 * np.round(normal, 1))
    table = [
        normal,
        few,
        zeros,
        signed_zeros,
        missing,
        all_missing,
        constant,
        skewed,
        tiny,
        extreme,
        far_away,
        infinite,
        uneven,
    ]
    return np.ascontiguousarray(np.column_stack(table), dtype=np.float32)


@pytest.mark.parametrize(
    ("most_codes", "n_bytes"), [(1, 1), (2, 1), (7, 1), (255, 1), (1000, 2), (65535, 2)]
)
@pytest.mark.parametrize("n_rows", [1, 2, 63, 64, 65, 3000])
def test_codes_are_those_of_the_reference(most_codes, n_bytes, n_rows):
    check_against_reference(columns()[:n_rows], most_codes, n_bytes)


@pytest.mark.parametrize("has_columns", [False, True])
@pytest.mark.parametrize("most_codes", [3, 100, 255])
def test_codes_of_many_rows_are_those_of_the_reference(most_codes, has_columns):
    check_against_reference(columns(40_000), most_codes, 1, has_columns)


def check_against_reference(X, most_codes, n_bytes, has_columns=False):
    """Compare codes, largest values and whether codes are single values."""
    found = core_codes(X, most_codes, n_bytes, 2, has_columns)
    for column, (codes, last, lossless) in zip(X.T, found, strict=True):
        expected_codes, expected_last, expected_lossless = column_codes(column, most_codes)
        np.testing.assert_array_equal(codes, expected_codes)
        np.testing.assert_array_equal(last, expected_last)
        assert lossless == expected_lossless
        assert len(last) <= most_codes


def test_codes_do_not_depend_on_the_number_of_threads():
    X = np.tile(columns(), (1, 5))
    for one, three in zip(core_codes(X, 100, 1, 1), core_codes(X, 100, 1, 3), strict=True):
        np.testing.assert_array_equal(one[0], three[0])
        np.testing.assert_array_equal(one[1], three[1])


def test_codes_hold_about_equally_many_rows_and_order_them_as_values_do():
    X = RNG.standard_normal((10_000, 1)).astype(np.float32)
    ((codes, last, lossless),) = core_codes(X, 64, 1)
    assert not lossless
    assert len(last) == 64
    counts = np.bincount(codes)
    assert counts.min() >= 10_000 // 64 - 1
    assert counts.max() <= -(-10_000 // 64)
    order = np.argsort(X[:, 0], kind="stable")
    assert (np.diff(codes[order]) >= 0).all()


def test_a_value_of_many_rows_leaves_the_other_codes_to_the_other_rows():
    values = np.sort(np.concatenate([np.zeros(5000), RNG.standard_normal(5000)]))
    ((codes, last, _),) = core_codes(values.astype(np.float32)[:, None], 101, 1)
    assert len(last) > 90
    assert set(values[codes == codes[values == 0][0]]) == {0.0}

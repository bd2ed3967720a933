"""Exponential and logarithm of the core, beside those of NumPy in extended precision."""

import hashlib

import numpy as np
import pytest

import stages


def ulps(computed, exact):
    """Distance to numbers of higher precision, in units of the last place of the result."""
    spacing = np.spacing(np.abs(exact.astype(np.float64)))
    return np.abs(computed.astype(np.longdouble) - exact) / spacing


def numbers(*parts):
    rng = np.random.default_rng(0)
    return np.concatenate([rng.uniform(low, high, 20_000) for low, high in parts])


needs_extended_precision = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant <= 52, reason="there is nothing more precise to compare with"
)


@needs_extended_precision
def test_the_exponential_is_right_to_one_unit_in_the_last_place():
    x = numbers((-700, 709), (-1, 1), (-1e-8, 1e-8), (-20, 20))
    assert ulps(stages.portable_exp(x), np.exp(x.astype(np.longdouble))).max() <= 1.0


@needs_extended_precision
def test_the_logarithm_is_right_to_one_unit_in_the_last_place():
    x = np.concatenate([np.exp(numbers((-700, 700))), numbers((0.5, 2), (1 - 1e-8, 1 + 1e-8))])
    assert ulps(stages.portable_log(x), np.log(x.astype(np.longdouble))).max() <= 1.0


def test_the_ends_of_the_range_are_those_of_numpy():
    inf, nan = np.inf, np.nan
    x = np.array([0.0, -0.0, 709.78, 709.79, 1000.0, inf, -745.13, -745.14, -1000.0, -inf, nan])
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_allclose(stages.portable_exp(x), np.exp(x), rtol=4e-16, atol=0)
    x = np.array([1.0, 0.0, -0.0, -1.0, inf, -inf, nan, 5e-324, 2.0**-1022, 1e-310, 1.7e308])
    with np.errstate(divide="ignore", invalid="ignore"):
        np.testing.assert_allclose(stages.portable_log(x), np.log(x), rtol=4e-16, atol=0)


def test_small_results_of_the_exponential_are_subnormal_numbers():
    x = np.array([-708.5, -720.0, -740.0, -745.0])
    # the two steps of the scaling round twice
    np.testing.assert_allclose(stages.portable_exp(x), np.exp(x), rtol=0, atol=2 * 5e-324)


def test_all_bits_are_those_of_every_other_build():
    """The inputs are exact, and so the digest is that of any compiler and machine."""
    x = (np.arange(-30_000, 30_000) * 0.0009765625).astype(np.float64)
    bits = stages.portable_exp(x).tobytes() + stages.portable_log(np.abs(x) + 2.0**-20).tobytes()
    assert hashlib.sha256(bits).hexdigest()[:16] == "1946e8b84d8a1664"

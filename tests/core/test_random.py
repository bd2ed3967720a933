"""The portable random numbers; the false-alarm rate is stated in reference/chance.py."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

import stages
from reference.chance import assert_continuous, assert_equally_likely, assert_follows, assert_mean

KINDS = {"bits": 0.0, "uniform": 0.0, "normal": 0.0, "poisson": 2.5, "below": 1000.0}


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_is_a_function_of_its_seed(kind):
    one = stages.random_stream(7, kind, 1000, KINDS[kind])
    assert np.array_equal(one, stages.random_stream(7, kind, 1000, KINDS[kind]))
    assert np.array_equal(one[:100], stages.random_stream(7, kind, 100, KINDS[kind]))
    assert not np.array_equal(one, stages.random_stream(8, kind, 1000, KINDS[kind]))


def top_bits(stream):
    """The 53 leading bits of every number; the stream hands them over as whole doubles."""
    bits = stream.astype(np.uint64)
    assert np.array_equal(bits, stream)
    assert bits.max() < 2**53
    return bits


def test_bits_are_fair_in_every_place():
    bits = top_bits(stages.random_stream(1, "bits", 20000))
    for shift in range(0, 53, 7):
        digits = (bits >> np.uint64(shift)) & np.uint64(127)
        n_bits = min(7, 53 - shift)
        assert_equally_likely(digits.tolist(), range(2**n_bits))


def test_bits_of_neighbouring_seeds_are_unrelated():
    first = np.array([stages.random_stream(seed, "bits", 1)[0] for seed in range(5000)])
    first = top_bits(first)
    top = (first >> np.uint64(50)).tolist()
    assert_equally_likely(zip(top[::2], top[1::2], strict=True), product(range(8), range(8)))
    low = (first & np.uint64(7)).tolist()
    assert_equally_likely(zip(low[::2], low[1::2], strict=True), product(range(8), range(8)))


def test_uniform_numbers_are_uniform_and_independent():
    u = stages.random_stream(2, "uniform", 50000)
    assert u.min() >= 0
    assert u.max() < 1
    assert_continuous(u, stats.uniform().cdf)
    cells = np.floor(10 * u).astype(int).tolist()
    assert_equally_likely(zip(cells[::2], cells[1::2], strict=True), product(range(10), range(10)))


def test_normal_numbers_have_the_normal_law():
    z = stages.random_stream(3, "normal", 50000)
    assert_continuous(z, stats.norm.cdf)
    assert_mean(z, 0, 1)
    assert_mean(z**2, 1, np.sqrt(2))
    assert_mean(z**3, 0, np.sqrt(15))
    assert_mean(z**4, 3, np.sqrt(96))
    assert_mean(z[::2] * z[1::2], 0, 1)


@pytest.mark.parametrize("rate", [0.01, 0.5, 1.5, 3.0, 12.0, 45.0, 100.0])
def test_poisson_numbers_have_the_poisson_law(rate):
    counts = np.asarray(stages.random_stream(4, "poisson", 20000, rate)).astype(int)
    top = int(stats.poisson.isf(1e-12, rate))
    law = {k: stats.poisson.pmf(k, rate) for k in range(top)}
    law[top] = stats.poisson.sf(top - 1, rate)
    assert_follows(np.minimum(counts, top).tolist(), law)


@pytest.mark.parametrize("bound", [1, 2, 7, 10, 100])
def test_bounded_integers_are_uniform(bound):
    draws = np.asarray(stages.random_stream(5, "below", 20000, bound)).astype(np.int64)
    assert_equally_likely(draws.tolist(), range(bound))


def test_bounded_integers_are_unbiased_for_large_bounds():
    # Reducing 32 random bits modulo 3 * 2**30 would make the first third twice as likely, scaling
    # them would favour every third number.
    bound = 3 * 2**30
    draws = np.asarray(stages.random_stream(6, "below", 20000, bound)).astype(np.int64)
    assert draws.min() >= 0
    assert draws.max() < bound
    assert_equally_likely((draws // 2**30).tolist(), range(3))
    assert_equally_likely((draws % 3).tolist(), range(3))

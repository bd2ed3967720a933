"""Tests of distributions, all with one false-alarm rate.

A correct implementation fails one test function with probability at most FALSE_ALARM: a test makes
at most CHECKS_PER_TEST of the checks below, each at the level FALSE_ALARM / CHECKS_PER_TEST. Seeds
are fixed, so a test that passes once passes always; the rate says what a new seed would risk.
"""

from collections import Counter

import numpy as np
from scipy import stats

FALSE_ALARM = 1e-4
CHECKS_PER_TEST = 10
LEVEL = FALSE_ALARM / CHECKS_PER_TEST


def assert_follows(observations, law):
    """Chi-square test of hashable observations against {value: probability}."""
    counts = observations if isinstance(observations, dict) else Counter(observations)
    assert abs(sum(law.values()) - 1) < 1e-9, "the law itself must sum to one"
    impossible = [value for value in counts if value not in law]
    assert not impossible, f"outside the support of the law: {impossible[:3]}"
    n = sum(counts.values())
    values = sorted(law, key=lambda value: -law[value])
    expected = np.array([n * law[value] for value in values])
    observed = np.array([counts.get(value, 0) for value in values])
    # Cells with small expectation share one cell.
    small = expected < 5
    if small.any():
        expected = np.append(expected[~small], expected[small].sum())
        observed = np.append(observed[~small], observed[small].sum())
    keep = expected > 0
    assert not observed[~keep].any()
    expected, observed = expected[keep], observed[keep]
    if len(expected) == 1:
        return
    statistic = np.sum((observed - expected) ** 2 / expected)
    p_value = stats.chi2.sf(statistic, len(expected) - 1)
    assert p_value > LEVEL, f"chi-square {statistic:.1f} on {len(expected) - 1} df"


def assert_equally_likely(observations, values):
    """Chi-square test of observations against the uniform law on values."""
    values = list(values)
    assert_follows(observations, dict.fromkeys(values, 1 / len(values)))


def assert_continuous(sample, cdf):
    """Kolmogorov-Smirnov test of independent numbers against a distribution function."""
    assert stats.kstest(np.ravel(sample), cdf).pvalue > LEVEL


def assert_mean(sample, mean, sd):
    """Z-test of the mean of independent numbers with known standard deviation."""
    sample = np.ravel(sample)
    z = (sample.mean() - mean) / (sd / np.sqrt(len(sample)))
    assert abs(z) < stats.norm.isf(LEVEL / 2), f"mean {sample.mean():.5g}, expected {mean:.5g}"

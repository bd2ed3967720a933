"""What the core says of its metrics, and that all who list them by name agree with it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import manifoldforest as mf
import stages
from manifoldforest import _core
from manifoldforest.boundary._metrics import INDEX_METRICS, METRICS, largest_entry
from manifoldforest.boundary._pairwise_distances import PAIRWISE_METRICS
from reference import boundary

ALL = {metric.name: metric for metric in _core.metrics()}
INDEXES = (mf.BoundaryIndex, mf.boundary.BruteForceIndex)
ESTIMATORS = (mf.BoundaryForestClassifier, mf.BoundaryForestRegressor)
GUIDE = Path(__file__).parents[2] / "docs/guide/similarity_search.md"


def names_of_parameter(kind):
    """Quoted words in what the docstring of a class says about its parameter `metric`."""
    doc = inspect.getdoc(kind)
    said = re.search(r"^metric : .*\n((?:    .*\n)+)", doc, re.MULTILINE)
    return set(re.findall(r'``"(\w+)"``', said.group(1)))


def random_rows(n, width=6, dtype=np.float64):
    return np.random.default_rng(0).normal(size=(n, width)).astype(dtype)


# ------------------------------------------------------------------ properties


def test_names_and_their_order_in_messages():
    assert tuple(ALL) == INDEX_METRICS
    assert METRICS == ("euclidean", "manhattan", "chebyshev", "cosine", "hamming")
    assert (*METRICS, "inner_product") == INDEX_METRICS


def test_every_instruction_set_has_the_same_metrics():
    def described(metric):
        names = [name for name in dir(metric) if not name.startswith("_")]
        return {name: getattr(metric, name) for name in names}

    expected = [described(metric) for metric in ALL.values()]
    assert expected[0].keys() == {
        "name",
        "non_negative",
        "of_differences",
        "exact_for_bytes",
        "largest_entry",
    }
    best = _core.supported_kernels()[-1]
    try:
        for kernels in _core.supported_kernels():
            stages.use_kernels(kernels)
            assert [described(metric) for metric in _core.metrics()] == expected
    finally:
        stages.use_kernels(best)


@pytest.mark.parametrize("name", ALL)
def test_only_metrics_that_say_so_have_negative_distances(name):
    X = random_rows(40)
    found = stages.distances(name, X, X, False)
    assert (found >= 0).all() == ALL[name].non_negative


@pytest.mark.parametrize("name", ALL)
def test_metrics_of_differences_do_not_see_a_shift(name):
    X, Y = np.random.default_rng(1).integers(0, 5, size=(2, 20, 6)).astype(np.float64)
    before = stages.distances(name, X, Y, False)
    after = stages.distances(name, X + 16, Y + 16, False)
    assert np.array_equal(before, after) == ALL[name].of_differences


@pytest.mark.parametrize("name", ALL)
def test_largest_entries_have_finite_distances(name):
    X = np.random.default_rng(2).choice([-1.0, 1.0], size=(20, 500)) * largest_entry(name)
    for tiles in (False, True):
        assert np.isfinite(stages.distances(name, X, X, tiles)).all()


# ---------------------------------------------------------------------- places


@pytest.mark.parametrize("kind", INDEXES)
def test_docstrings_of_indexes_name_all_metrics(kind):
    assert names_of_parameter(kind) == set(INDEX_METRICS)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_docstrings_of_estimators_name_all_metrics_that_predict(kind):
    assert names_of_parameter(kind) == set(METRICS)


def test_the_exact_twin_measures_all_metrics():
    assert PAIRWISE_METRICS.keys() == ALL.keys()
    for name, exact in PAIRWISE_METRICS.items():
        assert (exact.of_differences is not None) == ALL[name].of_differences


def test_there_is_a_plain_version_of_all_metrics_that_predict():
    assert boundary.DISTANCES.keys() == set(METRICS)


def test_the_guide_names_all_metrics():
    said = GUIDE.read_text(encoding="utf-8")
    assert all(f'"{name}"' in said for name in ALL)


def test_unknown_metrics_are_refused_by_the_core():
    X = random_rows(3)
    with pytest.raises(ValueError, match="unknown metric taxicab"):
        stages.distances("taxicab", X, X, False)

"""Threads that sleep between calls: how many there are, and what becomes of them at a fork."""

from __future__ import annotations

import os
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import manifoldforest as mf
from manifoldforest import _core

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3000, 5)).astype(np.float32)
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
TASKS = Path("/proc/self/task")
PATIENCE = 60  # seconds


def forest(**params):
    return mf.ForestClassifier(8, random_state=0, **params)


@pytest.mark.skipif(not TASKS.is_dir(), reason="this system does not list threads")
def test_calls_share_their_threads():
    for _ in range(5):  # all that sleep are then as many as these calls want
        forest(n_jobs=3).fit(X, Y).predict_proba(X)
    n_threads = len(list(TASKS.iterdir()))
    for _ in range(20):
        forest(n_jobs=3).fit(X, Y).predict_proba(X)
    assert len(list(TASKS.iterdir())) <= n_threads
    _core.end_idle_threads()
    deadline = time.monotonic() + PATIENCE  # a thread that has ended may be listed for a moment
    while len(list(TASKS.iterdir())) >= n_threads:
        assert time.monotonic() < deadline, "no thread has ended"
        time.sleep(0.01)


def test_calls_at_the_same_time_have_threads_of_their_own():
    expected = forest(n_jobs=1).fit(X, Y).predict_proba(X)
    found, n_calls = [], 12  # more than there are teams that wait for the next call

    def fit():
        found.append(forest(n_jobs=2).fit(X, Y).predict_proba(X))

    for _ in range(3):
        threads = [threading.Thread(target=fit, daemon=True) for _ in range(n_calls)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert len(found) == 3 * n_calls
    for probabilities in found:
        assert_array_equal(probabilities, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_process_starts_threads_of_its_own():
    fitted = forest(n_jobs=2).fit(X, Y)
    expected = fitted.predict_proba(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if child == 0:
        same = False
        try:
            same = all(
                np.array_equal(each.predict_proba(X), expected)
                for each in (fitted, forest(n_jobs=2).fit(X, Y), fitted)
            )
        finally:
            os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert_array_equal(fitted.predict_proba(X), expected)

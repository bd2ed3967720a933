"""What many classes and functions share: `n_jobs`, `random_state`, the largest count."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
from sklearn.utils import check_random_state

from ._rules import Rule, check_argument, is_integer, none, nonzero_integer

# The core counts trees, rows and candidates in 32 bits.
INT32_MAX = 2**31 - 1

# No machine has more cores; every thread costs memory.
_MAX_THREADS = 1024

N_JOBS = nonzero_integer | none

RANDOM_STATE = Rule(
    "None, an integer in [0, 2**32 - 1] or a numpy RandomState",
    lambda value: (
        value is None
        or is_integer(value)
        or isinstance(value, np.random.RandomState)
        or value is np.random  # the module: scikit-learn's global generator
    ),
    lambda value: not is_integer(value) or 0 <= value < 2**32,
)


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for."""
    check_argument("n_jobs", n_jobs, N_JOBS)  # it may have been set after the fit
    return int(min(joblib.effective_n_jobs(n_jobs), _MAX_THREADS))


def random_generator(random_state: Any) -> np.random.RandomState:
    """Return the generator that `random_state` stands for."""
    check_argument("random_state", random_state, RANDOM_STATE)
    generator: np.random.RandomState = check_random_state(random_state)
    return generator


def draw_seed(random_state: Any) -> int:
    """Return a seed of the core, drawn from the generator that `random_state` stands for."""
    return int(random_generator(random_state).randint(2**63 - 1, dtype=np.int64))

"""Checks of the arguments that the functions of this package share."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

Seed = int | np.random.RandomState | None


def check_count(name: str, value: Any) -> int:
    """Return `value` as an int, or raise unless it is an integer of at least 1."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}")
    return int(value)


def check_nonnegative(name: str, value: Any) -> float:
    """Return `value` as a float, or raise unless it is a finite number of at least 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < 0:
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
    return float(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise unless `value` is one of `choices`."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def check_table(name: str, value: Any) -> np.ndarray:
    """Return `value` as an array, or raise unless it has rows and columns of numbers."""
    table = np.asarray(value)
    if table.ndim != 2 or table.dtype.kind not in "buif" or table.shape[1] == 0:
        raise ValueError(
            f"{name} must be a numeric array of shape (n_samples, n_features), "
            f"got shape {table.shape} of {table.dtype}"
        )
    return table


def random_stream(random_state: Seed) -> np.random.RandomState:
    """Return the stream of random numbers that `random_state` stands for."""
    try:
        stream: np.random.RandomState = check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            "random_state must be None, an integer in [0, 2**32 - 1] or a numpy RandomState, "
            f"got {random_state!r}"
        ) from error
    return stream


def child_stream(random_state: Seed) -> np.random.RandomState:
    """Return a stream that shares no numbers with the one of :func:`random_stream`.

    A user who passes one seed to a generator and to a later step must not get a second step that
    depends on the noise of the first.
    """
    seed = random_stream(random_state).randint(2**32, dtype=np.uint64)
    return np.random.RandomState(int(seed))

"""The random numbers of data sets, and of what is done with them later."""

from __future__ import annotations

import numpy as np

from manifoldforest.validation._parameters import random_generator

Seed = int | np.random.RandomState | None


def child_stream(random_state: Seed) -> np.random.RandomState:
    """Return a generator that shares no numbers with the one that `random_state` stands for.

    A user who passes one seed to a generator and to a later step must not get a second step that
    depends on the noise of the first.
    """
    seed = random_generator(random_state).randint(2**32, dtype=np.uint64)
    return np.random.RandomState(int(seed))

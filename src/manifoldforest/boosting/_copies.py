"""Rounds of boosting that learn from copies of the training examples, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..augmentation import Shifts
from ..augmentation._as_augmentation import random_of_draw
from ..validation._inputs import Examples
from ._held_out import Division

# Rounds that learn from the same copies. Before each draw the trees so far predict the new copies:
# with fewer rounds to a draw this, and preparing the rows, would take most of the time.
ROUNDS_PER_DRAW = 50


def stretches(
    augmentation: Shifts | None, examples: Examples, seed: int, first: int, n_rounds: int
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield rows for rounds from `first` on, each time with the round before which they end.

    Copies are a function of the seed and the number of the round.
    """
    if augmentation is None:
        yield n_rounds, examples.rows
        return
    for draw in range(first // ROUNDS_PER_DRAW, -(-n_rounds // ROUNDS_PER_DRAW)):
        random = random_of_draw(seed, draw)
        rows = augmentation._draw(examples.rows, examples.feature_shape, random)
        yield min(n_rounds, (draw + 1) * ROUNDS_PER_DRAW), rows


def with_copies(division: Division, n_copies: int) -> Division:
    """Return the weights of rows and of copies: those of rows that are held out are absent."""
    times = 1 + n_copies
    return replace(
        division,
        learned=np.tile(division.learned, times),
        held_out=np.concatenate([division.held_out, np.zeros(n_copies * len(division.learned))]),
        count=np.tile(division.count, times),
    )

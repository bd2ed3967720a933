"""The rows that boosting learns from, and those that are held out to tell when to stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._units import Unit
from ..forests._weights import RowWeights, is_same_for_all, n_nonzero, same_for_all, total_of

# Weights beyond these bounds are divided by a power of two: derivatives are stored in single
# precision.
_LEAST, _MOST = 2.0**-60, 2.0**60


@dataclass(frozen=True)
class Division:
    """Weights of rows in a unit of their own; a row is learned from, held out or absent."""

    learned: NDArray[np.float64]
    held_out: NDArray[np.float64]
    count: NDArray[np.int64]  # repetitions of the rows that are learned from
    unit: Unit

    @property
    def n_rows(self) -> int:
        """Number of rows to learn from; those of whole-number weights count as repetitions."""
        return int(total_of(self.count))

    @property
    def n_present(self) -> int:
        """Number of distinct rows to learn from."""
        return n_nonzero(self.count)


def divide(weights: RowWeights, held_out: NDArray[np.bool_] | None) -> Division:
    """Return the weights of the rows that are learned from and of those that are held out.

    What is the same for all rows stays in the memory of one number.
    """
    total, n_rows = weights.total, len(weights.total)
    if is_same_for_all(total):
        total = total[:1]
    unit = Unit.of(float(total.max()), low=_LEAST, high=_MOST)
    weight = np.asarray(unit.down(total), dtype=np.float64)
    if len(weight) < n_rows:
        weight = same_for_all(weight[0], n_rows)
    if held_out is None:
        nothing = same_for_all(0.0, n_rows)
        return Division(learned=weight, held_out=nothing, count=weights.count, unit=unit)
    return Division(
        learned=np.where(held_out, 0.0, weight),
        held_out=np.where(held_out, weight, 0.0),
        count=np.where(held_out, 0, weights.count),
        unit=unit,
    )


def draw_held_out(
    present: NDArray[np.bool_], strata: NDArray[np.int32], fraction: float, seed: int
) -> NDArray[np.bool_]:
    """Return which rows are held out: about that share of the rows of each stratum.

    Strata of one row are learned from, and so is at least one row of all.
    """
    sizes = np.bincount(strata[present])
    rows = np.flatnonzero(present & (sizes[np.where(present, strata, 0)] > 1))
    held_out = np.zeros(len(strata), dtype=bool)
    if len(rows) < 2:
        raise ValueError(
            "early_stopping must be False if there are fewer than two rows of any class to hold "
            f"one out, got {int(present.sum())} rows that have weight"
        )
    generator = np.random.RandomState(seed % 2**32)
    rows = generator.permutation(rows)
    rows = rows[np.argsort(strata[rows], kind="stable")]
    # each step of `fraction` that passes a whole number takes a row: its share in every stratum
    steps = np.floor(generator.uniform() + fraction * np.arange(len(rows) + 1))
    chosen = np.diff(steps) > 0
    if not chosen.any():
        chosen[generator.randint(len(rows))] = True
    if chosen.all():
        chosen[generator.randint(len(rows))] = False
    held_out[rows[chosen]] = True
    return held_out

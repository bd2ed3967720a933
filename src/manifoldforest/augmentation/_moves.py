"""Drawing moves of examples along the axes of a grid, and carrying them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Axis(NamedTuple):
    """One axis of an example, and how far and whether copies move along it."""

    side: int
    max_shift: int
    flips: bool


def draw_moves(
    axes: Sequence[Axis], n_rows: int, random: np.random.RandomState
) -> NDArray[np.int64]:
    """Draw a move for each row: shifts along all axes, then 1 for each axis that is flipped.

    Uniform over all moves but the one that changes nothing. At least one axis must move.
    """
    most = np.array([axis.max_shift for axis in axes] + [0] * len(axes))
    flips = np.array([0] * len(axes) + [axis.flips for axis in axes], dtype=np.int64)
    moves = np.zeros((n_rows, 2 * len(axes)), dtype=np.int64)
    still = np.arange(n_rows)  # rows that have not got a move yet
    while len(still):
        moves[still] = random.randint(-most, most + flips + 1, (len(still), 2 * len(axes)))
        still = still[~moves[still].any(axis=1)]
    return moves


def moved(
    examples: NDArray[Any],
    axes: Sequence[Axis],
    moves: NDArray[np.int64],
    fill: Literal["edge", "wrap"] | float,
    out: NDArray[Any],
) -> None:
    """Write each example after its move, flips first, to `out`."""
    different, which = np.unique(moves, axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(which.reshape(-1)))
    for move, rows in zip(different, np.split(order, ends[:-1]), strict=True):
        block = examples[rows]
        for axis, (side, shift, flip) in enumerate(
            zip((axis.side for axis in axes), move[: len(axes)], move[len(axes) :], strict=True)
        ):
            if shift or flip:
                block = _along_axis(block, axis + 1, side, int(shift), bool(flip), fill)
        out[rows] = block


def _along_axis(
    block: NDArray[Any],
    axis: int,
    side: int,
    shift: int,
    flip: bool,
    fill: Literal["edge", "wrap"] | float,
) -> NDArray[Any]:
    source = np.arange(side) - shift  # the place from which each value comes
    inside = (source >= 0) & (source < side)
    source = source % side if fill == "wrap" else source.clip(0, side - 1)
    if flip:
        source = side - 1 - source
    block = np.take(block, source, axis=axis)
    if not isinstance(fill, str) and not inside.all():
        block[(slice(None),) * axis + (~inside,)] = fill
    return block

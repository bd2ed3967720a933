"""Growing trees on training examples and copies of them, which are drawn anew for some trees.

The copies of a tree are a function of the seed and its number: a warm start finds those of the
trees that it goes on with. Only the copies of one group of trees exist at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._progress import Progress
from ..augmentation import Shifts
from ..augmentation._as_augmentation import random_of_draw
from ..validation._inputs import CoreTarget, Examples
from ..validation._parameters import INT32_MAX
from ._flat_forest import FlatForest
from ._weights import RowWeights

# Trees that learn the same copies: few, for variety, but not too few, as preparing the tables of
# 30 000 images of 28 × 28 × 8 takes as long as growing three trees on them.
TREES_PER_DRAW = 10

# The draw of the rows on which leaf values are fitted together; trees count from 0.
_DRAW_OF_REFINEMENT = 2**40

# From rows with their copies, and what is known of these, to trees.
Grow = Callable[[NDArray[Any], CoreTarget, NDArray[np.int32], Progress | None], FlatForest | None]


def check_copies(augmentation: Shifts, examples: Examples) -> None:
    """Raise an error unless examples can be copied, or if there were too many for the core."""
    augmentation._check(examples.feature_shape, examples.rows.dtype)
    n_rows = len(examples.rows)
    if n_rows * (1 + int(augmentation.copies)) > INT32_MAX:
        raise ValueError(
            f"augment must give fewer than 2**31 rows with their copies, got {n_rows} rows with "
            f"{augmentation.copies} copies each"
        )


def with_copies(weights: RowWeights, n_copies: int) -> RowWeights:
    """Return the weights of rows and of copies, each of which weighs as much as its row."""
    times = 1 + n_copies
    count = weights.count
    if int(count.sum()) * times > INT32_MAX:  # too many to be repetitions
        count = np.minimum(count, 1)
    return RowWeights(
        draw=np.tile(weights.draw, times),
        row=np.tile(weights.row, times),
        count=np.tile(count, times),
        total=np.tile(weights.total, times),
    )


def rows_to_refine(augmentation: Shifts, examples: Examples, seed: int) -> NDArray[Any]:
    """Return examples with copies that no tree has learned, to fit leaf values to."""
    random = random_of_draw(seed, _DRAW_OF_REFINEMENT)
    return augmentation._draw(examples.rows, examples.feature_shape, random)


def grow_on_copies(
    augmentation: Shifts,
    examples: Examples,
    prepared: Callable[[NDArray[Any]], NDArray[Any]],
    learned: CoreTarget,
    strata: NDArray[np.int32],
    progress: Progress | None,
    options: _core.GrowOptions,
    grow: Grow,
) -> FlatForest | None:
    """Grow the trees that the options ask for; None if they ask for none.

    `prepared` makes what the core reads of examples as they came; `grow` grows the trees that the
    options, which change from draw to draw, ask for.
    """
    times = 1 + int(augmentation.copies)
    assert learned.values is not None
    learned = learned._replace(values=np.tile(learned.values, (times, 1)))
    strata = np.tile(strata, times)
    first, end = options.first_tree, options.first_tree + options.n_trees
    parts = []
    for draw in range(first // TREES_PER_DRAW, -(-end // TREES_PER_DRAW)):
        options.first_tree = max(first, draw * TREES_PER_DRAW)
        options.n_trees = min(end, (draw + 1) * TREES_PER_DRAW) - options.first_tree
        random = random_of_draw(options.seed, draw)
        rows = prepared(augmentation._draw(examples.rows, examples.feature_shape, random))
        before = options.first_tree - first
        trees = grow(rows, learned, strata, _from(progress, before, end - first))
        assert trees is not None
        parts.append(_of_originals(trees, len(examples.rows)))
    return FlatForest.joined(parts) if parts else None


def _from(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return a hook of some trees that tells of all of them."""
    if progress is None:
        return None
    report = progress
    return lambda done, _: report(before + done, total)


def _of_originals(trees: FlatForest, n_rows: int) -> FlatForest:
    """Return trees that know of rows and not of copies: a draw of a copy is one of its row."""
    if not trees.has_samples:
        return trees
    leaves, inbag = trees["leaf_of_row"], trees["inbag"]
    return FlatForest(
        trees.arrays
        | {
            "leaf_of_row": np.ascontiguousarray(leaves[:, :n_rows]),
            "inbag": inbag.reshape(len(inbag), -1, n_rows).sum(axis=1, dtype=np.int32),
        }
    )

"""From the parameters of a forest to the options of the core, and from these to trees."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._progress import Progress, current_listener
from ..inspection._pruning_path import paths_in_unit
from ..validation._inputs import CoreTarget, ForestTarget
from ..validation._parameters import INT32_MAX, draw_seed, n_threads
from ._flat_forest import FlatForest
from ._forest_model import ForestModel
from ._parameters import n_candidates, n_draws, n_rows_of
from ._weights import RowWeights

if TYPE_CHECKING:
    from ._base import BaseForest


def grow_options(
    forest: BaseForest,
    n_examples: int,
    n_features: int,
    target: ForestTarget,
    learned: CoreTarget,
    weights: RowWeights,
    previous: ForestModel | None,
    seed: int | None,
) -> _core.GrowOptions:
    """Return the options of the core that the parameters stand for, for given data.

    `n_features` are those that trees see.

    A seed that is None is that of a warm start, or drawn from the generator of the forest.
    """
    n_rows = weights.n_rows
    # without replacement a row is drawn together with all its repetitions
    draws = n_draws(forest.max_samples, weights.n_present, bootstrap=bool(forest.bootstrap))
    draws_all = not forest.bootstrap and draws == weights.n_present
    if forest.oob_score and draws_all:
        raise ValueError(
            "oob_score must be False when every row is in every bag: set bootstrap=True or "
            f"max_samples, got oob_score={forest.oob_score!r}"
        )
    first_tree = 0 if previous is None else previous.trees.n_trees
    options = _core.GrowOptions()
    options.n_trees = int(forest.n_estimators) - first_tree
    options.first_tree = first_tree
    if seed is None:
        seed = draw_seed(forest.random_state) if previous is None else previous.seed
    options.seed = seed
    options.objective = objective = _core.objective(forest.criterion)
    options.splitter = forest.splitter
    options.n_classes = target.n_classes
    options.n_candidates = n_candidates(forest.max_features, n_features)
    options.max_depth = -1 if forest.max_depth is None else min(int(forest.max_depth), INT32_MAX)
    options.min_samples_split = min(n_rows_of(forest.min_samples_split, n_rows, low=2), INT32_MAX)
    options.min_samples_leaf = min(n_rows_of(forest.min_samples_leaf, n_rows, low=1), INT32_MAX)
    options.min_weight_fraction_leaf = float(forest.min_weight_fraction_leaf)
    options.min_balance = float(forest.min_balance)
    unit = learned.unit**objective.power
    options.min_impurity_decrease = unit.limit(forest.min_impurity_decrease * objective.gain_unit)
    options.max_leaf_nodes = (
        -1 if forest.max_leaf_nodes is None else min(int(forest.max_leaf_nodes), INT32_MAX)
    )
    options.ccp_alpha = unit.limit(forest.ccp_alpha * objective.gain_unit)
    options.bootstrap = bool(forest.bootstrap)
    options.n_draws = 0 if draws_all else draws
    options.stratify = forest._draws_each_class
    options.balanced_subsample = forest._balances_subsamples
    options.honest = bool(forest.honest)
    options.honest_fraction = float(forest.honest_fraction)
    options.empty_leaf = forest.empty_leaf
    options.keep_samples = bool(forest.oob_score) or forest._keeps_samples(n_examples, previous)
    return options


def grow(
    forest: BaseForest,
    rows: NDArray[Any],
    learned: CoreTarget,
    strata: NDArray[np.int32],
    weights: RowWeights,
    geometry: _core.Geometry,
    sampler: _core.Sampler,
    options: _core.GrowOptions,
    progress: Progress | None,
) -> FlatForest | None:
    """Grow the trees that the options ask for; None if they ask for none."""
    if options.n_trees == 0:
        return None
    trainer = _core.Trainer(rows, geometry, sampler, n_threads(forest.n_jobs))
    arrays = trainer.grow(
        learned.values,
        strata,
        weights.draw,
        weights.row,
        weights.count,
        options,
        progress,
        learned.signs,
        learned.squared_distances,
        last=True,
    )
    arrays["value"] = learned.unit.up(arrays["value"])
    if options.objective.gain_unit != 1:
        arrays["gain"] = (arrays["gain"] / options.objective.gain_unit).astype(np.float32)
    if options.find_pruning_path:
        unit = learned.unit**options.objective.power
        arrays |= paths_in_unit(arrays, options.objective.gain_unit, unit)
    trees = FlatForest(arrays)
    return trees if options.keep_samples else trees.without_samples()


def joined_trees(
    previous: ForestModel | None, new: Sequence[FlatForest], keep_samples: bool
) -> FlatForest:
    """Return the trees of a warm start and the new ones, if there are any of them."""
    parts = [*([] if previous is None else [previous.trees]), *new]
    if not keep_samples:
        parts = [part.without_samples() for part in parts]
    return FlatForest.joined(parts).with_small_counts()


def progress_of(forest: BaseForest) -> Progress | None:
    """Return the hook that tells of finished trees, if the forest is to or someone listens."""
    listener = current_listener()
    if not forest.verbose:
        return listener
    lines = _progress_lines(type(forest).__name__)
    if listener is None:
        return lines
    told = listener

    def both(done: int, total: int) -> None:
        lines(done, total)
        told(done, total)

    return both


def _progress_lines(name: str) -> Progress:
    """Return a hook that writes a line for each tenth of the trees."""
    start = time.monotonic()
    tenths = 0

    def progress(done: int, total: int) -> None:
        nonlocal tenths
        if done * 10 // total > tenths:
            tenths = done * 10 // total
            seconds = time.monotonic() - start
            print(f"{name}: {done} of {total} trees, {seconds:.1f} s", file=sys.stderr, flush=True)

    return progress

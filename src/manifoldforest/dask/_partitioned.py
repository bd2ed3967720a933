"""Fits in which rows stay where they are, but for those that a part of a tree needs.

    partitions ──► examine each ──► facts of all ──► sample ──► guide ──► grow trees ──► join
                   on workers       on the client    on one worker        on workers     client

What crosses the network are facts, a sample of rows, trees, and rows on their way to a subtree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from .._progress import Progress
from ..forests._base import BaseForest
from ..forests._fit_steps import (
    FitInputs,
    PreparedFit,
    fitted_attributes,
    joined_model,
    learned_inputs,
)
from ..forests._flat_forest import FlatForest
from ..forests._weights import RowWeights
from ..io._tree_packing import unpack_trees
from ..validation._inputs import Target
from ..validation._precision import warn_of_equal_values
from ._blocks import aligned, joined, row_blocks
from ._cluster import give_up, results_of, threads_of_workers
from ._growing import Partition, Work, grown_trees, trees_of_partitions
from ._partition_facts import GlobalFacts, PartitionFacts, examine, global_facts, partition_weight
from ._replicated import as_it_is, give_warnings
from ._subtrees import Guide, Guided, rows_of
from ._told_progress import progress_of_workers
from ._tops import Totals, with_parameters
from ._worker import recorded_warnings, threads_of_task

# The sample of rows from which projections learn: rows, and numbers in all of them.
_SAMPLE_ROWS = 4096
_SAMPLE_NUMBERS = 2**24

# Parameters that need more rows than those of a partition in one place, and why.
_NEEDS_ALL_ROWS = {
    "oob_score": "the rows that a tree did not see are on other workers",
    "keep_samples": "the leaves of all rows would have to be found by all trees",
    "refine": "values of leaves are fitted to all rows together",
    "ranks": "ranks are places among all training values",
    "warm_start": "trees belong to partitions, which another fit divides otherwise",
}


def check_partitioned(forest: BaseForest) -> None:
    """Raise a ValueError if a parameter cannot work while rows stay where they are."""
    params = forest.get_params(deep=False)
    if "keep_samples" not in params:
        raise ValueError(
            f"rows must be 'replicated' for {type(forest).__name__}, as predictions are means of "
            "training responses, of which all have to be in one place, got 'partitioned'"
        )
    for name, reason in _NEEDS_ALL_ROWS.items():
        value = params.get(name, False)
        if value and value != "auto":
            raise ValueError(
                f"{name} must not be set with rows='partitioned', as {reason}, got {value!r}"
            )


def fit_partitioned(
    client: Client,
    forest: BaseForest,
    collections: tuple[Any, Any, Any],
    seed: int | None,
    told: Progress | None,
) -> dict[str, Any]:
    """Return all fitted attributes of a forest whose trees begin on one partition each."""
    n_threads = sum(threads_of_workers(client).values())
    X = collections[0]
    y, sample_weight = (
        c if c is None else aligned(name, c, X)
        for name, c in zip(("y", "sample_weight"), collections[1:], strict=True)
    )
    forest = with_parameters(forest, keep_samples=False)
    tasks: list[Future] = []  # that are needed to the end

    def submit(function: Any, *args: Any, kept: bool = True) -> Future:
        task = client.submit(function, *args, pure=False)
        if kept:
            tasks.append(task)
        return task

    with progress_of_workers(client, told, int(forest.n_estimators)) as progress:
        try:
            columns = [client.compute(row_blocks(c)) for c in (X, y)]
            weights: list[Any] = [None] * len(columns[0])
            if sample_weight is not None:
                weights = client.compute(row_blocks(sample_weight))
            blocks = list(zip(*columns, weights, strict=True))
            sent = submit(as_it_is, forest)
            examined = [submit(examine, sent, *block) for block in blocks]
            partitions = results_of(client, examined)
            facts = global_facts(forest, partitions)
            samples = [
                submit(take, *block, n)
                for block, n in zip(blocks, _sample_sizes(partitions), strict=True)
                if n
            ]
            guiding = submit(guide, forest, facts, samples, seed)
            growing = [
                Partition(of_block.n_weighted, of_block.n_weighted * facts.n_bytes_of_row, *block)
                for of_block, block in zip(partitions, blocks, strict=True)
                if of_block.n_weighted
            ]
            work = Work(client, submit, guiding, n_threads, progress)
            trees, of_partitions = grown_trees(work, forest, growing)
            common, messages = results_of(client, [guiding])[0]
        finally:
            give_up(tasks)  # those that are left, after an error or an interrupt
    give_warnings(messages)
    return _joined(common, trees, of_partitions, sum(part.n_rows for part in partitions))


def _sample_sizes(partitions: Sequence[PartitionFacts]) -> list[int]:
    """Return how many rows each partition gives to the sample, in proportion to its rows."""
    n_numbers = max(math.prod(facts.feature_shape) for facts in partitions)
    most = max(1, min(_SAMPLE_ROWS, _SAMPLE_NUMBERS // max(1, n_numbers)))
    n_rows = [facts.n_weighted for facts in partitions]
    return n_rows if sum(n_rows) <= most else trees_of_partitions(n_rows, most)


def take(X: Any, y: Any, sample_weight: Any, n: int) -> tuple[Any, Any, Any]:
    """Return some rows of a partition, at equal distances, among those that have weight; a task."""
    X, y = joined("X", [X]), joined("y", [y])
    weight = partition_weight(sample_weight, len(X))
    present = np.flatnonzero(weight)
    rows = present[np.arange(n) * len(present) // n]
    return rows_of(X, rows), rows_of(y, rows), weight[rows]


def guide(
    forest: BaseForest, facts: GlobalFacts, samples: Sequence[tuple[Any, Any, Any]], seed: int
) -> Guided:
    """Learn from a sample of all rows what is learned before trees grow; a task."""
    with threads_of_task(1), recorded_warnings() as messages:
        names = ("X", "y", "sample_weight")
        X, y, weight = map(joined, names, zip(*samples, strict=True))
        examples = facts.examples(forest, X)
        warn_of_equal_values(X, examples.rows)
        target = facts.target(forest, y, len(examples.rows))
        weights = facts.weights(forest, target, weight)
        inputs = replace(learned_inputs(forest, examples, y, target, weights), seed=seed)
        # of which no tree grows: bags may be larger than the sample
        fit = PreparedFit(replace(inputs, forest=with_parameters(forest, max_samples=None)))
        fit.give_advice()
        fallback = fit.fallback()
    return Guide(facts, _of_one_row(inputs), fallback), messages


def _of_one_row(inputs: FitInputs) -> FitInputs:
    weights, target = inputs.weights, inputs.target
    assert isinstance(target, Target)
    kept = (weights.draw, weights.row, weights.count, weights.total)
    return replace(
        inputs,
        examples=replace(inputs.examples, rows=inputs.examples.rows[:1].copy()),
        target=replace(target, values=target.values[:1].copy()),
        weights=RowWeights(*(array[:1].copy() for array in kept)),
    )


def _joined(
    common: Guide,
    packed: Sequence[Any],
    of_partitions: Sequence[tuple[NDArray[np.float64], Totals]],
    n_rows: int,
) -> dict[str, Any]:
    """Return the fitted attributes of the forest of all trees."""
    inputs = common.inputs
    trees = [FlatForest(unpack_trees(tree, inputs.target.n_classes)) for tree in packed]
    fallback = common.fallback  # a median of all rows is not one of medians
    if inputs.forest.criterion != "absolute_error":
        weight = np.array([totals.weight for _, totals in of_partitions])
        values = np.array([value for value, _ in of_partitions])
        fallback = (weight / weight.sum()) @ values
    model = joined_model(inputs, common.built[0], trees, fallback, n_rows, keep_samples=False)
    return fitted_attributes(inputs) | {"_model": model}

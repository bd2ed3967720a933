"""Fits in which rows stay where they are, but for those that a part of a tree needs.

    partitions ──► examine each ──► facts of all ──► sample ──► guide ──► grow trees ──► join
                   on workers       on the client    on one worker        on workers     client

What crosses the network are facts, a sample of rows, trees, and rows on their way to a subtree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from distributed import Client
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
from ._cluster import homes_of, threads_of_workers
from ._growing import Partition, Work, grow_all, plan_of, trees_of_partitions
from ._partition_facts import GlobalFacts, PartitionFacts, examine, global_facts, partition_weight
from ._replicated import as_it_is, give_warnings
from ._subtrees import Guide, Guided, rows_of
from ._tasks import Tasks, lasting
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
    forest = with_parameters(forest, keep_samples=False)
    blocks = _blocks_of(client, *collections)
    partitions = lasting(lambda: _examined(client, forest, blocks))
    facts = global_facts(forest, partitions)
    plan = plan_of(forest, [part.n_weighted for part in partitions if part.n_weighted])
    packed: dict[int, Any] = {}  # trees that are there, whoever leaves

    def grown() -> tuple[Guided, list[tuple[NDArray[np.float64], Totals]]]:
        growing = _growing(client, partitions, facts, blocks)
        n_sampled = _sample_sizes(plan.n_rows, facts)
        with Tasks(client, progress) as tasks:
            samples = [
                tasks.submit(take, *partition.block, n, place=partition.home)
                for partition, n in zip(growing, n_sampled, strict=True)
                if n
            ]
            guiding = tasks.submit(guide, forest, facts, samples, seed)
            known = grow_all(Work(tasks, guiding, n_threads), plan, growing, packed)
            return tasks.results_of([guiding])[0], known

    with progress_of_workers(client, told, int(forest.n_estimators)) as progress:
        (common, messages), known = lasting(grown)
    give_warnings(messages)
    trees = [packed[number] for number in sorted(packed)]
    return _joined(common, trees, known, sum(part.n_rows for part in partitions))


def _blocks_of(client: Client, X: Any, y: Any, sample_weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return X, y and weights of each partition as tasks, or None for no weights."""
    columns = [client.compute(row_blocks(c)) for c in (X, aligned("y", y, X))]
    weights: list[Any] = [None] * len(columns[0])
    if sample_weight is not None:
        weights = client.compute(row_blocks(aligned("sample_weight", sample_weight, X)))
    return list(zip(*columns, weights, strict=True))


def _examined(
    client: Client, forest: BaseForest, blocks: Sequence[tuple[Any, Any, Any]]
) -> list[PartitionFacts]:
    """Return what each partition says of its rows."""
    homes = homes_of(client, [X for X, _, _ in blocks])
    with Tasks(client, None) as tasks:
        sent = tasks.submit(as_it_is, forest)
        return tasks.results_of(
            [
                tasks.submit(examine, sent, *block, place=home)
                for block, home in zip(blocks, homes, strict=True)
            ]
        )


def _growing(
    client: Client,
    partitions: Sequence[PartitionFacts],
    facts: GlobalFacts,
    blocks: Sequence[tuple[Any, Any, Any]],
) -> list[Partition]:
    """Return the partitions that have rows with weight, with the workers where they are now."""
    homes = homes_of(client, [X for X, _, _ in blocks])
    return [
        Partition(part.n_weighted, part.n_weighted * facts.n_bytes_of_row, *block, home)
        for part, block, home in zip(partitions, blocks, homes, strict=True)
        if part.n_weighted
    ]


def _sample_sizes(n_rows: Sequence[int], facts: GlobalFacts) -> list[int]:
    """Return how many rows each partition gives to the sample, in proportion to its rows."""
    most = max(1, min(_SAMPLE_ROWS, _SAMPLE_NUMBERS // max(1, facts.n_features)))
    return list(n_rows) if sum(n_rows) <= most else trees_of_partitions(n_rows, most)


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
    model = joined_model(inputs, common.built, trees, fallback, n_rows, keep_samples=False)
    return fitted_attributes(inputs, common.built.geometry.n_features) | {"_model": model}

"""Fits in which rows stay where they are, and each tree grows on the rows of one partition.

    partitions ──► examine each ──► facts of all ──► sample ──► guide ──► grow on each ──► join
                   on workers       on the client    on one worker        on workers       client

What crosses the network are facts, a sample of rows, and trees.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from ..forests._forest_model import make_sampler
from ..forests._weights import RowWeights
from ..io._tree_packing import pack_trees, unpack_trees
from ..validation._inputs import Target
from ..validation._precision import warn_of_equal_values
from ..validation._stack_level import caller_level
from ._blocks import aligned, joined, row_blocks
from ._cluster import results_of, threads_of_workers
from ._partition_facts import (
    GlobalFacts,
    PartitionFacts,
    examine,
    global_facts,
    partition_weight,
)
from ._replicated import as_it_is, give_warnings
from ._told_progress import ToldProgress, progress_of_workers
from ._worker import Message, progress_sent, recorded_warnings, threads_of_task

# A bootstrap sample of all rows has more distinct rows than a partition. A tree therefore draws
# this share of its partition, without replacement: few enough for trees of one partition to differ.
# On 4 partitions of MNIST the error is .039, and .043 with bootstrap samples of partitions.
_SHARE_OF_PARTITION = 0.9

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


@dataclass(frozen=True)
class Guide:
    """What all partitions must agree on before their trees grow."""

    facts: GlobalFacts
    inputs: FitInputs  # of one row; partitions put their own in its place
    fallback: NDArray[np.float64]  # of the sample


@dataclass(frozen=True)
class PartitionTrees:
    """The trees of a partition, packed, and the value of all its rows."""

    packed: Any
    fallback: NDArray[np.float64]
    weight: float


def fit_partitioned(
    client: Client,
    forest: BaseForest,
    collections: tuple[Any, Any, Any],
    seed: int | None,
    told: Progress | None,
) -> dict[str, Any]:
    """Return all fitted attributes of a forest whose trees know one partition each."""
    threads_of_workers(client)
    X = collections[0]
    y, sample_weight = (
        c if c is None else aligned(name, c, X)
        for name, c in zip(("y", "sample_weight"), collections[1:], strict=True)
    )
    tasks: list[Future] = []

    def submit(function: Any, *args: Any) -> Future:
        tasks.append(client.submit(function, *args, pure=False))
        return tasks[-1]

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
            guided = _as_partitions_grow(forest, partitions)
            samples = [
                submit(take, *block, n)
                for block, n in zip(blocks, _sample_sizes(partitions), strict=True)
                if n
            ]
            guiding = submit(guide, guided, facts, samples, seed)
            grown = _grow(submit, guiding, blocks, partitions, int(forest.n_estimators), progress)
            tell = None if progress is None else progress.tell
            parts = results_of(client, grown, tell)
            common, messages = results_of(client, [guiding])[0]
        finally:
            client.cancel(tasks)  # those that are left, after an error or an interrupt
    give_warnings(messages)
    return _joined(common, parts, sum(facts.n_rows for facts in partitions))


def _as_partitions_grow(forest: BaseForest, partitions: Sequence[PartitionFacts]) -> BaseForest:
    """Return the forest of each partition, with bags that suit it."""
    settings: dict[str, Any] = {"keep_samples": False}
    several = sum(facts.n_weighted > 0 for facts in partitions) > 1
    if several and forest.bootstrap and forest.max_samples is None:
        settings |= {"bootstrap": False, "max_samples": _SHARE_OF_PARTITION}
    return type(forest)(**forest.get_params(deep=False)).set_params(**settings)


def _grow(
    submit: Any,
    guiding: Future,
    blocks: Sequence[tuple[Any, ...]],
    partitions: Sequence[PartitionFacts],
    n_trees: int,
    progress: ToldProgress | None,
) -> list[Future]:
    """Let each partition that has rows grow its trees."""
    topic = None if progress is None else progress.topic
    n_weighted = [facts.n_weighted for facts in partitions]
    n_trees_of = trees_of_partitions(n_weighted, n_trees)
    if idle := sum(n > 0 and not trees for n, trees in zip(n_weighted, n_trees_of, strict=True)):
        warnings.warn(
            f"{idle} of {len(partitions)} partitions have no tree that learns from them: with "
            f"rows='partitioned' n_estimators should be larger than their number, got {n_trees}",
            stacklevel=caller_level(),
        )
    ends = np.cumsum([0, *n_trees_of])
    return [
        submit(grow, guiding, *block, range(int(start), int(end)), topic)
        for block, facts, start, end in zip(blocks, partitions, ends, ends[1:], strict=False)
        if facts.n_weighted
    ]


def trees_of_partitions(n_rows: Sequence[int], n_trees: int) -> list[int]:
    """Divide trees among partitions in proportion to their rows; the largest remainders win."""
    total = sum(n_rows)
    trees = [n_trees * n // total for n in n_rows]
    by_remainder = sorted(range(len(n_rows)), key=lambda i: (-(n_trees * n_rows[i] % total), i))
    for i in by_remainder[: n_trees - sum(trees)]:
        trees[i] += 1
    return trees


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
    return _rows_of(X, rows), _rows_of(y, rows), weight[rows]


def _rows_of(table: Any, rows: NDArray[np.intp]) -> Any:
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def guide(
    forest: BaseForest, facts: GlobalFacts, samples: Sequence[tuple[Any, Any, Any]], seed: int
) -> tuple[Guide, list[Message]]:
    """Learn from a sample of all rows what is learned before trees grow; a task."""
    with threads_of_task(1), recorded_warnings() as messages:
        names = ("X", "y", "sample_weight")
        X, y, weight = map(joined, names, zip(*samples, strict=True))
        examples = facts.examples(forest, X)
        warn_of_equal_values(X, examples.rows)
        target = facts.target(forest, y, len(examples.rows))
        weights = facts.weights(forest, target, weight)
        inputs = replace(learned_inputs(forest, examples, y, target, weights), seed=seed)
        fit = PreparedFit(inputs)
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


def grow(
    guided: tuple[Guide, list[Message]],
    X: Any,
    y: Any,
    sample_weight: Any,
    trees: range,
    topic: str | None,
) -> PartitionTrees:
    """Grow a range of trees on the rows of one partition; a task."""
    common, forest = guided[0], guided[0].inputs.forest
    with threads_of_task(1):
        examples = common.facts.examples(forest, joined("X", [X]))
        target = common.facts.target(forest, joined("y", [y]), len(examples.rows))
        weight = partition_weight(sample_weight, len(examples.rows))
        weights = common.facts.weights(forest, target, weight)
        inputs = replace(common.inputs, examples=examples, target=target, weights=weights)
        fit = PreparedFit(inputs)
        grown = fit.grown(trees, progress_sent(topic, trees.start))
    packed = None if grown is None else pack_trees(grown.arrays, target.n_classes)
    return PartitionTrees(packed, fit.fallback(), float(weights.total.sum()))


def _joined(common: Guide, parts: Sequence[PartitionTrees], n_rows: int) -> dict[str, Any]:
    """Return the fitted attributes of the forest of all trees."""
    inputs = common.inputs
    n_classes = inputs.target.n_classes
    trees = [FlatForest(unpack_trees(p.packed, n_classes)) for p in parts if p.packed is not None]
    fallback = common.fallback  # a median of all rows is not one of medians
    if inputs.forest.criterion != "absolute_error":
        weight = np.array([part.weight for part in parts])
        values = np.array([part.fallback for part in parts])
        fallback = (weight / weight.sum()) @ values
    geometry, _ = make_sampler(inputs.projection, inputs.examples.feature_shape)
    model = joined_model(inputs, geometry, trees, fallback, n_rows, keep_samples=False)
    return fitted_attributes(inputs) | {"_model": model}

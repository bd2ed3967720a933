"""Fits in which every worker gets all rows and grows some of the trees.

    blocks of rows ──► prepare, on each worker ──► grow a range of trees ──► finish, on one worker

Blocks move from worker to worker. All steps are tasks of Dask: those of a worker that died are
done again elsewhere, with blocks that are computed again.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from distributed import Client, Future

from .._progress import Progress
from ..forests._augmented_growing import TREES_PER_DRAW
from ..forests._base import BaseForest
from ..forests._fit_steps import PreparedFit, read_fit
from ..forests._flat_forest import FlatForest
from ..validation._stack_level import caller_level
from ._blocks import joined, row_blocks
from ._cluster import give_up, results_of, threads_of_workers
from ._told_progress import progress_of_workers
from ._worker import Message, progress_sent, recorded_warnings, threads_of_task


def fit_replicated(
    client: Client,
    forest: BaseForest,
    collections: tuple[Any, Any, Any],
    seed: int | None,
    told: Progress | None,
) -> dict[str, Any]:
    """Return all fitted attributes, those of a fit on the same rows in one process."""
    workers = threads_of_workers(client)
    first = forest._model.trees.n_trees if forest.__sklearn_is_fitted__() else 0
    trees = range(first, max(first, int(forest.n_estimators)))
    least = TREES_PER_DRAW if forest._augmentation is not None else 1
    ranges = tree_ranges(trees, list(workers.values()), least)
    tasks: list[Future] = []

    def submit(worker: str, function: Any, *args: Any) -> Future:
        # pinned as long as the worker lives; afterwards any other will do
        pinned = {"workers": [worker], "allow_other_workers": True}
        tasks.append(client.submit(function, *args, pure=False, **pinned))
        return tasks[-1]

    with progress_of_workers(client, told, len(trees)) as progress:
        topic = None if progress is None else progress.topic
        try:
            blocks = [c if c is None else client.compute(row_blocks(c)) for c in collections]
            places = list(zip(workers, ranges, strict=True))
            places = [place for place in places if len(place[1])] or places[:1]
            with warnings.catch_warnings():
                # the forest travels once; that of a warm start may have many trees
                warnings.filterwarnings("ignore", message="Sending large graph")
                sent = submit(places[0][0], as_it_is, forest)
            ready = [submit(worker, prepare, sent, *blocks, seed) for worker, _ in places]
            del blocks  # workers drop what they need no more
            parts = [
                submit(worker, grow, fit, numbers, topic)
                for (worker, numbers), fit in zip(places, ready, strict=True)
                if len(numbers)
            ]
            finished = submit(places[0][0], finish, ready[0], parts)
            tell = None if progress is None else progress.tell
            fitted, messages = results_of(client, [finished], tell)[0]
        finally:
            give_up(tasks)  # those that are left, after an error or an interrupt
    give_warnings(messages)
    return dict(fitted)


def tree_ranges(trees: range, threads: Sequence[int], least: int) -> list[range]:
    """Divide trees among workers in proportion to their threads.

    Ranges begin at multiples of `least`, counted from tree 0, and may be empty.
    """
    ends, passed = [trees.start], 0
    for n in threads:
        passed += n
        end = trees.start + round(len(trees) * passed / sum(threads))
        ends.append(min(-(-end // least) * least, trees.stop))
    return [range(start, max(start, end)) for start, end in zip(ends, ends[1:], strict=False)]


def give_warnings(messages: Sequence[Message]) -> None:
    """Warn on the client of what a worker has found."""
    for category, text in messages:
        warnings.warn(text, category, stacklevel=caller_level())


def as_it_is(forest: BaseForest) -> BaseForest:
    """Return a forest: the task by which it comes to the workers, once and again if need be."""
    return forest


def prepare(
    forest: BaseForest, X: Any, y: Any, sample_weight: Any, seed: int | None
) -> tuple[PreparedFit, list[Message]]:
    """Read all rows and make a fit of them whose trees can be grown."""
    with threads_of_task(), recorded_warnings() as messages:
        weight = None if sample_weight is None else joined("sample_weight", sample_weight)
        inputs = read_fit(forest, joined("X", X), joined("y", y), weight)
        fit = PreparedFit(replace(inputs, seed=seed))
        fit.give_advice()
    return fit, messages


def grow(
    ready: tuple[PreparedFit, list[Message]], trees: range, topic: str | None
) -> FlatForest | None:
    """Grow a range of trees."""
    with threads_of_task():
        return ready[0].grown(trees, progress_sent(topic, trees.start))


def finish(
    ready: tuple[PreparedFit, list[Message]], parts: Sequence[FlatForest]
) -> tuple[dict[str, Any], list[Message]]:
    """Join the trees and return all fitted attributes, with all warnings of the fit."""
    fit, before = ready
    with threads_of_task(), recorded_warnings() as messages:
        fitted = fit.finished(parts)
    return fitted, [*before, *messages]

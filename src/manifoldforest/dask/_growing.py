"""The trees of a partitioned fit: which partitions grow them, and how many parts at a time."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from ..forests._base import BaseForest
from ..validation._stack_level import caller_level
from ._subtrees import (
    divide,
    graft,
    grow_subtrees,
    grow_trees,
    packed_trees,
    route,
    rows_of_group,
    summary,
)
from ._tasks import Tasks
from ._tops import Totals, forest_of_partition, forest_of_tops, stays_whole

# A tree learns from the rows of so many partitions at most: with all of some thousand partitions
# it would take millions of tasks.
MOST_PARTITIONS = 8

# Groups of leaves for each thread of a team, and groups under way for each thread: rows that are
# under way or grown from are then less than what workers hold anyway. Groups of few bytes are not
# worth the tasks.
_GROUPS_PER_THREAD = 5
_UNDER_WAY_PER_THREAD = 1.5
_LEAST_BYTES = 2**22


@dataclass(frozen=True)
class Partition:
    """A partition that has rows with weight."""

    n_rows: int  # that have weight
    n_bytes: int  # of these
    X: Future
    y: Future
    sample_weight: Any
    home: str  # the worker that reads its rows

    @property
    def block(self) -> tuple[Any, Any, Any]:
        """What tasks get."""
        return self.X, self.y, self.sample_weight


@dataclass(frozen=True)
class Plan:
    """Which partitions grow which trees."""

    forest: BaseForest
    whole: bool  # trees stay on the partition where they begin
    n_rows: Sequence[int]  # of each partition
    numbers: Sequence[range]  # of the trees that begin on each partition
    teams: Sequence[Sequence[int]]  # of partitions, with whose rows the trees of all of them go on


@dataclass(frozen=True)
class Work:
    """The cluster, as far as growing needs it."""

    tasks: Tasks
    guiding: Future
    n_threads: int


@dataclass(frozen=True)
class Top:
    """A tree that is to go on."""

    number: int
    grown: Future  # the trees of the partition where it began
    team: Sequence[Partition]  # with whose rows it goes on
    every: Totals  # of these
    n_groups: int  # of leaves; the tree does not depend on it


def plan_of(forest: BaseForest, n_rows: Sequence[int]) -> Plan:
    """Share out the trees of a forest among partitions; warn of partitions that are left out."""
    whole = stays_whole(forest)
    n_trees_of = trees_of_partitions(n_rows, int(forest.n_estimators))
    ends = np.cumsum([0, *n_trees_of]).tolist()
    numbers = [range(start, end) for start, end in zip(ends, ends[1:], strict=False)]
    teams = [[i] for i in range(len(n_rows))] if whole else teams_of_partitions(len(n_rows))
    _warn_of_idle(n_trees_of, teams)
    return Plan(forest, whole, n_rows, numbers, teams)


def grow_all(
    work: Work, plan: Plan, partitions: Sequence[Partition], packed: dict[int, Any]
) -> list[tuple[NDArray[np.float64], Totals]]:
    """Grow the trees that are not there yet, and return what is to be known of partitions.

    Trees are added to `packed` by their numbers as they come.
    """
    tasks, grown = work.tasks, []
    for i, (partition, begins) in enumerate(zip(partitions, _forests_of(plan), strict=True)):
        numbers = plan.numbers[i] if plan.whole else _range_of_missing(plan.numbers[i], packed)
        topic = tasks.topic if plan.whole else None
        arguments = work.guiding, begins, *partition.block, numbers, topic
        grown.append(tasks.submit(grow_trees, *arguments, place=partition.home))
    known = tasks.results_of([tasks.submit(summary, part) for part in grown])
    if plan.whole:
        finished = [tasks.submit(packed_trees, work.guiding, part) for part in grown]
        trees = [tree for of_partition in tasks.results_of(finished) for tree in of_partition]
        packed.update(enumerate(trees))
        return known
    tops = []
    for team in plan.teams:
        parts, every = [partitions[i] for i in team], sum((known[i][1] for i in team), Totals())
        n_groups = _n_groups(parts, work.n_threads / len(plan.teams))
        missing = [(i, k) for i in team for k in plan.numbers[i] if k not in packed]
        tops.append([Top(k, grown[i], parts, every, n_groups) for i, k in missing])
    _add_subtrees(work, tops, packed)
    return known


def _forests_of(plan: Plan) -> list[BaseForest]:
    """Return the forest of each partition, with the parameters of trees that begin there."""
    n_partitions = len(plan.n_rows)
    if plan.whole:
        return [forest_of_partition(plan.forest, several=n_partitions > 1)] * n_partitions
    n_all = [sum(plan.n_rows[i] for i in team) for team in plan.teams for _ in team]
    return [forest_of_tops(plan.forest, own, n) for own, n in zip(plan.n_rows, n_all, strict=True)]


def _range_of_missing(numbers: range, packed: Collection[int]) -> range:
    missing = [number for number in numbers if number not in packed]
    return range(missing[0], missing[-1] + 1) if missing else range(0)


def _add_subtrees(work: Work, tops: Sequence[Sequence[Top]], packed: dict[int, Any]) -> None:
    """Let the trees of all teams go on, a few groups of leaves at a time."""
    tasks = work.tasks
    ending: dict[int, Future] = {}

    def collect() -> None:
        """Take trees that are there from the workers, which need not hold the forest."""
        there = [number for number, task in ending.items() if task.done()]
        trees = tasks.results_of([ending.pop(number) for number in there])
        packed.update(zip(there, trees, strict=True))

    def groups() -> Iterator[Future]:
        for turn in zip_longest(*tops):  # teams take turns, so that all of them have work
            for top in turn:
                if top is not None:
                    ending[top.number] = yield from _groups_of(work, top)

    under_way: list[Future] = []
    for group in groups():
        under_way.append(group)
        if len(under_way) >= _UNDER_WAY_PER_THREAD * work.n_threads:
            tasks.wait_for(under_way, one=True)
            under_way = [task for task in under_way if not task.done()]
            collect()
    tasks.wait_for(list(ending.values()))
    collect()


def _groups_of(work: Work, top: Top) -> Generator[Future, None, Future]:
    """Submit the groups of leaves of a tree, one each time; return the task of the whole tree."""
    submit = partial(work.tasks.submit, kept=False)  # the cluster drops what no task needs any more
    tree = work.guiding, top.grown, top.number
    routed = [
        submit(route, *tree, part.X, part.sample_weight, place=part.home) for part in top.team
    ]
    divided = submit(divide, *tree, routed, top.n_groups)
    subtrees = []
    for group in range(top.n_groups):
        rows = [
            submit(rows_of_group, divided, group, to_leaves, *part.block, place=part.home)
            for part, to_leaves in zip(top.team, routed, strict=True)
        ]
        of_group = divided, group, top.number, rows, top.every
        subtrees.append(submit(grow_subtrees, work.guiding, *of_group))
        del rows, of_group
        yield subtrees[-1]
    return submit(graft, *tree, divided, subtrees, top.every, work.tasks.topic)


def _n_groups(team: Sequence[Partition], n_threads: float) -> int:
    """Return how many groups of leaves a tree of a team has."""
    most = sum(partition.n_bytes for partition in team) // _LEAST_BYTES
    return max(1, min(round(_GROUPS_PER_THREAD * n_threads), most))


def trees_of_partitions(n_rows: Sequence[int], n_trees: int) -> list[int]:
    """Divide trees among partitions in proportion to their rows; the largest remainders win."""
    total = sum(n_rows)
    trees = [n_trees * n // total for n in n_rows]
    by_remainder = sorted(range(len(n_rows)), key=lambda i: (-(n_trees * n_rows[i] % total), i))
    for i in by_remainder[: n_trees - sum(trees)]:
        trees[i] += 1
    return trees


def teams_of_partitions(n_partitions: int) -> list[list[int]]:
    """Divide partitions into as few teams as possible, neighbours, of about equal sizes."""
    n_teams = -(-n_partitions // MOST_PARTITIONS)
    ends = [n_partitions * k // n_teams for k in range(n_teams + 1)]
    return [list(range(start, end)) for start, end in zip(ends, ends[1:], strict=False)]


def _warn_of_idle(n_trees_of: Sequence[int], learning: Sequence[Sequence[int]]) -> None:
    """Warn of partitions from which no tree learns."""
    idle = sum(len(team) for team in learning if not sum(n_trees_of[i] for i in team))
    if idle:
        warnings.warn(
            f"{idle} of {len(n_trees_of)} partitions have no tree that learns from them: with "
            "rows='partitioned' n_estimators should be larger than their number, got "
            f"{sum(n_trees_of)}",
            stacklevel=caller_level(),
        )

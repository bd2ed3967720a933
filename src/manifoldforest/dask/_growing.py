"""The trees of a partitioned fit: which partitions grow them, and how many parts at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from ..forests._base import BaseForest
from ..validation._stack_level import caller_level
from ._cluster import results_of, wait_for
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
from ._told_progress import ToldProgress
from ._tops import Totals, forest_of_partition, forest_of_tops, stays_whole

# A tree learns from the rows of so many partitions at most: with all of some thousand partitions
# it would take millions of tasks.
MOST_PARTITIONS = 8

# Groups of leaves for each thread of a team, and groups under way for each thread: rows that are
# under way or grown from are then about as many as workers hold anyway. Groups of few bytes are not
# worth the tasks.
_GROUPS_PER_THREAD = 4
_UNDER_WAY_PER_THREAD = 1.5
_LEAST_BYTES = 2**21

Submit = Callable[..., Future]


@dataclass(frozen=True)
class Partition:
    """A partition that has rows with weight."""

    n_rows: int  # that have weight
    n_bytes: int  # of these
    X: Future
    y: Future
    sample_weight: Any


@dataclass(frozen=True)
class Top:
    """A tree that is to go on."""

    number: int
    grown: Future  # the trees of the partition where it began
    team: list[int]  # partitions with whose rows it goes on


def grown_trees(
    client: Client,
    submit: Submit,
    guiding: Future,
    forest: BaseForest,
    partitions: Sequence[Partition],
    n_threads: int,
    progress: ToldProgress | None,
) -> tuple[list[Any], list[tuple[NDArray[np.float64], Totals]]]:
    """Grow all trees; return them packed, in their order, and what is to be known of partitions."""
    whole = stays_whole(forest)
    n_rows = [partition.n_rows for partition in partitions]
    n_trees_of = trees_of_partitions(n_rows, int(forest.n_estimators))
    teams = teams_of_partitions(len(partitions))
    learning = [[i] for i in range(len(partitions))] if whole else teams
    _warn_of_idle(n_trees_of, learning)
    topic = None if progress is None else progress.topic
    tell = None if progress is None else progress.tell
    ends = np.cumsum([0, *n_trees_of]).tolist()
    grown = []
    for team in teams:
        n_all = sum(n_rows[i] for i in team)
        for i in team:
            if whole:
                of_partition = forest_of_partition(forest, len(partitions) > 1)
            else:
                of_partition = forest_of_tops(forest, n_rows[i], n_all)
            block = partitions[i].X, partitions[i].y, partitions[i].sample_weight
            numbers = range(ends[i], ends[i + 1])
            told = topic if whole else None
            grown.append(submit(grow_trees, guiding, of_partition, *block, numbers, told))
    known = results_of(client, [submit(summary, part) for part in grown], tell)
    if whole:
        packed = results_of(client, [submit(packed_trees, guiding, part) for part in grown], tell)
    else:
        tops = {
            number: Top(number, grown[i], team)
            for team in teams
            for i in team
            for number in range(ends[i], ends[i + 1])
        }
        totals = [of_partition for _, of_partition in known]
        packed = _with_subtrees(
            client, submit, guiding, partitions, totals, tops, len(teams), n_threads, topic, tell
        )
    return [tree for trees in packed for tree in trees], known


def _with_subtrees(
    client: Client,
    submit: Submit,
    guiding: Future,
    partitions: Sequence[Partition],
    totals: Sequence[Totals],
    tops: dict[int, Top],
    n_teams: int,
    n_threads: int,
    topic: str | None,
    tell: Callable[[], None] | None,
) -> list[Any]:
    """Let trees go on, a few groups of leaves at a time; return them packed."""
    ending: dict[int, Future] = {}
    packed: dict[int, Any] = {}

    def groups() -> Iterator[Future]:
        for top in _in_turn(list(tops.values())):
            team = [partitions[i] for i in top.team]
            every = sum((totals[i] for i in top.team), Totals())
            n_groups = _n_groups(team, n_threads / n_teams)
            of_top = guiding, top.grown, top.number
            routed = [
                submit(route, *of_top, part.X, part.sample_weight, kept=False) for part in team
            ]
            divided = submit(divide, *of_top, routed, n_groups, kept=False)
            subtrees = []
            for group in range(n_groups):
                rows = [
                    submit(
                        rows_of_group,
                        divided,
                        group,
                        of_part,
                        part.X,
                        part.y,
                        part.sample_weight,
                        kept=False,
                    )
                    for part, of_part in zip(team, routed, strict=True)
                ]
                subtrees.append(
                    submit(
                        grow_subtrees,
                        guiding,
                        divided,
                        group,
                        top.number,
                        rows,
                        every,
                        kept=False,
                    )
                )
                del rows  # workers drop them when the subtrees are there
                yield subtrees[-1]
            grafted = submit(graft, *of_top, divided, subtrees, every, topic, kept=False)
            ending[top.number] = grafted

    def collect() -> None:
        """Take trees that are there from the workers, which need not hold the forest."""
        there = [number for number, task in ending.items() if task.done()]
        trees = results_of(client, [ending.pop(number) for number in there])
        packed.update(zip(there, trees, strict=True))

    under_way: list[Future] = []
    for group in groups():
        under_way.append(group)
        if len(under_way) >= _UNDER_WAY_PER_THREAD * n_threads:
            wait_for(client, under_way, tell, one=True)
            under_way = [task for task in under_way if not task.done()]
            collect()
    wait_for(client, list(ending.values()), tell)
    collect()
    return [packed[number] for number in tops]


def _n_groups(team: Sequence[Partition], n_threads: float) -> int:
    """Return the number of groups of leaves of a tree; the tree does not depend on it."""
    most = sum(partition.n_bytes for partition in team) // _LEAST_BYTES
    return max(1, min(round(_GROUPS_PER_THREAD * n_threads), most))


def _in_turn(tops: Sequence[Top]) -> list[Top]:
    """Return trees in an order in which teams take turns, so that all of them have work."""
    turns: dict[int, int] = {}
    order = []
    for top in tops:
        turn = turns[top.team[0]] = turns.get(top.team[0], -1) + 1
        order.append((turn, top.number, top))
    return [top for _, _, top in sorted(order, key=lambda entry: entry[:2])]


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

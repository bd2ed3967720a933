"""Tasks on workers: tops on one partition, and subtrees on the rows of several.

    partition ──► grow_tops ──► route, each partition ──► divide ──► rows_of_group, each partition
                                                                              │
                                                  graft ◄── grow_subtrees ◄───┘

`_tops` has the parameters of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..forests._base import BaseForest
from ..forests._fit_steps import FitInputs, PreparedFit, joined_model
from ..forests._flat_forest import FlatForest
from ..forests._forest_model import Built, make_sampler
from ..forests._grafting import grafted
from ..forests._imputation import filled
from ..forests._ranges import ends_of, ranges
from ..io._tree_packing import pack_trees
from ..validation._inputs import Examples, Target
from ._blocks import joined
from ._partition_facts import GlobalFacts, partition_weight
from ._tops import Totals, forest_of_subtree, largest_share, weight_of_tree
from ._worker import Message, progress_sent, threads_of_task


@dataclass(frozen=True)
class Guide:
    """What all partitions must agree on before their trees grow."""

    facts: GlobalFacts
    inputs: FitInputs  # of one row; partitions put their own in its place
    fallback: NDArray[np.float64]  # of the sample

    @cached_property
    def built(self) -> Built:
        """What the core needs of the projection, made once in each process."""
        return make_sampler(self.inputs.projection, self.inputs.examples.feature_shape)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "built"}

    def inputs_of(self, rows: Rows) -> FitInputs:
        """Return what a fit on some rows needs."""
        weights = self.facts.weights(self.inputs.forest, rows.target, rows.weight)
        return replace(self.inputs, examples=rows.examples, target=rows.target, weights=weights)

    def read(self, X: Any, y: Any, weight: NDArray[np.float64]) -> Rows:
        """Return rows as all partitions see them."""
        forest = self.inputs.forest
        examples = self.facts.examples(forest, X)
        return Rows(examples, self.facts.target(forest, y, len(examples.rows)), weight)


@dataclass(frozen=True)
class Rows:
    """Some rows of one type, with labels that are indices into all classes."""

    examples: Examples
    target: Target
    weight: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Sequence[tuple[Rows, slice]]) -> Rows:
        """Return ranges of rows, one after the other."""
        first = parts[0][0]
        rows, values, weight = (
            np.concatenate([column[chosen] for column, chosen in columns])
            for columns in (
                [(part.examples.rows, chosen) for part, chosen in parts],
                [(part.target.values, chosen) for part, chosen in parts],
                [(part.weight, chosen) for part, chosen in parts],
            )
        )
        return cls(replace(first.examples, rows=rows), replace(first.target, values=values), weight)


Guided = tuple[Guide, list[Message]]


@dataclass(frozen=True)
class PartitionTrees:
    """Trees that grew on one partition, by their numbers, and what its rows add up to."""

    trees: dict[int, FlatForest]
    fallback: NDArray[np.float64]
    totals: Totals


def grow_trees(
    guided: Guided,
    forest: BaseForest,
    X: Any,
    y: Any,
    sample_weight: Any,
    numbers: range,
    topic: str | None,
) -> PartitionTrees:
    """Grow trees of a forest on the rows of one partition; a task."""
    guide = guided[0]
    with threads_of_task(1):
        X, y = joined("X", [X]), joined("y", [y])
        weight = partition_weight(sample_weight, len(X))
        inputs = guide.inputs_of(guide.read(X, y, weight))
        assert isinstance(inputs.target, Target)
        totals = _totals(inputs)  # as the forest that was asked for sees the rows
        if forest.bootstrap != inputs.forest.bootstrap:  # which weights depend on
            weights = guide.facts.weights(forest, inputs.target, weight)
            inputs = replace(inputs, weights=weights)
            del weights
        fit = PreparedFit(replace(inputs, forest=forest), guide.built)
        del X, y, weight, inputs  # growing takes memory enough
        grown = fit.grown(numbers, progress_sent(topic, numbers.start))
    trees = {} if grown is None else {n: grown.one(i) for i, n in enumerate(numbers)}
    return PartitionTrees(trees, fit.fallback(), totals)


def _totals(inputs: FitInputs) -> Totals:
    weights = inputs.weights
    return Totals(
        weights.n_rows,
        weights.n_present,
        float(weights.total.sum()),
        float(weights.draw.sum()),
    )


def summary(grown: PartitionTrees) -> tuple[NDArray[np.float64], Totals]:
    """Return what the client needs to know of a partition; a task."""
    return grown.fallback, grown.totals


def packed_trees(guided: Guided, grown: PartitionTrees) -> Any:
    """Return all trees of a partition as they travel to the client; a task."""
    n_classes = guided[0].inputs.target.n_classes
    return [pack_trees(tree.arrays, n_classes) for tree in grown.trees.values()]


# ---------------------------------------------------------------------------- to leaves of a top


@dataclass(frozen=True)
class Routed:
    """The rows of a partition that have weight, by the node of a top in which they end."""

    rows: NDArray[np.int32]  # ascending in each node
    sizes: NDArray[np.int64]  # of each node

    def of(self, nodes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the rows of some nodes, one node after the other."""
        chosen: NDArray[np.int32] = self.rows[ranges(ends_of(self.sizes)[nodes], self.sizes[nodes])]
        return chosen


def route(guided: Guided, grown: PartitionTrees, number: int, X: Any, sample_weight: Any) -> Routed:
    """Find the leaf of a top for each row of a partition; a task."""
    guide = guided[0]
    inputs, top = guide.inputs, grown.trees[number]
    X = joined("X", [X])
    present = np.flatnonzero(partition_weight(sample_weight, len(X))).astype(np.int32)
    rows = filled(guide.facts.examples(inputs.forest, X).rows, inputs.fill_values)
    model = joined_model(inputs, guide.built, [top], guide.fallback, len(rows), keep_samples=False)
    leaf = model.apply(rows, 1)[present, 0]
    order = np.argsort(leaf, kind="stable")
    return Routed(present[order], np.bincount(leaf, minlength=top.n_nodes).astype(np.int64))


@dataclass(frozen=True)
class Groups:
    """The leaves of a top that go on, with their depths and the groups in which they do."""

    leaves: NDArray[np.int64]
    depths: NDArray[np.int64]
    groups: NDArray[np.int64]

    def of(self, group: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return leaves and depths of a group."""
        chosen = self.groups == group
        return self.leaves[chosen], self.depths[chosen]


def divide(
    guided: Guided, grown: PartitionTrees, number: int, routed: Sequence[Routed], n_groups: int
) -> Groups:
    """Divide the leaves of a top into groups with about equally many rows; a task."""
    top, max_depth = grown.trees[number], guided[0].inputs.forest.max_depth
    sizes, depths = np.sum([part.sizes for part in routed], axis=0), top.depths()
    most = largest_share(grown.totals.n_present) * sizes.sum()
    goes_on = (top["left"] == 0) & (sizes > 0) & (sizes <= most)
    if max_depth is not None:
        goes_on &= depths < max_depth
    leaves = np.flatnonzero(goes_on)
    groups, filled_up = np.zeros(len(leaves), dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    for i in np.argsort(-sizes[leaves], kind="stable"):  # the largest first, to the smallest
        groups[i] = np.argmin(filled_up)
        filled_up[groups[i]] += sizes[leaves[i]]
    return Groups(leaves, depths[leaves], groups)


# ------------------------------------------------------------------------- subtrees of one group


@dataclass(frozen=True)
class GroupRows:
    """The rows that a partition has in the leaves of a group, one leaf after the other."""

    X: Any
    y: Any
    weight: NDArray[np.float64]
    sizes: NDArray[np.int64]  # of each leaf


def rows_of_group(
    groups: Groups, group: int, routed: Routed, X: Any, y: Any, sample_weight: Any
) -> GroupRows:
    """Return the rows of a partition that a group needs; a task."""
    X, y = joined("X", [X]), joined("y", [y])
    leaves, _ = groups.of(group)
    rows = routed.of(leaves)
    weight = partition_weight(sample_weight, len(X))
    return GroupRows(rows_of(X, rows), rows_of(y, rows), weight[rows], routed.sizes[leaves])


def rows_of(table: Any, rows: NDArray[np.integer]) -> Any:
    """Return rows of an array or a table."""
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def grow_subtrees(
    guided: Guided,
    groups: Groups,
    group: int,
    number: int,
    parts: Sequence[GroupRows],
    every: Totals,
) -> FlatForest | None:
    """Grow the subtrees of a group of leaves on the rows of all partitions; a task."""
    leaves, depths = groups.of(group)
    if not len(leaves):
        return None
    guide = guided[0]
    with threads_of_task(1):
        filled_parts = [part for part in parts if len(part.weight)]
        tables = [guide.read(part.X, part.y, part.weight) for part in filled_parts]
        ends = [ends_of(part.sizes) for part in filled_parts]
        subtrees = []
        for i, (leaf, depth) in enumerate(zip(leaves, depths, strict=True)):
            of_leaf = [slice(end[i], end[i + 1]) for end in ends]
            inputs = guide.inputs_of(Rows.joined(list(zip(tables, of_leaf, strict=True))))
            forest = forest_of_subtree(inputs.forest, _totals(inputs), every, int(depth))
            seed = _seed_of_leaf(inputs.seed, number, int(leaf))
            fit = PreparedFit(replace(inputs, forest=forest, seed=seed), guide.built)
            grown = fit.grown(range(number, number + 1), None)
            assert grown is not None
            subtrees.append(grown)
    return FlatForest.joined(subtrees)


def _seed_of_leaf(seed: int | None, number: int, leaf: int) -> int:
    """Return a seed for each leaf of each tree."""
    assert seed is not None
    state = np.random.SeedSequence([seed, number, leaf]).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))


def graft(
    guided: Guided,
    grown: PartitionTrees,
    number: int,
    groups: Groups,
    subtrees: Sequence[FlatForest | None],
    every: Totals,
    topic: str | None,
) -> Any:
    """Return a top with its subtrees as it travels to the client; a task."""
    inputs, top = guided[0].inputs, grown.trees[number]
    parts = [part for part in subtrees if part is not None]
    tree = grafted(
        top,
        np.concatenate([groups.of(group)[0] for group in range(len(subtrees))]),
        FlatForest.joined(parts) if parts else None,
        seen=float(top["weight"][0]) / weight_of_tree(inputs.forest, every),
        means=inputs.forest.criterion != "absolute_error",
    )
    if (tell := progress_sent(topic, number)) is not None:
        tell(1, 1)
    return pack_trees(tree.arrays, inputs.target.n_classes)

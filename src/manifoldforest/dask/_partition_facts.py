"""What partitions say of their rows, and what is true of all rows.

Trees of different partitions can be joined only if they agree on classes, types, shapes and units.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..forests._base import BaseForest
from ..forests._label_forest import LabelForest
from ..forests._weights import (
    RowWeights,
    class_factor,
    moderate,
    read_sample_weight,
    row_weights,
    same_for_all,
)
from ..validation._inputs import (
    CoreTarget,
    Examples,
    Target,
    read_labels,
    read_responses,
    read_training_examples,
)
from ..validation._stack_level import caller_level
from ._blocks import joined
from ._worker import recorded_warnings

# A class of which a partition has none, though it should have this many rows by its share, tells
# of rows that are not in random order: by chance it happens with probability exp(-20).
_EXPECTED_ROWS = 20


@dataclass(frozen=True)
class PartitionFacts:
    """What one partition says of its rows."""

    n_rows: int
    n_weighted: int = 0  # rows whose weight is not zero
    dtype: str = "uint8"
    feature_shape: tuple[int, ...] = ()
    feature_names: tuple[str, ...] | None = None
    # of each output: labels, or the smallest and the largest response
    labels: tuple[NDArray[Any], ...] = ()
    weight_of_labels: tuple[NDArray[np.float64], ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    one_column: bool = True


@dataclass(frozen=True)
class GlobalFacts:
    """What is true of the rows of all partitions."""

    dtype: np.dtype[Any]
    n_features: int
    classes: list[NDArray[Any]]  # of each output; empty for regression
    largest: float  # size of a response
    # of each class of each output, if classes have weights that do not depend on the tree
    class_factors: list[NDArray[np.float64]] | None

    @property
    def n_bytes_of_row(self) -> int:
        """Size of one example."""
        return self.n_features * self.dtype.itemsize

    def examples(self, forest: BaseForest, X: Any) -> Examples:
        """Return rows of a partition, in the type of all rows."""
        examples = read_training_examples(forest, X)
        return replace(examples, rows=examples.rows.astype(self.dtype, copy=False), given=None)

    def target(self, forest: BaseForest, y: Any, n_rows: int) -> Target:
        """Return the responses of a partition, or its labels as indices into all classes."""
        target = read_target(forest, y, n_rows)
        if not self.classes:
            return ResponsesOfPartition(target.values, [], target.one_column, self.largest)
        columns = [
            np.searchsorted(every, own)[target.values[:, k]]
            for k, (every, own) in enumerate(zip(self.classes, target.classes, strict=True))
        ]
        values = np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)
        return Target(values, self.classes, target.one_column)

    def weights(
        self, forest: BaseForest, target: Target, sample_weight: NDArray[np.float64]
    ) -> RowWeights:
        """Return the weights of the rows of a partition, with class weights of all rows."""
        factor = same_for_all(1.0, len(sample_weight))
        for k, factors in enumerate(self.class_factors or []):
            factor = moderate(factor * factors[target.values[:, k]])
        bootstrap, stratify = bool(forest.bootstrap), forest._draws_each_class
        return row_weights(sample_weight, factor, bootstrap=bootstrap, stratify=stratify)


@dataclass(frozen=True)
class ResponsesOfPartition(Target):
    """Responses of some rows, which the core sees in the unit of those of all rows."""

    largest: float

    def for_core(self, *, reads_node: bool) -> CoreTarget:
        """Return the table in the unit of the largest response of all rows."""
        unit = Target(np.array([[self.largest]]), [], True).for_core(reads_node=reads_node).unit
        return CoreTarget(unit, unit.down(self.values))


def read_target(forest: BaseForest, y: Any, n_rows: int) -> Target:
    """Validate the y of some of all rows."""
    if isinstance(forest, LabelForest):
        return read_labels(y, n_rows, streamed=True)
    return read_responses(y, n_rows)


def examine(forest: BaseForest, X: Any, y: Any, sample_weight: Any) -> PartitionFacts:
    """Check the rows of a partition and return what it says of them; a task."""
    X, y = joined("X", [X]), joined("y", [y])
    n_rows = len(X)
    if not n_rows and not len(y):
        return PartitionFacts(0)
    with recorded_warnings():  # and forgotten: the sample of all rows gives them
        examples = read_training_examples(forest, X)
        target = read_target(forest, y, n_rows)
    weight = partition_weight(sample_weight, n_rows)
    names = examples.feature_names
    facts = PartitionFacts(
        n_rows,
        int(np.count_nonzero(weight)),
        str(examples.rows.dtype),
        examples.feature_shape,
        None if names is None else tuple(map(str, names)),
        one_column=target.one_column,
    )
    if not target.classes:
        low, high = target.values.min(axis=0), target.values.max(axis=0)
        return replace(facts, low=tuple(low.tolist()), high=tuple(high.tolist()))
    weights = [
        np.bincount(codes, weight, minlength=len(labels)).astype(np.float64)
        for codes, labels in zip(target.values.T, target.classes, strict=True)
    ]
    return replace(facts, labels=tuple(target.classes), weight_of_labels=tuple(weights))


def partition_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Return the weights of the rows of a partition, which may all be zero."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.asarray(joined("sample_weight", [sample_weight]))
    if weight.shape == (n_rows,) and weight.dtype.kind in "fiub" and not weight.any():
        return np.zeros(n_rows)
    return read_sample_weight(weight, n_rows)


def global_facts(forest: BaseForest, partitions: Sequence[PartitionFacts]) -> GlobalFacts:
    """Return what is true of all rows, or raise an error if partitions do not go together."""
    filled = {i: facts for i, facts in enumerate(partitions) if facts.n_rows}
    if not filled:
        raise ValueError("X must have at least one row, got partitions without any")
    if not any(facts.n_weighted for facts in filled.values()):
        raise ValueError("sample_weight must have at least one weight that is not zero")
    _check_equal(filled, "X", "rows of one shape", lambda facts: facts.feature_shape)
    _check_equal(filled, "X", "the same columns", lambda facts: facts.feature_names)
    _check_equal(filled, "y", "equally many outputs", lambda facts: len(facts.labels or facts.low))
    _check_equal(filled, "y", "as many axes", lambda facts: facts.one_column)
    _check_equal(
        filled,
        "y",
        "labels of one type",
        lambda facts: tuple("str" if v.dtype.kind in "OUST" else "number" for v in facts.labels),
    )
    every = list(filled.values())
    bytes_only = all(facts.dtype == "uint8" for facts in every)
    classes = [
        np.unique(np.concatenate([facts.labels[k] for facts in every]))
        for k in range(len(every[0].labels))
    ]
    ends = np.array([facts.low for facts in every] + [facts.high for facts in every])
    if not classes:
        _check_responses(forest, filled)
    _warn_of_order(classes, filled)
    return GlobalFacts(
        np.dtype(np.uint8 if bytes_only else np.float32),
        math.prod(every[0].feature_shape),
        classes,
        float(np.abs(ends).max(initial=0.0)),
        _class_factors(forest, classes, every),
    )


def _check_responses(forest: BaseForest, partitions: dict[int, PartitionFacts]) -> None:
    objective = _core.objective(forest.criterion)
    for number, facts in partitions.items():
        try:
            objective.check(np.array([facts.low, facts.high]), [])
        except ValueError as error:
            raise ValueError(f"{error} (in partition {number})") from error


def _check_equal(
    partitions: dict[int, PartitionFacts], name: str, what: str, value_of: Any
) -> None:
    first, *others = partitions
    expected = value_of(partitions[first])
    for number in others:
        got = value_of(partitions[number])
        if got != expected:
            raise ValueError(
                f"{name} must have partitions with {what}, got {expected} in partition {first} "
                f"and {got} in partition {number}"
            )


def _warn_of_order(classes: list[NDArray[Any]], partitions: dict[int, PartitionFacts]) -> None:
    """Warn if a partition lacks a class of which it would have rows in a random order."""
    if not classes:
        return
    total = weights_of_classes(classes, list(partitions.values()))
    for k, labels in enumerate(classes):
        shares = total[k] / total[k].sum()
        for number, facts in partitions.items():
            lacking = ~np.isin(labels, facts.labels[k]) & (
                shares * facts.n_weighted > _EXPECTED_ROWS
            )
            if lacking.any():
                warnings.warn(
                    f"partition {number} has no row of the class {labels[lacking][0]!r}, which is "
                    f"{shares[lacking][0]:.0%} of all: with rows='partitioned' rows must be in "
                    "random order, as each tree begins on one partition",
                    stacklevel=caller_level(),
                )
                return


def weights_of_classes(
    classes: list[NDArray[Any]], partitions: Sequence[PartitionFacts]
) -> list[NDArray[np.float64]]:
    """Return the weight of each class of each output in all partitions."""
    totals = [np.zeros(len(labels)) for labels in classes]
    for facts in partitions:
        for total, every, own, weight in zip(
            totals, classes, facts.labels, facts.weight_of_labels, strict=False
        ):
            total[np.searchsorted(every, own)] += weight
    return totals


def _class_factors(
    forest: BaseForest, classes: list[NDArray[Any]], partitions: Sequence[PartitionFacts]
) -> list[NDArray[np.float64]] | None:
    """Return what `class_weight` multiplies the weights of each class of each output by."""
    class_weight = getattr(forest, "class_weight", None)
    if class_weight is None or forest._balances_subsamples:
        return None
    balanced = isinstance(class_weight, str)
    tables = class_weight if isinstance(class_weight, list) else [class_weight] * len(classes)
    if len(tables) != len(classes) or (len(classes) > 1 and isinstance(class_weight, Mapping)):
        n_tables = len(class_weight) if isinstance(class_weight, list) else 1
        raise ValueError(
            "class_weight must be one dictionary for each output, got "
            f"{n_tables} for {len(classes)} outputs"
        )
    factors = []
    totals = weights_of_classes(classes, partitions)
    for labels, table, total in zip(classes, tables, totals, strict=True):
        each_class = Target(np.arange(len(labels), dtype=np.int32)[:, None], [labels], True)
        factors.append(class_factor("balanced" if balanced else table, each_class, total))
    return factors

"""From sample and class weights to the three weights of the core.

*draw* are bootstrap probabilities up to a factor; *row* is what the criterion sees, for each draw
of a row with bootstrap and for the row with its multiplicity without; *count* is that multiplicity,
and 1 with bootstrap, where a weight says how likely a row is drawn and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from .. import _core
from .._units import Unit
from ..validation._arrays import as_numbers
from ..validation._inputs import Target
from ..validation._parameters import INT32_MAX
from ..validation._rules import check_argument, real

# Class shares are stored in single precision. A row whose weight is below its
# resolution could still be the only row of a leaf and decide its value; it is ignored instead.
_NEGLIGIBLE = float(np.finfo(np.float32).eps)

# Weights above this, or all below its inverse, are rescaled, as sums of their products overflow.
_EXTREME = 2.0**200


def same_for_all(value: float, n_rows: int) -> NDArray[np.float64]:
    """Return an array of one number for all rows, read-only, in the memory of that number."""
    return np.broadcast_to(np.float64(value), (n_rows,))


def is_same_for_all(array: NDArray[Any]) -> bool:
    """Whether all entries of an array lie in the same place, as of :func:`same_for_all`."""
    return array.strides == (0,)


def total_of(array: NDArray[Any]) -> Any:
    """Return the sum of an array, whose entries may be one number."""
    return array[0] * len(array) if is_same_for_all(array) else array.sum()


def n_nonzero(array: NDArray[Any]) -> int:
    """Return how many entries of an array, which may be one number, are not zero."""
    if is_same_for_all(array):
        return len(array) if array[0] else 0
    return int(np.count_nonzero(array))


@dataclass(frozen=True)
class RowWeights:
    """Weights of the training rows in the form of the core.

    Without weights all rows have the same, and each array takes the memory of one number.
    """

    draw: NDArray[np.float64]
    row: NDArray[np.float64]
    count: NDArray[np.int64]
    total: NDArray[np.float64]  # of each row in the whole training set

    @property
    def n_rows(self) -> int:
        """Number of rows; without bootstrap whole-number weights count as repetitions."""
        return int(total_of(self.count))

    @property
    def n_present(self) -> int:
        """Number of distinct rows."""
        return n_nonzero(self.count)


def read_sample_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Validate sample weights; None is one for each row, and a number the same for all."""
    if sample_weight is None:
        return same_for_all(1.0, n_rows)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, sample_weight)
    weight = as_numbers(sample_weight, "sample_weight", "an array of real numbers or None")
    weight = np.array(weight, dtype=np.float64)
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight must have the shape ({n_rows},), got {weight.shape}")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError(
            "sample_weight must hold finite numbers >= 0, got "
            f"{weight[~(np.isfinite(weight) & (weight >= 0))][0]}"
        )
    if not weight.any():
        raise ValueError("sample_weight must have at least one weight that is not zero")
    return moderate(weight)


def moderate(weight: NDArray[np.float64], extreme: float = _EXTREME) -> NDArray[np.float64]:
    """Return weights of extreme size in units of a power of two, others as they are."""
    return np.asarray(Unit.of(float(weight.max()), low=1 / extreme, high=extreme).down(weight))


def class_factor(
    class_weight: Any, target: Target, sample_weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the factor of each row that `class_weight` stands for.

    A factor for several outputs is the product over outputs, as in scikit-learn. Sample weights
    count in ``"balanced"``, so that weight 2 stays the row given twice.
    """
    if class_weight is None or class_weight == "balanced_subsample":
        return same_for_all(1.0, len(sample_weight))
    if class_weight == "balanced":
        return _core.balanced_weights(target.values, target.n_classes, sample_weight)
    return _factor_of_table(class_weight, target)


def _factor_of_table(class_weight: Any, target: Target) -> NDArray[np.float64]:
    tables = [class_weight] if isinstance(class_weight, Mapping) else list(class_weight)
    if len(tables) != len(target.classes):
        raise ValueError(
            "class_weight must be one dictionary for each output, got "
            f"{len(tables)} for {len(target.classes)} outputs"
        )
    factor = np.ones(len(target.values))
    for k, table in enumerate(tables):
        for label, weight in table.items():
            check_argument(f"class_weight[{label!r}]", weight, real("[0, inf)"))
        labels = target.classes[k][target.values[:, k]]
        factor = moderate(factor * moderate(compute_sample_weight(dict(table), labels)))
    return factor


def row_weights(
    sample_weight: NDArray[np.float64],
    factor: NDArray[np.float64],
    *,
    bootstrap: bool,
    stratify: bool,
) -> RowWeights:
    """Combine sample weights and class factors.

    As in scikit-learn 1.9 a bootstrap draws rows in proportion to both, so that a class weight is
    the same as that sample weight for the rows of the class. Drawing a fixed number of rows from
    each class would undo class factors; there the criterion sees them. Unlike there, the number of
    draws and the count of a row do not depend on weights with bootstrap: a common factor of all
    weights changes nothing.
    """
    n_rows, sum_of_weights = len(sample_weight), total_of(sample_weight)
    if is_same_for_all(sample_weight) and is_same_for_all(factor):
        sample_weight, factor = sample_weight[:1], factor[:1]
    combined = sample_weight * factor
    present = combined > _NEGLIGIBLE * combined.max()
    if not present.any():
        raise ValueError("class_weight and sample_weight leave no row a weight that is not zero")
    whole = bool((sample_weight == np.rint(sample_weight)).all())
    counts = not bootstrap and whole and sum_of_weights <= INT32_MAX
    count = np.where(present, sample_weight if counts else 1.0, 0.0).astype(np.int64)
    draw, row = combined, np.ones_like(factor)
    if not bootstrap:
        row = combined
    elif stratify:
        draw, row = sample_weight, factor
    total = combined
    if not present.all():  # mostly they are, and one array may be all of draw, row and total
        draw, total = np.where(present, draw, 0.0), np.where(present, combined, 0.0)
    if len(total) < n_rows:
        draw, row, count, total = (
            np.broadcast_to(array[0], (n_rows,)) for array in (draw, row, count, total)
        )
    return RowWeights(draw, row, count, total)

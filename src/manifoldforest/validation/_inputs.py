"""From what users pass as X and y to the two forms the core knows.

X becomes a C-contiguous ``(n, p)`` matrix, uint8 or float32 and nothing else; labels become class
indices, responses float64. Nothing here changes the estimator it is given.
"""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from .._fitted_state import snapshot
from .._units import Unit
from ._arrays import as_numbers
from ._columns import numbers_required
from ._named_dims import check_no_dataset, feature_dims_of, in_fitted_order, without_dims
from ._rules import shown
from ._stack_level import caller_level
from ._tables import holds_bytes, whole_table
from ._unequal_series import padded

_UINT8, _FLOAT32 = np.dtype(np.uint8), np.dtype(np.float32)
_TYPES = (np.float32, np.uint8, np.bool_)  # of the core of forests; booleans become uint8

# Squares of responses within these bounds have room in single precision, in which gains are kept.
_SMALLEST_RESPONSE, _LARGEST_RESPONSE = 2.0**-40, 2.0**40


@dataclass(frozen=True)
class Examples:
    """Training examples: flat rows, and the shape and the names of their features."""

    rows: NDArray[Any]
    feature_shape: tuple[int, ...]
    feature_names: NDArray[Any] | None
    feature_dims: tuple[str, ...] | None  # names of axes, if X is an array of xarray
    given: Any  # X as it came, an array or a table

    @property
    def name_attributes(self) -> dict[str, Any]:
        """The fitted attributes that hold names of features, as far as X has any."""
        names = {"feature_names_in_": self.feature_names, "feature_dims_": self.feature_dims}
        return {name: value for name, value in names.items() if value is not None}

    def has_dims_of(self, estimator: Any) -> bool:
        """Whether axes are called as they were when an estimator was fitted, if both have names."""
        before = getattr(estimator, "feature_dims_", None)
        return None in (before, self.feature_dims) or before == self.feature_dims


class CoreTarget(NamedTuple):
    """What the core gets to see of a target, in a unit in which squares have room."""

    unit: Unit
    values: NDArray[Any] | None
    signs: NDArray[np.float64] | None = None
    squared_distances: NDArray[np.float32] | None = None


class ForestTarget(ABC):
    """What a fit asks of what a forest learns, whatever that is."""

    @property
    @abstractmethod
    def n_classes(self) -> list[int]:
        """Number of classes of each output; empty for all but classification."""

    @abstractmethod
    def for_core(self, *, reads_node: bool) -> CoreTarget:
        """Return what the core learns from; `reads_node`: directions depend on it too."""

    @abstractmethod
    def strata(self) -> NDArray[np.int32]:
        """Return the index of each row's combination of labels (zeros where there are none)."""


@dataclass(frozen=True)
class Target(ForestTarget):
    """Class indices (int32) or responses (float64), one column per output."""

    values: NDArray[Any]
    classes: list[NDArray[Any]]
    one_column: bool

    @property
    def n_outputs(self) -> int:
        """Number of columns."""
        return int(self.values.shape[1])

    @property
    def n_classes(self) -> list[int]:
        """Number of classes of each output; empty for regression."""
        return [len(labels) for labels in self.classes]

    def for_core(self, *, reads_node: bool) -> CoreTarget:
        """Return the table, of responses in the unit of the largest of them."""
        if self.classes:
            return CoreTarget(Unit(), self.values)
        largest = float(np.abs(self.values).max())
        unit = Unit.of(largest, low=_SMALLEST_RESPONSE, high=_LARGEST_RESPONSE)
        return CoreTarget(unit, unit.down(self.values))

    def strata(self) -> NDArray[np.int32]:
        """Return the index of each row's combination of labels (zeros for regression)."""
        if not self.classes:
            return np.broadcast_to(np.int32(0), (len(self.values),))  # takes no memory
        if self.values.shape[1] == 1:
            return np.ascontiguousarray(self.values[:, 0])
        combination = np.unique(self.values, axis=0, return_inverse=True)[1]
        return combination.reshape(-1).astype(np.int32)


def read_training_examples(
    estimator: Any, X: Any, *, allow_nan: bool = True, types: tuple[type, ...] = _TYPES
) -> Examples:
    """Validate the X of a fit. Numbers of other than these types become of the first of them.

    An estimator that says `_reads_series` may be given a list of series of unequal length.
    """
    X = with_shape(padded(X) if getattr(estimator, "_reads_series", False) else X)
    dims = feature_dims_of(X)
    X = without_dims(X)
    shape = tuple(X.shape[1:])
    # validate_data writes names and widths to the estimator it is given; a fit that fails later
    # must not leave them behind
    stand_in = snapshot(estimator)
    rows = _validated(stand_in, X, reset=True, allow_nan=allow_nan, types=types)
    return Examples(rows, shape, getattr(stand_in, "feature_names_in_", None), dims, X)


def read_examples(
    estimator: Any, X: Any, *, allow_nan: bool = True, types: tuple[type, ...] = _TYPES
) -> NDArray[Any]:
    """Validate X for a fitted forest: examples of the fitted shape, or flat ones."""
    rows = _as_it_is(estimator, X, allow_nan)
    if rows is not None:
        return rows
    if getattr(estimator, "_reads_series", False):
        X = padded(X, estimator.feature_shape_[-1])
    X = in_fitted_order(with_shape(X), getattr(estimator, "feature_dims_", None))
    X = without_dims(X)
    shape, expected = tuple(X.shape), estimator.feature_shape_
    if len(expected) > 1 and shape == expected and shape[1:] != (estimator.n_features_in_,):
        raise ValueError(
            f"X must have the shape (n_samples, {_listed(expected)}), got that of one example, "
            f"{shape}: for one example pass X[None]"
        )
    if len(shape) > 2 and shape[1:] != expected:
        raise ValueError(
            f"X must have the shape (n_samples, {_listed(expected)}) or its flat form "
            f"(n_samples, {estimator.n_features_in_}), as at fit, got {shape}"
        )
    return _validated(estimator, X, reset=False, allow_nan=allow_nan, types=types)


def _listed(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))


def _as_it_is(estimator: Any, X: Any, allow_nan: bool) -> NDArray[Any] | None:
    """Return the rows of an array that is already what the core wants, None for all else.

    The general validation takes many times as long as predicting one row.
    """
    if type(X) is not np.ndarray or not X.flags.c_contiguous:
        return None
    if hasattr(estimator, "feature_names_in_"):
        return None
    shape, n_features = X.shape, estimator.n_features_in_
    if len(shape) < 2 or shape[0] == 0:
        return None
    if shape[1:] != (n_features,) and shape[1:] != estimator.feature_shape_:
        return None
    if X.dtype != _UINT8:
        if X.dtype != _FLOAT32:
            return None
        if np.isinf(X).any() if allow_nan else not np.isfinite(X).all():
            return None
    return X if len(shape) == 2 else X.reshape(shape[0], n_features)


def with_shape(X: Any) -> Any:
    """Return something that has a shape: X itself, or an array of it."""
    X = whole_table(X)
    check_no_dataset(X)
    if hasattr(X, "shape"):
        return X
    try:
        table = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"X must be a rectangular array of numbers: {error}") from error
    if table.ndim == 0:
        raise TypeError(
            "X must be an array or a table of shape (n_samples, n_features) or (n_samples, ...), "
            f"got {'None' if X is None else 'an object of type ' + type(X).__name__}"
        )
    return table


def flat(X: Any) -> Any:
    """Return examples with several axes as rows, and everything else as it is."""
    if len(X.shape) <= 2 or issparse(X):
        return X
    return np.asarray(X).reshape(X.shape[0], math.prod(X.shape[1:]))


def _validated(
    estimator: Any, X: Any, *, reset: bool, allow_nan: bool, types: tuple[type, ...]
) -> NDArray[Any]:
    # too large for float32 becomes infinite, which is refused with a message of its own;
    # the search for such values adds up all of them
    with numbers_required(X), np.errstate(over="ignore", invalid="ignore"):
        rows = validate_data(
            estimator,
            flat(X),
            reset=reset,
            # of tables other than those of numpy's types scikit-learn does not know what they hold
            dtype=np.uint8 if holds_bytes(X) else list(types),
            order="C",
            ensure_all_finite="allow-nan" if allow_nan else True,
        )
    if rows.dtype == np.bool_:
        rows = rows.astype(np.uint8)
    return np.ascontiguousarray(rows)


def read_labels(y: Any, n_rows: int, *, streamed: bool = False) -> Target:
    """Validate class labels of any one type per column.

    Labels that are `streamed` are one batch of many, or a list of classes: that most of them are
    different does not mean that they are responses of a regression.
    """
    table, one_column = _columns(y, n_rows, keep_types=True)
    columns = [
        _one_type(table[:, k], from_list=not hasattr(y, "dtype")) for k in range(table.shape[1])
    ]
    are_ranges = [_is_short_range(column) for column in columns]
    for column, is_range in zip(columns, are_ranges, strict=True):
        if column.dtype.kind == "c":
            raise TypeError(f"y must hold numbers or strings, got entries of type {column.dtype}")
        if column.dtype.kind == "f":
            assert_all_finite(column, input_name="y")
        # A range is one of few classes: nothing that the check looks for.
        check_classification_targets(_sample_of_type(column) if streamed or is_range else column)
    codes = np.empty(table.shape, dtype=np.int32)
    classes = []
    for k, (column, is_range) in enumerate(zip(columns, are_ranges, strict=True)):
        labels, code = _encoded_range(column) if is_range else _encoded(column)
        codes[:, k] = code.reshape(-1)
        classes.append(labels)
    return Target(codes, classes, one_column)


def _is_short_range(column: NDArray[Any]) -> bool:
    """Return whether labels are whole numbers in a range of less than half as many as there are."""
    if column.dtype.kind not in "iu":
        return False
    return 2 * (int(column.max()) - int(column.min()) + 1) < len(column)


def _encoded(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the different labels in ascending order, and the place of each label among them."""
    labels, code = np.unique(column, return_inverse=True)
    return labels, code


def _encoded_range(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the same without sorting, for whole numbers of a short range."""
    low = column.min()
    # Differences and sums may wrap around; modulo the range of the type they hold.
    offset = column if low == 0 else (column - low).view(f"u{column.dtype.itemsize}")
    present = np.bincount(offset.astype(np.intp, copy=False)) > 0
    labels = np.flatnonzero(present).astype(low.dtype) + low
    code = offset if present.all() else (np.cumsum(present) - 1)[offset]
    return labels.astype(column.dtype, copy=False), code


def _sample_of_type(column: NDArray[Any]) -> NDArray[Any]:
    """Return one label: a fraction if there is one, which is no label."""
    if column.dtype.kind == "f":
        fractions = column[column != np.trunc(column)]
        column = fractions if len(fractions) else column
    return column[:1]


def read_responses(y: Any, n_rows: int) -> Target:
    """Validate the numbers that a regression forest learns."""
    table, one_column = _columns(y, n_rows, keep_types=False)
    values = np.ascontiguousarray(as_numbers(table, "y", "real numbers"), dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # the search for infinities is a sum
        assert_all_finite(values, input_name="y")
    return Target(values, [], one_column)


def _columns(y: Any, n_rows: int, *, keep_types: bool) -> tuple[NDArray[Any], bool]:
    """Return y as a table with one column per output, and whether it came as one column."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if issparse(y):
        raise TypeError("y must be a dense array, got a sparse matrix")
    # numpy turns [1, "a"] into strings; as objects the values keep their types
    as_objects = keep_types and not hasattr(y, "dtype") and not hasattr(y, "__array__")
    try:
        table = np.asarray(y, dtype=object if as_objects else None)
    except ValueError as error:
        raise ValueError(f"y must be a rectangular array: {error}") from error
    expected = "y must have the shape (n_samples,) or (n_samples, n_outputs) and not be empty, got"
    if table.ndim == 0 and not hasattr(y, "shape"):
        raise TypeError(f"{expected} {shown(y)}")
    if table.ndim not in (1, 2) or 0 in table.shape:
        raise ValueError(f"{expected} {table.shape}")
    if len(table) != n_rows:
        raise ValueError(
            f"X and y must have equally many rows, got {n_rows} rows of X and {len(table)} of y"
        )
    if table.ndim == 2 and table.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=caller_level(),
        )
    one_column = table.ndim == 1 or table.shape[1] == 1
    return table.reshape(n_rows, -1), one_column


def _one_type(column: NDArray[Any], *, from_list: bool) -> NDArray[Any]:
    if column.dtype != object:
        return column
    types = sorted({_label_type(value) for value in column})
    if len(types) > 1:
        raise TypeError(f"y must hold labels of one type, got {' and '.join(types)}")
    if types[0] not in ("number", "str"):
        raise TypeError(f"y must hold numbers or strings, got {types[0]}")
    if types[0] == "number" or from_list:
        column = np.asarray(column.tolist())
    if types[0] == "number" and column.dtype == object:
        strange = next(value for value in column if np.asarray(value).dtype == object)
        raise ValueError(
            "y must hold integers of at most 64 bits, floats or booleans if its labels are "
            f"numbers, got {shown(strange)}"
        )
    return column


def _label_type(value: Any) -> str:
    if isinstance(value, Number | np.bool_):
        return "number"
    return "str" if isinstance(value, str) else type(value).__name__

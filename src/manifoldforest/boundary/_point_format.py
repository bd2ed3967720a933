"""The format of the points of one forest: rows of numbers of one type and shape, or objects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._metrics import Metric, largest_entry
from ._numeric_rows import USE_BRUTE_FORCE, check_shape, is_in_range, read_objects, read_rows

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


@dataclass(frozen=True)
class PointFormat:
    """What the points of a forest are. Its first batch decides.

    Parameters
    ----------
    metric : str or callable
        The name of a metric between rows of numbers, or a function of two objects.
    dtype : dtype or None
        Type of the rows, uint8, float32 or float64; None for objects.
    shape : tuple of int or None
        Shape of one point; None for objects other than arrays.
    """

    metric: Metric
    dtype: np.dtype[Any] | None
    shape: tuple[int, ...] | None

    @classmethod
    def of_first_batch(
        cls, metric: Metric, points: Any, shape: tuple[int, ...] | None
    ) -> PointFormat:
        """Return the format of a first batch that :func:`read_points` has returned."""
        return cls(metric, points.dtype if isinstance(metric, str) else None, shape)

    @cached_property
    def n_features(self) -> int:
        """Number of features of a point, 0 for objects other than arrays."""
        return math.prod(self.shape or (0,))

    def rows_without_conversion(self, X: Any) -> NDArray[Any] | None:
        """Return the rows of an array that needs no conversion, None for everything else.

        The general validation takes longer than a query.
        """
        # objects have no dtype, and NumPy reads a dtype of None as float64
        if self.dtype is None or type(X) is not np.ndarray:
            return None
        if X.dtype != self.dtype or not X.flags.c_contiguous:
            return None
        shape = X.shape
        if len(shape) < 2 or shape[0] == 0:
            return None
        if shape[1:] != self.shape and shape[1:] != (self.n_features,):
            return None
        if self.dtype == FLOAT32 and not np.isfinite(X).all():
            return None
        if self.dtype == FLOAT64 and not is_in_range(X, largest_entry(self.metric)):
            return None
        return X if len(shape) == 2 else X.reshape(shape[0], self.n_features)

    def read(self, X: Any, name: str = "X") -> Any:
        """Return a later batch, or queries, in the form that the core takes."""
        rows = self.rows_without_conversion(X)
        if rows is not None:
            return rows
        points, shape = read_points(X, self.metric, name, as_arrays=self.shape is not None)
        if shape is not None and self.shape is not None:
            check_shape(shape, self.shape, name)
        if self.dtype is not None:
            return self.convert(points, name)
        if shape is None:
            return points
        if self.shape is None:  # rows of an array become objects; the core does not copy objects
            return [np.array(point) for point in points]
        return [point.reshape(self.shape) for point in points]

    def convert(self, rows: NDArray[Any], name: str = "X") -> NDArray[Any]:
        """Return rows in the type of the first batch, if that changes no value.

        Rows that float32 would change stay float64. Queries may be float64; before such rows are
        learned, the forest is replaced by :meth:`CoreForest.widened_for` them.
        """
        if rows.dtype == self.dtype:
            return rows
        if self.dtype == FLOAT64:
            return rows.astype(np.float64)
        if self.dtype == FLOAT32:
            return rows if rows.dtype == FLOAT64 else rows.astype(np.float32)
        if not (rows.min() >= 0 and rows.max() <= 255 and (rows == np.trunc(rows)).all()):
            raise ValueError(
                f"{name} must hold whole numbers in [0, 255], as the first batch was of type "
                "uint8, got others: give the first batch as float32 if later ones are not bytes"
            )
        return rows.astype(np.uint8)


def read_points(
    X: Any, metric: Metric, name: str = "X", *, as_arrays: bool = False
) -> tuple[Any, tuple[int, ...] | None]:
    """Return points in the form that the core takes, and the shape of each.

    For a metric that is a function, a sequence is a list of objects, unless `as_arrays` says that
    the points of the forest are arrays.
    """
    if isinstance(metric, str):
        return read_rows(X, name, largest_entry(metric), USE_BRUTE_FORCE)
    if as_arrays:
        rows, shape = read_rows(X, name, math.inf)
        return list(rows.reshape(len(rows), *shape)), shape
    return read_objects(X, name)

"""What an index remembers of the names of features and axes, from its first batch of points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..validation._named_dims import feature_dims_of, in_fitted_order, stored_dims, without_dims
from ..validation._rules import shown
from ..validation._tables import column_names, is_table, whole_table


@dataclass(frozen=True)
class FeatureNames:
    """Names of the columns of points, and of their axes; None where points have none."""

    columns: tuple[str, ...] | None = None
    dims: tuple[str, ...] | None = None

    @classmethod
    def of(cls, X: Any) -> FeatureNames:
        """Return the names that tables and arrays of xarray have."""
        table = without_dims(whole_table(X))
        names = column_names(table) if is_table(table) else []
        named = bool(names) and all(isinstance(name, str) for name in names)
        return cls(tuple(names) if named else None, feature_dims_of(X))

    @classmethod
    def in_file(cls, content: Mapping[str, Any], shape: tuple[int, ...] | None) -> FeatureNames:
        """Return the names in what a model file holds of an index, if it holds any."""
        columns = content.get("feature_names")
        if columns is not None:
            if shape is None or len(shape) != 1 or len(columns) != shape[0]:
                raise ValueError("the names of features do not fit the points")
            if not all(isinstance(name, str) for name in columns):
                raise ValueError("the names of features are no text")
        dims = stored_dims(content, shape or ()).get("feature_dims_")
        return cls(None if columns is None else tuple(columns), dims)

    def for_file(self) -> dict[str, Any]:
        """Return what a model file holds of them, nothing if there are none."""
        stored = {"feature_names": self.columns, "feature_dims": self.dims}
        return {key: list(names) for key, names in stored.items() if names is not None}

    def in_order(self, X: Any) -> Any:
        """Return later points with the axes of the first, or raise a ValueError.

        Points without names go by the order of their columns and axes.
        """
        X = in_fitted_order(X, self.dims, "the first points")
        columns = None if self.columns is None else FeatureNames.of(X).columns
        if columns is not None and columns != self.columns:
            if sorted(columns) == sorted(self.columns or ()):
                got = "the same in another order"
            else:
                strange = [name for name in columns if name not in (self.columns or ())]
                got = shown(strange[0]) if strange else f"{len(columns)} of them"
            raise ValueError(
                f"X must have the columns of the first points, {shown(list(self.columns or ()))}, "
                f"got {got}"
            )
        return X

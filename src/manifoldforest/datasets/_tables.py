"""Tables of examples that functions of this package change."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from manifoldforest.validation._arrays import as_numbers


def read_table(X: Any) -> NDArray[Any]:
    """Return an array of numbers with rows and columns, in the type in which it came."""
    expected = "a numeric array of shape (n_samples, n_features)"
    table = as_numbers(X, "X", expected)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"X must be {expected}, got shape {table.shape}")
    return table

"""Lists of series of unequal length, as one array: what is missing at the end is NaN."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_list_of_series(X: Any) -> bool:
    """Whether X is a list or tuple of arrays, each one example."""
    return (
        isinstance(X, list | tuple)
        and len(X) > 0
        and all(isinstance(series, np.ndarray) and series.ndim > 0 for series in X)
    )


def padded(X: Any, length: int | None = None) -> Any:
    """Return a list of series as one array, with NaN behind the end of each, and all else as it is.

    All but the last axis, which is time, must be the same. `length` is that of the array: None for
    that of the longest series, which otherwise must not be longer.
    """
    if not is_list_of_series(X):
        return X
    channels = X[0].shape[:-1]
    for number, series in enumerate(X):
        if series.shape[:-1] != channels:
            raise ValueError(
                "X must be a list of series that differ in nothing but their length, along the "
                f"last axis, got shapes {X[0].shape} and {series.shape} (numbers 0 and {number})"
            )
        if series.dtype.kind not in "buif":
            raise TypeError(
                f"X must be a list of series of numbers, got entries of type {series.dtype} in "
                f"number {number}"
            )
    longest = max(series.shape[-1] for series in X)
    if length is None:
        length = longest
    elif longest > length:
        raise ValueError(
            f"X must have series of at most {length} points, as the longest at fit, got one of "
            f"{longest}: at fit, pad series with NaN to the length of the longest to come"
        )
    if all(series.shape[-1] == length for series in X):
        return np.stack(X)
    array = np.full((len(X), *channels, length), np.nan, dtype=np.result_type(np.float32, *X))
    for row, series in zip(array, X, strict=True):
        row[..., : series.shape[-1]] = series
    return array

"""Whether single precision makes different values of a feature equal, and a warning of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._columns import columns_named
from ._stack_level import caller_level
from ._tables import column_types, is_integer_type, is_table, numbers_of

# share of a feature's distinct values that may become equal
_TOLERATED = 0.01

# Rows that tell whether a feature needs a closer look: half of them lie in a range of so many
# numbers of single precision that few values of fractions can be equal by chance.
_N_FIRST = 16
_MANY_NUMBERS = 2.0**18

# Rows by which the others are judged. Of large whole numbers, which mean exactly what they say, and
# of large numbers far from zero, such as times with fractions of seconds, the answer is then looked
# for in all rows. Of other fractions the sample decides: among very many rows some always are
# closer to each other than single precision can tell, and nothing is lost by that.
_N_ROWS = 2_000

# Rows that are compared of a feature of which all rows count, about.
_N_COMPARED = 20_000

# Numbers are far from zero if half of them lie in a range of this share of their size: subtracting
# a constant then gives them three more bits.
_NARROW = 1 / 8

_FIRST_INEXACT = 2.0**24  # whole numbers up to this one are exact in single precision
_HASH = np.uint32(2_654_435_769)  # 2**32 / golden ratio: spreads neighbouring bits


def warn_of_equal_values(X: Any, rows: NDArray[Any]) -> None:
    """Warn if values of X that differ are equal in `rows`, its flat form in single precision."""
    shares = merged_shares(X, rows)
    if shares:
        where = sorted(shares)
        largest = max(shares.values())
        warnings.warn(
            f"{columns_named(X, where)} of X hold{'s' if len(where) == 1 else ''} values that "
            "differ but are equal in single precision (float32), in which forests read "
            f"X: up to {largest:.0%} of the distinct values. Subtract a constant, such as the "
            "smallest value, before the fit and before predictions, or encode identifiers",
            UserWarning,
            stacklevel=caller_level(),
        )


def merged_shares(X: Any, rows: NDArray[Any]) -> dict[int, float]:
    """Return the share of the distinct values that become equal, of features with too many."""
    if rows.dtype != np.float32 or not any(map(_can_lose, column_types(X))):
        return {}
    doubtful = _features_that_can_lose(X, rows)
    if len(doubtful):
        doubtful = doubtful[_are_doubtful(X, len(rows), doubtful)]
    if len(doubtful) == 0:
        return {}
    values = _numbers(X, _chosen(len(rows), _N_ROWS), doubtful)
    with np.errstate(over="ignore", invalid="ignore"):
        inexact = (values != values.astype(np.float32)).any(axis=0)
        values, features = np.sort(values[:, inexact].T, axis=1), doubtful[inexact]
        share = _share_merged(values)
        # features of which enough values are large enough
        all_count = (np.abs(values) >= _FIRST_INEXACT).mean(axis=1) > _TOLERATED / 2
        large = values[all_count]
        all_count[all_count] = _are_whole(large) | _are_far_from_zero(*_middle_half(large))
    if len(rows) > _N_ROWS:
        for k in np.flatnonzero(all_count & (share <= _TOLERATED)):
            share[k] = _share_in_all_rows(X, rows, int(features[k]))
    too_many = share > _TOLERATED
    return dict(zip(features[too_many].tolist(), share[too_many].tolist(), strict=True))


def _features_that_can_lose(X: Any, rows: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return all features but those of small integers, which single precision holds exactly."""
    integers = np.array([is_integer_type(dtype) for dtype in column_types(X)])
    if not integers.any():
        return np.arange(rows.shape[1])
    chosen = _chosen(len(rows), _N_ROWS)
    looked_at = rows if chosen is None else rows[chosen]
    # the first integer that is not exact becomes 2**24 itself
    small = (looked_at.max(axis=0) < _FIRST_INEXACT) & (looked_at.min(axis=0) > -_FIRST_INEXACT)
    return np.flatnonzero(~(integers & small))


def _are_doubtful(X: Any, n_rows: int, features: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether a few rows do not tell of features that single precision suffices."""
    values = np.sort(_numbers(X, _chosen(n_rows, _N_FIRST), features).T, axis=1)
    low, high = values[:, len(values[0]) // 4], values[:, 3 * len(values[0]) // 4]
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.maximum(np.abs(low), np.abs(high)).astype(np.float32)
        wide = (high - low) > _MANY_NUMBERS * np.spacing(largest)
        return np.asarray(~wide | _are_whole(values) | _are_far_from_zero(low, high))


def _are_whole(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether all entries of each row are whole numbers or missing."""
    return np.asarray(((values == np.rint(values)) | np.isnan(values)).all(axis=1))


def _middle_half(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of the middle half of each row in ascending order, NaN last."""
    n_present = np.count_nonzero(~np.isnan(values), axis=1)
    row = np.arange(len(values))
    return values[row, n_present // 4], values[row, 3 * n_present // 4]


def _are_far_from_zero(low: NDArray[Any], high: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether middle halves are large numbers in a range that is narrow for their size."""
    largest = np.maximum(np.abs(low), np.abs(high))
    return np.asarray((largest >= _FIRST_INEXACT) & (high - low <= _NARROW * largest))


def _chosen(n: int, n_wanted: int) -> NDArray[np.intp] | None:
    """Return random rows, None for all: those at regular steps would be spread too evenly."""
    if n <= n_wanted:
        return None
    return np.sort(np.random.default_rng(0).integers(n, size=n_wanted))


def _numbers(
    X: Any, rows: NDArray[np.intp] | None, features: NDArray[np.intp] | None = None
) -> NDArray[Any]:
    """Return rows and features of X, all if None, as numbers of their own precision."""
    if not is_table(X):
        array = np.asarray(X)
        array = array.reshape(len(array), -1)
        array = array if rows is None else array[rows]
        array = array if features is None else array[:, features]
        return array if array.dtype.kind in "iuf" else array.astype(np.float64)
    return numbers_of(X, rows, features)


def _can_lose(dtype: Any) -> bool:
    """Whether a type has more digits than float32; types that numpy does not know may have."""
    return not (isinstance(dtype, np.dtype) and np.can_cast(dtype, np.float32))


def _share_merged(ordered: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share for rows of values in ascending order, NaN last."""
    single = ordered.astype(np.float32)
    differ = (ordered[:, 1:] != ordered[:, :-1]) & ~np.isnan(single[:, 1:])
    merged = differ & (single[:, 1:] == single[:, :-1])
    share: NDArray[np.float64] = merged.sum(axis=1) / (1 + differ.sum(axis=1))
    return share


def _share_in_all_rows(X: Any, rows: NDArray[np.float32], feature: int) -> float:
    """Estimate the share for one feature from all rows whose value is one of a few in float32.

    Values become equal within those; a sample of rows would tear them apart.
    """
    single = np.ascontiguousarray(rows[:, feature])
    bound = np.uint32(min(2**32 * _N_COMPARED // len(rows), 2**32 - 1))
    chosen = single.view(np.uint32) * _HASH <= bound
    if not chosen.any():
        chosen[:] = True
    values = _numbers(X, None, np.array([feature]))[chosen, 0]
    return float(_share_merged(np.sort(values)[None])[0])

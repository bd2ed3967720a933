"""What columns of X hold if it is not numbers, whatever X is, a table or an array."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ._tables import column, column_names, column_types, is_categorical, is_table, is_time

# columns that a message names
_MAX_NAMED = 3

_ENCODE = "encode {}, for example with sklearn.preprocessing.OrdinalEncoder or OneHotEncoder"
_ADVICE = {
    "text": _ENCODE.format("it"),
    "categories": _ENCODE.format("them"),
    "dates": "pass numbers instead, such as days since a first date, or the month and the hour",
    "durations": "divide by a unit, such as numpy.timedelta64(1, 's')",
}


def columns_named(X: Any, some: Sequence[int]) -> str:
    """Return the names or numbers of columns, of many only the first."""
    if is_table(X):
        known = column_names(X)
        names = [repr(known[j]) for j in some[:_MAX_NAMED]]
    elif len(X.shape) == 2:
        names = [str(j) for j in some[:_MAX_NAMED]]
    else:
        places = [np.unravel_index(j, X.shape[1:]) for j in some[:_MAX_NAMED]]
        names = [f"[:, {', '.join(map(str, place))}]" for place in places]
    if len(some) > _MAX_NAMED:
        names.append(f"{len(some) - _MAX_NAMED} more")
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"column{'s' if len(some) > 1 else ''} {listed}"


@contextmanager
def numbers_required(X: Any, name: str = "X") -> Iterator[None]:
    """Refuse what could be read as numbers but should not be, and explain why reading X failed."""
    types = column_types(X)
    if not is_table(X) and types and getattr(types[0], "names", None):
        raise TypeError(
            f"{name} must be a table of numbers, got a structured array with the fields "
            f"{', '.join(map(repr, types[0].names))}: pass pandas.DataFrame({name}), or "
            f"numpy.lib.recfunctions.structured_to_unstructured({name}) if all of them are numbers"
        )
    if any(map(is_time, types)):
        raise TypeError(columns_without_numbers(X, name))
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        explanation = columns_without_numbers(X, name)
        if explanation is not None:
            raise TypeError(f"{explanation} ({error})") from error
        if isinstance(error, OverflowError):
            raise ValueError(
                f"{name} must hold numbers, got one beyond double precision: {error}"
            ) from error
        raise


def columns_without_numbers(X: Any, name: str = "X") -> str | None:
    """Return which columns hold what instead of numbers, and what to do; None if all are."""
    if not hasattr(X, "shape") or len(X.shape) < 2 or issparse(X):
        return None
    if all(map(_is_number_type, column_types(X))):
        return None
    found: dict[str, list[int]] = {}
    examples: dict[str, Any] = {}
    for j in range(math.prod(X.shape[1:])):
        other = _first_other(column(X, j))
        if other is not None:
            content = _content(other, X, j)
            found.setdefault(content, []).append(j)
            examples.setdefault(content, other)
    parts = []
    for content, where in found.items():
        part = f"{content} in {columns_named(X, where)}"
        if content in _ADVICE:
            example = examples[content]
            shown = repr(example) if isinstance(example, str | bytes) else str(example)
            part += f" (such as {shown}): {_ADVICE[content]}"
        parts.append(part)
    return f"{name} must hold numbers, got {'; '.join(parts)}" if parts else None


def _is_number_type(dtype: Any) -> bool:
    return getattr(dtype, "kind", "") in tuple("biufc")


def _first_other(values: NDArray[Any]) -> Any:
    """Return the first value of a column that cannot be read as a number, or None."""
    if _is_number_type(values.dtype):
        return None
    if values.dtype.kind in "Mm":
        return values[0] if len(values) else None
    try:
        values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        others = [value for value in values.tolist() if not _is_number(value)]
        # what is missing in a column of text says less than the text
        others.sort(key=lambda other: type(other).__name__ == "NAType")
        return others[0] if others else None
    return None


def _is_number(value: Any) -> bool:
    try:
        return value is None or float(value) is not None
    except (TypeError, ValueError):
        return False
    except OverflowError:  # an integer beyond all floats
        return True


def _content(value: Any, X: Any, j: int) -> str:
    """Say what a column holds that begins with a value that is no number."""
    if isinstance(value, str | bytes):
        return "categories" if is_table(X) and is_categorical(column_types(X)[j]) else "text"
    if isinstance(value, datetime.date | datetime.time | np.datetime64):
        return "dates"
    if isinstance(value, datetime.timedelta | np.timedelta64):
        return "durations"
    return f"objects of type {type(value).__name__}"

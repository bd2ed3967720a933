"""A table in memory: named columns, each of one kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..validation._suggestions import did_you_mean
from ._errors import TableError

# "mixed": numbers and text in one column of a csv. "other": neither numbers nor text.
ColumnKind = Literal["number", "boolean", "text", "mixed", "other"]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "boolean", "text", "mixed", "other"}
        What it holds.
    dtype : str
        Name of the type in the file, such as ``"int64"`` or ``"string"``.
    values : ndarray
        Numbers or booleans, as floats with NaN where some are missing; of text the places of the
        values among `levels`, -1 where they are missing; of other columns nothing.
    levels : tuple of str
        The different texts, in order of appearance.
    content : str
        Of mixed and other columns, what they hold, in words.
    """

    name: str
    kind: ColumnKind
    dtype: str
    values: NDArray[Any]
    levels: tuple[str, ...] = ()
    content: str = ""

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether each cell is empty."""
        if self.kind in ("text", "mixed"):
            return np.asarray(self.values < 0)
        if self.values.dtype.kind == "f":
            return np.asarray(np.isnan(self.values))
        return np.zeros(len(self.values), dtype=bool)

    def texts(self) -> NDArray[Any]:
        """Return the text of each row; no cell may be missing."""
        return np.asarray(np.array(self.levels)[self.values])


@dataclass(frozen=True)
class Table:
    """Columns of one length, by name, and what messages call the table."""

    source: str
    columns: Mapping[str, Column]
    n_rows: int
    n_unnamed: int = 0  # columns without a name, which are left out

    def column(self, name: str, purpose: str) -> Column:
        """Return a column that the user has named."""
        if name not in self.columns:
            raise TableError(
                f"{self.source} has no column {name!r}, which {purpose} names"
                f"{did_you_mean(name, list(self.columns)) or f'. It has {listed(self.columns)}'}"
            )
        return self.columns[name]


def listed(names: Any, most: int = 8) -> str:
    """Return names for a message, of many only the first."""
    shown = [repr(name) for name in names]
    if len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    return ", ".join(shown)


def first_row(where: NDArray[np.bool_]) -> int:
    """Return the number of the first row that is marked; rows count from 1."""
    return int(np.argmax(where)) + 1

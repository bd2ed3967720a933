"""From columns of Arrow, in which csv and parquet are read, to ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types

from ._columns import Column, ColumnKind, Table, first_row
from ._errors import TableError


def table_from_arrow(source: str, arrow: Any, *, inferred: bool) -> Table:
    """Return a table of Arrow as one of ours.

    Parameters
    ----------
    source : str
        What messages call the table.
    arrow : pyarrow.Table
        The table.
    inferred : bool
        Whether types were guessed from text: a column with numbers and text is then mixed.
    """
    names = arrow.column_names
    named = [name for name in names if name.strip()]
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise TableError(f"{source} has two columns {twice[0]!r}: rename one of them")
    if arrow.num_rows == 0:
        raise TableError(f"{source} has no rows: it must have at least one below its header")
    columns = {
        name: _column(name, arrow.column(i), inferred=inferred)
        for i, name in enumerate(names)
        if name.strip()
    }
    return Table(source, columns, arrow.num_rows, n_unnamed=len(names) - len(named))


def _column(name: str, data: Any, *, inferred: bool) -> Column:
    if types.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    kind = data.type
    if types.is_string(kind) or types.is_large_string(kind):
        return _text_column(name, data, inferred=inferred)
    if types.is_boolean(kind):
        values = data.to_numpy() if data.null_count == 0 else _floats(data.cast(pa.uint8()))
        return Column(name, "boolean", "bool", values)
    if types.is_null(kind):
        return Column(name, "number", "float64", np.full(len(data), np.nan))
    if types.is_integer(kind) or types.is_floating(kind):
        dtype = np.dtype(kind.to_pandas_dtype())
        values = _floats(data) if data.null_count else data.to_numpy()
        return Column(name, "number", dtype.name, values)
    if types.is_decimal(kind):
        return Column(name, "number", "float64", _floats(data))
    return Column(name, "other", str(kind), np.empty(0), content=_content(kind))


def _floats(data: Any) -> Any:
    return data.cast(pa.float64()).to_numpy()


def _content(kind: Any) -> str:
    """Say what a column of a type holds that is neither numbers nor text."""
    if types.is_duration(kind):
        return "durations"
    if types.is_time(kind):
        return "times"
    if types.is_temporal(kind):
        return "dates"
    if types.is_binary(kind) or types.is_large_binary(kind):
        return "bytes"
    return f"values of the type {kind}"


def _text_column(name: str, data: Any, *, inferred: bool) -> Column:
    encoded = data.cast(pa.large_string()).combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    levels = encoded.dictionary.to_pylist()
    if "" in levels:  # an empty cell is a missing value, also where it is quoted
        empty = levels.index("")
        codes = np.where(codes == empty, -1, codes - (codes > empty)).astype(np.int32)
        del levels[empty]
    if not levels:
        return Column(name, "number", "float64", np.full(len(codes), np.nan))
    kind: ColumnKind = "text"
    content = ""
    if inferred and any(map(is_number, levels)):
        text = next((i for i, level in enumerate(levels) if not is_number(level)), None)
        if text is not None:
            kind = "mixed"
            content = f"numbers and text, {levels[text]!r} in row {first_row(codes == text)}"
    return Column(name, kind, "string", codes, tuple(levels), content)


def is_number(text: str) -> bool:
    """Whether a text can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True

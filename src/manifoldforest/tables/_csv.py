"""Reading csv and tsv."""

from __future__ import annotations

import io
from typing import IO, Any

import pyarrow as pa
from pyarrow import csv

from ._arrow import is_number, table_from_arrow
from ._columns import Table
from ._errors import TableError

# Types are guessed from the first block: all of a table but a huge one.
_LARGEST_BLOCK = 2**30
_NOT_UTF8 = "not UTF-8 text: save the table in that encoding"
_DELIMITER = {"csv": ",", "tsv": "\t"}


def read_csv(source: str, file: IO[bytes], form: str) -> Table:
    """Read a table with a header line; empty cells are missing values.

    Parameters
    ----------
    source : str
        What messages call the table.
    file : binary file
        The open file.
    form : {"csv", "tsv"}
        What separates cells: a comma, in a csv whose header has none a semicolon or a tab; a tab.
    """
    content = file.read()
    if not content.strip():
        raise TableError(f"{source} is empty: it must have a header and rows")
    header = content.split(b"\n", 1)[0]
    try:
        header.decode()
    except UnicodeDecodeError as error:
        raise TableError(f"the header of {source} is {_NOT_UTF8}") from error
    delimiter = _DELIMITER[form]
    if form == "csv" and b"," not in header:
        delimiter = next((found for found in ";\t" if found.encode() in header), delimiter)
    wrong: list[Any] = []

    def remember(row: Any) -> str:
        wrong.append(row)
        return "skip"

    try:
        arrow = csv.read_csv(
            io.BytesIO(content),
            # One thread: only then does a row that is too short know its number.
            read_options=csv.ReadOptions(
                use_threads=False, block_size=min(max(len(content), 1), _LARGEST_BLOCK)
            ),
            parse_options=csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=remember
            ),
            convert_options=csv.ConvertOptions(strings_can_be_null=True),
        )
    except pa.ArrowInvalid as error:
        raise TableError(
            f"{source} is not a {form} that can be read: {error}. It must have a header line and "
            "one line for each row"
        ) from error
    if wrong:
        row = wrong[0]
        raise TableError(
            f"{source} has {row.actual_columns} cells in line {row.number}, and its header "
            f"{row.expected_columns}: give each row one cell for each column"
        )
    names = arrow.column_names
    if all(map(is_number, names)):
        raise TableError(
            f"{source} has no header: its first line must hold the names of the columns, and is "
            f"{header.decode().strip()[:60]!r}"
        )
    for field in arrow.schema:
        if pa.types.is_binary(field.type):
            raise TableError(f"column {field.name!r} of {source} is {_NOT_UTF8}")
    return table_from_arrow(source, arrow, inferred=True)

"""Reading parquet."""

from __future__ import annotations

from typing import IO

import pyarrow as pa
from pyarrow import parquet

from ._arrow import table_from_arrow
from ._columns import Table
from ._errors import TableError

_INDEX = "__index_level_"  # what pandas calls an index without a name


def read_parquet(source: str, file: IO[bytes]) -> Table:
    """Read a table of parquet, without the index that pandas may have stored."""
    try:
        arrow = parquet.read_table(pa.PythonFile(file, mode="r"))
    except (pa.ArrowException, OSError) as error:
        message = str(error).splitlines()[0]
        raise TableError(f"{source} is not a whole parquet file: {message}") from error
    names = [name for name in arrow.column_names if not name.startswith(_INDEX)]
    return table_from_arrow(source, arrow.select(names), inferred=False)

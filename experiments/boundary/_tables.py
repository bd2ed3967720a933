"""Tables of methods on data sets: what B5 and B6 share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .._experiment import Sheet
from .._results import Results
from ._cells import beside

Table = Mapping[str, Mapping[str, float]]  # numbers by data set and method


def by_columns(
    columns: tuple[str, ...], lines: Mapping[str, tuple[float, ...]]
) -> dict[str, dict[str, float]]:
    """Write the lines of a published table as mappings from its columns."""
    return {name: dict(zip(columns, line, strict=True)) for name, line in lines.items()}


def by_data(results: Results, published: Iterable[str]) -> dict[str, Results]:
    """Return the rows of each data set, in full runs of published ones without rows as well."""
    names = list(published) if results.preset == "full" else results.distinct("data")
    return {name: results.where(data=name) for name in names}


def panel_title(name: str, rows: Results) -> str:
    """Return the name of a data set, and whether there is nothing of ours."""
    return name if len(rows) else f"{name} (published only)"


def table_sheet(
    title: str,
    methods: Iterable[str],
    results: Results,
    published: Table,
    cell: Callable[[Results], str],
) -> Sheet:
    """Write a table like the published one, `cell` for what we have and the number beside it."""
    columns = tuple(methods)
    lines = [
        (
            name,
            *(
                beside(cell(rows.where(method=method)), published.get(name, {}).get(method))
                for method in columns
            ),
        )
        for name, rows in by_data(results, published).items()
    ]
    return Sheet(title, ("data", *columns), tuple(lines))

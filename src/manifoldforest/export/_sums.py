"""Values of atoms: sums of columns of a table, term by term in the order of the core.

The table lies on its side here, one row for each of its columns: a term of many atoms is then a
copy of whole rows, dozens of times as fast as one of single numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ._graph import Graph, tensor_info
from ._table import Missing, Table
from ._terms import Terms

# Sums are filled up with zeros to one of these numbers of terms. Those of more terms are rows of a
# product of matrices, which may add up in another order.
_N_TERMS = np.array([1, 2, 3, 4, 6, 8, 12, 16])


def atom_values(
    graph: Graph, table: Table, atoms: NDArray[np.int64]
) -> tuple[str, NDArray[np.int64]]:
    """Return values of atoms, rows × atoms, float32 with NaN where missing, and their order."""
    terms = table.terms.selected(atoms)
    length = np.searchsorted(_N_TERMS, terms.sizes)
    order, parts = [], []
    for number in np.unique(length):
        chosen = np.flatnonzero(length == number)
        n_terms = int(_N_TERMS[number]) if number < len(_N_TERMS) else None
        parts.append(_values(graph, table, terms.selected(chosen), n_terms))
        order.append(chosen)
    values = parts[0] if len(parts) == 1 else graph.op("Concat", *parts, axis=0)
    return graph.op("Transpose", values, perm=[1, 0]), atoms[np.concatenate(order)]


def _values(graph: Graph, table: Table, terms: Terms, n_terms: int | None) -> str:
    """Return values of sums with at most so many terms, or of any number, sums × rows."""

    def count(inner: Graph, missing: Missing) -> str:
        if n_terms is not None:
            return _added(inner, missing.counts, table, terms, n_terms, weighted=False)
        is_feature = terms.columns < table.n_features
        signs = np.where(is_feature, np.float32(1), terms.weights)
        return _product(inner, missing.counts, Terms(terms.offsets, terms.columns, signs))

    if n_terms is None:
        values = _product(graph, table.values, terms)
    else:
        values = _added(graph, table.values, table, terms, n_terms, weighted=True)
    # the core rounds what it has added up
    return _where_missing(graph, table.missing, graph.cast(values, np.float32), count)


def _added(
    graph: Graph, tensor: str, table: Table, terms: Terms, n_terms: int, *, weighted: bool
) -> str:
    """Return sums of few terms, one term of all sums after the other; without weights by sign."""
    there = np.arange(n_terms) < terms.sizes[:, None]
    columns = np.full(there.shape, table.zero_column, dtype=np.int64)
    sizes = np.ones(there.shape, dtype=np.float32)
    # the table has all columns with the opposite sign, too
    columns[there] = terms.columns + np.where(terms.weights < 0, table.n_columns, 0)
    sizes[there] = np.abs(terms.weights)
    total = None
    for at, factor in zip(columns.T, sizes.T, strict=True):
        part = graph.gather(tensor, graph.constant(at, np.int32, word="columns"))
        if weighted and (factor != 1).any():
            factors = graph.cast(graph.constant(factor[:, None], word="weights"), np.float64)
            part = graph.op("Mul", part, factors)
        total = part if total is None else graph.op("Add", total, part)
    assert total is not None
    return total


def _product(graph: Graph, tensor: str, terms: Terms) -> str:
    """Return sums of many terms."""
    columns, at = np.unique(terms.columns, return_inverse=True)
    weights = np.zeros((len(terms.sizes), len(columns)), dtype=np.float32)
    of_sum = np.repeat(np.arange(len(terms.sizes)), terms.sizes)
    np.add.at(weights, (of_sum, at.reshape(-1)), terms.weights)  # corners may cancel each other
    factors = graph.cast(graph.constant(weights, word="weights"), np.float64)
    some = graph.gather(tensor, graph.constant(columns, np.int64, word="columns"))
    return graph.op("MatMul", factors, some)


def _where_missing(
    graph: Graph,
    missing: Missing | None,
    values: str,
    count: Callable[[Graph, Missing], str],
) -> str:
    """Return values with NaN where a count is not 0; nothing is counted if nothing is missing."""
    if missing is None:
        return values
    there, nowhere = Graph(graph), Graph(graph)
    gone = there.op("Greater", count(there, missing), there.constant(0.0))
    marked = there.op("Where", gone, there.constant(np.nan, np.float32), values)
    same = nowhere.op("Identity", values)
    return graph.op(
        "If",
        missing.any,
        then_branch=there.as_inner("missing", [], [tensor_info(marked, np.float32, None)]),
        else_branch=nowhere.as_inner("complete", [], [tensor_info(same, np.float32, None)]),
    )

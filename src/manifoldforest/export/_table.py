"""The table of a row: what the atoms of a forest add up.

Its columns are the features and the summed-area tables of grids. Entries are doubles, and 0 where a
value is missing; a second table counts what is missing, so that a sum is missing where the same sum
over that table is not 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..forests._forest_model import ForestModel
from ._cells import view_cells
from ._graph import Graph, tensor_info
from ._terms import ForestAtoms, Terms


@dataclass(frozen=True)
class Missing:
    """What is missing in rows: the table that counts it, and whether anything is."""

    counts: str
    any: str


@dataclass(frozen=True)
class Table:
    """A table of rows, and the atoms as sums of its columns.

    Tensors hold a row for each column of the table: these, the same with the opposite sign, and
    one of zeros. Only the counts of features are not negative there: a feature that is subtracted
    is missing all the same.
    """

    values: str  # double
    missing: Missing | None  # None if nothing can be missing
    n_columns: int
    n_features: int  # that come first
    terms: Terms

    @property
    def zero_column(self) -> int:
        """The column of zeros."""
        return 2 * self.n_columns


@dataclass(frozen=True)
class _Source:
    """Features, or what lies on a grid, with the axes to add up along."""

    tensor: str  # rows × columns, float32
    shape: list[int]
    axes: list[int]
    is_grid: bool = True


def make_table(graph: Graph, rows: str, model: ForestModel, atoms: ForestAtoms) -> Table:
    """Append what makes the table of flat rows, in which missing values are filled in already."""
    terms, n_features = atoms.terms, model.geometry.n_features
    if terms.columns.min() >= n_features:  # no atom reads features
        terms = Terms(terms.offsets, terms.columns - n_features, terms.weights)
        n_features = 0
    sources = [_Source(rows, [n_features], [], is_grid=False)] if n_features else []
    cells = {-1: rows}
    for grid in atoms.grids:
        shape, summed, view = model.geometry.grids[grid]
        if view not in cells:
            cells[view] = view_cells(graph, rows, *model.geometry.views[view])
        axes = [axis for axis, is_summed in enumerate(summed) if is_summed]
        sources.append(_Source(cells[view], shape, axes))
    n_columns = sum(math.prod(source.shape) for source in sources)
    parts = [_present(graph, source) for source in sources]
    values = _on_its_side(graph, parts, [graph.op("Neg", part) for part in parts])
    missing = None if model.fill_values is not None else _missing(graph, rows, sources)
    return Table(values, missing, n_columns, n_features, terms)


def _missing(graph: Graph, rows: str, sources: list[_Source]) -> Missing:
    """Count what is missing, if anything is."""
    absent = graph.reshape(graph.cast(graph.op("IsNaN", rows), np.int64), [-1])
    some = graph.op("Greater", graph.sum(absent, 0), graph.constant(0, np.int64))
    there, nowhere = Graph(graph), Graph(graph)
    parts = [_absent(there, source) for source in sources]
    opposite = [
        there.op("Neg", part) if source.is_grid else part
        for part, source in zip(parts, sources, strict=True)
    ]
    counts = _on_its_side(there, parts, opposite)
    nothing = nowhere.op("Identity", nowhere.constant(np.zeros((0, 0))))
    branches = (
        inner.as_inner(name, [], [tensor_info(result, np.float64, [None, None])])
        for name, inner, result in (("counts", there, counts), ("no_counts", nowhere, nothing))
    )
    then_branch, else_branch = branches
    return Missing(graph.op("If", some, then_branch=then_branch, else_branch=else_branch), some)


def _on_its_side(graph: Graph, parts: list[str], opposite: list[str]) -> str:
    """Return the columns of all parts as rows, with those of opposite sign and one of zeros."""
    columns = graph.op("Transpose", graph.op("Concat", *parts, *opposite, axis=1), perm=[1, 0])
    return graph.op("Pad", columns, graph.constant([0, 0, 1, 0], np.int64))


def _present(graph: Graph, source: _Source) -> str:
    """Return sums of what is there, 0 in place of what is missing."""
    zero, rows = graph.constant(0.0, np.float32), source.tensor
    there = graph.op("Where", graph.op("IsNaN", rows), zero, rows)
    return _running_sums(graph, graph.cast(there, np.float64), source)


def _absent(graph: Graph, source: _Source) -> str:
    """Return how much is missing."""
    gone = graph.cast(graph.op("IsNaN", source.tensor), np.float64)
    return _running_sums(graph, gone, source)


def _running_sums(graph: Graph, rows: str, source: _Source) -> str:
    """Return the sums over all entries up to each: along the last axis first, as in the core.

    Both add one entry after the other, so that no bit differs.
    """
    if not source.axes:
        return rows
    sums = graph.reshape(rows, (-1, *source.shape))
    for axis in reversed(source.axes):
        sums = graph.op("CumSum", sums, graph.constant(axis + 1, np.int64))
    return graph.reshape(sums, (-1, math.prod(source.shape)))

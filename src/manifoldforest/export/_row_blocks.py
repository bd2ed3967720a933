"""Rows in blocks: a batch of any size takes the memory of a few dozens of rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._graph import Graph, tensor_info

# Numbers that a block of rows may take at a time.
_NUMBERS = 2**21
_LEAST_ROWS, _MOST_ROWS = 32, 1024


def in_blocks(
    graph: Graph,
    rows: str,
    n_features: int,
    width: int,
    numbers_per_row: int,
    compute: Callable[[Graph, str], str],
) -> str:
    """Return ``compute(graph, rows)``, rows × width of doubles, for some rows at a time.

    All blocks have the same number of rows, at most so many that they take little memory, and as
    few as there are; the last one is filled up with zeros.
    """
    most = int(np.clip(_NUMBERS // numbers_per_row, _LEAST_ROWS, _MOST_ROWS))
    one, limit = graph.constant([1], np.int64), graph.constant([most], np.int64)
    n_rows = graph.op("Shape", rows, start=0, end=1)
    n_blocks = graph.op("Max", _divided_up(graph, n_rows, limit), one)
    size = graph.op("Max", _divided_up(graph, n_rows, n_blocks), one)
    total = graph.op("Mul", n_blocks, size)
    zero = graph.constant([0], np.int64)
    lacking = graph.op("Sub", total, n_rows)
    filled = graph.op("Pad", rows, graph.op("Concat", zero, zero, lacking, zero, axis=0))
    shape = graph.op("Concat", n_blocks, size, graph.constant([n_features], np.int64), axis=0)
    blocks = graph.op("Reshape", filled, shape)

    inner, block = Graph(graph), graph.new_name("block")
    result = compute(inner, block)
    body = inner.as_inner(
        "block",
        [tensor_info(block, np.float32, [None, n_features])],
        [tensor_info(result, np.float64, [None, width])],
    )
    results = graph.reshape(graph.op("Scan", blocks, body=body, num_scan_inputs=1), (-1, width))
    return graph.op("Slice", results, zero, n_rows, zero)


def _divided_up(graph: Graph, number: str, by: str) -> str:
    """Return a quotient of whole numbers, rounded up."""
    less_one = graph.op("Sub", graph.op("Add", number, by), graph.constant([1], np.int64))
    return graph.op("Div", less_one, by)

"""The cells of views, in the arithmetic of `cpp/core/views`: doubles, and float32 at the end."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ._graph import Graph

_MOST = float(np.finfo(np.float32).max)
_TURN = 6.283185307179586476925286766559  # as in views/orientation.hpp


def view_cells(graph: Graph, rows: str, kind: str, shape: list[int], numbers: list[int]) -> str:
    """Return the cells of a view of flat rows, float32, rows × cells."""
    return _VIEWS[kind](graph, graph.cast(rows, np.float64), shape, numbers)


def check_view(kind: str) -> None:
    """Raise a ValueError if a view has no form in ONNX."""
    if kind not in _VIEWS:
        raise ValueError(
            "forest must have views that ONNX can compute, got one with a FromTransformer view, "
            "which calls Python: put what the transformer makes into the columns of X instead"
        )


def _as_cells(graph: Graph, values: str) -> str:
    """Return doubles as float32, at most as large as these can be; what is missing stays so."""
    most, least = graph.constant(_MOST), graph.constant(-_MOST)
    values = graph.op("Where", graph.op("Greater", values, most), most, values)
    values = graph.op("Where", graph.op("Less", values, least), least, values)
    return graph.cast(values, np.float32)


def _shifted(graph: Graph, tensor: str, axis: int, length: int, step: int) -> str:
    """Return the neighbour at a distance along an axis, at the border the last entry."""
    places = np.clip(np.arange(length) + step, 0, length - 1)
    return graph.gather(tensor, graph.constant(places, np.int64), axis=axis)


# ------------------------------------------------------------------------------ views of series


def _differences(graph: Graph, rows: str, shape: list[int], numbers: list[int]) -> str:
    length, (order, smoothing) = shape[-1], numbers
    half = min(smoothing // 2, length)
    series = graph.reshape(rows, (-1, length))
    # Running means over the points that exist: zeros stand for the others, and points are added
    # from the first to the last.
    padded = graph.op("Pad", series, graph.constant([0, half, 0, half], np.int64))
    total = graph.slice(padded, 0, length, 1)
    for step in range(1, 2 * half + 1):
        total = graph.op("Add", total, graph.slice(padded, step, step + length, 1))
    t = np.arange(length)
    counts = np.minimum(length - 1, t + half) - np.maximum(0, t - half) + 1
    values = graph.op("Div", total, graph.constant(counts, np.float64))
    for n_left in range(length - 1, length - 1 - order, -1):
        later = graph.slice(values, 1, n_left + 1, 1)
        values = graph.op("Sub", later, graph.slice(values, 0, n_left, 1))
    cells = _as_cells(graph, values)
    return graph.reshape(cells, (-1, math.prod(shape[:-1]) * (length - order)))


def _spectrum(graph: Graph, rows: str, shape: list[int], numbers: list[int]) -> str:
    """Return magnitudes by products with waves: the core's transform, but for the last bits."""
    length, n_cells = shape[-1], shape[-1] // 2 + 1
    series = graph.reshape(rows, (-1, length))
    turns = np.outer(np.arange(length), np.arange(n_cells)) % length / length
    parts = []
    for wave in (np.cos(_TURN * turns), np.sin(_TURN * turns)):
        part = graph.op("MatMul", series, graph.constant(wave, np.float64, word="wave"))
        parts.append(graph.op("Mul", part, part))
    cells = _as_cells(graph, graph.op("Sqrt", graph.op("Add", *parts)))
    return graph.reshape(cells, (-1, math.prod(shape[:-1]) * n_cells))


# ----------------------------------------------------------------------------- views of images


def _gradients(graph: Graph, rows: str, shape: list[int], numbers: list[int]) -> str:
    channel_axis, n_orientations, whole = numbers
    images = graph.reshape(rows, (-1, *shape))
    n_channels = 1
    if channel_axis >= 0:  # channels first
        axes = [0, channel_axis + 1, *(a + 1 for a in range(3) if a != channel_axis)]
        images = graph.op("Transpose", images, perm=axes)
        n_channels = shape[channel_axis]
    height, width = (side for axis, side in enumerate(shape) if axis != channel_axis)
    images = graph.reshape(images, (-1, n_channels, height, width))
    x, y = (
        graph.op(
            "Sub",
            _shifted(graph, images, axis, length, 1),
            _shifted(graph, images, axis, length, -1),
        )
        for axis, length in ((3, width), (2, height))
    )
    if width == 1:  # nothing to the right or left, be the pixel missing or not
        x = graph.op("Where", graph.op("IsNaN", x), graph.constant(0.0), x)
    x, y = _strongest(graph, x, y, n_channels)
    channel, first, second = _orientation(graph, x, y, n_orientations)
    zero, one = graph.constant(0.0), graph.constant(1.0)
    if whole:
        first, second = (_whole_cell(graph, cell) for cell in (first, second))
    first, second = _as_cells(graph, first), _as_cells(graph, second)
    # The second channel is the next one, after the last the first.
    after = graph.op("Add", channel, one)
    last = graph.op("Equal", after, graph.constant(float(n_orientations)))
    after = graph.op("Where", last, zero, after)
    planes = graph.constant(np.arange(n_orientations).reshape(1, -1, 1, 1), np.float64)
    no_cell = graph.constant(0.0, np.float32)
    cells = graph.op("Where", graph.op("Equal", after, planes), second, no_cell)
    cells = graph.op("Where", graph.op("Equal", channel, planes), first, cells)
    flat = graph.op("And", *(graph.op("Equal", part, zero) for part in (x, y)))
    cells = graph.op("Where", flat, no_cell, cells)
    missing = graph.op("IsNaN", graph.op("Add", x, y))
    cells = graph.op("Where", missing, graph.constant(np.nan, np.float32), cells)
    return graph.reshape(cells, (-1, n_orientations * height * width))


def _strongest(graph: Graph, x: str, y: str, n_channels: int) -> tuple[str, str]:
    """Return the differences in the channel where they are largest, the first of equals."""
    if n_channels == 1:
        return x, y
    pairs = [tuple(graph.slice(part, k, k + 1, 1) for part in (x, y)) for k in range(n_channels)]
    best = pairs[0]
    for other in pairs[1:]:
        square, rival = (
            graph.op("Add", *(graph.op("Mul", part, part) for part in pair))
            for pair in (best, other)
        )
        better = graph.op("Greater", rival, square)  # what is missing stays missing
        unordered = graph.op("IsNaN", rival)
        replaces = graph.op("Or", better, graph.op("And", unordered, _is_number(graph, square)))
        best = tuple(
            graph.op("Where", replaces, new, old) for new, old in zip(other, best, strict=True)
        )
    return best[0], best[1]


def _is_number(graph: Graph, tensor: str) -> str:
    return graph.op("Not", graph.op("IsNaN", tensor))


def _orientation(graph: Graph, x: str, y: str, n_orientations: int) -> tuple[str, str, str]:
    """Return the first of two channels, and the shares of the magnitude of both."""
    zero, one = graph.constant(0.0), graph.constant(1.0)
    ax, ay = graph.op("Abs", x), graph.op("Abs", y)
    flatter = graph.op("LessOrEqual", ay, ax)
    small = graph.op("Where", flatter, ay, ax)
    large = graph.op("Where", flatter, ax, ay)
    large = graph.op("Where", graph.op("Equal", large, zero), one, large)  # no gradient
    angle = _arctan(graph, graph.op("Div", small, large))
    turn = graph.op("Div", angle, graph.constant(_TURN))
    turn = graph.op("Where", flatter, turn, graph.op("Sub", graph.constant(0.25), turn))
    for part, mirror in ((x, 0.5), (y, 1.0)):
        mirrored = graph.op("Sub", graph.constant(mirror), turn)
        turn = graph.op("Where", graph.op("Less", part, zero), mirrored, turn)
    turn = graph.op("Where", graph.op("Less", turn, one), turn, zero)
    at = graph.op("Mul", turn, graph.constant(float(n_orientations)))
    floor = graph.op("Floor", at)
    share = graph.op("Sub", at, floor)
    rounded_up = graph.op("Equal", floor, graph.constant(float(n_orientations)))
    channel = graph.op("Where", rounded_up, zero, floor)
    squares = (graph.op("Mul", part, part) for part in (x, y))
    magnitude = graph.op("Sqrt", graph.op("Add", *squares))
    first = graph.op("Mul", magnitude, graph.op("Sub", one, share))
    return channel, first, graph.op("Mul", magnitude, share)


def _arctan(graph: Graph, z: str) -> str:
    """Return the arc tangent of 0 <= z <= 1 by the series of the core."""
    one = graph.constant(1.0)
    for _ in range(2):
        root = graph.op("Sqrt", graph.op("Add", one, graph.op("Mul", z, z)))
        z = graph.op("Div", z, graph.op("Add", one, root))
    square = graph.op("Mul", z, z)
    total = graph.constant(0.0)
    for k in range(23, 0, -2):
        product = graph.op("Mul", square, total)
        total = graph.op("Sub", graph.constant(1.0 / k), product)
    return graph.op("Mul", graph.constant(4.0), graph.op("Mul", z, total))


def _whole_cell(graph: Graph, cell: str) -> str:
    """Return what a byte holds of a cell: rounded, and cut at 255."""
    rounded = graph.op("Floor", graph.op("Add", cell, graph.constant(0.5)))
    most = graph.constant(255.0)
    return graph.op("Where", graph.op("Greater", rounded, most), most, rounded)


_VIEWS: dict[str, Callable[[Graph, str, list[int], list[int]], str]] = {
    "difference": _differences,
    "spectrum": _spectrum,
    "gradients": _gradients,
}

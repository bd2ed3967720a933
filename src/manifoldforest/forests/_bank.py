"""Banks: tables of cells in place of the features of an example.

What a split may ask of a series besides sums, such as a quantile of an interval, is computed once
for each example. These cells lie side by side and are the features that trees see;
`docs/architecture.md` tells why.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .. import _core
from ..projections import Projection

# Bytes of cells that are computed at a time for rows that are asked: some do for all trees.
_AT_ONCE = 2**26

_FEATURE = re.compile(r"x\[(\d+)\]")


class Bank:
    """The views of a bank.

    Parameters
    ----------
    geometry : _core.Geometry
        Of the examples, with the views of the bank and no grids.
    """

    def __init__(self, geometry: _core.Geometry) -> None:
        self.geometry = geometry
        self.n_cells: int = geometry.n_cells

    def cells(self, rows: NDArray[Any], n_threads: int) -> NDArray[np.float32]:
        """Return the cells of rows, as trees see them."""
        return self.geometry.bank(rows.astype(np.float32, copy=False), n_threads)

    def chunks(self, n_rows: int) -> Iterator[slice]:
        """Return parts of the rows that are asked, whose cells take little memory each."""
        step = max(1, _AT_ONCE // (4 * self.n_cells))
        yield from (slice(first, first + step) for first in range(0, max(1, n_rows), step))

    def shares(self, cells: NDArray[np.int64]) -> csr_matrix:
        """Return what each feature has in some cells, cells × features: equal shares of 1."""
        offsets, features = self.geometry.cell_features(cells)
        sizes = np.diff(offsets)
        shape = (len(cells), self.geometry.n_features)
        return csr_matrix((np.repeat(1.0 / sizes, sizes), features, offsets), shape=shape)

    def by_feature(self, amounts: NDArray[Any]) -> NDArray[np.float64]:
        """Give amounts of cells, along the last axis, back to features, in equal parts."""
        some = np.flatnonzero(np.atleast_2d(amounts).any(axis=0)).astype(np.int64)
        return np.asarray(amounts[..., some] @ self.shares(some), dtype=np.float64)

    def by_view(self, amounts: NDArray[Any]) -> list[NDArray[Any]]:
        """Return amounts of cells for each view, in the shape of its cells."""
        shapes = [tuple(self.geometry.cell_shape(v)) for v in range(len(self.geometry.views))]
        ends = np.cumsum([math.prod(shape) for shape in shapes])
        parts = np.split(amounts, ends[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    def text(self, text_of_atom: str) -> str:
        """Return the text of an atom with the cells that it names."""
        return _FEATURE.sub(lambda x: self.geometry.cell_text(int(x[1])), text_of_atom)


def bank_of(projection: Projection, feature_shape: tuple[int, ...]) -> Bank | None:
    """Return the bank that a projection, with what it learned, wants for examples of a shape."""
    views = projection._bank(feature_shape)
    distinct = [view for number, view in enumerate(views) if view not in views[:number]]
    return None if not distinct else made_bank(math.prod(feature_shape), distinct)


def made_bank(n_features: int, views: Any) -> Bank:
    """Return the bank of these views; they may come from a file, and are checked."""
    geometry = _core.Geometry(n_features)
    for number, (kind, shape, numbers) in enumerate(views):
        if geometry.add_view(kind, shape, numbers) != number:
            raise ValueError(f"view {number} of a bank is the same as one before it")
    if geometry.row_width > n_features:
        raise ValueError("a view of a bank is made of code")
    return Bank(geometry)

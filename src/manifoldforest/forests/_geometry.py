"""The geometry of a forest: grids, and the rows of the dictionary that its trees use.

Atoms refer to grids and rows by number. A fit stores the geometry with its trees, and so do files
and pickles: a later version may build the same projection in another order.
`docs/model_files.md` says how it is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..io._bit_packing import PackedArrays
from ._flat_forest import FlatForest

# kind of an atom whose one number is a row of the dictionary: cpp/core/atoms/atom.hpp
_DICTIONARY = 2

# Of each grid its shape, which axes are summed, and the number of its view, if it has one.
Grids = list[tuple[list[int], list[bool]] | tuple[list[int], list[bool], int]]
Views = list[tuple[str, list[int], list[int]]]  # kind, shape of examples, numbers


class _Rows(NamedTuple):
    """Atoms of a dictionary, one after the other."""

    sizes: NDArray[np.int64]
    features: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def of(cls, geometry: _core.Geometry) -> _Rows:
        offsets, features, weights = geometry.dictionary
        return cls(np.diff(offsets), features, weights)

    @property
    def begins(self) -> NDArray[np.int64]:
        return np.cumsum(self.sizes) - self.sizes

    @property
    def present(self) -> NDArray[np.int64]:
        """Atoms that are not empty."""
        return np.flatnonzero(self.sizes)

    def selected(self, atoms: NDArray[np.integer[Any]]) -> _Rows:
        sizes = self.sizes[atoms]
        ends = np.cumsum(sizes)
        entries = np.repeat(self.begins[atoms] - (ends - sizes), sizes) + np.arange(sizes.sum())
        return _Rows(sizes, self.features[entries], self.weights[entries])

    def same_as(self, other: _Rows) -> bool:
        return (
            np.array_equal(self.sizes, other.sizes)
            and np.array_equal(self.features, other.features)
            and np.array_equal(self.weights, other.weights)
        )

    def spread(self, is_present: NDArray[np.bool_]) -> _Rows:
        """Return these rows at the places where `is_present` is true, and empty rows elsewhere."""
        sizes = np.zeros(len(is_present), dtype=np.int64)
        sizes[is_present] = self.sizes
        return self._replace(sizes=sizes)


def used_geometry(geometry: _core.Geometry, trees: FlatForest) -> _core.Geometry:
    """Return a geometry whose dictionary has only the atoms that trees use.

    Their numbers stay the same; other rows are empty.
    """
    rows = _Rows.of(geometry)
    if not len(rows.sizes):
        return geometry
    used = np.zeros(len(rows.sizes), dtype=np.bool_)
    used[_used_atoms(trees)] = True
    rows = rows.selected(np.flatnonzero(used)).spread(used)
    return _built(geometry.n_features, geometry.views, geometry.grids, rows)


def check_atoms(geometry: _core.Geometry, trees: FlatForest) -> None:
    """Raise a ValueError unless a geometry has exactly the atoms of the dictionary in use."""
    if not np.array_equal(_Rows.of(geometry).present, _used_atoms(trees)):
        raise ValueError("the dictionary does not hold the atoms that the trees use")


def same_atoms(used: _core.Geometry, whole: _core.Geometry) -> bool:
    """Whether `whole` has the grids and atoms of `used` under the same numbers."""
    mine, theirs = _Rows.of(used), _Rows.of(whole)
    return (
        used.n_features == whole.n_features
        and used.views == whole.views
        and used.grids == whole.grids
        and len(mine.sizes) == len(theirs.sizes)
        and mine.selected(mine.present).same_as(theirs.selected(mine.present))
    )


def pack_geometry(geometry: _core.Geometry) -> tuple[Views, Grids, PackedArrays]:
    """Return the views and grids as JSON can hold them, and the dictionary packed."""
    packed = PackedArrays()
    rows = _Rows.of(geometry)
    if len(rows.sizes):
        packed["used"] = (rows.sizes > 0).view(np.uint8)
        rows = rows.selected(rows.present)
        packed["sizes"] = rows.sizes
        packed["first"] = rows.features[rows.begins]
        # Features of one atom mostly have close numbers, and small differences take few bits.
        packed["gaps"] = np.delete(np.diff(rows.features, prepend=np.int32(0)), rows.begins)
        if (rows.weights != 1).any():
            packed["weights"] = rows.weights
    grids: Grids = [
        (shape, summed) if view < 0 else (shape, summed, view)
        for shape, summed, view in geometry.grids
    ]
    return geometry.views, grids, packed


def unpack_geometry(
    n_features: int, views: Iterable[Any], grids: Iterable[Any], packed: PackedArrays
) -> _core.Geometry:
    """Return the geometry that was packed, or raise a ValueError or TypeError."""
    if not set(packed):
        return _built(n_features, views, grids, None)
    used = packed.take("used", np.uint8) != 0
    sizes, first = packed.take("sizes", np.int64), packed.take("first", np.int32)
    gaps = packed.take("gaps", np.int32)
    n_entries = len(first) + len(gaps)
    if not len(sizes) == len(first) == np.count_nonzero(used):
        raise ValueError("atoms of the dictionary differ in number")
    if not ((sizes > 0) & (sizes <= n_entries)).all() or sizes.sum() != n_entries:
        raise ValueError("the sizes of the atoms of the dictionary do not add up")
    features = _features(sizes, first, gaps)
    if not ((features >= 0) & (features < n_features)).all():
        raise ValueError("the dictionary has features that do not exist")
    weights = np.ones(n_entries, dtype=np.float32)
    if "weights" in packed:
        weights = packed.take("weights", np.float32)
    rows = _Rows(sizes, features.astype(np.int32), weights)
    return _built(n_features, views, grids, rows.spread(used))


def _built(
    n_features: int, views: Iterable[Any], grids: Iterable[Any], rows: _Rows | None
) -> _core.Geometry:
    """Put a geometry together; the core checks all of it."""
    geometry = _core.Geometry(n_features)
    for number, (kind, shape, numbers) in enumerate(views):
        if geometry.add_view(kind, shape, numbers) != number:
            raise ValueError(f"view {number} is the same as one before it")
    for number, (shape, summed, *view) in enumerate(grids):
        if geometry.add_grid(shape, summed, *view) != number:
            raise ValueError(f"grid {number} is the same as one before it")
    if rows is not None:
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(rows.sizes)])
        geometry.add_dictionary(offsets, rows.features, rows.weights)
    return geometry


def _used_atoms(trees: FlatForest) -> NDArray[np.int32]:
    of_dictionary = (trees["left"] != 0) & (trees["atom_kind"] == _DICTIONARY)
    at = trees["atom_offsets"][:-1][of_dictionary]
    atoms: NDArray[np.int32] = np.unique(trees["atom_ints"][at])
    return atoms


def _features(
    sizes: NDArray[np.int64], first: NDArray[np.int32], gaps: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the features of atoms from the first one of each and the steps to the others."""
    begins = np.cumsum(sizes) - sizes
    is_first = np.zeros(len(first) + len(gaps), dtype=np.bool_)
    is_first[begins] = True
    steps = np.zeros(len(is_first), dtype=np.int64)
    steps[~is_first] = gaps
    walked = np.cumsum(steps)
    features: NDArray[np.int64] = walked + np.repeat(first - walked[begins], sizes)
    return features

"""The geometry of the core: what is added can be read, and what is impossible is refused."""

from __future__ import annotations

import numpy as np
import pytest

from manifoldforest import _core


def test_a_geometry_can_be_read():
    geometry = _core.Geometry(6)
    assert geometry.grids == []
    assert [part.tolist() for part in geometry.dictionary] == [[0], [], []]
    assert geometry.add_grid([2, 3], [True, False]) == 0
    assert geometry.add_grid([6], [True]) == 1
    assert geometry.add_grid([2, 3], [True, False]) == 0
    assert geometry.grids == [([2, 3], [True, False], -1), ([6], [True], -1)]
    offsets, features = np.array([0, 2, 3]), np.array([1, 4, 5], np.int32)
    weights = np.array([1, -2.5, 1], np.float32)
    assert geometry.add_dictionary(offsets, features, weights) == 0
    assert geometry.add_dictionary(offsets, features, weights) == 2
    assert [part.tolist() for part in geometry.dictionary] == [
        [0, 2, 3, 5, 6],
        [1, 4, 5, 1, 4, 5],
        [1, -2.5, 1, 1, -2.5, 1],
    ]
    assert [part.dtype.name for part in geometry.dictionary] == ["int64", "int32", "float32"]
    geometry.dictionary[1][:] = 0  # a copy
    assert geometry.dictionary[1].tolist() == [1, 4, 5, 1, 4, 5]


GRIDS = {
    "no axes": ([], []),
    "zero": ([0, 6], [True, True]),
    "negative": ([-2, -3], [True, True]),
    "another product": ([2, 4], [True, True]),
    "product that overflows": ([2**16, 2**16, 2**16, 2**16], [False] * 4),
    "fewer summed axes": ([2, 3], [True]),
    "table that is too large": ([6] + [1] * 25, [True] * 26),
    "axes without end": ([6] + [1] * 64, [False] * 65),
}


@pytest.mark.parametrize("case", GRIDS)
def test_impossible_grids_are_refused(case):
    with pytest.raises(ValueError, match="shape"):
        _core.Geometry(6).add_grid(*GRIDS[case])


def test_grids_may_have_tables_of_a_certain_size_together():
    p = 2**22
    geometry = _core.Geometry(p)
    for k in range(12):  # tables of a little more than 2**22 entries each
        geometry.add_grid([2**11 >> k, 2**11 << k], [True, True])
    with pytest.raises(ValueError, match="at most 2\\*\\*26 entries together"):
        for k in range(12):
            geometry.add_grid([2**11 >> k, 2**k, 2**11], [False, True, False])


DICTIONARIES = {
    "no offsets": ([], [1], [1.0]),
    "offsets that begin late": ([1, 1], [1], [1.0]),
    "offsets that begin early": ([-5, -3, 1], [1], [1.0]),
    "offsets that end late": ([0, 2], [1], [1.0]),
    "offsets that go back": ([0, 3, 1, 3], [1, 2, 3], [1.0] * 3),
    "negative features": ([0, 1], [-1], [1.0]),
    "features beyond the last": ([0, 1], [6], [1.0]),
    "fewer weights": ([0, 2], [1, 2], [1.0]),
    "missing weights": ([0, 1], [1], [np.nan]),
    "infinite weights": ([0, 1], [1], [np.inf]),
}


@pytest.mark.parametrize("case", DICTIONARIES)
def test_impossible_dictionaries_are_refused_and_nothing_is_added(case):
    offsets, features, weights = DICTIONARIES[case]
    geometry = _core.Geometry(6)
    with pytest.raises(ValueError, match="dictionary"):
        geometry.add_dictionary(
            np.array(offsets, np.int64), np.array(features, np.int32), np.array(weights, np.float32)
        )
    assert [part.tolist() for part in geometry.dictionary] == [[0], [], []]


def test_views_can_be_read():
    geometry = _core.Geometry(6)
    assert geometry.views == []
    assert geometry.add_view("gradients", [2, 3], [-1, 4, 1]) == 0
    assert geometry.add_view("spectrum", [6], []) == 1
    assert geometry.add_view("gradients", [2, 3], [-1, 4, 1]) == 0
    assert geometry.views == [("gradients", [2, 3], [-1, 4, 1]), ("spectrum", [6], [])]
    assert geometry.cell_shape(0) == [4, 2, 3]
    assert geometry.cell_shape(1) == [4]
    assert geometry.add_grid([4, 2, 3], [False, True, True], 0) == 0
    assert geometry.add_grid([2, 3], [True, True]) == 1
    assert geometry.grids == [([4, 2, 3], [False, True, True], 0), ([2, 3], [True, True], -1)]
    assert not geometry.takes_bytes
    assert geometry.row_width == 6
    assert geometry.add_view("columns", [3, 2], [0]) == 2
    assert geometry.add_view("columns", [5], [6]) == 3
    assert geometry.row_width == 17


VIEWS = {
    "unknown kind": ("wavelets", [2, 3], []),
    "another product": ("gradients", [2, 4], [-1, 4, 0]),
    "product that overflows": ("gradients", [2**16] * 4, [-1, 4, 0]),
    "odd orientations": ("gradients", [2, 3], [-1, 3, 0]),
    "no orientations": ("gradients", [2, 3], [-1, 0, 0]),
    "many orientations": ("gradients", [2, 3], [-1, 66, 0]),
    "columns behind others": ("columns", [3], [1]),
    "columns that overflow": ("columns", [2**16] * 4, [0]),
    "many columns": ("columns", [2**23 + 1], [0]),
}


@pytest.mark.parametrize("case", VIEWS)
def test_impossible_views_are_refused(case):
    geometry = _core.Geometry(6)
    with pytest.raises(ValueError, match="view"):
        geometry.add_view(*VIEWS[case])
    assert geometry.views == []


def test_views_may_have_a_certain_number_of_cells():
    geometry = _core.Geometry(2**20)
    with pytest.raises(ValueError, match="at most 2\\*\\*23 cells"):
        geometry.add_view("gradients", [2**10, 2**10], [-1, 10, 1])
    for k in range(4):
        geometry.add_view("gradients", [2**10 >> k, 2**10 << k], [-1, 8, 1])
    with pytest.raises(ValueError, match="at most 2\\*\\*25 cells together"):
        geometry.add_view("spectrum", [2**20], [])


def test_cells_are_asked_of_rows_that_fit():
    geometry = _core.Geometry(6)
    geometry.add_view("spectrum", [6], [])
    geometry.add_view("columns", [2], [0])
    X = np.arange(16, dtype=np.float32).reshape(2, 8)
    assert geometry.cells(1, X, 1).tolist() == [[6, 7], [14, 15]]
    for wrong in (X[:, :6].copy(), X.astype(np.uint8)):
        with pytest.raises(ValueError, match="X must"):
            geometry.cells(1, wrong, 1)
    with pytest.raises(ValueError, match="view must"):
        geometry.cells(2, X, 1)

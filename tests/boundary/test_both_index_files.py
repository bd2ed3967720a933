"""Files of both indexes: what comes back, what is verified, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import manifoldforest as mf
from manifoldforest.boundary import BruteForceIndex, _model_file
from manifoldforest.io import _archive

CLASSES = (mf.BoundaryIndex, BruteForceIndex)
RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, size=(60, 2, 3), dtype=np.uint8)
POINTS = {
    "uint8": BYTES,
    "float32": BYTES.astype(np.float32) + 0.5,
    "float64": BYTES + 0.1,
}

both = pytest.mark.parametrize("index_class", CLASSES)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.mf"


def index_of(index_class, points=BYTES, **params):
    if index_class is mf.BoundaryIndex:
        params = {"n_estimators": 3, "random_state": 0} | params
    index = index_class(**params)
    index.add(points[:50], ids=np.arange(50) * 2)
    index.remove([4, 8])
    index.update([6], points[50:51])
    return index


@both
@pytest.mark.parametrize("dtype", POINTS)
@pytest.mark.parametrize("way", ["the class", "mf.load"])
def test_an_index_comes_back_from_its_file_and_goes_on(index_class, dtype, way, path):
    points = POINTS[dtype]
    index = index_of(index_class, points, metric="manhattan", n_jobs=1)
    index.save(path)
    again = (index_class.load if way == "the class" else mf.load)(path)
    assert type(again) is index_class
    assert (again.metric, again.embedding, again.n_jobs) == ("manhattan", None, None)
    assert again.dim == 6

    def assert_same():
        assert_array_equal(again.ids, index.ids)
        assert_array_equal(again.query(points, 7), index.query(points, 7))
        stored = again.get(again.ids)
        assert stored.dtype == dtype
        assert_array_equal(stored, index.get(index.ids))

    assert_same()
    assert again.add(points[50:]).tolist() == index.add(points[50:]).tolist()
    assert_same()
    for each in (again, index):
        each.update([0, 2], points[:2])
        each.remove([10, 12])
    assert_same()


@both
def test_a_file_stays_as_it_is_and_equal_indexes_are_equal_files(index_class, path):
    index_of(index_class).save(path)
    before = path.read_bytes()
    again = index_class.load(path)
    again.update([0], BYTES[:1])
    again.add(BYTES)
    again.remove(again.ids[3:9])
    assert path.read_bytes() == before
    index_of(index_class, n_jobs=2).save(path)
    assert path.read_bytes() == before


@both
def test_an_index_without_points_comes_back(index_class, path):
    index_class(metric="cosine").save(path)
    assert index_class.load(path).add(BYTES).tolist() == list(range(60))
    index = index_of(index_class)
    index.remove(index.ids)
    index.save(path)
    again = mf.load(path)
    assert len(again) == 0
    assert again.add([[0.5]]).tolist() == [99]  # 98 was used


def test_the_file_of_one_class_is_not_that_of_the_other(path):
    for index_class, other in (CLASSES, CLASSES[::-1]):
        index_of(index_class).save(path)
        name, given = other.__name__, index_class.__name__
        with pytest.raises(mf.ModelFileError, match=f"must hold a {name}, got a {given}"):
            other.load(path)


@both
def test_code_cannot_be_stored(index_class, path):
    with pytest.raises(TypeError, match="metric must be the name of a metric to be stored"):
        index_of(index_class, metric=lambda a, b: 0.0).save(path)
    with pytest.raises(TypeError, match="embedding must be None to be stored"):
        index_of(index_class, embedding=np.negative).save(path)
    derived = type("Derived", (index_class,), {})
    with pytest.raises(TypeError, match="got an object of the class Derived"):
        derived().save(path)
    assert not path.exists()


@both
def test_points_are_mapped_and_verified_if_they_are_few_or_if_wanted(
    index_class, path, monkeypatch
):
    index_of(index_class).save(path)
    rows = _archive.read(path).detached["rows"]
    assert isinstance(rows, np.memmap)
    damaged = bytearray(path.read_bytes())
    damaged[damaged.index(rows.tobytes())] ^= 1
    path.write_bytes(damaged)
    for load in (mf.load, index_class.load, lambda file: index_class.load(file, verify=True)):
        with pytest.raises(mf.ModelFileError, match="checksum of rows"):
            load(path)
    assert len(index_class.load(path, verify=False)) == 48
    monkeypatch.setattr(_model_file, "_VERIFIED_BYTES", 100)
    assert len(mf.load(path)) == 48


@both
def test_damaged_files_are_refused(index_class, path):
    index_of(index_class).save(path)
    whole = path.read_bytes()
    for place in np.unique(np.r_[0:16, RNG.integers(0, len(whole), size=100)]):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << RNG.integers(8)
        path.write_bytes(damaged)
        with pytest.raises(mf.ModelFileError):
            mf.load(path)
    for length in (0, 8, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(mf.ModelFileError):
            mf.load(path)


# ------------------------------------------------------------ BruteForceIndex alone


def test_long_integers_come_back(path):
    index = BruteForceIndex(metric="manhattan")
    index.add(np.array([[2**60 + 1, 3], [2**60 + 2, 5]]))
    index.add([[1.0, 2.0]])
    index.save(path)
    again = mf.load(path)
    assert again.get([0, 2]).tolist() == [[2**60 + 1, 3], [1, 2]]
    assert again.query(np.array([[2**60 + 2, 3]]), 2)[0].tolist() == [[1, 2]]
    again.remove([0, 1])
    assert again.get([2]).dtype == np.float32  # as if the integers had never been there
    assert again.add([[0.5, 0.5]]).tolist() == [3]


def test_the_types_of_single_points_come_back(path):
    index = BruteForceIndex()
    index.add(BYTES)
    (single,), (double,) = index.add(POINTS["float32"][:1]), index.add(POINTS["float64"][:1])
    index.save(path)
    again = mf.load(path)
    for gone, dtype in ((None, np.float64), (double, np.float32), (single, np.uint8)):
        if gone is not None:
            again.remove([gone])
        assert again.get([0]).dtype == dtype
        assert_array_equal(again.get(np.arange(60)), BYTES)


def rewritten(path, change):
    """Change what a file says, with checksums that fit."""
    archive = _archive.read(path)
    content = {name: value for name, value in archive.content.items() if name != "detached"}
    tensors = dict(archive.tensors)
    detached = {name: np.array(rows) for name, rows in archive.detached.items()}
    change(content, tensors, detached)
    _archive.write(path, json.loads(json.dumps(content)), tensors, detached)


def entry(name, place, value):
    def change(content, tensors, detached):
        array = _model_file.PackedArrays(content["arrays"], tensors)[name]
        array[place] = value
        packed = _model_file.PackedArrays()
        packed[name] = array
        content["arrays"][name], tensors[name] = packed.described[name], packed.stored[name]

    return change


MADE_UP = {
    "shape": (lambda content, *_: content.update(shape=[7]), "of another shape"),
    "no shape": (lambda content, *_: content.update(shape=[]), "of another shape"),
    "metric": (lambda content, *_: content["params"].update(metric="minkowski"), "not a metric"),
    "parameter": (lambda content, *_: content["params"].update(n_estimators=3), "n_estimators"),
    "next id": (lambda content, *_: content.update(next_id=98), "next id has been used"),
    "next id out of range": (lambda content, *_: content.update(next_id=2**64), "out of range"),
    "ids twice": (entry("ids", 1, 0), "two points have the same id"),
    "fewer ids": (
        lambda content, tensors, _: (
            entry("ids", 0, 0)(content, tensors, _) or content["arrays"]["ids"].update(shape=[47])
        ),
        "ids",
    ),
    "wider type of a row": (entry("row_types", 2, 2), "widest type"),
    "unknown type of a row": (entry("row_types", 2, 9), "widest type"),
    "rows of another type": (
        lambda content, tensors, detached: detached.update(
            rows=detached["rows"].astype(np.float64)
        ),
        "widest type",
    ),
    "fewer rows": (
        lambda content, tensors, detached: detached.update(rows=detached["rows"][:-1]),
        "ids do not fit",
    ),
    "no rows": (lambda content, tensors, detached: detached.clear(), "there are no points"),
    "class": (lambda content, *_: content.update({"class": "BoundaryIndex"}), "forest|seed"),
}


@pytest.mark.parametrize("case", MADE_UP)
def test_made_up_files_are_refused(case, path):
    index = index_of(BruteForceIndex)
    index.save(path)
    rewritten(path, lambda *_: None)
    assert_array_equal(mf.load(path).query(BYTES, 3), index.query(BYTES, 3))
    change, message = MADE_UP[case]
    rewritten(path, change)
    with pytest.raises(mf.ModelFileError, match=message):
        mf.load(path)


@both
def test_subclasses_are_refused(index_class, path):
    class Mine(index_class):
        pass

    message = "an index must be a BoundaryIndex or BruteForceIndex itself .* the class Mine"
    with pytest.raises(TypeError, match=message):
        Mine().save(path)
    assert not path.exists()

"""Files of BoundaryIndex: they come back, grow on, survive a killed save, and damage is noticed."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import save_file

import manifoldforest as mf
from reference.boundary import tree_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 6)).astype(np.float32)
QUERIES = RNG.normal(size=(50, 6)).astype(np.float32)


def index_of(rows, ids=None, **params):
    index = mf.BoundaryIndex(**({"n_estimators": 6, "max_children": 4, "random_state": 0} | params))
    index.add(rows, ids)
    return index


def outlines(index):
    return [(tree.example.tolist(), tree.parent.tolist()) for tree in index.trees_]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.mf"


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("way", ["BoundaryIndex.load", "mf.load", "pickle"])
def test_a_stored_index_comes_back_and_grows_on(way, dtype, path):
    rows, queries = (X * 20 + 100).astype(dtype), (QUERIES * 20 + 100).astype(dtype)
    index = index_of(rows[:200], np.arange(200) * 3, metric="manhattan")
    index.remove([0, 30, 333])
    index.update([60], rows[250:251])
    if way == "pickle":
        again = pickle.loads(pickle.dumps(index))
    else:
        index.save(path)
        again = (mf.BoundaryIndex.load if way == "BoundaryIndex.load" else mf.load)(path)
    assert type(again) is mf.BoundaryIndex
    for name in ("n_estimators", "max_children", "metric", "embedding", "n_jobs", "random_state"):
        assert getattr(again, name) == getattr(index, name)

    def assert_same():
        assert list(again) == list(index)
        assert outlines(again) == outlines(index)
        assert_array_equal(again.query(queries, 5), index.query(queries, 5))
        some = index.ids[5:9]
        assert_array_equal(again.query(queries, 2, among=some), index.query(queries, 2, among=some))

    assert_same()
    assert again.add(rows[200:]).tolist() == index.add(rows[200:]).tolist()
    assert_same()
    for each in (again, index):
        each.remove([9, 12])
        each.update([15, 18], rows[:2])
    assert_same()
    assert all(len(tree_of(view, 4).nodes()) == len(again) for view in again.trees_)
    index.remove(index.ids[::2])
    assert len(again) == 295  # what happens to one does not happen to the other


def test_the_file_is_not_changed_by_what_is_done_after_loading(path):
    index_of(X).save(path)
    whole = path.read_bytes()
    again = mf.BoundaryIndex.load(path)
    again.update(np.arange(50), X[:50] + 3)
    again.remove(np.arange(50, 100))
    again.add(X[:100])
    assert path.read_bytes() == whole
    assert outlines(mf.BoundaryIndex.load(path)) == outlines(index_of(X))
    # and it may be written over while the old one is in use
    answers = again.query(QUERIES, 5)
    again.save(path)
    assert_array_equal(again.query(QUERIES, 5), answers)
    assert_array_equal(mf.BoundaryIndex.load(path).query(QUERIES, 5), answers)


def test_equal_indexes_are_equal_files(tmp_path):
    files = []
    for n_jobs in (1, 3):
        index_of(X, n_jobs=n_jobs).save(tmp_path / f"{n_jobs}.mf")
        files.append((tmp_path / f"{n_jobs}.mf").read_bytes())
    assert files[0] == files[1]


def test_an_empty_index_comes_back(path):
    mf.BoundaryIndex(3, random_state=0).save(path)
    again = mf.BoundaryIndex.load(path)
    assert len(again) == 0
    assert again.add(X).tolist() == list(range(300))


def test_a_failed_save_leaves_the_old_file(path, monkeypatch):
    index_of(X).save(path)
    before = path.read_bytes()

    def fail(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        index_of(X + 1).save(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["index.mf"]


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_killed_save_leaves_the_old_file(path, moment):
    index_of(X).save(path)
    before = path.read_bytes()
    program = f"""
import os, signal
import numpy as np
import manifoldforest as mf
index = mf.BoundaryIndex(3)
index.add(np.random.default_rng(1).normal(size=(500, 6)))
os.{moment} = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)
index.save({str(path)!r})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == -9, done.stderr.decode()
    assert path.read_bytes() == before
    assert_array_equal(mf.BoundaryIndex.load(path).query(QUERIES), index_of(X).query(QUERIES))


def test_damaged_files_are_refused(path):
    index_of(X[:30]).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in np.unique(np.r_[0:16, rng.integers(0, len(whole), size=150)]):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        with pytest.raises(mf.ModelFileError):
            mf.BoundaryIndex.load(path)
    for length in (0, 1, 8, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(mf.ModelFileError):
            mf.load(path)


def test_foreign_files_are_refused(path):
    save_file({"weights": np.ones(3)}, path)
    with pytest.raises(mf.ModelFileError):
        mf.BoundaryIndex.load(path)
    mf.ForestClassifier(2, random_state=0).fit(X, X[:, 0] > 0).save(path)
    with pytest.raises((mf.ModelFileError, TypeError)):
        mf.BoundaryIndex.load(path)
    with pytest.raises(FileNotFoundError):
        mf.BoundaryIndex.load(path.with_name("absent"))

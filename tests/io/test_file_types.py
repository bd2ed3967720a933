"""Files that are no model files: what they are is said, and nothing in them is executed."""

from __future__ import annotations

import pickle
import zlib

import joblib
import numpy as np
import pytest

import manifoldforest as mf

FOREST = mf.ForestClassifier(2, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


class Trap:
    """Something that must not be loaded."""

    def __reduce__(self):
        return pytest.fail, ("the file was executed",)


@pytest.mark.parametrize("content", [FOREST, {"X": np.arange(1000.0)}], ids=["forest", "arrays"])
@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)])
def test_files_of_joblib_are_for_joblib(tmp_path, content, compress):
    path = tmp_path / "forest.joblib"
    joblib.dump(content, path, compress=compress)
    for load in (mf.load, mf.BoundaryIndex.load):
        with pytest.raises(mf.ModelFileError, match=r"not a model file but .* use joblib\.load"):
            load(path)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_for_pickle_and_stay_closed(tmp_path, protocol):
    path = tmp_path / "forest.pickle"
    for content in (FOREST, Trap()):
        path.write_bytes(pickle.dumps(content, protocol=protocol))
        with pytest.raises(mf.ModelFileError, match=r"but a pickle: use pickle\.load"):
            mf.load(path)


def test_other_files_are_not_taken_for_pickles(tmp_path):
    path = tmp_path / "model"
    for content in (b"", b"\x80", b"hello", b"PK\x03\x04", b"{}", b"x,y\n1,2\n3,4\n"):
        path.write_bytes(content)
        with pytest.raises(mf.ModelFileError, match="is not a whole model file"):
            mf.load(path)


@pytest.mark.parametrize("start", [0x78, 0x178, 0x5E78, 0x9C78, 0xDA78, 0x280, 0x1F0580])
@pytest.mark.parametrize("n", [2, 3, 8, 9, 30])
def test_parts_of_model_files_are_not_taken_for_other_files(tmp_path, start, n):
    header = b'{"__metadata__":{"manifoldforest":' + b" " * 30
    path = tmp_path / "model"
    path.write_bytes((start.to_bytes(8, "little") + header)[:n])
    with pytest.raises(mf.ModelFileError, match="is not a whole model file"):
        mf.load(path)


@pytest.mark.parametrize("level", range(10))
def test_all_levels_of_zlib_are_known(tmp_path, level):
    path = tmp_path / "model"
    path.write_bytes(zlib.compress(pickle.dumps(FOREST), level))
    with pytest.raises(mf.ModelFileError, match=r"compressed \(zlib\)"):
        mf.load(path)

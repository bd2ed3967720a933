"""Writing model files: full disks, killed and concurrent saves, long names."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import load

import manifoldforest as mf
from manifoldforest.io import _archive

X = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
Y = X[:, 0] > 0


def fitted(seed=0):
    return mf.ForestClassifier(5, random_state=seed).fit(X, Y)


def index():
    index = mf.BoundaryIndex(n_estimators=3, random_state=0)
    index.add(X)
    return index


# A process that fits a forest and then does `{at_sync}` when all is written but the renaming.
SAVING = """
import os, signal, sys, time
import numpy as np
import manifoldforest as mf
X = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
forest = mf.ForestClassifier(5, random_state=0).fit(X, X[:, 0] > 0)
def at_sync(number):
    {at_sync}
os.fsync = at_sync
forest.save(sys.argv[1])
"""


def saving_process(path, at_sync):
    code = SAVING.format(at_sync=at_sync)
    return subprocess.Popen([sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE)


def killed_save(path):
    with saving_process(path, "os.kill(os.getpid(), signal.SIGKILL)") as process:
        assert process.wait(60) == -signal.SIGKILL


def test_a_killed_save_is_cleaned_up_by_the_next_of_that_name(tmp_path):
    path = tmp_path / "model.mf"
    killed_save(path)
    (left,) = os.listdir(tmp_path)
    fitted().save(tmp_path / "other.mf")
    assert sorted(os.listdir(tmp_path)) == sorted([left, "other.mf"])
    for forest in (fitted(), index()):  # all kinds of files are written in one way
        forest.save(path)
        assert sorted(os.listdir(tmp_path)) == ["model.mf", "other.mf"]
    killed_save(path)
    before = path.read_bytes()
    assert len(os.listdir(tmp_path)) == 3
    index().save(path)
    assert path.read_bytes() == before
    assert len(os.listdir(tmp_path)) == 2


def test_a_save_that_goes_on_is_left_alone(tmp_path):
    path = tmp_path / "model.mf"
    process = saving_process(path, "sys.stdin.read()")
    try:
        deadline = time.monotonic() + 60
        while not os.listdir(tmp_path):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        (unfinished,) = os.listdir(tmp_path)
        fitted(seed=1).save(path)
        assert sorted(os.listdir(tmp_path)) == sorted([unfinished, "model.mf"])
        before = path.read_bytes()
    finally:
        process.stdin.close()  # the other process goes on
        assert process.wait(60) == 0
    assert os.listdir(tmp_path) == ["model.mf"]
    assert path.read_bytes() != before
    assert_array_equal(mf.load(path).predict(X), fitted().predict(X))


def test_threads_may_save_under_one_name(tmp_path):
    path = tmp_path / "model.mf"
    forests = [fitted(seed) for seed in range(4)]
    failures = []

    def save_often(forest):
        try:
            for _ in range(20):
                forest.save(path)
                mf.load(path)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=save_often, args=(forest,)) for forest in forests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert os.listdir(tmp_path) == ["model.mf"]


def test_files_of_others_stay(tmp_path):
    names = [".manifoldforest-0123456789abcdef-1", ".model.mf.1", "model.mf.tmp"]
    for name in names:
        (tmp_path / name).write_bytes(b"mine")
    fitted().save(tmp_path / "model.mf")
    assert sorted(os.listdir(tmp_path)) == sorted([*names, "model.mf"])


@pytest.mark.parametrize("name", ["x" * 255, "x" * 200 + ".mf", "é" * 127])
@pytest.mark.parametrize("make", [fitted, index])
def test_names_may_be_as_long_as_the_file_system_admits(name, make, tmp_path):
    if len(os.fsencode(name)) > os.pathconf(tmp_path, "PC_NAME_MAX"):
        pytest.skip("names are shorter here")
    path = tmp_path / name
    make().save(path)
    assert os.listdir(tmp_path) == [name]
    mf.load(path)


def test_a_name_that_is_too_long_is_named(tmp_path):
    path = tmp_path / ("x" * 5000)
    with pytest.raises(OSError) as caught:
        fitted().save(path)
    assert caught.value.errno == errno.ENAMETOOLONG
    assert caught.value.filename == str(path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("make", [fitted, index])
def test_a_file_that_cannot_grow_is_an_os_error(make, tmp_path):
    """A limit on the size of files fails where a full disk does: when they are written."""
    path = tmp_path / "model.mf"
    model = make()
    model.save(path)
    whole = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        for size in (0, 100, len(whole) // 2, len(whole) - 1):
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
            with pytest.raises(OSError) as caught:
                model.save(path)
            assert caught.value.errno == errno.EFBIG
            assert caught.value.filename == str(path)
            assert path.read_bytes() == whole
            assert os.listdir(tmp_path) == ["model.mf"]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)


def test_all_types_of_numbers_are_ordinary_safetensors(tmp_path):
    rng = np.random.default_rng(0)
    types = ("bool", "float16", "float32", "float64")
    types += tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
    tensors = {f"{dtype} ä": (rng.random((3, 5)) * 2).astype(dtype) for dtype in types}
    tensors |= {"empty": np.empty((0, 3)), "number": np.float32(3.0).reshape(())}
    tensors["across"] = tensors["float64 ä"].T
    path = tmp_path / "file.mf"
    content = {"format_version": 2, "class": "none"}
    _archive.write(path, content, tensors, {"rows": np.ones((2, 3), np.float32)})
    found = load(path.read_bytes())
    assert found.keys() == tensors.keys() | {"rows"}
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype
        assert_array_equal(found[name], tensor)

"""Types of points, files with points that are mapped, and labels that come while others ask."""

from __future__ import annotations

import json
import pickle
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import manifoldforest as mf
from manifoldforest import _core
from manifoldforest.boundary import _model_file
from manifoldforest.io import _archive

RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, size=(80, 5), dtype=np.uint8)
Y = (BYTES[:, 0] > 128).astype(int)


def index_of(rows, **params):
    index = mf.BoundaryIndex(**({"n_estimators": 4, "max_children": 3, "random_state": 0} | params))
    index.add(rows)
    return index


def forest_of(rows, y=Y, **params):
    params = {"n_estimators": 4, "random_state": 0} | params
    return mf.BoundaryForestClassifier(**params).fit(rows, y[: len(rows)])


# ------------------------------------------------------------------- the core


def core_forest(task, n_outputs=0):
    return _core.BoundaryForest(
        task=task,
        n_trees=3,
        max_children=3,
        metric="euclidean",
        dtype="uint8",
        width=5,
        n_outputs=n_outputs,
        tolerance=0.0,
        seed=0,
    )


def test_the_core_predicts_only_the_outputs_that_it_has():
    forest = core_forest("regress", n_outputs=2)
    forest.learn(BYTES, None, BYTES[:, :2].astype(float), None, 1)
    assert forest.predict(BYTES, 2, 1.0, 1).shape == (80, 2)
    for n_columns in (1, 3):
        with pytest.raises(ValueError, match="one column for each of the 2 outputs, got"):
            forest.predict(BYTES, n_columns, 1.0, 1)


def test_the_core_predicts_nothing_from_points_without_labels():
    forest = core_forest("retrieve")
    forest.learn(BYTES, None, None, np.arange(80), 1)
    with pytest.raises(ValueError, match="to classify or to regress can predict"):
        forest.predict(BYTES, 1, 1.0, 1)


# ----------------------------------------------------------------------- types


def test_bytes_among_floats_are_floats():
    later = forest_of(BYTES[:40].astype(np.float32)).partial_fit(BYTES[40:], Y[40:])
    at_once = forest_of(BYTES.astype(np.float32))
    assert_array_equal(later.predict_proba(BYTES), at_once.predict_proba(BYTES))
    assert later.stored_examples_[0].dtype == np.float32


def test_floats_among_bytes_must_be_bytes():
    forest, index = forest_of(BYTES), index_of(BYTES)
    whole = BYTES[:7].astype(float)
    assert_array_equal(forest.predict_proba(whole), forest.predict_proba(BYTES[:7]))
    assert_array_equal(index.query(whole, 3), index.query(BYTES[:7], 3))
    for bad in (whole + 0.5, whole - 256, whole + 256):
        calls = (
            forest.predict,
            lambda rows: forest.partial_fit(rows, Y[:7]),
            index.query,
            index.add,
            lambda rows: index.update(np.arange(7), rows),
        )
        for call in calls:
            with pytest.raises(ValueError, match="X must hold whole numbers in \\[0, 255\\]"):
                call(bad)
    assert (forest.n_seen_, len(index)) == (80, 80)


def test_an_index_without_points_takes_points_of_another_kind():
    index = index_of(BYTES)
    index.remove(index.ids)
    assert index.n_nodes_.shape == index.depth_.shape == (0,)
    assert index.trees_ == []
    assert index.add([[0.5, 0.25]]).tolist() == [80]
    assert index.query([[0.5, 0.25]])[0] == 0


def test_lists_are_rows_where_the_metric_knows_arrays():
    def metric(a, b):
        return float(np.abs(a.astype(float) - b).sum())

    index = index_of(BYTES, metric=metric)
    assert index.query(BYTES[:1].tolist())[0] == 0
    forest = forest_of(BYTES, metric=metric)
    assert_array_equal(forest.predict(BYTES[:5].tolist()), forest.predict(BYTES[:5]))
    with pytest.raises(ValueError, match="X has 4 features"):
        index.query(BYTES[:1, :4])


# ----------------------------------------------------------------------- files


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.mf"


def damaged_rows(path):
    """Change one byte of the points in a file, and nothing else."""
    rows = _archive.read(path).detached["rows"]
    whole = bytearray(path.read_bytes())
    place = whole.index(rows.tobytes())
    whole[place] ^= 1
    path.write_bytes(whole)


def test_points_of_large_files_are_verified_only_if_wanted(path, monkeypatch):
    monkeypatch.setattr(_model_file, "_VERIFIED_BYTES", 100)
    index_of(BYTES).save(path)
    index = mf.BoundaryIndex.load(path, verify=True)
    assert_array_equal(index.query(BYTES, 3), index_of(BYTES).query(BYTES, 3))
    damaged_rows(path)
    with pytest.raises(mf.ModelFileError, match="checksum of rows"):
        mf.BoundaryIndex.load(path, verify=True)
    assert len(mf.BoundaryIndex.load(path)) == len(mf.load(path)) == 80
    monkeypatch.undo()
    for load in (mf.load, mf.BoundaryIndex.load):
        with pytest.raises(mf.ModelFileError, match="checksum of rows"):
            load(path)
    assert len(mf.BoundaryIndex.load(path, verify=False)) == 80
    forest_of(BYTES).save(path)
    damaged_rows(path)
    monkeypatch.setattr(_model_file, "_VERIFIED_BYTES", 0)
    with pytest.raises(mf.ModelFileError, match="checksum of rows"):
        mf.load(path)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_points_are_mapped_and_aligned(path, dtype):
    index_of(BYTES.astype(dtype)).save(path)
    rows = _archive.read(path).detached["rows"]
    assert isinstance(rows, np.memmap)
    assert rows.flags.aligned
    assert_array_equal(rows, BYTES)
    assert rows.dtype == dtype


def rewritten(path, change):
    """Change what a file says, with checksums that fit."""
    archive = _archive.read(path)
    content, tensors = archive.content, dict(archive.tensors)
    detached = {name: np.array(rows) for name, rows in archive.detached.items()}
    change(content, tensors)
    content = {k: v for k, v in content.items() if k != "detached"}
    _archive.write(path, json.loads(json.dumps(content)), tensors, detached)


MADE_UP = {
    "trees": lambda content, _: content["forest"].update(n_trees=5),
    "children": lambda content, _: content["forest"].update(max_children=1),
    "shape": lambda content, _: content["forest"].update(shape=[6]),
    "metric": lambda content, _: content["forest"].update(metric="minkowski"),
    "outputs": lambda content, _: content["forest"].update(n_outputs=2),
    "seen": lambda content, _: content["forest"].update(n_seen=3),
    "codes": lambda content, _: content["arrays"]["codes"].update(low=7),
    "classes": lambda content, _: content["arrays"]["classes"].update(low=1),
    "nodes": lambda content, _: content["arrays"]["node_slot"].update(low=60),
    "parameters": lambda content, _: content["params"].update(max_children=0),
    "class": lambda content, _: content.update({"class": "BoundaryForestRegressor"}),
    "another class": lambda content, _: content.update({"class": "dict"}),
    "format of forests": lambda content, _: content.update(format_version=3),
}


@pytest.mark.parametrize("case", MADE_UP)
def test_made_up_files_are_refused(case, path):
    forest_of(BYTES).save(path)
    rewritten(path, lambda content, tensors: None)
    assert_array_equal(mf.load(path).predict(BYTES), forest_of(BYTES).predict(BYTES))
    rewritten(path, MADE_UP[case])
    with pytest.raises(mf.ModelFileError):
        mf.load(path)


def test_an_embedding_cannot_be_stored_in_a_file(path):
    with pytest.raises(TypeError, match="embedding must be None"):
        forest_of(BYTES, embedding=np.abs).save(path)
    with pytest.raises(TypeError, match="embedding must be None"):
        index_of(BYTES, embedding=np.abs).save(path)
    assert not path.exists()


def test_parameters_set_later_do_not_change_what_was_learned(path):
    forest = forest_of(BYTES, metric="manhattan")
    answers = forest.predict_proba(BYTES[::-1] // 2)
    forest.set_params(metric="cosine", n_estimators=9, max_children=2)
    assert_array_equal(forest.predict_proba(BYTES[::-1] // 2), answers)
    forest.save(path)
    for again in (mf.load(path), pickle.loads(pickle.dumps(forest))):
        assert again.get_params() == forest.get_params()
        assert_array_equal(again.predict_proba(BYTES[::-1] // 2), answers)


def test_objects_can_be_pickled():
    index = mf.BoundaryIndex(3, metric=letters, random_state=0)
    index.add(["stone", "river", "tones", "wood"])
    index.remove([0])
    again = pickle.loads(pickle.dumps(index))
    assert again.query(["notes"], 3)[1].tolist() == index.query(["notes"], 3)[1].tolist()
    assert again.add(["notes"]).tolist() == [4]
    assert len(index) == 3


def letters(a, b):
    return len(set(a) ^ set(b))


# --------------------------------------------------------------------- threads


def test_classes_may_come_while_others_ask():
    """Every answer has a column for each label that it is about."""
    X = RNG.random((2000, 2)).astype(np.float32)
    forest = mf.BoundaryForestClassifier(3, random_state=0).partial_fit(X[:5], [0] * 5)
    done, errors = threading.Event(), []

    def ask():
        while not done.is_set():
            shares = forest.predict_proba(X[:300])
            if abs(shares.sum(axis=1) - 1).max() > 1e-9:
                errors.append(shares)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for i in range(5, 500):
            forest.partial_fit(X[i : i + 1], [-i])
    finally:
        done.set()
        for thread in threads:
            thread.join(60)
    assert errors == []
    assert forest.classes_.tolist() == [*range(-499, -4), 0]

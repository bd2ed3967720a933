"""Files of boundary forests whose checksums are right and whose content is made up.

Each thing that the code relies on (`cpp/core/boundary/check_record.cpp`) is broken once. Whatever
is not refused must be safe to use; this is tried on random changes as well.
"""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest.boundary import _model_file
from manifoldforest.boundary._core_forest import CoreForest

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).astype(np.float32)
SMALL = {"n_estimators": 4, "max_children": 3, "random_state": 0}


def index():
    model = mf.BoundaryIndex(**SMALL)
    model.add(X)
    model.remove([3, 17])
    return model


def starting_index():
    model = mf.BoundaryIndex(**SMALL)
    model.add(X[:3])
    return model


def classifier():
    return mf.BoundaryForestClassifier(**SMALL).fit(X, X[:, 0] > 0)


def starting_classifier():
    return mf.BoundaryForestClassifier(**SMALL).fit(X[:3], [0, 1, 1])


def regressor():
    return mf.BoundaryForestRegressor(**SMALL).fit(X, X[:, :2])


def save_with(model, path, change):
    """Save a model with another record; the checksums are those of what is written."""
    record = CoreForest.record

    def changed(self):
        found = record(self)
        copied = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in found.items()}
        change(copied)
        return copied

    with mock.patch.object(CoreForest, "record", changed):
        model.save(path)


def entry(name, place, value):
    """Change one entry of an array."""

    def change(record):
        record[name][place] = value

    return change


def shorter(name, n=1):
    def change(record):
        record[name] = record[name][:-n]

    return change


def item(name, value):
    return lambda record: record.update({name: value})


def swapped_children(record):
    """The first tree has the same nodes, but announces a child too many and one too few."""
    inner = np.flatnonzero(record["node_children"][: record["tree_offsets"][1]])
    record["node_children"][inner[0]] -= 1
    record["node_children"][inner[-1]] += 1


def without_first_point(record):
    """No tree holds the first point any more; all trees are whole."""
    other = record["node_slot"] != 0
    assert other.any()
    record["node_slot"][~other] = 1


# what is broken: model, change of its record, what the message says
BROKEN = {
    "arrivals too few": (index, shorter("arrivals"), "arrivals do not fit"),
    "arrivals twice": (index, entry("arrivals", 1, 0), "arrivals are out of order"),
    "arrivals out of order": (index, entry("arrivals", 5, 0), "arrivals are out of order"),
    "arrival negative": (index, entry("arrivals", 0, -1), "arrivals do not fit the number"),
    "seen fewer than stored": (index, item("n_seen", 5), "arrivals do not fit the number"),
    "seen negative": (starting_index, item("n_seen", -1), "seen is out of range"),
    "seen too many": (index, item("n_seen", 2**63 - 1), "seen is out of range"),
    "ids twice": (index, entry("ids", 1, 0), "two points have the same id"),
    "ids of examples": (classifier, entry("ids", 0, 99), "other numbers than those"),
    "classes too few": (classifier, shorter("classes"), "classes do not fit"),
    "class negative": (classifier, entry("classes", 0, -1), "a class is negative"),
    "class unknown": (classifier, entry("classes", 0, 2), "class that does not exist"),
    "classes of an index": (index, item("classes", np.zeros(38, np.int32)), "classes do not fit"),
    "values too few": (regressor, shorter("values"), "values do not fit"),
    "values of an index": (index, item("values", np.zeros(38)), "values do not fit"),
    "value missing": (regressor, entry("values", 3, np.nan), "not finite"),
    "value infinite": (regressor, entry("values", 3, -np.inf), "not finite"),
    "children too few": (index, shorter("node_children"), "nodes do not fit the trees"),
    "nodes too few": (index, shorter("node_slot"), "nodes do not fit the trees"),
    "no offsets": (index, item("tree_offsets", np.empty(0, np.int64)), "nodes do not fit"),
    "offsets begin late": (index, entry("tree_offsets", 0, 1), "nodes do not fit the trees"),
    "offsets end early": (index, entry("tree_offsets", -1, 100), "nodes do not fit the trees"),
    "offsets go back": (index, entry("tree_offsets", 1, 100), "nodes do not fit the trees"),
    "offsets negative": (index, entry("tree_offsets", 1, -5), "nodes do not fit the trees"),
    "empty tree": (index, entry("tree_offsets", 1, 0), "a tree is not whole"),
    "a tree too few": (index, shorter("tree_offsets"), "nodes do not fit the trees"),
    "node without a point": (index, entry("node_slot", 3, 38), "a node holds no point"),
    "node with a negative point": (index, entry("node_slot", 3, -1), "a node holds no point"),
    "node with a point twice": (index, entry("node_slot", 3, 0), "every point once"),
    "children negative": (index, entry("node_children", 0, -1), "too many children"),
    "children too many": (index, entry("node_children", 0, 4), "too many children"),
    "children of another tree": (index, entry("node_children", 0, 0), "a tree is not whole"),
    "children too late": (index, swapped_children, "a tree is not whole"),
    "point in no tree": (classifier, without_first_point, "no tree holds a point"),
    "finished trees start": (index, item("starting", True), "too few or too many trees"),
    "starting trees are finished": (starting_index, item("starting", False), "too few or too many"),
    "starts beside finished trees": (
        index,
        item("starts", np.array([0], np.int32)),
        "first examples beside finished",
    ),
    "starts too few": (starting_index, shorter("starts"), "not every first example has a tree"),
    "starts twice": (starting_index, entry("starts", 1, 0), "not all points in order"),
    "start out of range": (starting_index, entry("starts", 0, 3), "not all points in order"),
    "start negative": (starting_index, entry("starts", 0, -1), "not all points in order"),
    "starts in another order": (
        starting_index,
        lambda record: record.update(starts=record["starts"][::-1].copy()),
        "not all points in order",
    ),
    "start that is no root": (
        starting_classifier,
        lambda record: record["node_slot"].__setitem__(slice(None), record["node_slot"][::-1]),
        "not the root of its tree",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_record_that_does_not_hold_together_is_refused(case, tmp_path):
    make, change, message = BROKEN[case]
    path = tmp_path / "model"
    make().save(path)
    mf.load(path)  # as it is, it holds
    save_with(make(), path, change)
    with pytest.raises(mf.ModelFileError, match=message):
        mf.load(path)


CONTENT = {
    "next id that was used": (index, {"next_id": 5}, "the next id has been used"),
    "next id out of range": (index, {"next_id": 2**63 + 1}, "the next id is out of range"),
    "seed of another index": (index, {"seed": 5}, "seed"),
    "seed out of range": (index, {"seed": 2**70}, "seed"),
    "names too few": (classifier, {"feature_names": ["a"]}, "names of features"),
    "names that are none": (classifier, {"feature_names": [1, 2, 3]}, "names of features"),
}


@pytest.mark.parametrize("case", CONTENT)
def test_a_description_that_does_not_fit_is_refused(case, tmp_path):
    make, changed, message = CONTENT[case]
    path, write = tmp_path / "model", _model_file._write

    def lie(path, content, *rest):
        write(path, content | changed, *rest)

    with mock.patch.object(_model_file, "_write", lie):
        make().save(path)
    with pytest.raises(mf.ModelFileError, match=message):
        mf.load(path)


def use(model):
    """Call everything; Python errors are welcome."""
    queries = X[:5]
    if isinstance(model, mf.BoundaryIndex):
        model.query(queries, 3)
        model.remove(model.ids[:1])
        model.update(model.ids[:1], queries[:1])
        model.add(queries)
        model.remove(model.ids[1::2])
    else:
        model.predict(queries)
        model.partial_fit(queries, getattr(model, "classes_", np.zeros((9, 2)))[[0, 1, 0, 1, 0]])
        model.query(queries, 3)
    assert len(model.trees_) == len(model.n_nodes_)


ARRAYS = ("ids", "arrivals", "tree_offsets", "node_slot", "node_children", "starts", "classes")


@pytest.mark.parametrize("make", [index, starting_index, classifier, starting_classifier])
def test_whatever_is_not_refused_can_be_used(make, tmp_path):
    rng = np.random.default_rng(1)
    path, n_refused, model = tmp_path / "model", 0, make()

    def change(record):
        for _ in range(rng.integers(1, 3)):
            array = record[rng.choice([name for name in ARRAYS if len(record[name])])]
            place = rng.integers(len(array))
            others = [array[rng.integers(len(array))], array[place] + rng.integers(-2, 3)]
            array[place] = rng.choice([*others, -1, 0, len(array), 2**31 - 1])

    for _ in range(60):
        save_with(model, path, change)
        try:
            use(mf.load(path))
        except mf.ModelFileError:
            n_refused += 1
    assert n_refused > 30

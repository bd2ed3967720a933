"""Forests whose trees are shared between threads: the same to the last bit, and quick to stop.

Trees are shared when there are fewer of them than threads, from some 1000 rows per subtree on; all
data here are larger than that, even after half a bag of them is set aside for honest leaves.
"""

from __future__ import annotations

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest.projections import Axis, MeanDifference, Patches, Rotation, Sporf

N_ROWS = 12_000
SIDE = 4  # of the images
PROJECTIONS = {
    "axis": Axis(),
    "sporf": Sporf(),
    "patches": Patches(max_size=2),
    "rotation": Rotation(),
    "mean_difference": MeanDifference(),
}


def images(dtype):
    """Noise, with a class and a response that take many splits to learn."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (N_ROWS, SIDE, SIDE))
    response = X[:, 0, 0] * X[:, 1, 1] / 256 + X[:, 2, 3] + 20 * rng.normal(size=N_ROWS)
    return X.astype(dtype), np.digitize(response, [150, 200]), response


def saved(tmp_path, kind, X, y, **params):
    """The file of a fitted forest, which holds all that is known of its trees."""
    forest = kind(random_state=0, max_features=2, min_samples_leaf=3, **params)
    path = tmp_path / "forest"
    forest.fit(X, y).save(path)
    return path.read_bytes()


def assert_same_for_any_number_of_threads(tmp_path, kind, X, y, **params):
    for n_estimators in (1, 2, 3):
        params["n_estimators"] = n_estimators
        expected = saved(tmp_path, kind, X, y, n_jobs=1, **params)
        for n_jobs in (2, 3, 8):
            assert saved(tmp_path, kind, X, y, n_jobs=n_jobs, **params) == expected


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("honest", [True, False])
@pytest.mark.parametrize("kind", [mf.ForestClassifier, mf.ForestRegressor])
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_shared_trees_are_the_same_trees(tmp_path, projection, kind, honest, bootstrap):
    dtype = np.float32 if bootstrap else np.uint8
    X, classes, response = images(dtype)
    y = classes if kind is mf.ForestClassifier else response
    assert_same_for_any_number_of_threads(
        tmp_path,
        kind,
        X,
        y,
        projection=PROJECTIONS[projection],
        honest=honest,
        bootstrap=bootstrap,
        keep_samples=True,
    )


@pytest.mark.parametrize(
    "params",
    [
        {"max_leaf_nodes": 100},
        {"ccp_alpha": 1e-3},
        {"max_depth": 6},
        {"honest": True, "empty_leaf": "prune"},
        {"class_weight": "balanced_subsample"},
        {"splitter": "random"},
        {"criterion": "entropy", "keep_samples": False},
    ],
    ids=str,
)
def test_shared_trees_are_the_same_trees_whatever_is_set(tmp_path, params):
    X, y, _ = images(np.float32)
    X[::7, 0, 0] = np.nan  # some splits see missing values, others do not
    assert_same_for_any_number_of_threads(tmp_path, mf.ForestClassifier, X, y, **params)


@pytest.mark.parametrize("n_estimators", [1, 3])
def test_a_shared_tree_can_be_interrupted(monkeypatch, n_estimators):
    calls = []

    def interrupt(done, total):
        calls.append(done)
        if len(calls) == 3:  # by now the root is split
            raise KeyboardInterrupt

    monkeypatch.setattr("manifoldforest.forests._growing._progress_lines", lambda name: interrupt)
    X, y, _ = images(np.float32)
    forest = mf.ForestClassifier(
        n_estimators, max_features=3000, projection=Sporf(), n_jobs=4, verbose=1
    )
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, y)
    assert calls == [0, 0, 0], "it was not stopped before the first tree was finished"

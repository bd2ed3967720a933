"""What a fit of a differentiable boundary tree leaves behind, with a training without torch."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

import manifoldforest as mf
from manifoldforest.boundary import _differentiable
from manifoldforest.boundary._numpy_tree import build_tree


class NoTraining:
    """Stands for the training: the representation is the first two features."""

    def __init__(self, params, rows, codes, rng):
        self.rows, self.codes = rows, codes

    def run(self):
        return [0.5]

    def layers(self):
        return [(np.eye(self.rows.shape[1], 2, dtype=np.float32), np.zeros(2, dtype=np.float32))]

    def final_tree(self):
        return np.arange(len(self.rows)), build_tree(self.rows[:, :2], self.codes)


@pytest.fixture
def untrained(monkeypatch):
    monkeypatch.setattr(_differentiable, "Training", NoTraining)
    return mf.DifferentiableBoundaryTree(2, random_state=0)


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.15, random_state=0)


def test_the_tree_is_one_of_the_trees_of_boundary_forests(untrained, moons):
    X, y = moons[0].astype(np.float32), moons[1]
    untrained.fit(X, y)
    expected = build_tree(X, y)
    (tree,) = untrained.trees_
    assert type(tree) is mf.boundary.BoundaryTree
    np.testing.assert_array_equal(tree.example, expected.example)
    np.testing.assert_array_equal(tree.parent, expected.parent)
    np.testing.assert_array_equal(tree.label, y[expected.example])
    assert untrained.depth_.tolist() == [tree.depth] == [expected.node_depth.max()]
    assert untrained.n_nodes_.tolist() == [len(tree)]
    np.testing.assert_array_equal(untrained.stored_, np.sort(tree.example))
    np.testing.assert_array_equal(untrained.stored_examples_[0], X[untrained.stored_])
    np.testing.assert_array_equal(untrained.transform(X), X)
    assert untrained.score(X, y) > 0.8


def test_a_fit_replaces_all_attributes_in_one_step(untrained, moons, monkeypatch):
    names = []

    def recorded(self, name, value):
        if self is untrained:
            names.append(name)
        object.__setattr__(self, name, value)

    monkeypatch.setattr(type(untrained), "__setattr__", recorded)
    untrained.fit(*moons)
    assert names == ["__dict__"]


def test_a_fit_without_names_forgets_those_of_the_one_before(untrained, moons):
    X, y = moons
    untrained.fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert untrained.feature_names_in_.tolist() == ["a", "b"]
    untrained.fit(X, y)
    assert not hasattr(untrained, "feature_names_in_")


def test_parameters_that_are_set_during_a_fit_do_not_count(untrained, moons, monkeypatch):
    def run(training):
        untrained.set_params(paths="greedy", sigma=9.0)
        return [0.5]

    untrained.fit(*moons)
    before = untrained.predict_proba(moons[0])
    monkeypatch.setattr(NoTraining, "run", run)
    untrained.fit(*moons)
    np.testing.assert_array_equal(untrained.predict_proba(moons[0]), before)


def test_predictions_during_a_fit_are_those_of_one_fit(untrained, moons):
    X, y = moons
    names = np.array(["no", "yes"])[y]
    expected = [untrained.fit(X, labels).predict(X).tolist() for labels in (y, names)]
    done, errors = threading.Event(), []

    def ask():
        try:
            while not done.is_set():
                assert untrained.predict(X).tolist() in expected
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            untrained.fit(X, y)
            untrained.fit(X, names)
    finally:
        done.set()
        for thread in threads:
            thread.join(60)
    assert errors == []

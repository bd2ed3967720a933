"""How scikit-learn's tests are run on our classes."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.base import clone

from sklearn_suite import adapter
from sklearn_suite.suite import matches

X, Y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(
    ("pattern", "test", "expected"),
    [
        ("test_x", "test_x", True),
        ("test_x", "test_x[a-b]", True),
        ("test_x", "test_xy", False),
        ("test_x[b]", "test_x[a-b]", True),
        ("test_x[b-a]", "test_x[a-b]", True),
        ("test_x[c]", "test_x[a-b]", False),
        ("test_x[a]", "test_x[ab]", False),
        ("test_x[a]", "test_x", False),
    ],
)
def test_a_pattern_means_the_tests_with_its_parameters(pattern, test, expected):
    assert matches(pattern, test) is expected


def test_classes_are_substituted_only_inside_of_the_context():
    theirs = sklearn.ensemble.RandomForestClassifier
    with adapter.substituted():
        assert sklearn.ensemble.RandomForestClassifier is not theirs
        assert sklearn.tree.ExtraTreeRegressor.__module__ == "sklearn_suite.adapter"
    assert sklearn.ensemble.RandomForestClassifier is theirs


@pytest.mark.parametrize("name", sorted(adapter.FORESTS | adapter.TREES))
def test_parameters_are_those_of_scikit_learn(name):
    ours = (adapter.FORESTS | adapter.TREES)[name]()
    theirs = getattr(sklearn.ensemble, name, None) or getattr(sklearn.tree, name)
    defaults = theirs().get_params() | ({"splitter": "exact"} if name.startswith("De") else {})
    assert defaults.items() <= clone(ours).get_params(deep=False).items()


def test_a_parameter_that_forests_lack_is_refused():
    tree = adapter.TREES["DecisionTreeClassifier"](monotonic_cst=[1])
    with pytest.raises(NotImplementedError, match="monotonic_cst"):
        tree.fit(X, Y)


def test_a_tree_has_the_numbers_of_scikit_learns_tree():
    rng = np.random.default_rng(0)
    data, response = rng.normal(size=(200, 3)), rng.normal(size=200)
    ours = adapter.TREES["DecisionTreeRegressor"](max_depth=2, random_state=0).fit(data, response)
    theirs = sklearn.tree.DecisionTreeRegressor(max_depth=2, random_state=0).fit(data, response)
    for name in ("children_left", "children_right", "feature", "n_node_samples"):
        np.testing.assert_array_equal(getattr(ours.tree_, name), getattr(theirs.tree_, name))
    for name in ("threshold", "impurity", "value", "weighted_n_node_samples"):
        np.testing.assert_allclose(
            getattr(ours.tree_, name), getattr(theirs.tree_, name), rtol=1e-6
        )
    np.testing.assert_array_equal(ours.apply(data), theirs.apply(data))

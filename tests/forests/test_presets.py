"""Forests by name: those of the papers, and recipes for kinds of data."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine

from manifoldforest import (
    ForestClassifier,
    ForestRegressor,
    KernelForestRegressor,
    MetricForestRegressor,
    named_forest,
)
from manifoldforest.projections import (
    Axis,
    ForestRC,
    Intervals,
    MeanDifference,
    Patches,
    RerF,
    Rotation,
    Sporf,
)
from manifoldforest.spaces import Isomap

EXPECTED = {
    "RF": (Axis(), False),
    "F-RC": (ForestRC(), False),
    "RerF": (RerF(), False),
    "RerF(r)": (RerF(), True),
    "RerF(d)": (RerF() + MeanDifference(), False),
    "RerF(d+r)": (RerF() + MeanDifference(), True),
    "RotRF": (Rotation(), False),
    "SPORF": (Sporf(), False),
    "MORF": (Patches(), False),
}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize(
    ("task", "kind"), [("classification", ForestClassifier), ("regression", ForestRegressor)]
)
def test_a_name_decides_projection_and_ranks_only(name, task, kind):
    forest = named_forest(name, task=task)
    assert type(forest) is kind
    assert (forest.projection, forest.ranks) == EXPECTED[name]
    ours, default = forest.get_params(deep=False), kind().get_params(deep=False)
    assert {key for key in ours if ours[key] != default[key]} <= {"projection", "ranks"}


def test_classification_is_the_default():
    assert type(named_forest("RF")) is ForestClassifier


def test_params_win():
    forest = named_forest("RerF(r)", n_estimators=7, ranks=False, projection="axis")
    assert (forest.n_estimators, forest.ranks, forest.projection) == (7, False, "axis")


def test_params_of_the_projection():
    assert named_forest("MORF", projection__max_size=5).projection == Patches(max_size=5)
    forest = named_forest("RerF(d)", projection__rerf__variant="2016")
    assert forest.projection == RerF("2016") + MeanDifference()
    assert clone(forest).set_params(projection__rerf=Sporf()).projection.parts[0][1] == Sporf()


def test_two_forests_share_nothing():
    first, second = named_forest("MORF"), named_forest("MORF")
    first.set_params(projection__max_size=3)
    assert second.projection == Patches()


def test_refusals():
    with pytest.raises(
        ValueError,
        match="name must be one of 'RF', .*'MORF', 'QUANT', 'dRF', .*'table', got 'CNN'",
    ):
        named_forest("CNN")
    with pytest.raises(TypeError, match=r"name must be one of 'RF', .* got \['RF'\]"):
        named_forest(["RF"])
    with pytest.raises(ValueError, match="task must be .* got 'clustering'"):
        named_forest("RF", task="clustering")
    with pytest.raises(ValueError, match="Invalid parameter 'trees'"):
        named_forest("RF", trees=3)
    with pytest.raises(ValueError, match="Invalid parameter 'max_size'"):
        named_forest("RF", projection__max_size=3)


@pytest.mark.parametrize(
    ("task", "kind", "expected"),
    [
        (None, ForestClassifier, {"max_features": "2sqrt", "criterion": "gini"}),
        ("classification", ForestClassifier, {"max_features": "2sqrt", "criterion": "gini"}),
        ("regression", ForestRegressor, {"max_features": 1.0, "criterion": "squared_error"}),
    ],
)
def test_the_recipe_for_tables(task, kind, expected):
    forest = named_forest("table", task=task)
    assert type(forest) is kind
    assert forest.projection == Sporf(scale="std")
    assert {name: forest.get_params()[name] for name in expected} == expected
    assert (forest.bootstrap, forest.splitter, forest.min_samples_leaf) == (True, "auto", 1)
    assert named_forest("table", task=task, projection__rate=2, bootstrap=False).get_params(
        deep=False
    ) == forest.set_params(projection__rate=2, bootstrap=False).get_params(deep=False)


def test_the_recipe_for_tables_does_not_depend_on_units():
    X, y = load_wine(return_X_y=True)
    units = 2.0 ** np.random.default_rng(0).integers(-20, 20, X.shape[1])
    forest = named_forest("table", n_estimators=20, random_state=0)
    expected = clone(forest).fit(X[::2], y[::2]).predict_proba(X[1::2])
    actual = forest.fit(X[::2] * units, y[::2]).predict_proba(X[1::2] * units)
    assert_array_equal(actual, expected)
    assert (expected.argmax(axis=1) == y[1::2]).mean() > 0.93


def test_forests_for_responses_on_manifolds():
    drf = named_forest("dRF", space=Isomap(7), embedding_dim=2)
    assert isinstance(drf, MetricForestRegressor)
    assert (drf.prediction, drf.embedding_dim) == ("drf", 2)
    assert isinstance(named_forest("kRF", "regression", bandwidth=2.5), KernelForestRegressor)
    with pytest.raises(ValueError, match="task must be 'regression' for kRF"):
        named_forest("kRF", "classification")


def test_quant_is_a_forest_of_extra_trees_on_quantiles_of_intervals():
    forest = named_forest("QUANT", n_estimators=5, random_state=0)
    assert forest.projection in ("intervals", Intervals())
    assert (forest.splitter, forest.bootstrap, forest.criterion) == ("random", False, "entropy")
    assert named_forest("QUANT").n_estimators == 200
    series = np.random.default_rng(0).normal(size=(40, 30))
    series[20:, 10:20] *= 3
    labels = np.repeat([0, 1], 20)
    assert forest.fit(series, labels).score(series, labels) == 1
    assert forest.max_features_ == forest._model.bank.n_cells // 10

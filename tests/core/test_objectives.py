"""What belongs to an objective is known by the core alone, and asked by its name."""

import re

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest import _core
from manifoldforest._units import Unit

CLASSES, NUMBERS = _core.objectives("classes"), _core.objectives("numbers")

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
WEIGHT = rng.random(40)


def grown(criterion, **params):
    kind = mf.ForestClassifier if criterion in CLASSES else mf.ForestRegressor
    return kind(2, criterion=criterion, bootstrap=False, random_state=0, **params)


def responses(criterion, n_outputs=1):
    if criterion in CLASSES:
        y = rng.integers(0, 3, size=(40, n_outputs))
    else:
        y = rng.integers(1, 9, size=(40, n_outputs)) / 4
    return y[:, 0] if n_outputs == 1 else y


@pytest.mark.parametrize(
    ("estimator", "names"), [(mf.ForestClassifier, CLASSES), (mf.ForestRegressor, NUMBERS)]
)
def test_estimators_list_the_criteria_that_the_core_has(estimator, names):
    listed = re.search(r"^ *criterion : \{(.*)\}, default=", estimator.__doc__, re.MULTILINE)
    assert re.findall(r'"(\w+)"', listed.group(1)) == names
    assert estimator().criterion == names[0]
    with pytest.raises(ValueError, match="criterion must be one of") as refused:
        estimator(criterion="none").fit(X, np.arange(40) % 2)
    assert re.findall(r"'(\w+)'", str(refused.value))[:-1] == names


@pytest.mark.parametrize("estimator", [mf.MetricForestRegressor, mf.KernelForestRegressor])
def test_metric_forests_learn_points(estimator):
    assert _core.objectives("points") == [estimator.criterion]


def test_names():
    assert {name: _core.objective(name).name for name in CLASSES + NUMBERS} == {
        **{name: name for name in CLASSES + NUMBERS},
        "log_loss": "entropy",
    }
    assert {_core.objective(name).view for name in CLASSES} == {"classes"}
    assert {_core.objective(name).view for name in NUMBERS} == {"numbers"}
    with pytest.raises(ValueError, match="unknown criterion twoing"):
        _core.objective("twoing")
    with pytest.raises(ValueError, match="there is no objective for ranks"):
        _core.objectives("ranks")
    with pytest.raises(ValueError, match="criterion gini has no parameter l2"):
        _core.objective("gini", {"l2": 1.0})


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
def test_targets_must_be_of_the_view(criterion):
    objective, labels = _core.objective(criterion), np.ones((2, 1), np.int32)
    if criterion in CLASSES:
        objective.check(labels, [2])
        with pytest.raises(
            ValueError, match=f"y must hold classes for the criterion {objective.name}"
        ):
            objective.check(np.ones((2, 1)))
    else:
        objective.check(np.ones((2, 1)))
        with pytest.raises(ValueError, match=f"y must hold numbers for the criterion {criterion}"):
            objective.check(labels, [2])


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("weight", [None, WEIGHT, WEIGHT * (np.arange(40) % 3 > 0)])
@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
def test_what_no_tree_knows_is_the_value_of_a_node_with_all_rows(criterion, weight, n_outputs):
    forest = grown(criterion, max_depth=1)
    y = responses(criterion, n_outputs)
    model = forest.fit(X, y, sample_weight=weight)._model
    root = model.trees["value"][0]
    assert model.fallback == pytest.approx(root, rel=1e-6 if criterion in CLASSES else 1e-14)


def test_there_is_one_median():
    y = np.array([1.0, 2.0])
    forest = mf.ForestRegressor(3, criterion="absolute_error", bootstrap=False, min_samples_leaf=2)
    forest.fit([[0.0], [1.0]], y)
    assert forest.predict([[0.0]]) == forest._model.fallback == 1.5


@pytest.mark.parametrize("criterion", NUMBERS)
def test_gains_follow_the_size_of_responses(criterion):
    y = responses(criterion)
    power = _core.objective(criterion).power
    once, twice = (grown(criterion).fit(X, factor * y)._model.trees["gain"] for factor in (1, 2))
    assert np.array_equal(twice, once * np.float32(2**power))


def test_balanced_weights():
    y = np.array([[0, 1], [0, 1], [1, 0], [0, 0]], dtype=np.int32)
    weight = np.array([1.0, 2.0, 3.0, 0.0])
    factor = _core.balanced_weights(y, [3, 2], weight)
    assert factor.tolist() == [6 / (2 * 3) * 1, 1.0, 6 / (2 * 3) * 1, 1.0]
    factor = _core.balanced_weights(y[:, :1].copy(), [3], np.array([1.0, 1.0, 6.0, 2.0]))
    assert factor.tolist() == [10 / (2 * 4)] * 2 + [10 / (2 * 6)] + [10 / (2 * 4)]
    with pytest.raises(ValueError, match="n_classes must have one entry"):
        _core.balanced_weights(y, [2], weight)


def test_balanced_weights_of_extreme_size_are_relative():
    y = np.repeat(np.array([[0], [1]], dtype=np.int32), 8, axis=1)
    factor = _core.balanced_weights(y, [2] * 8, np.array([1.0, 2.0**-180]))
    assert np.isfinite(factor).all()
    assert factor.max() > 0


@pytest.mark.parametrize(
    ("largest", "exponent"), [(0.0, 0), (0.25, 0), (4.0, 0), (0.2, -2), (5.0, 3), (2.0**900, 901)]
)
def test_units_are_for_extreme_sizes(largest, exponent):
    unit = Unit.of(largest, low=0.25, high=4.0)
    assert unit == Unit(exponent)
    assert unit.up(unit.down(largest)) == largest
    if exponent:
        assert 0.5 <= unit.down(largest) < 1


def test_units_of_products_and_limits():
    assert Unit(-5) ** 2 == Unit(-10)
    assert Unit(3) ** 0 == Unit()
    assert Unit(3).limit(4) == 0.5
    assert Unit(-1000).limit(2.0**900) == np.finfo(float).max

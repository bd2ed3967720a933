"""Measures are those of scikit-learn, intervals those of resampled examples."""

import json
import re

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    confusion_matrix,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    median_absolute_error,
    precision_score,
    r2_score,
    recall_score,
    roc_auc_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import manifoldforest as mf
from manifoldforest.evaluation._bootstrap import bootstrap
from manifoldforest.evaluation._class_measures import ClassMeasures
from manifoldforest.evaluation._number_measures import NumberMeasures
from manifoldforest.evaluation._number_text import number_text

RNG = np.random.default_rng(0)
X, CODES = load_iris(return_X_y=True)
X = X + RNG.normal(scale=0.6, size=X.shape)
NAMES = np.array(["setosa", "versicolor", "virginica"])
TRAIN, TEST = slice(None, None, 2), slice(1, None, 2)
WEIGHT = RNG.integers(0, 4, 75).astype(float)
QUICK = {"n_bootstrap": 20}


class Known(BaseEstimator):
    """An estimator that says what it is given."""

    def __init__(self, answers, probabilities=None, classes=None):
        self.answers = answers
        if classes is not None:
            self.classes_ = np.asarray(classes)
        if probabilities is not None:
            self.predict_proba = lambda X: np.asarray(probabilities)

    def predict(self, X):
        return np.asarray(self.answers)


def values(result):
    return {name: interval.value for name, interval in result.metrics.items()}


# ----------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("labels", [NAMES[CODES], CODES > 0, CODES])
@pytest.mark.parametrize("voting", ["soft", "hard"])  # hard votes have many ties
def test_measures_of_labels_are_those_of_scikit_learn(labels, weight, voting):
    forest = mf.ForestClassifier(9, voting=voting, random_state=0).fit(X[TRAIN], labels[TRAIN])
    truth, predicted = labels[TEST], forest.predict(X[TEST])
    shares = forest.predict_proba(X[TEST])
    result = mf.evaluate(forest, X[TEST], truth, sample_weight=weight, **QUICK)
    found, given = values(result), {"sample_weight": weight}
    assert found["accuracy"] == pytest.approx(accuracy_score(truth, predicted, **given))
    assert found["error"] == pytest.approx(1 - found["accuracy"])
    assert found["balanced_accuracy"] == pytest.approx(
        balanced_accuracy_score(truth, predicted, **given)
    )
    assert found["log_loss"] == pytest.approx(log_loss(truth, shares, **given))
    two = shares.shape[1] == 2
    indicator = (truth[:, None] == forest.classes_).astype(float)
    squares = np.sum((shares - indicator) ** 2, axis=1) / (2 if two else 1)
    assert found["brier"] == pytest.approx(np.average(squares, weights=weight))
    area = roc_auc_score(truth, shares[:, 1] if two else shares, multi_class="ovr", **given)
    assert found["auc"] == pytest.approx(area)
    for name, score in (("precision", precision_score), ("recall", recall_score)):
        expected = score(truth, predicted, average=None, **given)
        np.testing.assert_allclose([part.metrics[name].value for part in result.parts], expected)
    np.testing.assert_allclose(result.confusion, confusion_matrix(truth, predicted, **given))
    assert [part.label for part in result.parts] == forest.classes_.tolist()
    present = truth if weight is None else truth[weight > 0]
    assert [part.n_samples for part in result.parts] == [
        np.sum(present == label) for label in forest.classes_
    ]
    assert result.n_samples == len(present)


def test_without_probabilities_there_are_no_measures_of_them():
    result = mf.evaluate(Known([0, 1, 1], classes=[0, 1]), X[:3], [0, 1, 0], **QUICK)
    assert values(result) == pytest.approx(
        {"accuracy": 2 / 3, "error": 1 / 3, "balanced_accuracy": 0.75}
    )


def test_labels_that_the_estimator_does_not_know_are_wrong():
    shares = [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]
    estimator = Known(["a", "b", "a"], shares, ["a", "b"])
    result = mf.evaluate(estimator, X[:3], ["a", "b", "c"], **QUICK)
    assert result.labels.tolist() == ["a", "b", "c"]
    assert result.metrics["accuracy"].value == pytest.approx(2 / 3)
    nothing = np.finfo(float).eps
    assert result.metrics["log_loss"].value == pytest.approx(-np.mean(np.log([0.5, 0.8, nothing])))
    with pytest.raises(ValueError, match="y must hold labels that the estimator has learned"):
        mf.evaluate(estimator, X[:3], [0, 1, 0])


def test_a_class_that_nothing_was_taken_for_has_no_precision():
    result = mf.evaluate(Known([0, 0], classes=[0, 1]), X[:2], [0, 1], **QUICK)
    precision = result.parts[1].metrics["precision"]
    assert np.isnan([precision.value, precision.low, precision.high]).all()
    assert result.to_dict()["classes"][1]["precision"]["value"] is None


def test_of_several_columns_of_labels_all_must_be_right():
    y = np.stack([CODES, CODES[::-1]], axis=1)
    forest = mf.ForestClassifier(5, random_state=0).fit(X[TRAIN], y[TRAIN])
    right = forest.predict(X[TEST]) == y[TEST]
    result = mf.evaluate(forest, X[TEST], y[TEST], **QUICK)
    assert result.metrics["accuracy"].value == pytest.approx(right.all(axis=1).mean())
    each = [part.metrics["accuracy"].value for part in result.parts]
    np.testing.assert_allclose(each, right.mean(axis=0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: mf.BoundaryForestClassifier(3, random_state=0),
        lambda: mf.BoostedForestClassifier(5, random_state=0),
        lambda: LogisticRegression(max_iter=1000),
        lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    ],
)
def test_any_classifier_can_be_evaluated(make):
    estimator = make().fit(X[TRAIN], NAMES[CODES[TRAIN]])
    result = mf.evaluate(estimator, X[TEST], NAMES[CODES[TEST]], **QUICK)
    expected = estimator.score(X[TEST], NAMES[CODES[TEST]])
    assert result.metrics["accuracy"].value == pytest.approx(expected)


def test_a_classifier_need_not_tell_its_classes():
    class Silent(ClassifierMixin, Known):
        pass

    result = mf.evaluate(Silent(["x", "y"]), X[:2], ["x", "x"], **QUICK)
    assert result.task == "classification"
    assert result.labels.tolist() == ["x", "y"]


# ---------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_measures_of_numbers_are_those_of_scikit_learn(weight):
    truth, predicted = X[TEST, 0], X[TEST, 1] + X[TEST, 2]
    result = mf.evaluate(Known(predicted), X[TEST], truth, sample_weight=weight, **QUICK)
    found, given = values(result), {"sample_weight": weight}
    assert found["rmse"] ** 2 == pytest.approx(mean_squared_error(truth, predicted, **given))
    assert found["mae"] == pytest.approx(mean_absolute_error(truth, predicted, **given))
    assert found["r2"] == pytest.approx(r2_score(truth, predicted, **given))
    repeated = np.ones(75, int) if weight is None else weight.astype(int)
    errors = np.repeat(np.abs(truth - predicted), repeated)
    assert found["median_absolute_error"] == pytest.approx(np.median(errors))
    assert not result.parts
    assert result.confusion is None


def test_of_several_outputs_there_are_means_and_each():
    truth, predicted = X[TEST, :2], X[TEST, 2:]
    result = mf.evaluate(Known(predicted), X[TEST], truth, **QUICK)
    found = values(result)
    each = mean_squared_error(truth, predicted, multioutput="raw_values")
    assert found["rmse"] == pytest.approx(np.sqrt(each).mean())
    np.testing.assert_allclose([part.metrics["rmse"].value for part in result.parts], each**0.5)
    assert found["r2"] == pytest.approx(r2_score(truth, predicted))
    assert found["median_absolute_error"] == pytest.approx(median_absolute_error(truth, predicted))


def test_numbers_without_variance_are_explained_or_not():
    result = mf.evaluate(Known([2.0, 2.0]), X[:2], [2.0, 2.0], **QUICK)
    assert result.metrics["r2"] == (1, 1, 1)
    result = mf.evaluate(Known([2.0, 3.0]), X[:2], [2.0, 2.0], **QUICK)
    assert result.metrics["r2"].value == 0


@pytest.mark.parametrize("make", [lambda: mf.BoundaryForestRegressor(3), LinearRegression])
def test_any_regressor_can_be_evaluated(make):
    data, y = load_diabetes(return_X_y=True)
    estimator = make().fit(data[::2], y[::2])
    result = mf.evaluate(estimator, data[1::2], y[1::2], **QUICK)
    assert result.metrics["r2"].value == pytest.approx(estimator.score(data[1::2], y[1::2]))


# -------------------------------------------------------------------------------------- responses


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("distance", [None, lambda a, b: float(np.abs(a - b))])
def test_measures_of_responses_are_distances(weight, distance):
    angles = np.arctan2(X[:, 1] - 3, X[:, 0] - 6)
    space = mf.spaces.Circle() if distance is None else mf.spaces.FromCallable(distance)
    y = angles if distance is None else angles.tolist()
    forest = mf.MetricForestRegressor(5, space=space, random_state=0)
    forest.fit(X[TRAIN], y[TRAIN])
    result = mf.evaluate(forest, X[TEST], y[TEST], sample_weight=weight, **QUICK)
    truth = forest.space_.check(y[TEST])
    distances = forest.space_.paired_distances(truth, forest.predict(X[TEST]))
    found = values(result)
    assert found["mean_distance"] == pytest.approx(np.average(distances, weights=weight))
    assert found["mean_squared_distance"] == pytest.approx(np.average(distances**2, weights=weight))
    assert found["explained_variance"] == pytest.approx(forest.score(X[TEST], y[TEST], weight))


# -------------------------------------------------------------------------------------- intervals


def test_intervals_are_quantiles_of_resampled_measures():
    truth = np.arange(40) % 2
    predicted = np.where(np.arange(40) % 5 == 0, 1 - truth, truth)
    measures = ClassMeasures(truth, predicted, 2, None)
    found = bootstrap(measures, np.ones(40), n_bootstrap=200, coverage=0.8, seed=3)
    rng, accuracies = np.random.default_rng(3), []
    for _ in range(200):
        rows = rng.integers(40, size=40)
        accuracies.append(np.mean(truth[rows] == predicted[rows]))
    assert found[0][0] == np.mean(truth == predicted)
    np.testing.assert_allclose([found[1][0], found[2][0]], np.quantile(accuracies, [0.1, 0.9]))


def test_a_weight_is_a_repeated_row_in_every_resample():
    truth, predicted = RNG.normal(size=(2, 12, 1))
    times = RNG.integers(0, 4, 12)
    twice = NumberMeasures(np.repeat(truth, times, axis=0), np.repeat(predicted, times, axis=0))
    weighted = NumberMeasures(truth, predicted)
    np.testing.assert_allclose(weighted(times.astype(float)), twice(np.ones(times.sum())))


def test_resamples_in_which_a_measure_is_not_defined_do_not_count():
    # one row of class 1: a resample without it has no area under the curve
    shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    estimator = Known([0, 0, 1], shares, [0, 1])
    result = mf.evaluate(estimator, X[:3], [0, 0, 1], n_bootstrap=50)
    assert result.metrics["auc"] == (1, 1, 1)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    # Percentile intervals of a mean of 60 rows hold it a little less often than 0.9. False alarms:
    # if they do so in at least 0.86 and at most 0.93 of all cases, 1e-4.
    n_trials, rng = 300, np.random.default_rng(0)
    n_held = 0
    for trial in range(n_trials):
        errors = np.abs(rng.normal(size=60))
        _, (low,), (high,) = bootstrap(
            lambda weight, errors=errors: np.array([weight @ errors / weight.sum()]),
            np.ones(60),
            n_bootstrap=200,
            coverage=0.9,
            seed=trial,
        )
        n_held += low <= np.sqrt(2 / np.pi) <= high  # the mean of the absolute of a normal
    assert stats.binom.ppf(5e-5, n_trials, 0.86) <= n_held <= stats.binom.isf(5e-5, n_trials, 0.93)


def test_the_seed_decides_and_more_coverage_is_wider():
    def interval(**params):
        estimator = Known(X[TEST, 1])
        return mf.evaluate(estimator, X[TEST], X[TEST, 0], **params).metrics["mae"]

    assert interval() == interval(random_state=0)
    assert interval() != interval(random_state=1)
    assert interval(coverage=0.99).low < interval(coverage=0.5).low
    assert interval(coverage=0.99).high > interval(coverage=0.5).high


# -------------------------------------------------------------------------------------- the result


def evaluated(kind):
    if kind == "classes":
        forest = mf.ForestClassifier(5, random_state=0).fit(X[TRAIN], NAMES[CODES[TRAIN]])
        return mf.evaluate(forest, X[TEST], NAMES[CODES[TEST]], **QUICK)
    if kind == "many classes":
        answers = np.array([f"<class number {i}> with a long name" for i in range(60)])
        shares = RNG.dirichlet(np.ones(60), 60)
        return mf.evaluate(Known(answers, shares, answers), X[:60], answers, **QUICK)
    truth, predicted = (X[TEST, 0], X[TEST, 1]) if kind == "number" else (X[TEST], X[TEST] ** 3)
    return mf.evaluate(Known(predicted * 1e5), X[TEST], truth * 1e5, **QUICK)


@pytest.mark.parametrize("kind", ["classes", "many classes", "number", "outputs"])
def test_the_text_is_a_table_of_at_most_80_columns(kind):
    result = evaluated(kind)
    lines = str(result).splitlines()
    assert max(map(len, lines)) <= 80
    assert repr(result) == str(result)
    first = next(iter(result.metrics.values()))
    assert number_text(first.value) in lines[3]
    assert "95 % interval" in str(result)


def test_the_text_shows_classes_and_their_confusion():
    result = evaluated("classes")
    text = str(result)
    for label, row in zip(result.labels, result.confusion, strict=True):
        assert re.search(rf"^{label} +{row.sum()} +\d\.\d{{4}} +\d\.\d{{4}}$", text, re.M)
        assert re.search(rf"^{label} +" + " +".join(map(str, row)) + "$", text, re.M)


def test_many_classes_are_not_all_in_the_text():
    result = evaluated("many classes")
    assert "and 30 more" in str(result)
    assert "true class" not in str(result)
    assert "auc" not in result.metrics
    assert len(result.parts) == 60


@pytest.mark.parametrize("kind", ["classes", "many classes", "number", "outputs"])
def test_the_dictionary_is_json(kind):
    result = evaluated(kind)
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    name, interval = next(iter(result.metrics.items()))
    assert content["metrics"][name] == interval._asdict()
    assert ("classes" in content) == ("classes" in kind)
    assert ("outputs" in content) == (kind == "outputs")
    if "classes" in kind:
        assert content["confusion"]["counts"] == result.confusion.tolist()


def test_the_page_is_escaped():
    page = evaluated("many classes")._repr_html_()
    assert "&lt;class number 0&gt;" in page
    assert "<class number" not in page
    assert "and 30 more" in page
    assert evaluated("classes")._repr_html_().count("<table") == 3


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"forest": None}, TypeError, "forest must be a fitted estimator that has predict"),
        ({"forest": LinearRegression}, TypeError, "forest must be"),
        ({"n_bootstrap": 0}, ValueError, "n_bootstrap must be an integer >= 1, got 0"),
        ({"coverage": 1.0}, ValueError, "coverage must be a number in"),
        ({"sample_weight": [1.0]}, ValueError, "sample_weight must have the shape"),
        ({"random_state": "x"}, TypeError, "random_state must be"),
        ({"y": X[TEST, :2]}, ValueError, "y must have as many outputs as predictions, 1, got 2"),
    ],
)
def test_wrong_arguments_are_named(params, error, message):
    good = {"forest": Known(X[TEST, 0]), "X": X[TEST], "y": X[TEST, 1]}
    with pytest.raises(error, match=message):
        mf.evaluate(**{**good, **params})

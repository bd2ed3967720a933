"""What reports say is what is true of the models."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, r2_score

import manifoldforest as mf
from manifoldforest.report import Report
from manifoldforest.report._content import Fact, Section, Table, as_json
from manifoldforest.report._text import columns, wrapped

X, Y = load_iris(return_X_y=True)
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
IRIS = load_iris().target_names[Y]
FOREST = mf.ForestClassifier(30, oob_score=True, max_depth=4, random_state=0).fit(X, IRIS)
REPORT = FOREST.describe()


def test_size_and_data_are_those_of_the_forest():
    content = REPORT.to_dict()
    trees = FOREST.trees_
    assert content["model"] == "ForestClassifier"
    assert content["data"]["rows"] == 150
    assert content["data"]["shape"] == [4]
    assert content["data"]["classes"] == ["setosa", "versicolor", "virginica"]
    assert content["size"]["trees"] == 30
    assert content["size"]["nodes"] == sum(tree.n_nodes for tree in trees)
    assert content["size"]["leaves"] == sum(int(tree.is_leaf.sum()) for tree in trees)
    depths = [int(tree.depth.max()) for tree in trees]
    assert content["size"]["depth"] == {
        "min": min(depths),
        "max": max(depths),
        "mean": pytest.approx(np.mean(depths)),
    }
    model = FOREST._model
    assert content["size"]["bytes"] > sum(array.nbytes for array in model.trees.arrays.values())


def test_changed_parameters_come_first_and_others_are_defaults():
    content = REPORT.to_dict()["parameters"]
    assert [*content][:4] == ["max_depth", "n_estimators", "oob_score", "random_state"]
    assert content["max_depth"] == 4
    assert content["defaults"]["min_samples_leaf"] == 1
    assert "max_depth" not in content["defaults"]
    assert {"n_jobs", "verbose"}.isdisjoint({*content, *content["defaults"]})
    lines = str(REPORT).splitlines()
    assert "  max_depth     4" in lines
    text = " ".join(str(REPORT).split())
    assert text.index("max_depth 4") < text.index("Parameters at their defaults: augment=None")


def test_a_forest_of_defaults_says_so():
    report = mf.ForestClassifier().fit(X, Y).describe()
    assert "All parameters have their defaults." in str(report)


def test_the_score_and_the_confusions_are_those_out_of_bag():
    content = REPORT.to_dict()["out_of_bag"]
    assert content["score"] == FOREST.oob_score_
    predicted = FOREST.classes_[FOREST.oob_decision_function_.argmax(axis=1)]
    assert content["confusion"] == confusion_matrix(IRIS, predicted).tolist()
    assert content["curve"]["trees"] == list(range(1, 31))
    assert content["curve"]["out of bag"][-1] == pytest.approx(1 - FOREST.oob_score_)
    assert f"accuracy out of bag  {FOREST.oob_score_:.4f}" in str(REPORT)


def test_the_score_out_of_bag_needs_no_parameter():
    silent = mf.ForestClassifier(30, max_depth=4, random_state=0).fit(X, IRIS)
    content = silent.describe().to_dict()
    assert content["out_of_bag"]["score"] == pytest.approx(FOREST.oob_score_)
    assert content["calibration"] == REPORT.to_dict()["calibration"]


def test_calibration_is_that_of_probabilities_out_of_bag():
    content = REPORT.to_dict()["calibration"]
    proba = FOREST.oob_decision_function_
    assert content["log_loss"] == pytest.approx(log_loss(IRIS, proba))
    assert content["brier"] == pytest.approx(np.mean(np.sum((proba - np.eye(3)[Y]) ** 2, axis=1)))
    two = mf.ForestClassifier(30, oob_score=True, random_state=0).fit(X, Y > 0)
    chance = two.oob_decision_function_[:, 1]
    found = two.describe().to_dict()["calibration"]
    assert found["brier"] == pytest.approx(brier_score_loss(Y > 0, chance))


def test_importances_are_those_of_the_forest():
    content = REPORT.to_dict()["importance"]
    assert content["gain"] == FOREST.feature_importances_.tolist()
    assert content["usage"] == FOREST.feature_usage_.tolist()
    best = int(FOREST.feature_importances_.argmax())
    assert f"x[{best}]" in str(REPORT).split("Features by the gain of their splits:")[1][:90]


def test_names_of_features_are_in_the_text():
    pandas = pytest.importorskip("pandas")
    forest = mf.ForestClassifier(5, random_state=0).fit(pandas.DataFrame(X, columns=NAMES), Y)
    content = forest.describe().to_dict()
    assert content["data"]["feature_names"] == NAMES
    assert any(name in content["tree"]["text"][0] for name in NAMES)
    assert any(name in content["atoms"]["atoms"][0]["text"] for name in NAMES)
    assert "x[" not in str(forest.describe())


def test_the_first_tree_is_written_down():
    lines = REPORT.to_dict()["tree"]["text"]
    tree = FOREST.trees_[0]
    atom, threshold = tree.split_text(0).split(" <= ")
    assert lines[0].replace("− ", "-") == f"{atom} <= {float(threshold):.4g}"
    assert len(lines) == int((tree.depth <= 3).sum())
    assert sum("rows" in line or "1 row" in line for line in lines) == len(lines) - sum(
        " <= " in line for line in lines
    )


def test_residuals_are_those_out_of_bag():
    data, target = load_diabetes(return_X_y=True)
    forest = mf.ForestRegressor(30, oob_score=True, random_state=0).fit(data, target)
    content = forest.describe().to_dict()["out_of_bag"]
    residual = target - forest.oob_prediction_
    assert content["score"] == forest.oob_score_ == r2_score(target, forest.oob_prediction_)
    assert content["rmse"] == pytest.approx(np.sqrt(np.mean(residual**2)))
    assert content["mae"] == pytest.approx(np.mean(np.abs(residual)))
    text = str(forest.describe())
    assert f"{np.quantile(residual, 0.05):.4g}" in text
    assert "calibration" not in forest.describe().to_dict()


def test_losses_are_those_of_each_round():
    forest = mf.BoostedForestClassifier(
        40, early_stopping=True, n_iter_no_change=2, learning_rate=0.5, random_state=0
    ).fit(*load_breast_cancer(return_X_y=True))
    content = forest.describe().to_dict()["losses"]
    assert content["curve"]["training"] == forest.train_loss_.tolist()
    assert content["curve"]["held out"] == forest.validation_loss_.tolist()
    assert content["kept"] == forest.n_estimators_
    assert content["rounds"] == len(forest.train_loss_)
    assert content["held_out"] == forest.validation_loss_[forest.n_estimators_ - 1]
    silent = mf.BoostedForestClassifier(3, random_state=0).fit(X, Y).describe()
    assert "early_stopping=True" in str(silent)


def test_distances_are_those_out_of_bag():
    angle = np.arctan2(X[:, 1] - 3, X[:, 0] - 6)
    forest = mf.MetricForestRegressor(20, space="circle", oob_score=True, random_state=0)
    content = forest.fit(X, angle).describe().to_dict()
    found = content["out_of_bag"]
    assert found["score"] == forest.oob_score_
    assert found["mean_distance"] == pytest.approx(np.nanmean(forest.oob_distance_))
    assert found["radius"]["0.9"] == forest.predict_region(X[:1], 0.9)[1]
    assert content["responses"]["prediction"] == "projected"
    assert "Circle" in content["responses"]["space"]


def test_boundary_forests_tell_what_they_store():
    images, labels = load_digits(return_X_y=True)
    forest = mf.BoundaryForestClassifier(5, random_state=0).fit(images[:200], labels[:200])
    content = forest.describe().to_dict()
    assert content["size"]["stored"] == len(forest.stored_)
    assert content["size"]["seen"] == 200
    assert content["size"]["nodes"] == forest.n_nodes_.tolist()
    assert content["size"]["depth"] == forest.depth_.tolist()
    assert content["growth"]["nodes_at_200"] == forest.n_nodes_.mean()
    index = mf.BoundaryIndex(5, random_state=0)
    index.add(images[:50], ids=np.arange(100, 150))
    content = index.describe().to_dict()
    assert content["data"] == {"points": 50, "shape": [64], "ids": [100, 149]}
    assert content["size"]["nodes"] == [50] * 5
    assert content["parameters"]["n_estimators"] == 5


# ------------------------------------------------------------------------------ what is missing


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"keep_samples": False}, "fit it with keep_samples=True"),
        ({"bootstrap": False}, "fit with bootstrap=True"),
        ({"refine": True}, "mf.evaluate(forest, X, y)"),
    ],
)
def test_what_is_not_known_is_named_with_a_way_to_know_it(params, sentence):
    report = mf.ForestClassifier(3, random_state=0, **params).fit(X, Y).describe()
    content = report.to_dict()["out_of_bag"]
    assert sentence in " ".join(content["notes"])
    assert "score" not in content
    assert "calibration" not in report.to_dict()
    assert sentence in " ".join(str(report).split())


def test_responses_without_a_score_say_how_to_get_one():
    report = mf.MetricForestRegressor(3, random_state=0).fit(X, X[:, 0]).describe()
    assert "oob_score=True" in " ".join(report.to_dict()["out_of_bag"]["notes"])


def test_a_curve_that_would_take_long_is_left_out(monkeypatch):
    monkeypatch.setattr("manifoldforest.report._out_of_bag._MAX_WORK", 10)
    content = FOREST.describe().to_dict()["out_of_bag"]
    assert "curve" not in content
    assert "mf.plot.error_over_trees(forest)" in " ".join(content["notes"])


def test_a_parameter_that_was_changed_after_the_fit_does_no_harm():
    forest = mf.ForestClassifier(3, random_state=0).fit(X, Y).set_params(projection="nonsense")
    assert "Sporf()" in str(forest.describe())


# ------------------------------------------------------------------------------------- the text


def test_lines_have_at_most_80_columns_whatever_names_are():
    pandas = pytest.importorskip("pandas")
    names = ["雪" * 50, "a" * 300, "two\nlines\tand \x1b[31mcolours", "$\\frac{1}{0}$"]
    labels = np.array(["b" * 200, "花" * 100, "line\nbreak"])[Y]
    forest = mf.ForestClassifier(3, random_state=0).fit(pandas.DataFrame(X, columns=names), labels)
    lines = str(forest.describe()).split("\n")
    assert max(map(columns, lines)) <= 80
    assert all(line.isprintable() for line in lines)


def test_wide_letters_take_two_columns():
    assert columns("a雪é") == 4
    assert columns("e\u0301") == 1


def test_long_words_are_broken_and_short_ones_are_not():
    lines = wrapped("x" * 100 + " end", "  name  ", "        ")
    assert lines == ["  name  " + "x" * 72, "        " + "x" * 28 + " end"]
    words = wrapped("word " * 40, "")
    assert set(" ".join(words).split()) == {"word"}
    assert max(map(len, words)) <= 80


def test_tables_are_aligned_and_have_bars():
    table = Table("Rows", ("name", "n"), [("long name", "1"), ("b", "200")], [0.5, 1.0])
    lines = str(Report("Title", "summary", [], [Section("key", "Section", tables=[table])]))
    assert lines.splitlines()[5:] == [
        "  Rows:",
        "  name         n",
        "  long name    1 ████████",
        "  b          200 ████████████████",
    ]


def test_values_become_json():
    given = {1: np.float32(0.5), "nan": float("nan"), "array": np.arange(2), "object": Fact}
    assert as_json(given) == {"1": 0.5, "nan": None, "array": [0, 1], "object": repr(Fact)}
    assert as_json((np.int64(3), np.bool_(True), None)) == [3, True, None]


def test_reports_that_say_the_same_are_equal():
    again = mf.ForestClassifier(30, oob_score=True, max_depth=4, random_state=0).fit(X, IRIS)
    other = mf.ForestClassifier(30, oob_score=True, max_depth=3, random_state=0).fit(X, IRIS)
    assert again.describe() == REPORT
    assert other.describe() != REPORT
    assert REPORT != "a text"
    assert repr(REPORT) == str(REPORT)

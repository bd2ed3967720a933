"""Pictures of predictions: the numbers that they show."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.metrics import confusion_matrix
from sklearn.tree import DecisionTreeClassifier

import manifoldforest as mf
from manifoldforest import plot

mpl.use("Agg")

RNG = np.random.default_rng(0)
PROBABILITY = RNG.random(500)
EVENT = (RNG.random(500) < PROBABILITY**2).astype(int)
SHARES = RNG.dirichlet([1, 1, 1], 500)
CLASSES = np.array(["a", "b", "c"])
TRUE = CLASSES[RNG.integers(0, 3, 500)]


@pytest.fixture
def ax():
    return Figure().subplots()


# ----------------------------------------------------------------------------------- calibration


@pytest.mark.parametrize("n_bins", [10, 7])
def test_points_of_two_classes_are_those_of_scikit_learn(ax, n_bins):
    assert plot.calibration(EVENT, PROBABILITY, ax, n_bins=n_bins) is ax
    observed, predicted = calibration_curve(EVENT, PROBABILITY, n_bins=n_bins)
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), predicted)
    np.testing.assert_allclose(ax.lines[-1].get_ydata(), observed)


def test_two_columns_are_the_same_as_the_second_of_them(ax):
    other = Figure().subplots()
    plot.calibration(EVENT, PROBABILITY, ax)
    plot.calibration(EVENT, np.stack([1 - PROBABILITY, PROBABILITY], axis=1), other)
    np.testing.assert_allclose(ax.lines[-1].get_xydata(), other.lines[-1].get_xydata())
    assert ax.get_xlabel() == "predicted probability of class 1"


def test_of_three_classes_the_most_probable_one_is_right_or_wrong(ax):
    plot.calibration(TRUE, SHARES, ax)
    right = CLASSES[SHARES.argmax(axis=1)] == TRUE
    observed, predicted = calibration_curve(right, SHARES.max(axis=1), n_bins=10)
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), predicted)
    np.testing.assert_allclose(ax.lines[-1].get_ydata(), observed)


def test_labels_say_which_class_a_column_belongs_to(ax):
    plot.calibration(TRUE, SHARES[:, ::-1], ax, labels=CLASSES[::-1])
    other = Figure().subplots()
    plot.calibration(TRUE, SHARES, other)
    np.testing.assert_allclose(ax.lines[-1].get_xydata(), other.lines[-1].get_xydata())


def test_bars_count_the_examples_of_bins(ax):
    plot.calibration(EVENT, PROBABILITY, ax)
    (bars,) = [axes for axes in ax.figure.axes if axes is not ax]
    counts = [patch.get_height() for patch in bars.patches]
    np.testing.assert_array_equal(counts, np.histogram(PROBABILITY, 10, (0, 1))[0])


def test_intervals_are_wilsons(ax):
    plot.calibration([0, 1, 1, 1], [0.15, 0.95, 0.95, 0.95], ax)
    lows, highs = np.array([segment[:, 1] for segment in ax.collections[0].get_segments()]).T
    expected = [binomtest(k, n).proportion_ci(method="wilson") for k, n in ((0, 1), (3, 3))]
    np.testing.assert_allclose(lows, [one.low for one in expected], atol=1e-4)
    np.testing.assert_allclose(highs, [one.high for one in expected], atol=1e-4)


def test_the_legend_tells_the_mean_gap(ax):
    plot.calibration([0, 1, 1, 1], [0.2, 0.6, 0.9, 0.9], ax)
    expected = (0.2 + 0.4 + 2 * 0.1) / 4
    assert ax.lines[-1].get_label() == f"observed, mean gap {expected:.3f}"


@pytest.mark.parametrize(
    ("proba", "params", "message"),
    [
        (SHARES[:, :2], {}, "sum to 1"),
        (SHARES[:3], {}, "proba must be .* with 500 rows"),
        (SHARES, {"labels": ["a", "b"]}, "labels must name the classes of the 3 columns"),
        (SHARES, {"labels": ["a", "b", "d"]}, "y_true must hold labels of the 3 classes"),
        (SHARES, {"labels": ["a", "b", "b"]}, "labels must be different"),
        (np.ones((500, 1)), {}, "two or more classes"),
    ],
)
def test_probabilities_must_fit_the_labels(proba, params, message):
    with pytest.raises(ValueError, match=message):
        plot.calibration(TRUE, proba, **params)


# ------------------------------------------------------------------------------ confusion_matrix


@pytest.mark.parametrize(
    ("normalize", "theirs"),
    [(None, None), ("true", "true"), ("predicted", "pred"), ("all", "all")],
)
def test_cells_are_those_of_scikit_learn(ax, normalize, theirs):
    predicted = CLASSES[SHARES.argmax(axis=1)]
    assert plot.confusion_matrix(TRUE, predicted, ax, normalize=normalize) is ax
    expected = confusion_matrix(TRUE, predicted, normalize=theirs)
    np.testing.assert_allclose(ax.images[0].get_array(), expected)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b", "c"]
    written = {text.get_position(): float(text.get_text()) for text in ax.texts}
    digits = 0 if normalize is None else 2
    for row, column in np.argwhere(expected):
        assert written[column, row] == round(expected[row, column], digits)


def test_labels_order_the_classes_and_add_those_that_do_not_occur(ax):
    plot.confusion_matrix([1, 2], [1, 1], ax, labels=[3, 2, 1], normalize="true")
    np.testing.assert_array_equal(ax.images[0].get_array(), [[0, 0, 0], [0, 0, 1], [0, 0, 1]])


def test_cells_without_a_number_are_those_that_round_to_zero(ax):
    true, predicted = np.zeros(300, int), np.zeros(300, int)
    predicted[:4], true[-1] = 1, 1
    plot.confusion_matrix(true, predicted, ax, normalize="all")
    assert sorted(text.get_text() for text in ax.texts) == ["0.01", "0.98"]


def test_words_and_numbers_are_no_labels_of_one_kind():
    with pytest.raises(TypeError, match="y_pred must hold labels of the type of y_true"):
        plot.confusion_matrix(["a", "b"], [0, 1])


# ------------------------------------------------------------------------------------- residuals


def test_residuals_are_truth_minus_prediction(ax):
    assert plot.residuals([1.0, 2.0, 4.0], [2.0, 2.0, 1.0], ax) is ax
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), [[2, -1], [2, 0], [1, 3]])
    assert len(ax.lines) == 1


def test_outputs_have_points_of_their_own(ax):
    plot.residuals([[1.0, 2.0]], [[3.0, 5.0]], ax)
    points = [cloud.get_offsets().tolist() for cloud in ax.collections]
    assert points == [[[3, -2]], [[5, -3]]]


def test_many_points_have_a_median(ax):
    predicted = np.repeat(np.arange(4.0), 25)
    offset = np.tile(np.arange(25.0), 4) - 12
    plot.residuals(predicted + offset + predicted, predicted, ax)
    np.testing.assert_allclose(ax.lines[-1].get_xydata(), [[0, 0], [1, 1], [2, 2], [3, 3]])
    band = ax.collections[-1].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(-12 + 2.4)
    assert band[:, 1].max() == pytest.approx(3 + 12 - 2.4)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"y_pred must have the shape of y_true, \(2,\)"):
        plot.residuals([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="at most 10 outputs, got 11"):
        plot.residuals(np.ones((3, 11)), np.ones((3, 11)))


# --------------------------------------------------------------------------------- quantile_band


@pytest.fixture(scope="module")
def table():
    frame = pd.DataFrame({"time": np.repeat(np.arange(10.0), 20), "noise": RNG.random(200)})
    return frame, frame["time"].to_numpy() + RNG.normal(size=200)


@pytest.fixture(scope="module")
def regressor(table):
    return mf.ForestRegressor(20, min_samples_leaf=5, random_state=0).fit(*table)


def test_quantiles_are_means_over_equal_values(ax, table, regressor):
    X, y = table
    assert plot.quantile_band(regressor, X, y, "time", ax=ax) is ax
    quantiles = regressor.predict_quantiles(X, [0.05, 0.5, 0.95])
    np.testing.assert_allclose(
        ax.lines[0].get_ydata(), quantiles[:, 1].reshape(10, 20).mean(axis=1)
    )
    np.testing.assert_allclose(ax.lines[0].get_xdata(), np.arange(10))
    inside = np.mean((y >= quantiles[:, 0]) & (y <= quantiles[:, 2]))
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["y", f"0.05 to 0.95, holds {inside:.0%} of y", "median"]
    assert ax.get_xlabel() == "time"


def test_many_places_become_forty(ax, table, regressor):
    X, _ = table
    plot.quantile_band(regressor, X, feature=1, quantiles=[0.25, 0.75], ax=ax)
    assert not ax.lines
    edge = ax.collections[0].get_paths()[0].vertices
    assert len(np.unique(edge[:, 0])) == 40
    assert ax.get_xlabel() == "noise"


def test_the_feature_must_be_there(table, regressor):
    X, _ = table
    with pytest.raises(ValueError, match="feature must be the name of a column"):
        plot.quantile_band(regressor, X, feature="age")


def test_one_output_is_drawn(table):
    X, y = table
    forest = mf.ForestRegressor(2, random_state=0).fit(X, np.stack([y, y], axis=1))
    with pytest.raises(ValueError, match="forest must have one output, got 2"):
        plot.quantile_band(forest, X)


# --------------------------------------------------------------------------- proximity_embedding


def test_classes_have_their_colours(ax):
    X = RNG.normal(size=(30, 2))
    y = np.where(X[:, 0] > 0, "right", "left")
    forest = mf.ForestClassifier(10, random_state=0).fit(X, y)
    assert plot.proximity_embedding(forest, X, y, ax) is ax
    colors = plot.class_colors(2)[(y == "right").astype(int)]
    np.testing.assert_allclose(ax.collections[0].get_facecolors()[:, :3], colors)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["left", "right"]


def test_numbers_are_a_scale(ax, table, regressor):
    X, y = table
    plot.proximity_embedding(regressor, X, y, ax)
    np.testing.assert_array_equal(ax.collections[0].get_array(), y)


def test_alike_examples_are_close(ax):
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    forest = mf.ForestClassifier(10, bootstrap=False, random_state=0).fit(X, [0, 0, 1, 1])
    plot.proximity_embedding(forest, X, ax=ax)
    points = np.asarray(ax.collections[0].get_offsets())
    np.testing.assert_allclose(points[0], points[1], atol=1e-6)
    assert np.linalg.norm(points[0] - points[2]) == pytest.approx(1)
    assert ax.get_xlabel() == "dimension 1, 100% of squared distances"


@pytest.mark.parametrize("n", [2, 20_001])
def test_the_number_of_examples_is_limited(n):
    forest = mf.ForestClassifier(1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=f"X must have 3 to 20000 examples, got {n}"):
        plot.proximity_embedding(forest, np.zeros((n, 1)))


# ------------------------------------------------------------------------------ error_over_trees


def test_further_calls_add_curves(ax):
    X, y = mf.datasets.make_trunk(60, n_features=3, random_state=0)
    forest = mf.ForestClassifier(8, random_state=0).fit(X[:40], y[:40])
    assert plot.error_over_trees(forest, ax=ax) is ax
    plot.error_over_trees(forest, X[40:], y[40:], ax)
    assert [line.get_label() for line in ax.lines] == ["out of bag", "given examples"]
    assert ax.lines[1].get_ydata()[-1] == pytest.approx(1 - forest.score(X[40:], y[40:]))
    highest = max(line.get_ydata().max() for line in ax.lines)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > highest


def test_a_single_tree_is_a_point(ax):
    forest = mf.ForestClassifier(1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    plot.error_over_trees(forest, [[0.0], [1.0]], [0, 1], ax)
    assert ax.lines[0].get_marker() == "o"
    assert len(ax.lines[0].get_xydata()) == 1


def test_examples_come_with_their_truth():
    forest = mf.ForestClassifier(2, random_state=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="y must be given together with X"):
        plot.error_over_trees(forest, [[0.0]])
    with pytest.raises(ValueError, match="X must be given together with y"):
        plot.error_over_trees(forest, y=[0])


def test_only_our_forests_know_the_errors_of_their_first_trees():
    with pytest.raises(TypeError, match="forest must be a forest of trees"):
        plot.error_over_trees(DecisionTreeClassifier())

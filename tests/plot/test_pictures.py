"""The content of the pictures of all public functions: labels, finite data, readable texts."""

import functools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

import manifoldforest as mf
from manifoldforest import plot
from plot.pictures import assert_good_picture, overlapping, text_boxes

mpl.use("Agg")

RNG = np.random.default_rng(0)
PLANE = RNG.normal(size=(200, 2))
SIDE = (PLANE[:, 0] > 0).astype(int)
IMAGES, BARS = mf.datasets.make_bars(60, random_state=0)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@functools.cache
def iris():
    return load_iris(return_X_y=True)


@functools.cache
def series():
    X = RNG.normal(size=(40, 2, 24))
    X[20:, 1, 8:16] += 2
    return X


@functools.cache
def bank_forest():
    forest = mf.named_forest("QUANT", n_estimators=10, random_state=0)
    return forest.fit(series(), np.repeat([0, 1], 20))


@functools.cache
def classifier():
    X, y = iris()
    return mf.ForestClassifier(20, random_state=0).fit(X[::2], y[::2])


@functools.cache
def regressor():
    return mf.ForestRegressor(20, random_state=0).fit(PLANE, PLANE[:, 0])


@functools.cache
def boosted():
    forest = mf.BoostedForestClassifier(
        60, learning_rate=0.5, early_stopping=True, n_iter_no_change=3, random_state=0
    )
    return forest.fit(*iris())


@functools.cache
def boundary():
    return mf.BoundaryForestClassifier(3, random_state=0).fit(PLANE, SIDE)


@functools.cache
def digits_forest():
    X, y = load_digits(return_X_y=True)
    images = X.reshape(-1, 8, 8)
    edges = mf.projections.Patches(view=mf.views.Gradients())
    return mf.ForestClassifier(5, projection=edges, random_state=0).fit(images[:300], y[:300])


def held_out_probabilities():
    X, y = iris()
    return y[1::2], classifier().predict_proba(X[1::2])


def unit_vectors(n, k):
    vectors = np.random.default_rng(1).normal(size=(n, k))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def matrices(n):
    factors = np.random.default_rng(1).normal(size=(n, 3, 3))
    return factors @ factors.transpose(0, 2, 1) + np.eye(3)


@functools.cache
def series_forest():
    X, y = mf.datasets.make_impulse(60, random_state=0)
    return mf.ForestClassifier(5, projection="axis", random_state=0).fit(X, y), X


def explained_digits():
    X, _ = load_digits(return_X_y=True)
    forest = digits_forest()
    return mf.shap_values(forest, X.reshape(-1, *forest.feature_shape_)[:3])


NAMES = np.array(["blackbird", "chaffinch", "nightingale"])

# name of a picture -> function that draws it in a new figure, and what it must have
PICTURES = {
    "importance_map of an image": (
        lambda: plot.importance_map(digits_forest()),
        {"images": 1, "labels": False},
    ),
    "importance_map of channels": (
        lambda: plot.importance_map(RNG.random((3, 40)), channel_axis=0),
        {"lines": 3},
    ),
    "importance_map of a table": (lambda: plot.importance_map(classifier()), {"collections": 1}),
    "shap_map of an image": (
        lambda: plot.shap_map(explained_digits(), example=1),
        {"images": 2, "labels": False},
    ),
    "shap_map of a series": (
        lambda: plot.shap_map(mf.shap_values(series_forest()[0], series_forest()[1][:2])),
        {"lines": 1, "collections": 1},
    ),
    "shap_map of a table": (
        lambda: plot.shap_map(mf.shap_values(classifier(), iris()[0][:2]), n_features=3),
        {"patches": 4, "labels": False},
    ),
    "shap_map of numbers": (
        lambda: plot.shap_map(mf.shap_values(regressor(), PLANE[:2])),
        {"patches": 2, "labels": False},
    ),
    "view_map": (lambda: plot.view_map(digits_forest()), {"images": 8, "labels": False}),
    "time_curves": (
        lambda: plot.time_curves(bank_forest(), series()),
        {"lines": 8, "collections": 4},
    ),
    "time_curves, by kind": (
        lambda: plot.time_curves(bank_forest(), by_kind=True, channels=[1]),
        {"lines": 10, "collections": 0},
    ),
    "time_curves, raw": (
        lambda: plot.time_curves(bank_forest(), series()[0], raw=True, channel_names=["a", "b"]),
        {"lines": 8, "collections": 4},
    ),
    "error_curves": (
        lambda: plot.error_curves(
            [100, 120, 1000],
            {"RF": [0.4, 0.3, 0.2], "MORF": [[0.3, 0.2], [0.2, 0.1], [0.1, 0.1]]},
            published={"MORF": [0.25, 0.15, 0.1]},
            bayes_error=0.05,
        ),
        {"lines": 4, "collections": 1},
    ),
    "error_curves of many sizes": (
        lambda: plot.error_curves(
            [100, 105, 110, *2 ** np.arange(7, 16)], {"RF": np.linspace(0.4, 0.1, 12)}
        ),
        {"lines": 1},
    ),
    "decision_boundary": (
        lambda: plot.decision_boundary(boundary(), PLANE, SIDE, resolution=20),
        {"images": 1, "collections": 2},
    ),
    "tree of a table": (
        lambda: plot.tree(classifier(), feature_names=["sepal length (cm)", "b", "$c", "d"]),
        {"images": 0, "labels": False},
    ),
    "tree of images": (
        lambda: plot.tree(digits_forest(), max_depth=2),
        {"images": 3, "labels": False},
    ),
    "tree of numbers": (lambda: plot.tree(regressor()), {"images": 0, "labels": False}),
    "tree, boosted": (lambda: plot.tree(boosted()), {"images": 0, "labels": False}),
    "atoms of a table": (lambda: plot.atoms(classifier(), 5), {"patches": 5, "labels": False}),
    "atoms of images": (
        lambda: plot.atoms(digits_forest(), 8),
        {"images": 8, "labels": False},
    ),
    "boundary_tree": (lambda: plot.boundary_tree(boundary()), {"labels": False}),
    "boundary_growth": (
        lambda: plot.boundary_growth({"RF": boundary(), "other": boundary()}),
        {"lines": 2, "collections": 2},
    ),
    "responses, vectors": (
        lambda: plot.responses(PLANE, {"kRF": 0.9 * PLANE, "dRF": PLANE + 0.1}),
        {},
    ),
    "responses, images": (
        lambda: plot.responses(IMAGES[:8], {"kRF": IMAGES[8:16]}, kind="images", known=IMAGES[:8]),
        {"labels": False},
    ),
    "responses, angles": (
        lambda: plot.responses(PLANE[:, 0], {"kRF": PLANE[:, 0] + 0.1}, kind="angles"),
        {},
    ),
    "responses, ring": (
        lambda: plot.responses(PLANE[:, 0], {"kRF": PLANE[:, 0] + 0.1}, kind="ring"),
        {"labels": False},
    ),
    "responses, sphere": (
        lambda: plot.responses(unit_vectors(30, 3), {"dRF": unit_vectors(30, 3)}, kind="sphere"),
        {"labels": False},
    ),
    "responses, ellipsoids": (
        lambda: plot.responses(matrices(6), {"dRF": matrices(6)}, kind="ellipsoids"),
        {"labels": False},
    ),
    "error_over_trees": (
        lambda: plot.error_over_trees(classifier(), iris()[0], iris()[1]),
        {"lines": 1},
    ),
    "error_over_trees, out of bag": (lambda: plot.error_over_trees(regressor()), {"lines": 1}),
    "error_over_trees of large numbers": (
        lambda: plot.error_over_trees(regressor(), PLANE, 1e7 * PLANE[:, 0]),
        {"lines": 1},
    ),
    "error_over_trees, boosted": (
        lambda: plot.error_over_trees(boosted(), *iris()),
        {"lines": 4},
    ),
    "calibration": (
        lambda: plot.calibration(*held_out_probabilities()),
        {"lines": 2, "collections": 1},
    ),
    "calibration of two classes": (
        lambda: plot.calibration(SIDE, np.clip(0.5 + PLANE[:, 0] / 4, 0, 1)),
        {"lines": 2, "collections": 1},
    ),
    "confusion_matrix": (
        lambda: plot.confusion_matrix(NAMES[[0, 1, 2, 2]], NAMES[[0, 2, 2, 1]], normalize="true"),
        {"images": 1, "texts": 4},
    ),
    "confusion_matrix of many classes": (
        lambda: plot.confusion_matrix(np.arange(60), np.arange(60)[::-1]),
        {"images": 1, "texts": 60},
    ),
    "confusion_matrix of many examples": (
        lambda: plot.confusion_matrix(
            RNG.integers(0, 26, 100_000), RNG.integers(0, 26, 100_000), normalize="all"
        ),
        {"images": 1},
    ),
    "residuals": (
        lambda: plot.residuals(PLANE[:, 0], PLANE[:, 0] + 0.1 * PLANE[:, 1]),
        {"lines": 2, "collections": 2},
    ),
    "residuals of outputs": (lambda: plot.residuals(PLANE, 0.9 * PLANE), {"collections": 2}),
    "quantile_band": (
        lambda: plot.quantile_band(
            regressor(), PLANE, PLANE[:, 0], quantiles=(0.05, 0.25, 0.5, 0.75, 0.95)
        ),
        {"lines": 1, "collections": 3},
    ),
    "proximity_embedding": (
        lambda: plot.proximity_embedding(classifier(), *iris()),
        {"collections": 1},
    ),
    "proximity_embedding of numbers": (
        lambda: plot.proximity_embedding(regressor(), PLANE, PLANE[:, 1]),
        {"collections": 1},
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_labelled_finite_and_readable(name):
    draw, expected = PICTURES[name]
    assert_good_picture(draw(), **expected)


def test_every_public_function_that_draws_is_tried():
    drawn = {name.replace(",", " ").split()[0] for name in PICTURES}
    functions = {name for name in plot.__all__ if callable(getattr(plot, name))}
    assert functions - {"class_colors", "method_colors"} == drawn


# ------------------------------------------------------------------------- the checks themselves


def good_axes():
    axes = plt.subplots(layout="constrained")[1]
    axes.plot([0, 1], [0, 1])
    axes.set(xlabel="x", ylabel="y")
    return axes


def test_a_good_picture_passes():
    assert_good_picture(good_axes(), lines=1, images=0)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda axes: axes.set_xlabel(""), "horizontal axis"),
        (lambda axes: axes.set_ylabel(""), "vertical axis"),
        (lambda axes: axes.plot([0, np.nan], [0, 1]), "Line2D"),
        (lambda axes: axes.scatter([0, np.inf], [0, 1]), "PathCollection"),
        (lambda axes: axes.imshow([[0, np.nan]]), "AxesImage"),
        (lambda axes: axes.plot([0, 1], [1, 0]), "2 lines"),
        (lambda axes: (axes.text(0.5, 0.5, "one"), axes.text(0.5, 0.5, "two")), "overlap"),
        (lambda axes: axes.set_xticks([0.5, 0.51], ["first", "second"]), "overlap"),
        (lambda axes: axes.figure.text(0.98, 0.5, "far out"), "leave"),
    ],
)
def test_a_fault_is_found(spoil, message):
    axes = good_axes()
    spoil(axes)
    with pytest.raises(AssertionError, match=message):
        assert_good_picture(axes, lines=1)


def test_labels_of_ticks_beyond_the_limits_are_not_seen():
    axes = good_axes()
    axes.set_xticks([0.5, 7.0], ["inside", "beyond"])
    axes.set_xlim(0, 1)
    axes.figure.canvas.draw()
    texts = [text for text, _ in text_boxes(axes.figure)]
    assert "inside" in texts
    assert "beyond" not in texts


def test_boxes_that_share_an_edge_do_not_overlap():
    assert not overlapping([("a", (0, 0, 10, 10)), ("b", (10, 0, 20, 10))])
    assert overlapping([("a", (0, 0, 10, 10)), ("b", (8, 8, 20, 20))]) == [("a", "b")]

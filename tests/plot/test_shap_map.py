"""Pictures of Shapley values: what is drawn, not how it looks."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import manifoldforest as mf
from manifoldforest import plot
from manifoldforest.explanation import ShapValues

mpl.use("Agg")

RNG = np.random.default_rng(0)


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def made_up(shape, n_values=None, names=None, n=3):
    """Values of examples that no forest has explained."""
    last = () if n_values is None else (n_values,)
    return ShapValues(
        values=RNG.normal(size=(n, *shape, *last)),
        base_values=np.full((n, *last), 0.25),
        data=RNG.normal(size=(n, *shape)).astype(np.float32),
        feature_names=names,
        output_names=None if n_values is None else [f"class {k}" for k in range(n_values)],
        scale="probability" if n_values else "response",
    )


def test_an_image_lies_below_its_values(ax):
    explained = made_up((4, 5), 3)
    assert plot.shap_map(explained, ax, example=1, output="class 2") is ax
    np.testing.assert_array_equal(ax.images[0].get_array(), explained.data[1])
    np.testing.assert_array_equal(ax.images[1].get_array(), explained.values[1, ..., 2])
    largest = np.abs(explained.values[1, ..., 2]).max()
    assert ax.images[1].get_clim() == (-largest, largest)
    assert ax.figure.axes == [ax]  # no colour bar


def test_values_of_colours_are_summed(ax):
    explained = made_up((4, 5, 3))
    plot.shap_map(explained, ax)
    np.testing.assert_array_equal(ax.images[1].get_array(), explained.values[0].sum(axis=-1))


def test_the_output_of_the_largest_prediction_is_drawn(ax):
    explained = made_up((4, 5), 3)
    predicted = explained.base_values + explained.values.sum(axis=(1, 2))
    plot.shap_map(explained, ax, example=2)
    drawn = explained.values[2, ..., int(predicted[2].argmax())]
    np.testing.assert_array_equal(ax.images[1].get_array(), drawn)


def test_a_series_is_a_line_with_coloured_points(ax):
    explained = made_up((40,))
    plot.shap_map(explained, ax, limit=2.0)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), explained.data[0])
    np.testing.assert_array_equal(ax.collections[0].get_array(), explained.values[0])
    assert ax.collections[0].get_clim() == (-2, 2)


def test_places_of_a_series_that_are_missing_have_no_point(ax):
    explained = made_up((40,))
    explained.data[0, 3] = np.nan
    plot.shap_map(explained, ax)
    assert len(ax.collections[0].get_offsets()) == 39


def test_bars_are_the_largest_values_and_the_sum_of_the_others(ax):
    explained = made_up((6,), names=list("abcdef"))
    explained.values[0] = [0.1, -3.0, 0.2, 2.0, -0.4, 0.0]
    explained.data[0] = [1, 2, 3, 4, 5, 6]
    plot.shap_map(explained, ax, n_features=2)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [-0.1, 2.0, -3.0])
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["4 other features", "d = 4", "b = 2"]
    assert ax.get_xlabel() == "SHAP value, from a mean of 0.25"
    up, down = ax.patches[1].get_facecolor(), ax.patches[2].get_facecolor()
    assert up != down


def test_features_without_names_are_named_by_their_place(ax):
    explained = made_up((2, 2))
    plot.shap_map(explained, ax, kind="bars", n_features=4)
    labels = {label.get_text().partition(" = ")[0] for label in ax.get_yticklabels()}
    assert labels == {"x[0, 0]", "x[0, 1]", "x[1, 0]", "x[1, 1]"}


def test_few_features_or_names_are_bars_and_many_numbers_a_series():
    assert plot.shap_map(made_up((30,))).patches
    assert plot.shap_map(made_up((40,), names=[f"f{k}" for k in range(40)])).patches
    assert plot.shap_map(made_up((31,))).collections
    assert plot.shap_map(made_up((30,)), kind="series").collections
    assert plot.shap_map(made_up((2, 3, 4, 5))).patches


def test_a_new_figure_has_a_colour_bar_with_the_scale():
    axes = plot.shap_map(made_up((4, 5), 2), output=1)
    bars = [other for other in axes.figure.axes if other is not axes]
    assert [bar.get_ylabel() for bar in bars] == ["SHAP value (probability) of class 1"]
    assert plot.shap_map(made_up((4, 5)), colorbar=False).figure.axes[1:] == []


def test_nothing_but_zeros_can_be_drawn(ax):
    forest = mf.ForestRegressor(2, random_state=0).fit(RNG.normal(size=(9, 3, 3)), np.ones(9))
    plot.shap_map(mf.shap_values(forest, RNG.normal(size=(1, 3, 3))), ax)
    assert ax.images[1].get_clim() == (-1, 1)


@pytest.mark.parametrize(
    ("shape", "params", "message"),
    [
        ((4, 5), {"kind": "series"}, r"kind must be one that .* \(4, 5\) .* got 'series'"),
        ((4,), {"kind": "image"}, "kind must be one that"),
        ((4,), {"example": 3}, r"example must be an integer in \[0, 2\], got 3"),
        ((4,), {"output": "class 9"}, "output must be .*'class 0', 'class 1'.* got 'class 9'"),
        ((4,), {"output": 2}, "output must be an integer in"),
        ((4,), {"limit": 0.0}, "limit must be"),
    ],
)
def test_shap_map_refuses(ax, shape, params, message):
    with pytest.raises(ValueError, match=message):
        plot.shap_map(made_up(shape, 2), ax, **params)

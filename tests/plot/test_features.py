"""Pictures: what is drawn, not how it looks."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

import manifoldforest as mf
from manifoldforest import plot
from manifoldforest.datasets import make_bars, make_impulse
from manifoldforest.projections import Patches

mpl.use("Agg")

SIZES = [10, 100, 1000]


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def image_forest():
    X, y = make_bars(40, random_state=0)
    return mf.ForestClassifier(5, projection=Patches(), random_state=0).fit(X, y)


# -------------------------------------------------------------------------------- importance_map


def test_a_forest_of_images_gives_an_image_of_its_usage(image_forest, ax):
    assert plot.importance_map(image_forest, ax) is ax
    np.testing.assert_array_equal(ax.images[0].get_array(), image_forest.feature_usage_)


def test_kind_gain_draws_the_importances(image_forest, ax):
    plot.importance_map(image_forest, ax, kind="gain")
    np.testing.assert_array_equal(ax.images[0].get_array(), image_forest.feature_importances_)


def test_a_forest_of_signals_gives_a_curve(ax):
    X, y = make_impulse(40, random_state=0)
    forest = mf.ForestClassifier(5, projection="axis", random_state=0).fit(X, y)
    plot.importance_map(forest, ax, color="red")
    assert len(ax.collections) == 1
    assert not ax.images
    assert ax.get_ylim()[1] >= forest.feature_usage_.max()


def test_flat_rows_take_the_shape_they_are_given(ax):
    X, y = make_bars(40, random_state=0)
    forest = mf.ForestClassifier(5, projection="axis", random_state=0).fit(X.reshape(40, -1), y)
    plot.importance_map(forest, ax, shape=(28, 28))
    assert ax.images[0].get_array().shape == (28, 28)


def test_numbers_of_both_signs_are_centred_at_zero(ax):
    plot.importance_map([[-1.0, 0.5], [0.0, 3.0]], ax)
    assert ax.images[0].get_clim() == (-3, 3)


def test_limit_makes_pictures_comparable(ax):
    plot.importance_map([[0.0, 1.0]], ax, limit=4)
    assert ax.images[0].get_clim() == (0, 4)


def test_nothing_but_zeros_can_be_drawn(ax):
    plot.importance_map(np.zeros((3, 3)), ax)
    assert ax.images[0].get_clim() == (0, 1)


def test_a_new_figure_without_axes():
    first, second = plot.importance_map([1, 2, 3]), plot.importance_map([1, 2, 3])
    assert isinstance(first, Axes)
    assert first.figure is not second.figure


def series_forest(axis):
    X, y = make_impulse(40, random_state=0)
    channels = np.stack([X, np.zeros_like(X)], axis=axis + (axis >= 0))  # behind the examples
    patches = Patches(max_size=5, channel_axis=axis)
    return mf.ForestClassifier(5, projection=patches, random_state=0).fit(channels, y)


@pytest.mark.parametrize("axis", [0, -1])
def test_a_series_with_channels_gives_one_labelled_curve_per_channel(ax, axis):
    forest = series_forest(axis)
    plot.importance_map(forest, ax, channel_names=["sensor", "nothing"])
    usage = np.moveaxis(forest.feature_usage_, axis, -1)
    curves = drawn(ax)
    assert list(curves) == ["sensor", "nothing"]
    np.testing.assert_array_equal(curves["sensor"].get_ydata(), usage[:, 0])
    np.testing.assert_array_equal(curves["nothing"].get_ydata(), usage[:, 1])
    assert curves["sensor"].get_color() != curves["nothing"].get_color()
    assert ax.get_legend() is not None


def test_channels_of_an_array_are_named_by_their_number(ax):
    plot.importance_map([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], ax, channel_axis=0)
    assert list(drawn(ax)) == ["channel 0", "channel 1"]
    assert ax.get_xlim() == (-0.5, 2.5)


@pytest.mark.parametrize("n_channels", [3, 4])
def test_a_colour_image_gives_one_map(ax, n_channels):
    values = np.arange(6.0 * n_channels).reshape(2, 3, n_channels)
    plot.importance_map(values, ax)
    np.testing.assert_array_equal(ax.images[0].get_array(), values.sum(axis=2))
    assert len(ax.images) == 1


def test_channels_may_come_first(ax):
    values = np.arange(30.0).reshape(5, 2, 3)
    plot.importance_map(values, ax, channel_axis=0)
    np.testing.assert_array_equal(ax.images[0].get_array(), values.sum(axis=0))


def test_a_new_figure_of_an_image_has_a_colour_bar(image_forest, ax):
    alone = plot.importance_map(image_forest)
    assert [other.get_ylabel() for other in alone.figure.axes if other is not alone] == ["usage"]
    assert plot.importance_map(image_forest, colorbar=False).figure.axes[1:] == []
    plot.importance_map(image_forest, ax)
    assert ax.figure.axes == [ax]
    plot.importance_map(image_forest, ax, colorbar=True)
    assert len(ax.figure.axes) == 2


def flat_forest(projection):
    X, y = np.random.default_rng(0).normal(size=(30, 60)), np.arange(30) % 2
    return mf.ForestClassifier(3, projection=projection, random_state=0).fit(X, y)


@pytest.mark.parametrize("axis", [1, -1])
def test_flat_rows_take_the_shape_and_the_channels_of_the_patches(ax, axis):
    forest = flat_forest(Patches(shape=(20, 3), channel_axis=axis))
    plot.importance_map(forest, ax, channel_names=["a", "b", "c"])
    usage = forest.feature_usage_.reshape(20, 3)
    for channel, curve in enumerate(drawn(ax).values()):
        np.testing.assert_array_equal(curve.get_ydata(), usage[:, channel])
    assert list(drawn(ax)) == ["a", "b", "c"]


def test_patches_may_count_their_common_channel_axis_from_either_end(ax):
    patches = Patches(shape=(3, 20), channel_axis=0) + Patches(shape=(3, 20), channel_axis=-2)
    plot.importance_map(flat_forest(patches), ax)
    assert len(drawn(ax)) == 3


@pytest.mark.parametrize(
    "projection",
    [
        Patches(shape=(20, 3), channel_axis=1) + Patches(),
        Patches(shape=(20, 3), channel_axis=1) + Patches(shape=(3, 20), channel_axis=0),
        Patches(shape=(2, 6, 5)),  # a volume
    ],
)
def test_flat_rows_without_a_common_shape_that_can_be_drawn_give_a_curve(ax, projection):
    plot.importance_map(flat_forest(projection), ax)
    assert len(ax.collections) == 1
    assert ax.get_xlim() == (-0.5, 59.5)


def test_a_given_shape_goes_before_that_of_the_patches(ax):
    plot.importance_map(flat_forest(Patches(shape=(20, 3), channel_axis=1)), ax, shape=(6, 10))
    assert ax.images[0].get_array().shape == (6, 10)


def test_an_estimator_needs_importances(ax):
    X, y = make_impulse(20, random_state=0)
    boundary = mf.BoundaryForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match=r"importance must be .* feature_usage_, .* got Boundary"):
        plot.importance_map(boundary, ax)


def test_a_forest_must_be_fitted(ax):
    with pytest.raises(NotFittedError):
        plot.importance_map(mf.ForestClassifier(), ax)


@pytest.mark.parametrize(
    ("importance", "params", "error", "message"),
    [
        (
            np.ones((2, 3, 5)),
            {},
            ValueError,
            r"importance must have one axis .* got 3 axes with 30 numbers",
        ),
        (
            np.ones((2, 3)),
            {"channel_axis": 2},
            ValueError,
            r"channel_axis must be an axis .* \(2, 3\), got 2",
        ),
        (np.ones(3), {"channel_axis": 0}, ValueError, "importance must have one axis"),
        (
            np.ones((9, 2)),
            {"channel_axis": 1, "channel_names": ["a"]},
            ValueError,
            "channel_names must have 2",
        ),
        (
            np.ones((9, 2)),
            {"channel_axis": 1, "channel_names": "ab"},
            TypeError,
            "channel_names must be a sequence of str, got an object of type str",
        ),
        (
            3.0,
            {},
            TypeError,
            "importance must be a fitted forest with feature_usage_, or an array of numbers",
        ),
        (
            mf.ForestClassifier,
            {},
            TypeError,
            "importance must be a fitted forest .* got the class ForestClassifier",
        ),
        ([1.0, np.inf], {}, ValueError, "importance must hold finite numbers"),
        (
            np.ones((9, 2)),
            {"channel_axis": 1, "channel_names": [1, None]},
            TypeError,
            r"channel_names must be a sequence of str, got \[1, None\]",
        ),
        (
            np.ones((9, 2)),
            {"channel_axis": 1, "channel_names": np.array("ab")},
            TypeError,
            "channel_names must be a sequence of str, got array",
        ),
        (np.ones(9), {"channel_names": ["a"]}, ValueError, "channel_names must be given only"),
        (np.ones((9, 2)), {"channel_names": ["a"]}, ValueError, "channel_names must be given only"),
        (
            np.ones((9, 2, 3)),
            {"channel_names": ["r", "g", "b"]},
            ValueError,
            "channel_names must be given only for a series with channels",
        ),
        (np.ones(0), {}, ValueError, "importance must have one axis"),
        (np.ones(6), {"shape": (2, 2)}, ValueError, r"shape must have 6 elements, got \(2, 2\)"),
        (np.ones(6), {"kind": "count"}, ValueError, "kind must be one of 'usage', 'gain', got"),
    ],
)
def test_importance_map_refuses(importance, params, error, message, ax):
    with pytest.raises(error, match=message):
        plot.importance_map(importance, ax, **params)


# ---------------------------------------------------------------------------------- error_curves


def drawn(ax):
    """Lines of the axes by the name in the legend."""
    return dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))


def test_repetitions_are_drawn_as_their_mean(ax):
    repeated = np.array([[0.4, 0.6], [0.2, 0.4], [0.1, 0.1]])
    assert plot.error_curves(SIZES, {"MORF": repeated}, ax=ax) is ax
    np.testing.assert_allclose(drawn(ax)["MORF"].get_ydata(), [0.5, 0.3, 0.1])
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(0.5 + 0.1)  # one standard error


def test_published_values_are_hollow_and_of_the_same_colour(ax):
    plot.error_curves(
        SIZES, {"MORF": [0.5, 0.3, 0.1]}, published={"MORF": [0.5, np.nan, 0.2]}, ax=ax
    )
    ours, theirs = drawn(ax)["MORF"], drawn(ax)["MORF, published"]
    assert theirs.get_markerfacecolor() == "none"
    assert to_hex(theirs.get_markeredgecolor()) == to_hex(ours.get_color())


def test_a_method_has_the_same_colour_in_every_picture():
    first = plot.error_curves(SIZES, {"RF": SIZES, "MORF": SIZES, "mine": SIZES})
    second = plot.error_curves(SIZES, {"MORF": SIZES})
    assert drawn(first)["MORF"].get_color() == drawn(second)["MORF"].get_color()
    assert len({line.get_color() for line in drawn(first).values()}) == 3


def test_bayes_error_and_no_legend(ax):
    plot.error_curves(SIZES, {"RF": [0.5, 0.3, 0.2]}, bayes_error=0.12, legend=False, ax=ax)
    assert [text.get_text() for text in ax.texts] == ["Bayes error"]
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("n_samples", "errors", "message"),
    [
        ([], {}, "n_samples must be a 1-D array of positive numbers"),
        ([0, 1], {}, "n_samples must be a 1-D array of positive numbers"),
        (SIZES, {"RF": [0.1, 0.2]}, r"errors\['RF'\] must have one entry .* got shape \(2,\)"),
    ],
)
def test_error_curves_refuses(n_samples, errors, message, ax):
    with pytest.raises(ValueError, match=message):
        plot.error_curves(n_samples, errors, ax=ax)


def test_without_matplotlib_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'manifoldforest\[plot\]'"):
        plot.importance_map([1, 2, 3])


def test_sizes_that_are_close_share_a_label(ax):
    plot.error_curves([100, 101, 200, 1000], {"RF": [0.4, 0.3, 0.2, 0.1]}, ax=ax)
    labels = [tick.get_text() for tick in ax.get_xticklabels()]
    assert labels == ["100", "", "200", "1000"]

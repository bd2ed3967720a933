"""Pictures of curves over time and frequency: what is drawn, not how it looks."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import manifoldforest as mf
from manifoldforest import plot
from manifoldforest.inspection import time_curves
from manifoldforest.projections import Intervals
from manifoldforest.views import Identity, Spectrum

mpl.use("Agg")

X = np.random.default_rng(0).normal(size=(40, 2, 24))
X[20:, 1, 8:16] += 2
LABELS = np.repeat([0, 1], 20)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def grown(projection=None):
    params = {} if projection is None else {"projection": projection}
    return mf.named_forest("QUANT", n_estimators=10, random_state=0, **params).fit(X, LABELS)


@pytest.fixture(scope="module")
def forest():
    return grown()


def heights(panel, line=0):
    return panel.lines[line].get_ydata()


def test_each_channel_has_a_panel_over_time_and_one_over_frequency(forest):
    axes = plot.time_curves(forest)
    relative = [time_curves(forest, over).of_channels() for over in ("time", "frequency")]
    for channel in (0, 1):
        for column in (0, 1):
            panel = axes[2 * channel + column]
            np.testing.assert_array_equal(heights(panel), relative[column][channel])
            assert (heights(panel, 1) == 1).all()
    assert [panel.get_title(loc="left") for panel in axes[::2]] == ["channel 0", "channel 1"]
    assert axes[0].get_ylim() == axes[2].get_ylim()


def test_shares_of_importance_are_drawn_with_what_equal_cells_would_have(forest):
    axes = plot.time_curves(forest, raw=True, channels=[1])
    curves = time_curves(forest)
    np.testing.assert_allclose(heights(axes[0]), curves.importance.sum(axis=0)[1])
    np.testing.assert_allclose(heights(axes[0], 1), curves.expected.sum(axis=0)[1])


def test_kinds_may_be_chosen_and_drawn_one_by_one(forest):
    curves = time_curves(forest)
    chosen = [curves.kinds[2], curves.kinds[0]]
    axes = plot.time_curves(forest, kinds=chosen, by_kind=True)
    assert len(axes) == 2  # there is nothing over frequency
    np.testing.assert_allclose(heights(axes[1], 0), curves.relative[0, 1])
    np.testing.assert_allclose(heights(axes[1], 1), curves.relative[2, 1])
    texts = [text.get_text() for text in axes[0].figure.legends[0].get_texts()]
    assert texts == [curves.kinds[0], curves.kinds[2]]
    given = Figure().subplots(2)
    plot.time_curves(forest, ax=given, kinds=chosen, by_kind=True)
    assert given[0].get_legend() is not None


@pytest.mark.parametrize("view", [Identity(), Spectrum()])
def test_a_forest_on_times_or_on_frequencies_alone_has_one_panel_for_each_channel(view):
    axes = plot.time_curves(grown(Intervals("mean", views=[view])))
    assert len(axes) == 2
    assert ("frequency" in axes[-1].get_xlabel()) == isinstance(view, Spectrum)


def behind(panel):
    (under,) = [other for other in panel.figure.axes if other is not panel and other.lines]
    return under.lines[0].get_xydata()


def test_an_example_or_the_mean_of_several_is_drawn_behind_the_curves(forest):
    drawn = behind(plot.time_curves(forest, X[3], channels=[1], kinds=["quantile of series"])[0])
    np.testing.assert_allclose(drawn[:, 1], X[3, 1])
    some = X.copy()
    some[0, 1, 5] = np.nan
    some[:, 1, 20:] = np.nan
    drawn = behind(plot.time_curves(forest, some, channels=[1], kinds=["quantile of series"])[0])
    np.testing.assert_allclose(drawn[:, 0], np.arange(20))
    np.testing.assert_allclose(drawn[:, 1], np.nanmean(some[:, 1, :20], axis=0))


def test_panels_are_drawn_where_it_is_said(forest):
    given = Figure().subplots(2, 2)
    assert plot.time_curves(forest, ax=given) == list(given.ravel())
    with pytest.raises(ValueError, match="ax must be 2 axes"):
        plot.time_curves(forest, ax=given, channels=[0])


def test_what_cannot_be_drawn(forest):
    with pytest.raises(ValueError, match="forest must have splits on cells of series"):
        plot.time_curves(mf.ForestClassifier(2).fit(X, LABELS))
    with pytest.raises(ValueError, match="X must be one example of shape"):
        plot.time_curves(forest, X[:, :1])
    with pytest.raises(ValueError, match="X must hold finite numbers"):
        plot.time_curves(forest, np.full((2, 24), np.inf))
    with pytest.raises(ValueError, match="channel_names must have 2 entries, got 1"):
        plot.time_curves(forest, channel_names=["left"])

"""Pictures of views: what is drawn, not how it looks."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

import manifoldforest as mf
from manifoldforest import plot
from manifoldforest.datasets import make_bars
from manifoldforest.projections import Patches
from manifoldforest.views import Difference, FromTransformer, Gradients, Identity, Spectrum

mpl.use("Agg")

X, Y = make_bars(40, random_state=0)
BYTES = (100 * (X > 0)).astype(np.uint8)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def forest():
    projection = Patches(view=Gradients(4)) + Patches(view=Spectrum(), max_size=3)
    return mf.ForestClassifier(5, projection=projection, random_state=0).fit(BYTES, Y)


def drawn(axes):
    return np.stack([panel.images[0].get_array() for panel in axes])


def test_a_forest_draws_what_it_gains_in_each_orientation(forest):
    axes = plot.view_map(forest)
    np.testing.assert_array_equal(drawn(axes), forest.view_importances_[0])
    assert [panel.get_title() for panel in axes] == ["0°", "90°", "180°", "270°"]
    assert len({panel.images[0].get_clim() for panel in axes}) == 1


def test_a_forest_draws_the_cells_that_it_sees_of_an_example(forest):
    seen = drawn(plot.view_map(forest, BYTES[3]))
    np.testing.assert_array_equal(seen, Gradients(4).transform(BYTES[3:4])[0])
    flat = drawn(plot.view_map(forest, BYTES[3].ravel().astype(float)))
    np.testing.assert_array_equal(flat, seen)


def test_other_views_of_a_forest(forest):
    axes = plot.view_map(forest, view=1)
    assert len(axes) == 28
    assert len(axes[0].collections) == 1


def test_a_view_draws_the_cells_of_an_example():
    cells = drawn(plot.view_map(Gradients(), X[0]))
    np.testing.assert_array_equal(cells, Gradients().transform(X[:1])[0])
    colours = np.stack([X[0], -2.0 * X[0]], axis=-1)
    cells = drawn(plot.view_map(Gradients(), colours, channel_axis=-1))
    np.testing.assert_array_equal(cells, Gradients().transform(colours[None], channel_axis=-1)[0])


@pytest.mark.parametrize(
    ("view", "example", "n_panels"),
    [
        (Spectrum(), X[0, 0], 1),
        (Difference(), X[0, :3], 3),
        (Identity(), X[0], 1),
        (FromTransformer(np.abs), X[:5], 5),
    ],
)
def test_curves_and_images_of_other_views(view, example, n_panels):
    assert len(plot.view_map(view, example)) == n_panels


def test_panels_are_drawn_where_it_is_said():
    given = Figure().subplots(2, 2)
    assert plot.view_map(Gradients(4), X[0], given) == list(given.ravel())
    with pytest.raises(ValueError, match="ax must be 8 axes"):
        plot.view_map(Gradients(8), X[0], given)


def test_what_cannot_be_drawn(forest):
    with pytest.raises(ValueError, match="example must be given"):
        plot.view_map(Gradients())
    with pytest.raises(ValueError, match="view must be below .* 2, got 2"):
        plot.view_map(forest, view=2)
    with pytest.raises(NotFittedError):
        plot.view_map(mf.ForestClassifier())
    raw = mf.ForestClassifier(2, projection=Patches()).fit(BYTES, Y)
    with pytest.raises(ValueError, match="view must be below .* 0, got 0"):
        plot.view_map(raw)

"""What figures of the experiments share."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from experiments import drawing

mpl.use("Agg")


@pytest.fixture
def ax():
    return Figure().subplots()


def labels(axis):
    return [tick.get_text() for tick in axis.get_ticklabels()]


def test_figures_are_closed_after_drawing_and_those_of_the_user_are_not():
    plt = drawing.pyplot()
    before = plt.get_fignums()  # other tests may have left some open
    with drawing.drawing():
        own = plt.figure().number
        with drawing.drawing():
            drawing.panels(1, 2, (4, 2))
        assert plt.get_fignums() == [*before, own]
    assert plt.get_fignums() == before


def test_panels_are_a_table_and_places_that_are_left_are_empty():
    with drawing.drawing():
        figure, table = drawing.panels(2, 3, (6, 4), "title", sharey=True)
        assert table.shape == (2, 3)
        assert [text.get_text() for text in figure.texts] == ["title"]
        figure, axes = drawing.panels_in_rows(4, 3, (6, 4))
        assert len(axes) == 4
        assert [ax.axison for ax in figure.axes] == [True] * 4 + [False] * 2


def test_ticks_of_a_log_scale_leave_out_labels_that_touch(ax):
    drawing.log_ticks(ax, "x", [10, 11, 100, 1000])
    assert ax.get_xscale() == "log"
    assert list(ax.get_xticks()) == [10, 11, 100, 1000]
    assert labels(ax.xaxis) == ["", "11", "100", "1000"]
    drawing.log_ticks(ax, "y", [5], ["five"])
    assert labels(ax.yaxis) == ["five"]


def test_numbers_are_short():
    assert [drawing.short_number(n) for n in (0.5, 50, 1000, 2500)] == ["0.5", "50", "1k", "2.5k"]


def test_log_scales_are_written_as_plain_numbers(ax):
    ax.set(xscale="log", xlim=(0.1, 20))
    drawing.plain_numbers(ax.xaxis)
    assert ax.xaxis.get_major_formatter()(0.2) == "0.2"
    ax.plot([0.02, 300], [0, 1])
    drawing.whole_decades(ax)
    assert ax.get_xlim() == (0.01, 1000)
    assert labels(ax.xaxis) == ["0.01", "1", "100"]


def test_a_band_has_the_colour_of_its_line(ax):
    drawing.band(ax, [1, 2], [0, 1], [1, 2], [2, 3], color="#0072B2", label="RF")
    assert ax.lines[0].get_label() == "RF"
    assert tuple(ax.collections[0].get_facecolor()[0]) == mpl.colors.to_rgba("#0072B2", 0.18)


def test_the_legend_is_below_all_panels():
    figure = Figure()
    styles = {"RF": {"color": "k"}, "published": {"color": "k", **drawing.PUBLISHED}}
    drawing.add_legend(figure, styles)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["RF", "published"]

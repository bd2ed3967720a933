"""The colours of methods and classes, which users may take for figures of their own."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from manifoldforest.plot import COLORS, MARKERS, class_colors, error_curves, method_colors


def test_named_methods_have_a_colour_and_a_marker_of_their_own():
    assert set(COLORS) == set(MARKERS)
    assert len(set(COLORS.values())) == len(set(MARKERS.values())) == len(COLORS)
    assert method_colors(COLORS) == COLORS


def test_unknown_methods_get_colours_that_no_named_one_has():
    names = ["dRF", "kRF", "1NN", "5NN", "mine", "yours"]
    colors = method_colors(names)
    assert list(colors) == names
    assert len(set(colors.values())) == 6


def test_colours_are_those_of_the_curves():
    ax = error_curves([10, 100], {"mine": [0.2, 0.1], "MORF": [0.1, 0.05]})
    colors = method_colors(["mine", "MORF"])
    assert {to_rgb(line.get_color()) for line in ax.lines} == set(map(to_rgb, colors.values()))
    ax.figure.clear()


def test_colours_repeat_where_there_are_more_methods():
    colors = method_colors(map(str, range(7)))
    assert colors["5"] == colors["0"]


@pytest.mark.parametrize("n_classes", [1, 2, 10, 11, 100])
def test_classes_have_different_colours(n_classes):
    colors = class_colors(n_classes)
    assert colors.shape == (n_classes, 3)
    assert len(np.unique(colors, axis=0)) == n_classes
    assert colors.min() >= 0
    assert colors.max() <= 1


def test_wrong_arguments_are_named():
    with pytest.raises(TypeError, match="names must be an iterable of strings, got 'RF'"):
        method_colors("RF")
    with pytest.raises(ValueError, match="n_classes must be an integer >= 1, got 0"):
        class_colors(0)
    with pytest.raises(TypeError, match="n_classes must be an integer >= 1, got 2.0"):
        class_colors(2.0)
    for names in (np.array(2), [[1]], [1]):
        with pytest.raises(TypeError, match="names must be an iterable of strings, got"):
            method_colors(names)

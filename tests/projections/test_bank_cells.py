"""The cells of a bank, as Python reads them, are those of the core."""

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest.forests._bank import bank_of
from manifoldforest.projections import DilatedKernels, Intervals, Sum
from manifoldforest.projections._bank_cells import bank_cells
from manifoldforest.views import Difference, Identity, Spectrum

EVERY = ["mean", "minimum", "maximum", "std", "slope", "position", "quantile"]
TEXT = {
    "intervals": {"std": "standard deviation", "position": "place of the maximum"},
    "kernels": {
        "maximum": "largest answer",
        "share": "share above a threshold",
        "mean": "mean answer",
        "position": "place of the largest answer",
    },
}
PLACES = {"series": "time", "differences": "difference", "spectrum": "frequency"}

INTERVALS = {
    "quantiles": Intervals(),
    "quantiles that are not centred": Intervals(centre=False, spacing=1),
    "all statistics": Intervals(EVERY, spacing=3),
    "without quantiles": Intervals(["slope", "mean"], views=[Identity()]),
    "random": Intervals(EVERY, intervals="random", random_state=3),
    "third differences": Intervals("std", views=[Difference(3), Difference(3, 1), Spectrum()]),
}
KERNELS = {
    "all pools": DilatedKernels(20),
    "one pool": DilatedKernels(20, pool="share"),
    "of differences": DilatedKernels(20, pool=["mean", "position"], view=Difference(2)),
    "of a spectrum": DilatedKernels(20, view=Spectrum()),
    "of both kinds": Sum([("kernels", DilatedKernels(5)), ("intervals", Intervals(EVERY))]),
}
SHAPES = [(16,), (3, 21), (2, 2, 9)]


def bank(projection, shape):
    rows = np.random.default_rng(0).normal(size=(5, int(np.prod(shape)))).astype(np.float32)
    return bank_of(projection._learned(rows, shape, np.ones(5)), shape)


def text_of(kind, cells, cell):
    """Return the text of a cell but for the numbers of kernels and quantiles."""
    name = cells.kinds[cells.kind[cell]]
    base = cells.source.removeprefix("kernels of ").removeprefix("the ")
    places = PLACES[base.rpartition(" ")[2]]
    begin, end = int(cells.begin[cell]), int(cells.end[cell])
    several = {"frequency": "frequencies"}.get(places, places + "s")
    interval = f"{places} {begin}" if end == begin + 1 else f"{several} {begin}-{end - 1}"
    if "-fold" in base:
        interval = f"{base.partition(' ')[0]} {interval}"
    series = f", series {cells.series[cell]}" if cells.n_series > 1 else ""
    return f"{TEXT[kind].get(name, name)} of {interval}{series}"


def without_numbers(text):
    words = text.split(" ")
    if words[0] == "quantile":
        return " ".join([words[0], *words[2:]])
    if "kernel" in words:
        place = words.index("kernel")
        return " ".join([*words[:place], *words[place + 2 :]])
    return text


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", [*INTERVALS, *KERNELS])
def test_the_cells_of_a_view_are_those_that_the_core_names(name, shape):
    made = bank({**INTERVALS, **KERNELS}[name], shape)
    first = 0
    for view in made.geometry.views:
        cells = bank_cells(*view)
        for cell in range(len(cells.kind)):
            text = without_numbers(made.geometry.cell_text(first + cell))
            assert text == text_of(view[0], cells, cell)
        first += len(cells.kind)
    assert first == made.n_cells


@pytest.mark.parametrize("name", [*INTERVALS, *KERNELS])
def test_the_times_of_a_cell_are_the_features_that_the_core_gives_it(name):
    made = bank({**INTERVALS, **KERNELS}[name], (2, 21))
    offsets, features = made.geometry.cell_features(np.arange(made.n_cells))
    first = 0
    for view in made.geometry.views:
        cells = bank_cells(*view)
        for cell in range(0 if cells.is_spectrum else len(cells.kind)):
            found = features[offsets[first + cell] : offsets[first + cell + 1]]
            times = np.arange(cells.begin[cell], cells.end[cell] + cells.order)
            np.testing.assert_array_equal(np.sort(found), 21 * cells.series[cell] + times)
        first += len(cells.kind)


def test_statistics_that_are_not_asked_for_are_no_kinds():
    (view,) = bank(Intervals(["slope", "mean"], views=[Identity()]), (16,)).geometry.views
    assert bank_cells(*view).kinds == ("mean", "slope")
    (view,) = bank(mf.projections.DilatedKernels(2, pool="share"), (16,)).geometry.views
    assert bank_cells(*view).kinds == ("share",)
    (view,) = bank(Intervals(centre=False, views=[Spectrum()]), (16,)).geometry.views
    assert bank_cells(*view).kinds == ("quantile",)
    assert bank_cells(*view).is_spectrum

"""Statistics of intervals against short NumPy versions."""

import numpy as np
import pytest

from manifoldforest.forests._bank import bank_of
from manifoldforest.projections import Intervals
from manifoldforest.projections._intervals import dyadic_intervals
from manifoldforest.views import Difference, Identity, Spectrum
from reference import views as reference

RNG = np.random.default_rng(0)
SERIES = RNG.normal(size=(6, 37)).cumsum(axis=1).astype(np.float32)
ALL = ("mean", "minimum", "maximum", "std", "slope", "position", "quantile")
BASES = {
    "series": (Identity(), lambda X: X),
    "differences": (Difference(), lambda X: reference.difference(X, 1, 5)),
    "second differences": (
        Difference(order=2, smoothing=1),
        lambda X: reference.difference(X, 2, 1),
    ),
    "spectrum": (Spectrum(), reference.spectrum),
}


def cells_of(projection, X, n_threads=1):
    rows = np.asarray(X, dtype=np.float32).reshape(len(X), -1)
    return bank_of(projection, X.shape[1:]).cells(rows, n_threads)


def places_of(projection, length):
    return projection._places(length, np.random.default_rng(projection.random_state))


def expected_cells(projection, values, centre=True):
    statistics = [projection.statistics] if isinstance(projection.statistics, str) else ALL
    places = places_of(projection, values.shape[-1])
    return np.stack(
        [
            reference.interval_cells(row, places, statistics, projection.spacing, centre)
            for row in values
        ]
    )


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("intervals", ["dyadic", "random"])
def test_all_statistics_of_all_bases(base, intervals):
    view, computed = BASES[base]
    projection = Intervals(ALL, intervals=intervals, views=[view])
    expected = expected_cells(projection, computed(SERIES.astype(np.float64)))
    np.testing.assert_allclose(cells_of(projection, SERIES), expected, rtol=3e-5, atol=2e-5)


@pytest.mark.parametrize("statistic", ALL)
@pytest.mark.parametrize("centre", [False, True])
def test_each_statistic_alone(statistic, centre):
    projection = Intervals(statistic, centre=centre, views=[Identity()], spacing=3)
    np.testing.assert_allclose(
        cells_of(projection, SERIES),
        expected_cells(projection, SERIES, centre),
        rtol=1e-5,
        atol=1e-5,
    )


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 64, 65])
def test_series_of_any_length(length):
    X = RNG.normal(size=(3, length)).astype(np.float32)
    projection = Intervals(ALL, views=[Identity(), Spectrum()])
    expected = [
        expected_cells(Intervals(ALL, views=[view]), computed(X))
        for view, computed in (BASES["series"], BASES["spectrum"])
    ]
    np.testing.assert_allclose(
        cells_of(projection, X), np.concatenate(expected, axis=1), rtol=1e-5, atol=1e-5
    )


def test_ties_and_extremes_are_those_that_come_first():
    X = np.array([[3, 1, 3, 1, 1, 3, 3, 1]], dtype=np.float32)
    projection = Intervals(("minimum", "maximum", "position"), views=[Identity()], depth=1)
    assert cells_of(projection, X).tolist() == [[1.0, 3.0, 0.0]]
    assert cells_of(projection, X[:, ::-1].copy()).tolist() == [[1.0, 3.0, np.float32(1 / 7)]]


def test_a_level_far_from_zero_costs_no_digits_of_deviations():
    far = (SERIES + np.float32(2.0**20)).astype(np.float32)
    for statistic in ("std", "slope"):
        projection = Intervals(statistic, views=[Identity()])
        near = cells_of(projection, (far - np.float32(2.0**20)).astype(np.float32))
        np.testing.assert_allclose(cells_of(projection, far), near, rtol=1e-6, atol=1e-7)


def test_channels_are_series_of_their_own():
    X = SERIES.reshape(2, 3, 37)
    projection = Intervals(ALL)
    together = cells_of(projection, X)
    apart = cells_of(projection, SERIES)
    widths = [len(apart[0]) // 1]
    bank = bank_of(projection, X.shape[1:])
    shapes = [bank.geometry.cell_shape(v) for v in range(4)]
    assert [shape[0] for shape in shapes] == [3, 3, 3, 3]
    of_view = np.split(apart, np.cumsum([shape[1] for shape in shapes])[:-1], axis=1)
    assert sum(part.shape[1] for part in of_view) == widths[0]
    expected = np.concatenate([part.reshape(2, -1) for part in of_view], axis=1)
    assert np.array_equal(together, expected)


@pytest.mark.parametrize("end", [1, 2, 20, 36])
def test_a_series_that_ends_early_has_intervals_in_proportion(end):
    X = SERIES.copy()
    X[:, end:] = np.nan
    projection = Intervals(ALL, views=[Identity()])
    places = places_of(projection, 37)
    begins = np.minimum(places[:, 0] * end // 37, end - 1)
    ends = np.maximum(places[:, 1] * end // 37, begins + 1)
    cells = cells_of(projection, X)
    whole = bank_of(projection, (37,))
    first = 0
    for (begin, stop), (b, e) in zip(places, zip(begins, ends, strict=True), strict=True):
        n_quantiles = 1 + (stop - begin - 1) // 4
        part = SERIES[:, b:e].astype(np.float64)
        np.testing.assert_allclose(cells[:, first], part.mean(axis=1), rtol=1e-5, atol=1e-5)
        levels = np.linspace(0, 1, n_quantiles) if n_quantiles > 1 else [0.5]
        quantiles = np.quantile(part, levels, axis=1).T
        quantiles[:, 1::2] -= part.mean(axis=1, keepdims=True)
        found = cells[:, first + 6 : first + 6 + n_quantiles]
        np.testing.assert_allclose(found, quantiles, rtol=1e-5, atol=2e-5)
        first += 6 + n_quantiles
    assert first == whole.n_cells
    assert not np.isnan(cells).any()


def test_differences_and_spectrum_of_a_series_that_ends_early_are_those_of_its_beginning():
    X = np.full((4, 50), np.nan, dtype=np.float32)
    X[:, :37] = SERIES[:4]
    for view, computed in BASES.values():
        projection = Intervals("mean", views=[view], depth=1)
        expected = computed(SERIES[:4].astype(np.float64)).mean(axis=1)
        np.testing.assert_allclose(cells_of(projection, X)[:, 0], expected, rtol=1e-5, atol=1e-5)


def test_values_that_are_missing_before_the_end_make_their_intervals_missing():
    X = SERIES.copy()
    X[:, 20] = np.nan
    projection = Intervals(ALL, views=[Identity()])
    np.testing.assert_allclose(
        cells_of(projection, X), expected_cells(projection, X), rtol=1e-5, atol=1e-5
    )


def test_an_example_of_nothing_has_no_cells_that_are_known():
    X = np.full((2, 12), np.nan, dtype=np.float32)
    assert np.isnan(cells_of(Intervals(ALL), X)).all()


def test_threads_and_batches_change_nothing():
    X = RNG.normal(size=(100, 64)).astype(np.float32)
    projection = Intervals(ALL)
    cells = cells_of(projection, X)
    assert np.array_equal(cells_of(projection, X, n_threads=3), cells)
    assert np.array_equal(cells_of(projection, X[17:18]), cells[17:18])


def test_dyadic_intervals_cover_the_series_at_every_level():
    for length in range(1, 80):
        places = dyadic_intervals(length, 6)
        assert ((places[:, 0] >= 0) & (places[:, 0] < places[:, 1])).all()
        assert (places[:, 1] <= length).all()
        assert places[0].tolist() == [0, length]
        covered = np.zeros(length + 1, dtype=int)
        np.add.at(covered, places[:, 0], 1)
        np.add.at(covered, places[:, 1], -1)
        n_levels = min(6, length.bit_length())
        assert (np.cumsum(covered)[:-1] >= n_levels).all()


def test_a_cell_belongs_to_the_times_of_its_interval():
    projection = Intervals("mean", depth=2)
    bank = bank_of(projection, (2, 16))
    texts = [bank.geometry.cell_text(cell) for cell in range(bank.n_cells)]
    shares = bank.shares(np.arange(bank.n_cells)).toarray().reshape(bank.n_cells, 2, 16)
    np.testing.assert_allclose(shares.sum(axis=(1, 2)), 1)

    def times(text):
        return [tuple(place) for place in np.argwhere(shares[texts.index(text)])]

    assert times("mean of times 0-7, series 1") == [(1, t) for t in range(8)]
    assert times("mean of times 4-11, series 0") == [(0, t) for t in range(4, 12)]
    assert times("mean of differences 0-6, series 0") == [(0, t) for t in range(8)]
    assert times("mean of frequencies 0-3, series 1") == [(1, t) for t in range(16)]

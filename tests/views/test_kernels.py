"""Pooled kernels against short NumPy versions."""

import numpy as np
import pytest

from manifoldforest.forests._bank import bank_of, made_bank
from manifoldforest.projections import DilatedKernels
from manifoldforest.views import Difference, Identity, Spectrum
from reference import views as reference

RNG = np.random.default_rng(0)
SERIES = RNG.normal(size=(6, 37)).cumsum(axis=1).astype(np.float32)
ALL = ("maximum", "share", "mean", "position")
BASES = {
    "series": Identity(),
    "differences": Difference(),
    "second differences": Difference(order=2, smoothing=1),
    "spectrum": Spectrum(),
}


def learned_from(projection, X):
    rows = np.asarray(X, dtype=np.float32).reshape(len(X), -1)
    return projection._learned(rows, X.shape[1:], np.ones(len(X)))


def cells_of(learned, X, n_threads=1):
    rows = np.asarray(X, dtype=np.float32).reshape(len(X), -1)
    return bank_of(learned, X.shape[1:]).cells(rows, n_threads)


def kernels_of(learned):
    """Return series, weights, dilation, begin, end and threshold of all kernels."""
    numbers, kernels = list(learned.kernels_), []
    while numbers:
        series, n_weights, dilation, begin, end = numbers[:5]
        floats = np.array(numbers[5 : 6 + n_weights], dtype=np.int32).view(np.float32)
        kernels.append((series, (floats[1:], dilation, begin, end, floats[0])))
        del numbers[: 6 + n_weights]
    return kernels


def expected_cells(learned, X, base="series", pools=ALL):
    X = np.asarray(X, dtype=np.float32).reshape(len(X), -1, X.shape[-1])
    n_places = BASES[base].transform(X).shape[-1]
    rows = []
    for example in X:
        known = np.flatnonzero(~np.isnan(example).all(axis=0))
        values = BASES[base].transform(example[None, :, : known.max() + 1])[0]
        rows.append(
            np.concatenate(
                [
                    reference.kernel_cells(values[series], kernel, pools, n_places)
                    for series, kernel in kernels_of(learned)
                ]
            )
        )
    return np.array(rows)


def assert_same_cells(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("base", BASES)
def test_all_pools_of_all_bases(base):
    learned = learned_from(DilatedKernels(60, view=BASES[base]), SERIES)
    assert_same_cells(cells_of(learned, SERIES), expected_cells(learned, SERIES, base))


@pytest.mark.parametrize("pool", ALL)
def test_each_pool_alone(pool):
    learned = learned_from(DilatedKernels(30, pool=pool, whole=0.2), SERIES)
    assert_same_cells(cells_of(learned, SERIES), expected_cells(learned, SERIES, pools=(pool,)))


def test_pools_have_one_order_whatever_order_they_are_given_in():
    cells = cells_of(learned_from(DilatedKernels(20), SERIES), SERIES)
    turned = DilatedKernels(20, pool=["position", "mean", "mean", "share", "maximum"])
    assert np.array_equal(cells_of(learned_from(turned, SERIES), SERIES), cells)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 65])
def test_series_of_any_length(length):
    X = RNG.normal(size=(4, length)).astype(np.float32)
    for base in ("series", "spectrum"):
        learned = learned_from(DilatedKernels(40, view=BASES[base]), X)
        assert_same_cells(cells_of(learned, X), expected_cells(learned, X, base))


def test_kernels_fit_the_series_and_have_mean_0_and_length_1():
    for length in (1, 2, 3, 4, 5, 6, 10, 100):
        X = RNG.normal(size=(3, length)).astype(np.float32)
        kernels = kernels_of(learned_from(DilatedKernels(100), X))
        assert len(kernels) == 100
        for series, (weights, dilation, begin, end, _) in kernels:
            assert series == 0
            assert 1 <= len(weights) <= 9
            assert dilation >= 1
            assert 0 <= begin < end <= length - (len(weights) - 1) * dilation
            np.testing.assert_allclose(np.sum(weights.astype(np.float64) ** 2), 1, atol=1e-6)
            if len(weights) > 1:
                np.testing.assert_allclose(weights.sum(), 0, atol=1e-6)


def test_some_dilations_reach_over_the_whole_series():
    kernels = kernels_of(learned_from(DilatedKernels(300), SERIES))
    reaches = np.array([(len(kernel[0]) - 1) * kernel[1] for _, kernel in kernels])
    assert reaches.min() <= 4
    assert reaches.max() >= 32


def test_channels_are_series_of_their_own():
    X = SERIES.reshape(2, 3, 37)
    learned = learned_from(DilatedKernels(80), X)
    assert {series for series, _ in kernels_of(learned)} == {0, 1, 2}
    assert_same_cells(cells_of(learned, X), expected_cells(learned, X))


def test_all_axes_before_the_last_are_channels():
    X = RNG.normal(size=(2, 2, 3, 20)).astype(np.float32)
    learned = learned_from(DilatedKernels(40), X)
    flat = X.reshape(2, 6, 20)
    assert np.array_equal(
        cells_of(learned, X), cells_of(learned_from(DilatedKernels(40), flat), flat)
    )


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("end", [3, 4, 20, 36])
def test_dilation_and_interval_of_a_series_that_ends_early_are_in_proportion(base, end):
    learned = learned_from(DilatedKernels(80, view=BASES[base]), SERIES)
    X = SERIES.copy()
    X[:, end:] = np.nan
    cells = cells_of(learned, X)
    assert_same_cells(cells, expected_cells(learned, X, base))
    assert end < 5 or not np.isnan(cells).all()


def test_series_of_an_example_end_with_the_one_that_ends_last():
    X = SERIES.reshape(2, 3, 37).copy()
    learned = learned_from(DilatedKernels(60, whole=0), X)
    X[:, 0, 11:] = np.nan
    X[:, 1:, 23:] = np.nan
    cells = cells_of(learned, X)
    assert_same_cells(cells, expected_cells(learned, X))
    of_first = np.repeat([series == 0 for series, _ in kernels_of(learned)], 4)
    assert np.isnan(cells[:, of_first]).any()
    assert not np.isnan(cells[:, ~of_first]).all()


def test_a_series_that_is_too_short_for_a_kernel_has_no_answer():
    learned = learned_from(DilatedKernels(80), SERIES)
    X = np.full((1, 37), np.nan, dtype=np.float32)
    assert np.isnan(cells_of(learned, X)).all()
    X[:, :4] = 1
    too_short = np.repeat([len(kernel[0]) > 4 for _, kernel in kernels_of(learned)], 4)
    assert np.array_equal(np.isnan(cells_of(learned, X)[0]), too_short)


def test_too_few_values_for_differences_give_no_answer():
    learned = learned_from(DilatedKernels(10, view=Difference(order=2, smoothing=1)), SERIES)
    X = np.full((1, 37), np.nan, dtype=np.float32)
    X[:, :2] = 1
    assert np.isnan(cells_of(learned, X)).all()


@pytest.mark.parametrize("base", BASES)
def test_values_that_are_missing_before_the_end_make_cells_missing_that_depend_on_them(base):
    learned = learned_from(DilatedKernels(80, view=BASES[base], whole=0), SERIES)
    X = SERIES.copy()
    X[:, 20] = np.nan
    cells = cells_of(learned, X)
    assert_same_cells(cells, expected_cells(learned, X, base))
    assert np.isnan(cells).any()
    assert np.isnan(cells).all() == (base == "spectrum")


def test_the_first_of_equal_maxima_is_the_place_of_the_maximum():
    X = np.array([[0, 1, 0, 1, 0, 0, 0, 0, 1]], dtype=np.float32)
    one = np.float32(1).view(np.int32).item()
    bank = made_bank(9, [("kernels", [9], [0, 0, 0, 0b1000, 0, 1, 1, 0, 9, 0, one])])
    assert bank.cells(X, 1).tolist() == [[1 / 8]]
    assert bank.cells(np.zeros_like(X), 1).tolist() == [[0.0]]


def test_an_answer_that_equals_the_threshold_is_not_above_it():
    X = np.array([[0, 1, 2, 1]], dtype=np.float32)
    one = np.float32(1).view(np.int32).item()
    bank = made_bank(4, [("kernels", [4], [0, 0, 0, 0b10, 0, 1, 1, 0, 4, one, one])])
    assert bank.cells(X, 1).tolist() == [[0.25]]


def test_infinite_and_huge_values_stay_within_floats():
    X = SERIES * np.float32(1e37)
    learned = learned_from(DilatedKernels(60), SERIES)
    cells = cells_of(learned, np.clip(X, -3e38, 3e38).astype(np.float32))
    assert np.isfinite(cells).all()


@pytest.mark.parametrize("base", BASES)
def test_threads_and_batches_change_nothing(base):
    X = RNG.normal(size=(100, 64)).astype(np.float32)
    X[::7, 50:] = np.nan
    learned = learned_from(DilatedKernels(50, view=BASES[base]), X)
    cells = cells_of(learned, X)
    assert np.array_equal(cells_of(learned, X, n_threads=3), cells, equal_nan=True)
    assert np.array_equal(cells_of(learned, X[17:18]), cells[17:18], equal_nan=True)


def test_a_seed_decides_the_kernels():
    first = learned_from(DilatedKernels(20), SERIES).kernels_
    assert learned_from(DilatedKernels(20), SERIES).kernels_ == first
    assert learned_from(DilatedKernels(20, random_state=1), SERIES).kernels_ != first


def test_thresholds_are_answers_to_training_examples():
    for base in BASES:
        learned = learned_from(DilatedKernels(40, view=BASES[base]), SERIES)
        values = BASES[base].transform(SERIES).astype(np.float64)
        for _, (weights, dilation, begin, end, threshold) in kernels_of(learned):
            times = np.arange(begin, end)[:, None] + dilation * np.arange(len(weights))
            answers = values[:, times] @ weights.astype(np.float64)
            assert np.abs(answers - threshold).min() < 1e-4 * max(1, np.abs(answers).max())


@pytest.mark.parametrize("base", BASES)
def test_thresholds_are_answers_to_series_that_end_early(base):
    X = np.full((6, 60), np.nan, dtype=np.float32)
    X[:, :37] = SERIES
    learned = learned_from(DilatedKernels(40, view=BASES[base], pool="share"), X)
    thresholds = np.array([kernel[-1] for _, kernel in kernels_of(learned)])
    assert (thresholds != 0).all()
    shares = cells_of(learned, X)
    assert ((shares > 0) & (shares < 1)).any(axis=0).mean() > 0.6


def test_thresholds_ignore_rows_of_weight_0_and_values_that_are_missing():
    rows = np.concatenate([SERIES, np.full_like(SERIES, np.inf)])
    weight = np.repeat([1.0, 0.0], len(SERIES))
    learned = DilatedKernels(20)._learned(rows, (37,), weight)
    assert learned.kernels_ == learned_from(DilatedKernels(20), SERIES).kernels_
    nothing = np.full((2, 37), np.nan, dtype=np.float32)
    assert all(
        kernel[-1] == 0 for _, kernel in kernels_of(learned_from(DilatedKernels(9), nothing))
    )


def test_a_share_of_the_kernels_is_pooled_over_the_whole_series():
    def n_whole(whole):
        kernels = kernels_of(learned_from(DilatedKernels(400, whole=whole), SERIES))
        return sum(
            (begin, end) == (0, 37 - (len(weights) - 1) * dilation)
            for _, (weights, dilation, begin, end, _) in kernels
        )

    assert n_whole(1) == 400
    assert n_whole(0) < n_whole(0.5) < 400


def test_a_cell_belongs_to_the_times_that_its_kernel_reaches():
    X = SERIES.reshape(2, 3, 37)
    learned = learned_from(DilatedKernels(30), X)
    bank = bank_of(learned, (3, 37))
    shares = bank.shares(np.arange(bank.n_cells)).toarray().reshape(-1, 4, 3, 37)
    for of_kernel, (series, kernel) in zip(shares, kernels_of(learned), strict=True):
        weights, dilation, begin, end, _ = kernel
        last = end + (len(weights) - 1) * dilation
        expected = np.zeros((3, 37))
        expected[series, begin:last] = 1 / (last - begin)
        np.testing.assert_allclose(of_kernel, np.broadcast_to(expected, (4, 3, 37)))


def test_texts_of_cells_name_pool_kernel_and_times():
    X = SERIES.reshape(2, 3, 37)
    learned = learned_from(DilatedKernels(2, whole=1, view=Spectrum()), X)
    bank = bank_of(learned, (3, 37))
    texts = [bank.geometry.cell_text(cell) for cell in range(bank.n_cells)]
    (first, _), (second, _) = kernels_of(learned)
    assert texts == [
        f"{pool} of kernel {number}, frequencies 0-18, series {series}"
        for number, series in ((0, first), (1, second))
        for pool in (
            "largest answer",
            "share above a threshold",
            "mean answer",
            "place of the largest answer",
        )
    ]

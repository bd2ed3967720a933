"""Curves of importance over time and frequency: where the information is, and nowhere in noise."""

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import NotFittedError

import manifoldforest as mf
from manifoldforest.inspection import time_curves
from manifoldforest.projections import DilatedKernels, Intervals
from manifoldforest.views import Difference, Identity, Spectrum

LABELS = np.repeat([0, 1], 40)
LENGTH = 48
BURST = slice(18, 27)


def noise(seed, *shape):
    return np.random.default_rng(seed).normal(size=(len(LABELS), *shape))


def grown(X, projection=None, n_trees=50, **params):
    params = {"n_estimators": n_trees, "random_state": 0, **params}
    if projection is not None:
        params["projection"] = projection
    return mf.named_forest("QUANT", **params).fit(X, LABELS)


@pytest.fixture(scope="module")
def with_burst():
    X = noise(0, 2, LENGTH)
    X[40:, 1, BURST] *= 4
    return grown(X, Intervals(["mean", "std"]))


# ------------------------------------------------------------------------------ what they add up to


@pytest.mark.parametrize(
    "projection",
    [
        Intervals(),
        Intervals(["mean", "slope"], intervals="random"),
        DilatedKernels(30),
        Intervals("std", views=[Identity(), Spectrum()]) + DilatedKernels(20, view=Spectrum()),
    ],
    ids=["quantiles", "random", "kernels", "sum"],
)
def test_importances_and_what_is_expected_sum_to_1_over_times_and_frequencies(projection):
    forest = grown(noise(0, 2, LENGTH), projection, n_trees=5)
    curves = [time_curves(forest)]
    if not isinstance(projection, DilatedKernels):  # which looks at the series alone
        curves.append(time_curves(forest, "frequency"))
    assert sum(curve.importance.sum() for curve in curves) == pytest.approx(1)
    assert sum(curve.expected.sum() for curve in curves) == pytest.approx(1)
    assert all((curve.importance >= 0).all() for curve in curves)


def test_curves_of_all_kinds_together_are_the_importances_of_features():
    forest = grown(noise(0, 2, LENGTH), Intervals(["mean", "std"], views=[Identity()]))
    curves = time_curves(forest)
    np.testing.assert_allclose(curves.importance.sum(axis=0), forest.feature_importances_)


def test_a_cell_of_differences_also_takes_the_times_that_they_reach():
    views = [Difference(order=2, smoothing=1)]
    forest = grown(noise(0, LENGTH), Intervals(["mean", "std"], views=views))
    curves = time_curves(forest)
    assert curves.kinds == ["mean of 2-fold differences", "std of 2-fold differences"]
    np.testing.assert_allclose(curves.importance.sum(axis=(0, 1)), forest.feature_importances_)


def test_relative_importance_is_the_quotient_of_both(with_burst):
    curves = time_curves(with_burst)
    np.testing.assert_allclose(curves.relative * curves.expected, curves.importance)
    np.testing.assert_allclose(curves.of_channels([curves.kinds[1]]), curves.relative[1])
    together = curves.importance.sum(axis=0) / curves.expected.sum(axis=0)
    np.testing.assert_allclose(curves.of_channels(), together)


def test_places_that_no_cell_looks_at_have_no_relative_importance():
    projection = DilatedKernels(1, whole=0.0, random_state=1)
    curves = time_curves(grown(noise(0, 2, 200), projection))
    looked_at = curves.expected > 0
    assert 0 < looked_at.sum() < looked_at.size
    np.testing.assert_array_equal(np.isnan(curves.relative), ~looked_at)


def test_a_forest_without_splits_has_curves_of_zeros():
    forest = mf.ForestClassifier(2, projection=Intervals("mean")).fit(
        np.zeros((4, 8)), [0, 0, 1, 1]
    )
    curves = time_curves(forest)
    assert not curves.importance.any()
    assert curves.expected.any()


# ---------------------------------------------------------------------------------- what they show


def test_the_peak_lies_where_the_information_is_in_its_channel_and_statistic(with_burst):
    curves = time_curves(with_burst)
    kind, channel, time = np.unravel_index(np.nanargmax(curves.relative), curves.relative.shape)
    assert curves.kinds[kind].startswith("std of")
    assert channel == 1
    assert BURST.start <= time < BURST.stop
    relative = curves.of_channels()
    assert relative[1, BURST].min() > 2 * relative[1].mean()
    assert relative[0].max() < relative[1].mean()
    of_means = curves.of_channels([kind for kind in curves.kinds if kind.startswith("mean")])
    assert of_means[1, BURST].max() < curves.relative[kind, 1, time] / 3


def test_a_step_is_found_by_slopes_and_not_by_levels():
    X = noise(1, LENGTH) + 10 * np.random.default_rng(2).normal(size=(80, 1))
    X[40:, 24:] += 4
    curves = time_curves(grown(X, Intervals(["mean", "slope"], views=[Identity()])))
    assert curves.kinds == ["mean of series", "slope of series"]
    assert 20 <= curves.relative[1, 0].argmax() < 28
    assert curves.importance[1].sum() > 3 * curves.importance[0].sum()


def test_kernels_find_the_time_of_a_wave():
    X = noise(3, LENGTH)
    wave = slice(20, 30)
    X[40:, wave] += 3 * np.cos(np.pi * np.arange(10))
    relative = time_curves(grown(X, DilatedKernels(400, whole=0.0))).of_channels()[0]
    assert wave.start <= relative.argmax() < wave.stop
    assert relative[wave].mean() > 1.5 * relative.mean()


@pytest.mark.parametrize("cycles", [4, 12])
def test_spectra_find_the_frequency_of_a_wave(cycles):
    X = noise(4, LENGTH)
    phases = np.random.default_rng(5).uniform(0, 2 * np.pi, size=(40, 1))
    X[40:] += 1.5 * np.cos(2 * np.pi * cycles * np.arange(LENGTH) / LENGTH + phases)
    curves = time_curves(grown(X), "frequency")
    assert curves.places[[0, -1]].tolist() == [0, 0.5]
    assert curves.places[curves.of_channels()[0].argmax()] == pytest.approx(
        cycles / LENGTH, abs=1 / LENGTH
    )


# ----------------------------------------------------------------------------------- edges in noise


def most_uneven(curves):
    """Return the largest |t| of eighths of the places against all of them, over forests."""
    ratios = curves / curves.mean(axis=1, keepdims=True)
    eighths = ratios.reshape(len(curves), 8, -1).mean(axis=2)
    return np.abs((eighths.mean(axis=0) - 1) / (eighths.std(axis=0) / np.sqrt(len(curves)))).max()


@pytest.mark.parametrize(
    "projection",
    [
        None,
        Intervals(["mean", "std"], intervals="random", n_intervals=100),
        DilatedKernels(50, whole=0.2),
    ],
    ids=["QUANT", "random", "kernels"],
)
def test_in_noise_relative_importance_is_as_large_near_the_ends_as_elsewhere(projection):
    # A false alarm in 10,000: 8 eighths, two sides. Importances themselves fail by far.
    n_forests = 60
    limit = stats.t.isf(1e-4 / 16, n_forests - 1)
    raw, relative = [], []
    for seed in range(n_forests):
        if projection is not None:
            projection.set_params(random_state=seed)
        forest = grown(noise(100 + seed, LENGTH), projection, n_trees=20, random_state=seed)
        curves = time_curves(forest)
        raw.append(curves.importance.sum(axis=(0, 1)))
        relative.append(curves.of_channels()[0])
    assert most_uneven(np.array(raw)) > 2 * limit
    assert most_uneven(np.array(relative)) < limit


# ----------------------------------------------------------------------------------- what is asked


def test_curves_are_told_by_their_sizes(with_burst):
    assert repr(time_curves(with_burst)) == "<TimeCurves of 6 kinds of cells, 2 channels, 48 times>"
    assert "frequencies" in repr(time_curves(with_burst, "frequency"))


def test_what_has_no_curves_is_refused(with_burst):
    with pytest.raises(TypeError, match="forest must be a fitted forest"):
        time_curves(mf.ForestClassifier)
    with pytest.raises(NotFittedError):
        time_curves(mf.ForestClassifier())
    plain = mf.ForestClassifier(2).fit(noise(0, 4), LABELS)
    with pytest.raises(ValueError, match="forest must have splits on cells of series"):
        time_curves(plain)
    with pytest.raises(ValueError, match="over must be"):
        time_curves(with_burst, "space")
    of_series = grown(noise(0, 16), Intervals(views=[Identity()]), n_trees=2)
    with pytest.raises(ValueError, match="over must be 'time' .*, got 'frequency'"):
        time_curves(of_series, "frequency")
    of_spectra = grown(noise(0, 16), Intervals(views=[Spectrum()]), n_trees=2)
    with pytest.raises(ValueError, match="over must be 'frequency' .*, got 'time'"):
        time_curves(of_spectra)
    with pytest.raises(ValueError, match="kinds must be"):
        time_curves(with_burst).of_channels(["median of series"])

"""Series of unequal length, as lists of arrays and as arrays that are padded with NaN."""

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest.projections import DilatedKernels, Intervals

RNG = np.random.default_rng(0)
BANKS = {
    "intervals": Intervals(),
    "kernels": DilatedKernels(30),
    "both": Intervals("mean") + DilatedKernels(30),
    "by name": "intervals",
}


def waves(n, channels=()):
    """Waves of 20 to 60 points: one turn, whatever the length, or two."""
    y = np.arange(n) % 2
    series = []
    for label in y:
        length = RNG.integers(20, 61)
        phase = RNG.uniform() * 2 * np.pi
        turns = np.sin(2 * np.pi * (1 + label) * np.arange(length) / length + phase)
        series.append(turns + 0.3 * RNG.normal(size=(*channels, length)))
    return series, y


def as_array(series, length):
    array = np.full((len(series), *series[0].shape[:-1], length), np.nan)
    for row, one in zip(array, series, strict=True):
        row[..., : one.shape[-1]] = one
    return array


@pytest.mark.parametrize("bank", BANKS)
@pytest.mark.parametrize("channels", [(), (2,)])
def test_a_list_of_series_is_the_array_that_is_padded_with_nan(bank, channels):
    series, y = waves(60, channels)
    length = max(one.shape[-1] for one in series)
    forest = mf.ForestClassifier(20, projection=BANKS[bank], random_state=0)
    forest.fit(series, y)
    assert forest.feature_shape_ == (*channels, length)
    array = as_array(series, length)
    padded = mf.ForestClassifier(20, projection=BANKS[bank], random_state=0).fit(array, y)
    assert np.array_equal(forest.predict_proba(series), padded.predict_proba(array))
    assert np.array_equal(forest.predict_proba(series[3:5]), padded.predict_proba(array[3:5]))


def test_what_depends_on_the_part_of_a_series_is_learned_whatever_the_lengths():
    series, y = waves(200)
    forest = mf.named_forest("QUANT", n_estimators=50, random_state=0).fit(series[:100], y[:100])
    long_enough = [one for one in series[100:] if len(one) <= forest.feature_shape_[0]]
    labels = [
        label
        for one, label in zip(series[100:], y[100:], strict=True)
        if len(one) <= forest.feature_shape_[0]
    ]
    assert forest.score(long_enough, labels) > 0.85


def test_series_that_are_longer_than_all_at_fit_are_refused():
    series, y = waves(20)
    forest = mf.ForestClassifier(2, projection=Intervals(), random_state=0).fit(series, y)
    longest = forest.feature_shape_[0]
    with pytest.raises(ValueError, match=f"at most {longest} points.*got one of {longest + 1}"):
        forest.predict([np.zeros(longest + 1)])


def test_series_must_differ_in_nothing_but_their_length():
    forest = mf.ForestClassifier(2, projection=Intervals())
    with pytest.raises(ValueError, match=r"got shapes \(2, 9\) and \(3, 9\) \(numbers 0 and 1\)"):
        forest.fit([np.zeros((2, 9)), np.zeros((3, 9))], [0, 1])
    with pytest.raises(TypeError, match="got entries of type <U1 in number 1"):
        forest.fit([np.zeros(3), np.array(["a", "b"])], [0, 1])


def test_a_table_with_rows_of_unequal_length_is_still_a_mistake():
    rows = [np.zeros(3), np.zeros(4)]
    with pytest.raises(ValueError, match="X must be a rectangular array"):
        mf.ForestClassifier(2, projection="sporf").fit(rows, [0, 1])

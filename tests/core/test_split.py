"""The exact split search of one projected column against the naive search."""

import numpy as np
import pytest

import stages
from reference.criteria import candidate_splits, first_best, impurity

CRITERIA = ("gini", "entropy", "squared_error", "absolute_error", "poisson")


def responses(rng, n, criterion, signal=None):
    """Responses (n, 1) and classes per output; with a signal they depend on it."""
    if criterion in ("gini", "entropy"):
        y = rng.integers(0, 3, size=(n, 1))
        if signal is not None:
            y[:, 0] = np.where(rng.random(n) < 0.5, np.searchsorted([-0.5, 0.5], signal), y[:, 0])
        return y.astype(np.int32), [3]
    y = rng.integers(-20, 20, size=(n, 1)) / 8
    if signal is not None:
        y[:, 0] += np.round(8 * signal) / 8
    if criterion == "poisson":
        y = np.maximum(y, 0)
        y[0, 0] += 1
    return y.astype(np.float64), []


def core_split(values, y, weight, count, criterion, n_classes, min_samples_leaf=1, min_balance=0.0):
    return stages.find_split(
        np.ascontiguousarray(values),
        np.ascontiguousarray(y),
        np.asarray(weight, np.float64),
        np.asarray(count, np.int64),
        criterion,
        list(n_classes),
        min_samples_leaf,
        min_balance,
    )


def assert_is_best_split(values, y, weight, count, criterion, n_classes, **limits):
    """The core's split is the first best of the naive search; returns it.

    Gains that differ by less than `rounding` count as equal in both. The values of these tests lie
    on a grid, so that thresholds agree exactly; where all present rows go left, any threshold that
    is no smaller than the largest value will do.
    """
    rounding = 1e-11 * weight.sum() * impurity(y, weight, criterion, n_classes)
    splits = candidate_splits(values, y, weight, count, criterion, n_classes, **limits)
    best = first_best(splits, tolerance=rounding)
    found = core_split(values, y, weight, count, criterion, n_classes, **limits)
    if best is None:
        assert found is None
        return None
    assert found is not None
    threshold, gain, missing_left = found
    assert gain == pytest.approx(best.gain, abs=10 * rounding)
    if np.isfinite(best.threshold):
        assert threshold == best.threshold
    else:
        assert threshold >= np.nanmax(values)
    if np.isnan(values).any():
        assert missing_left == best.missing_left
    return found


def columns(rng, n, kind):
    """Columns that lead the core to count, to insert or to sort by radix."""
    if kind == "few values":
        return rng.integers(-3, 4, size=n).astype(np.float32) / 4
    if kind == "many values":
        return np.round(rng.normal(size=n) * 4096).astype(np.float32) / 4096
    if kind == "wide range":
        return (np.round(rng.normal(size=n) * 256) * np.exp2(rng.integers(-20, 40, size=n))).astype(
            np.float32
        )
    raise ValueError(kind)


SIZES = [(2, 20), (3, 20), (10, 20), (17, 10), (33, 5), (300, 2)]
COLUMNS = [
    *((kind, *size) for kind in ("few values", "many values", "wide range") for size in SIZES),
    ("few values", 5000, 1),
]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("kind", "n", "repeats"), COLUMNS)
def test_split_of_a_float_column_is_the_naive_best_split(criterion, kind, n, repeats):
    rng = np.random.default_rng([n, CRITERIA.index(criterion)])
    for _ in range(repeats):
        values = columns(rng, n, kind)
        y, n_classes = responses(rng, n, criterion, signal=np.sign(values) * np.abs(values) ** 0.1)
        count = rng.integers(1, 4, size=n)
        weight = count * rng.integers(1, 5, size=n) / 4
        assert_is_best_split(values, y, weight, count, criterion, n_classes)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_distinct", [200, 2500])
def test_split_of_a_large_node_is_the_naive_best_split(criterion, n_distinct):
    n = 5000
    rng = np.random.default_rng([n_distinct, CRITERIA.index(criterion)])
    if criterion == "absolute_error":
        n_distinct = 200
    levels = np.unique(columns(rng, 4 * n_distinct, "wide range"))
    values = rng.choice(rng.permutation(levels)[:n_distinct], size=n)
    y, n_classes = responses(rng, n, criterion, signal=np.sign(values) * np.abs(values) ** 0.1)
    y = np.round(y).astype(y.dtype)
    count = np.ones(n, np.int64)
    weight = rng.integers(1, 5, size=n) / 4
    assert_is_best_split(values, y, weight, count, criterion, n_classes)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n", [10, 300, 5000])
@pytest.mark.parametrize("scale", [1, 3_000_000])
def test_split_of_an_integer_column_is_the_naive_best_split(criterion, n, scale):
    rng = np.random.default_rng([n, scale, CRITERIA.index(criterion)])
    values = (rng.integers(-30, 30, size=n) * scale).astype(np.int32)
    y, n_classes = responses(rng, n, criterion, signal=values / (30 * scale))
    weight = rng.integers(1, 5, size=n) / 4
    assert_is_best_split(values, y, weight, np.ones(n, np.int64), criterion, n_classes)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n", [10, 300, 5000])
@pytest.mark.parametrize("span", [5, 2000, 4_000_000])
def test_integer_and_float_columns_give_the_same_split(criterion, n, span):
    rng = np.random.default_rng([n, span, CRITERIA.index(criterion)])
    values = rng.integers(-span, span, size=n)
    y, n_classes = responses(rng, n, criterion, signal=values / span)
    weight = rng.integers(1, 5, size=n) / 4
    rest = (y, weight, np.ones(n), criterion, n_classes)
    as_integer = core_split(values.astype(np.int32), *rest)
    as_float = core_split(values.astype(np.float32), *rest)
    assert as_integer is not None
    assert as_integer[0] == as_float[0]
    assert as_integer[1] == pytest.approx(as_float[1], rel=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_impurity_of_several_label_columns_is_their_mean(criterion):
    rng = np.random.default_rng(5)
    for n in (10, 300):
        values = columns(rng, n, "few values")
        y = np.column_stack([rng.integers(0, k, size=n) for k in (2, 5, 3)]).astype(np.int32)
        weight = rng.integers(1, 5, size=n) / 4
        assert_is_best_split(values, y, weight, np.ones(n, np.int64), criterion, [2, 5, 3])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_impurity_of_several_responses_is_their_mean(criterion):
    rng = np.random.default_rng(6)
    for n in (10, 300):
        values = columns(rng, n, "many values")
        y = rng.integers(-50, 50, size=(n, 3)) / 4 * np.array([1.0, 3.0, 0.1])
        weight = rng.integers(1, 5, size=n) / 4
        assert_is_best_split(values, y, weight, np.ones(n, np.int64), criterion, [])


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("limits", [(4, 0.0), (25, 0.0), (1, 0.1), (1, 0.45), (7, 0.2), (51, 0.0)])
def test_children_respect_min_samples_leaf_and_min_balance(criterion, dtype, limits):
    min_samples_leaf, min_balance = limits
    rng = np.random.default_rng([min_samples_leaf, int(100 * min_balance)])
    for _ in range(5):
        if dtype == np.float32:
            values = columns(rng, 60, "many values")
        else:
            values = rng.integers(-6, 6, size=60).astype(np.int32)
        y, n_classes = responses(rng, 60, criterion)
        count = rng.permutation(np.repeat([1, 2], 30))
        weight = np.where(rng.random(60) < 0.5, 0.25, 4.0)  # limits are about counts, not weights
        found = assert_is_best_split(
            values,
            y,
            weight,
            count,
            criterion,
            n_classes,
            min_samples_leaf=min_samples_leaf,
            min_balance=min_balance,
        )
        if 2 * max(min_samples_leaf, min_balance * count.sum()) > count.sum():
            assert found is None


@pytest.mark.parametrize(("n", "share"), [(100, 7), (100, 14), (100, 28), (300, 33), (1000, 9)])
def test_a_child_of_exactly_the_asked_share_is_allowed(n, share):
    # share / 100 * n may round to just above the whole number it stands for, as 0.07 * 100 does.
    size = n * share // 100
    y = (np.arange(n) < size).astype(np.int32)[:, None]
    values = np.arange(n, dtype=np.float32)
    found = core_split(values, y, np.ones(n), np.ones(n), "gini", [2], min_balance=share / 100)
    assert found[0] == size - 0.5
    above = core_split(
        values, y, np.ones(n), np.ones(n), "gini", [2], min_balance=share / 100 + 0.001
    )
    assert above[0] > size - 0.5


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weight_two_is_the_row_given_twice(criterion):
    rng = np.random.default_rng(8)
    for n in (10, 300, 3000):
        values = columns(rng, n, "many values")
        values[rng.random(n) < 0.1] = np.nan
        y, n_classes = responses(rng, n, criterion)
        count = rng.integers(1, 4, size=n)
        limits = {"min_samples_leaf": n // 8}
        once = core_split(values, y, count, count, criterion, n_classes, **limits)
        values, y = np.repeat(values, count), np.repeat(y, count, axis=0)
        ones = np.ones(len(values))
        twice = core_split(values, y, ones, ones, criterion, n_classes, **limits)
        assert once is not None
        assert once[0] == twice[0]
        assert once[2] == twice[2]
        assert once[1] == pytest.approx(twice[1], rel=1e-10)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_scaled_by_a_power_of_two_scale_the_gain_only(criterion):
    rng = np.random.default_rng(9)
    values = columns(rng, 200, "many values")
    y, n_classes = responses(rng, 200, criterion)
    weight = rng.integers(1, 9, size=200) / 8
    one = core_split(values, y, weight, np.ones(200), criterion, n_classes)
    eight = core_split(values, y, 8 * weight, np.ones(200), criterion, n_classes)
    assert one[0] == eight[0]
    assert eight[1] == pytest.approx(8 * one[1], rel=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_order_of_rows_does_not_matter(criterion):
    rng = np.random.default_rng(10)
    for n in (12, 300, 3000):
        values = columns(rng, n, "many values")
        y, n_classes = responses(rng, n, criterion)
        count = rng.integers(1, 3, size=n)
        shuffled = rng.permutation(n)
        one = core_split(values, y, count, count, criterion, n_classes)
        other = core_split(
            values[shuffled], y[shuffled], count[shuffled], count[shuffled], criterion, n_classes
        )
        assert one[0] == other[0]
        assert one[1] == pytest.approx(other[1], rel=1e-10)


def as_responses(labels, criterion):
    """The same 0/1 column as labels or as responses; 1/2 where zeros are no children's means."""
    if criterion in ("gini", "entropy"):
        return np.array(labels, np.int32)[:, None], [2]
    if criterion == "poisson":
        labels = np.asarray(labels, np.float64) + 1
    return np.array(labels, np.float64)[:, None], []


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_of_equal_gains_the_smallest_threshold_wins(criterion, dtype):
    # Mirror images: cutting off the two rows at either end has the same gain.
    y, n_classes = as_responses([1, 1, 0, 0, 0, 0, 1, 1], criterion)
    found = core_split(np.arange(8, dtype=dtype), y, np.ones(8), np.ones(8), criterion, n_classes)
    splits = candidate_splits(
        np.arange(8, dtype=dtype), y, np.ones(8), np.ones(8), criterion, n_classes
    )
    best = first_best(splits, tolerance=1e-12)
    if criterion == "absolute_error":
        assert len({s.threshold for s in splits if s.gain > best.gain - 1e-12}) > 1
    else:
        assert sorted(s.threshold for s in splits if s.gain > best.gain - 1e-12) == [1.5, 5.5]
    assert found[0] == best.threshold


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_split_needs_strictly_positive_gain(criterion):
    y, n_classes = as_responses([0, 1, 0, 1], criterion)
    values = np.array([0, 0, 1, 1], np.float32)
    assert core_split(values, y, np.ones(4), np.ones(4), criterion, n_classes) is None


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_children_with_the_response_of_the_node_have_no_gain(criterion, dtype):
    # Every value holds a multiple of the same rows, so no split gains anything, whatever rounding
    # does to the sums.
    rng = np.random.default_rng(13)
    for _ in range(200):
        rows = rng.integers(0, 3, size=rng.integers(2, 8))
        multiples = rng.integers(1, 30, size=rng.integers(2, 5))
        labels = np.concatenate([np.tile(rows, m) for m in multiples])
        values = np.repeat(np.arange(len(multiples)), multiples * len(rows)).astype(dtype)
        weight = np.full(len(labels), rng.choice([1.0, 0.1, 3.7]))
        if criterion in ("gini", "entropy"):
            y, n_classes = labels.astype(np.int32)[:, None], [3]
        else:
            y, n_classes = np.array([0.1, 0.3, 1.7])[labels][:, None], []
        assert core_split(values, y, weight, np.ones(len(y)), criterion, n_classes) is None


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_a_pure_node_has_no_split(criterion, n):
    y, n_classes = as_responses([1] * n, criterion)
    y = y if n_classes else y * 0.1
    weight = np.random.default_rng(n).random(n) + 0.1
    values = np.arange(n, dtype=np.float32)
    assert core_split(values, y, weight, np.ones(n), criterion, n_classes) is None


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n", [2, 7, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_a_constant_column_has_no_split(criterion, n, dtype):
    y, n_classes = as_responses(np.arange(n) % 2, criterion)
    values = np.full(n, 3, dtype)
    assert core_split(values, y, np.ones(n), np.ones(n), criterion, n_classes) is None


@pytest.mark.parametrize("n", [4, 40, 4000])
def test_minus_zero_and_zero_are_one_value(n):
    values = np.tile(np.array([-0.0, 0.0], np.float32), n // 2)
    y = np.tile(np.array([0, 1], np.int32), n // 2)[:, None]
    assert core_split(values, y, np.ones(n), np.ones(n), "gini", [2]) is None


@pytest.mark.parametrize("n", [2, 40, 4000])
def test_threshold_between_neighbouring_floats_separates_them(n):
    tiny = np.finfo(np.float32)
    for low in (1.0, -1.0, 3.3, 1e-30, float(tiny.smallest_subnormal), 0.0, float(tiny.max) / 2):
        a = np.float32(low)
        b = np.nextafter(a, np.float32(np.inf))
        y = np.repeat(np.array([0, 1], np.int32), n // 2)[:, None]
        values = np.repeat(np.array([a, b]), n // 2)
        threshold, gain, _ = core_split(values, y, np.ones(n), np.ones(n), "gini", [2])
        assert float(a) <= threshold < float(b)
        assert gain == pytest.approx(n / 2)


def test_threshold_between_huge_values_is_finite():
    values = np.array([-3e38, 3e38, 3.2e38, 3.4e38], np.float32)
    for labels, low, high in [([0, 1, 1, 1], 0, 1), ([0, 0, 0, 1], 2, 3)]:
        y = np.array(labels, np.int32)[:, None]
        threshold, _, _ = core_split(values, y, np.ones(4), np.ones(4), "gini", [2])
        assert values[low] <= threshold < values[high]
        middle = values[low].astype(np.float64) / 2 + values[high].astype(np.float64) / 2
        assert threshold == pytest.approx(middle, rel=1e-6)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n", [10, 300, 2000])
@pytest.mark.parametrize("share", [0.1, 0.6])
def test_missing_rows_go_to_the_better_side(criterion, n, share):
    rng = np.random.default_rng([n, int(10 * share), CRITERIA.index(criterion)])
    sides = set()
    for _ in range(20 if n == 10 else 2):
        values = columns(rng, n, "few values" if n == 2000 else "many values")
        y, n_classes = responses(rng, n, criterion, signal=values)
        missing = rng.random(n) < share
        missing[0], missing[-2:] = True, False
        values[missing] = np.nan
        # missing rows look like the rows with large or with small values
        y[missing] = y[~missing][rng.integers(0, 2)]
        if criterion == "poisson":
            y[0] += 1
        weight = rng.integers(1, 5, size=n) / 4
        count = np.ones(n, np.int64)
        found = assert_is_best_split(values, y, weight, count, criterion, n_classes)
        sides.add(None if found is None else found[2])
    if n == 10:
        assert {True, False} <= sides


@pytest.mark.parametrize("criterion", CRITERIA)
def test_limits_count_missing_rows_on_their_side(criterion):
    rng = np.random.default_rng(12)
    for _ in range(10):
        values = columns(rng, 40, "many values")
        values[rng.random(40) < 0.3] = np.nan
        y, n_classes = responses(rng, 40, criterion)
        assert_is_best_split(
            values,
            y,
            np.ones(40),
            np.ones(40, np.int64),
            criterion,
            n_classes,
            min_samples_leaf=9,
            min_balance=0.1,
        )


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n", [4, 40, 4000])
def test_present_and_missing_rows_can_be_separated(criterion, n):
    values = np.full(n, np.nan, np.float32)
    values[: n // 2] = np.arange(n // 2) % 7
    y, n_classes = as_responses(np.arange(n) < n // 2, criterion)
    threshold, gain, missing_left = core_split(
        values, y, np.ones(n), np.ones(n), criterion, n_classes
    )
    assert not missing_left
    assert threshold >= np.nanmax(values)
    assert gain == pytest.approx(n * impurity(y, np.ones(n), criterion, n_classes))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_of_equal_gains_missing_right_wins(criterion):
    # Missing rows alternate like nothing else does, so they fit both sides equally.
    values = np.array([0, 0, 1, 1, np.nan, np.nan], np.float32)
    y, n_classes = as_responses([0, 0, 1, 1, 0, 1], criterion)
    found = core_split(values, y, np.ones(6), np.ones(6), criterion, n_classes)
    assert found[0] == 0.5
    assert not found[2]


@pytest.mark.parametrize("n", [1, 5, 500])
def test_a_column_of_missing_values_has_no_split(n):
    y = (np.arange(n) % 2).astype(np.int32)[:, None]
    values = np.full(n, np.nan, np.float32)
    assert core_split(values, y, np.ones(n), np.ones(n), "gini", [2]) is None


# ---------------------------------------------------------------- decisions that are anticipated


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_decision_does_not_depend_on_when_the_search_began(criterion, missing):
    """Few responses and weights near the noise: many thresholds tie, exactly or nearly."""
    rng = np.random.default_rng(0)
    outcomes = set()
    for _ in range(150):
        n = int(rng.integers(4, 40))
        values = rng.integers(0, 12, n).astype(np.float32)
        values[rng.random(n) < missing] = np.nan
        if criterion in ("gini", "entropy"):
            y, n_classes = rng.integers(0, 2, (n, 1)).astype(np.int32), [2]
        else:
            y, n_classes = rng.integers(1, 4, (n, 1)).astype(np.float64), []
        weight = 1 + rng.choice([0.0, 1e-12, 3e-12], n)
        common = (values, y, weight, np.ones(n, np.int64), criterion, n_classes, 1, 0.0)
        first = stages.find_split(*common, gain_to_beat=None)
        if first is None:
            continue
        scale = weight.sum() * impurity(y, weight, criterion, n_classes)
        near = first[1] + np.array([-2, -1.5, -1, -0.5, 0, 0.5]) * 1e-12 * scale
        for to_beat in (None, 0.0, 0.5 * first[1], *near):
            at_once = stages.find_split(*common, gain_to_beat=to_beat)
            later = stages.find_split(*common, gain_to_beat=to_beat, anticipated=True)
            assert at_once == later
            outcomes.add(None if at_once is None else at_once == first)
    # found, not found, and found elsewhere than from below all scores
    assert outcomes >= {None, True}

"""Copies of examples: every one is a shift or a flip of its example, drawn uniformly."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from manifoldforest.augmentation import Shifts
from manifoldforest.augmentation._as_augmentation import as_augmentation, random_of_draw
from reference.chance import assert_equally_likely
from reference.shifts import moved

RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, size=(30, 4, 5), dtype=np.uint8)
FLOATS = np.where(RNG.random(BYTES.shape) < 0.1, np.nan, RNG.normal(size=BYTES.shape))
FLOATS = FLOATS.astype(np.float32)


def drawn(shifts, examples, seed=0):
    """Return copies of examples, copies × examples × shape."""
    shape = examples.shape[1:]
    rows = shifts._draw(examples.reshape(len(examples), -1), shape, np.random.RandomState(seed))
    return rows.reshape(-1, *examples.shape)


def moves(shifts, flips=()):
    """Return all moves but the one that changes nothing: shifts and flips, one per axis each."""
    ranges = [range(-s, s + 1) for s in shifts]
    turns = [(0, 1) if axis in flips else (0,) for axis in range(len(shifts))]
    every = itertools.product(itertools.product(*ranges), itertools.product(*turns))
    return [move for move in every if any(move[0]) or any(move[1])]


CASES = {
    "edge": (Shifts(1), moves((1, 1)), "edge"),
    "wrap": (Shifts((1, 2), fill="wrap"), moves((1, 2)), "wrap"),
    "zero": (Shifts((2, 0), fill=0), moves((2, 0)), 0),
    "flip": (Shifts(0, flip=1), moves((0, 0), (1,)), "edge"),
    "flips": (Shifts((1, 0), flip=(0, -1), fill=7.0), moves((1, 0), (0, 1)), 7),
}


@pytest.mark.parametrize("examples", [BYTES, FLOATS], ids=["bytes", "floats"])
@pytest.mark.parametrize("name", CASES)
def test_every_copy_is_its_example_after_a_move(name, examples):
    shifts, allowed, fill = CASES[name]
    originals, *copies = drawn(clone(shifts).set_params(copies=3), examples)
    assert_array_equal(originals, examples)
    assert len(copies) == 3
    for copy in copies:
        assert copy.dtype == examples.dtype
        for example, result in zip(examples, copy, strict=True):
            found = (moved(example, *move, fill) for move in allowed)
            assert any(np.array_equal(result, one, equal_nan=True) for one in found)


@pytest.mark.parametrize("name", CASES)
def test_all_moves_are_equally_likely(name):
    shifts, allowed, fill = CASES[name]
    example = np.arange(1, 21, dtype=np.uint8).reshape(4, 5)
    n = 4000
    copies = drawn(shifts, np.repeat(example[None], n, axis=0))[1]
    expected = np.array([moved(example, *move, fill) for move in allowed]).reshape(len(allowed), -1)
    assert len(np.unique(expected, axis=0)) == len(allowed)
    same = (copies.reshape(n, 1, -1) == expected).all(axis=2)
    assert_array_equal(same.sum(axis=1), 1)
    assert_equally_likely(same.argmax(axis=1).tolist(), range(len(allowed)))


def test_channels_stay_where_they_are():
    colour = RNG.integers(0, 256, size=(10, 5, 6, 3), dtype=np.uint8)
    by_hand = drawn(Shifts(1, channel_axis=-1), colour)
    assert_array_equal(drawn(Shifts(1), colour), by_hand)
    for channel in range(3):
        assert_array_equal(
            drawn(Shifts((1, 1), channel_axis=2), colour)[1][..., channel],
            drawn(Shifts((1, 1, 0), channel_axis=None), colour)[1][..., channel],
        )
    first = np.moveaxis(colour, -1, 1)
    assert_array_equal(
        np.moveaxis(drawn(Shifts(1, channel_axis=0), first)[1], 1, -1).shape, by_hand[1].shape
    )


def test_four_channels_are_recognised_in_the_last_of_three_axes_only():
    wide = RNG.normal(size=(40, 6, 5, 5)).astype(np.float32)
    copies = drawn(Shifts((0, 0, 1)), wide)[1]
    assert (copies != wide).any()
    with pytest.raises(ValueError, match="max_shift must have 2 entries"):
        drawn(Shifts((0, 0, 1)), wide[..., :4])


def test_flat_rows_take_a_shape():
    rows = BYTES.reshape(30, -1)
    shaped = Shifts(1, shape=(4, 5))._draw(rows, (20,), np.random.RandomState(0))
    assert_array_equal(shaped, drawn(Shifts(1), BYTES).reshape(90, -1))
    series = Shifts(1)._draw(rows, (20,), np.random.RandomState(0))
    assert not np.array_equal(series, shaped)


def test_axes_with_one_position_are_left_out():
    thin = BYTES.reshape(30, 1, 20)
    assert_array_equal(drawn(Shifts(1), thin)[1][:, 0], drawn(Shifts((0, 1)), thin)[1][:, 0])


def test_draws_differ_by_seed_and_number_and_are_repeated_by_both():
    streams = [(0, 0), (0, 1), (1, 0), (2**32, 0), (0, 2**40), (2**63 - 1, 2**40)]
    numbers = [tuple(random_of_draw(*pair).randint(0, 2**31 - 1, 4)) for pair in streams]
    assert len(set(numbers)) == len(streams)
    assert numbers == [tuple(random_of_draw(*pair).randint(0, 2**31 - 1, 4)) for pair in streams]


def test_a_number_stands_for_shifts():
    assert as_augmentation(None) is None
    assert as_augmentation(2) == Shifts(2)
    given = Shifts(2, flip=1)
    assert as_augmentation(given) == given
    assert as_augmentation(given) is not given


@pytest.mark.parametrize(
    ("shifts", "shape", "message"),
    [
        (Shifts(0), (4, 5), "max_shift must be above 0"),
        (Shifts(1), (1,), "max_shift must be above 0"),
        (Shifts(4), (4, 5), "max_shift must be below 4 along axis 0"),
        (Shifts((1, 1)), (20,), "max_shift must have 1 entries"),
        (Shifts(1, flip=2), (4, 5), "flip must name an axis"),
        (Shifts(1, flip=2), (4, 5, 3), "flip must not name the axis of channels, 2"),
        (Shifts(1, channel_axis=3), (4, 5), "channel_axis must name an axis"),
        (Shifts(1, shape=(5, 4)), (4, 5), "shape must be the shape of the examples"),
        (Shifts(1, shape=(5, 5)), (20,), "shape must be the shape of the examples"),
        (Shifts(1, fill=0.5), (4, 5), "fill must be a number that examples of type uint8"),
        (Shifts(1, fill=256), (4, 5), "fill must be a number that examples of type uint8"),
    ],
    ids=str,
)
def test_what_does_not_fit_the_examples_is_refused(shifts, shape, message):
    with pytest.raises(ValueError, match=f"Shifts.{message}"):
        shifts._check(shape, np.dtype(np.uint8))


def test_floats_take_fractions_but_nothing_too_large():
    Shifts(1, fill=0.5)._check((4, 5), np.dtype(np.float32))
    with pytest.raises(ValueError, match=r"Shifts.fill must be .* float32 can hold, got 1e\+300"):
        Shifts(1, fill=1e300)._check((4, 5), np.dtype(np.float32))

"""Packed arrays: the same bits come back, in as few bytes as they need, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from manifoldforest.io._bit_packing import PackedArrays, pack, same_bits, unpack

RNG = np.random.default_rng(0)


def bits_of(array):
    """Return the width in which an array is stored, checking that it comes back."""
    description, stored = pack(array)
    again = unpack(description, stored)
    assert same_bits(again, np.ascontiguousarray(array))
    if "bits" not in description:
        return stored.dtype.name
    assert stored.nbytes == -(-array.size // 8) * description["bits"]
    return description["bits"]


@pytest.mark.parametrize("bits", range(1, 33))
@pytest.mark.parametrize("n", [1, 7, 8, 9, 1000])
def test_whole_numbers_of_any_width_come_back(bits, n):
    numbers = RNG.integers(0, 2**bits, size=n)
    numbers[0] = 2**bits - 1
    for low in (0, -5, -(2**40)):
        description, stored = pack(numbers + low)
        assert description["bits"] == max(1, int(numbers.max() - numbers.min()).bit_length())
        assert_array_equal(unpack(description, stored), numbers + low)


@pytest.mark.parametrize("n", [2**16 - 1, 2**16, 2**16 + 1, 3 * 2**16 + 5])
def test_chunks_of_work_do_not_show(n):
    assert bits_of(RNG.integers(0, 2**13, size=n).astype(np.int32)) == 13


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([], np.int32), 1),
        (np.array([], np.float64), 1),
        (np.zeros((0, 3), np.float32), 1),
        (np.full(9, 7, np.int64), 1),
        (np.array([-1, 0, 3], np.int8), 3),
        (np.array([-128, 127], np.int8), "int8"),
        (np.array([0, 2**32 - 1], np.uint32), "uint32"),
        (np.array([0, 2**32], np.int64), "int64"),
        (np.array([-(2**63), 2**63 - 1], np.int64), "int64"),
        (np.array([2**62, 2**62 + 1], np.int64), "int64"),
        (np.array([2**63 + 1], np.uint64), "uint64"),
        (np.array([True, False]), "bool"),
        (np.arange(6, dtype=np.int16).reshape(2, 3).T, 3),
        (np.array([1.0, -1.0], np.float32), 2),
        (np.array([0.5, 254.5]), 9),
        (np.array([0.5, 254.0], np.float32), 9),
        (np.array([-0.5, 0.5]), 2),
        (np.array([0.25, 1.5]), "float16"),
        (np.array([0.0, -0.0]), "float16"),
        (np.array([np.nan, np.inf, 1.0]), "float16"),
        (np.array([0.1, 2.0], np.float32), "float32"),
        (np.array([2.0**-30, 3.0]), "float32"),
        (np.array([0.1, 2.0]), "float64"),
        (np.array([1e300, -1e300]), "float64"),
        (np.array([0.0, 2.0**40]), "float32"),
        (np.array([2.0**53, 2.0**53 + 2]), "float64"),
        (np.array(3.0), 1),
        (np.array([1, 300], ">i4"), 9),
        (np.array([0.1, 300.0], ">f8"), "float64"),
    ],
)
def test_numbers_take_no_more_room_than_they_need(array, expected):
    description, stored = pack(array)
    again = unpack(description, stored)
    assert again.shape == array.shape
    assert again.dtype == array.dtype.newbyteorder("=")
    assert again.tobytes() == array.astype(again.dtype).tobytes()
    assert description.get("bits", stored.dtype.name) == expected


def test_strange_nans_keep_their_bits():
    nan = np.array([0x7FF8000000000001, 0xFFF4000000000000], np.uint64).view(np.float64)
    assert bits_of(nan) in ("float32", "float64")


def test_packed_arrays_are_a_mapping_in_bits():
    packed = PackedArrays()
    packed["a"] = np.arange(100)
    outer = PackedArrays()
    outer["b"] = np.arange(3.0)
    outer.add_all("inner.", packed)
    assert list(outer) == ["b", "inner.a"]
    again = PackedArrays(outer.described, outer.stored).all_under("inner.")
    assert_array_equal(again["a"], np.arange(100))
    assert_array_equal(again.take("a", np.int64), np.arange(100))
    assert again.nbytes == 13 * 7
    assert "a" in again
    assert "b" not in again
    for name, dtype, ndim in (("a", np.int32, 1), ("a", np.int64, 2), ("b", np.int64, 1)):
        with pytest.raises(ValueError, match=f"the array '{name}' is"):
            again.take(name, dtype, ndim)
    with pytest.raises(ValueError, match="differ"):
        PackedArrays({}, again.stored)


MALFORMED = {
    "no bits": {"bits": 0},
    "too many bits": {"bits": 33},
    "other number of bits": {"bits": 8},
    "bits in a text": {"bits": "7"},
    "bits as a float": {"bits": 7.0},
    "bits as a truth": {"bits": True},
    "large offset": {"low": 2**60},
    "no offset": {"low": None},
    "thirds": {"halves": 2},
    "longer": {"shape": [1000]},
    "shorter": {"shape": [92]},
    "so long that nobody has the memory": {"shape": [10**18]},
    "a product that is 0 in 64 bits": {"shape": [2**32, 2**32]},
    "negative": {"shape": [-100]},
    "no shape": {"shape": None},
    "objects": {"dtype": "object"},
    "long texts": {"dtype": "U1000000000"},
    "records": {"dtype": "f8,f8"},
    "a list": {"dtype": ["f8"]},
    "nothing": {"dtype": None},
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_descriptions_are_refused(name):
    description, stored = pack(np.arange(100))
    packed = PackedArrays({"a": description | MALFORMED[name]}, {"a": stored})
    with pytest.raises(ValueError, match="'a' is missing or malformed"):
        packed["a"]


def test_other_tensors_than_described_are_refused():
    description, stored = pack(np.arange(100))
    for tensor in (stored[:-1], stored.view(np.int8), stored[None], stored.astype(np.uint16)):
        with pytest.raises(ValueError, match="number of bytes"):
            unpack(description, tensor)
    description, stored = pack(np.array([0.1, 0.2], np.float32))
    for tensor in (stored[:1], stored[:, None], stored.astype(np.float64)):
        with pytest.raises(ValueError, match="described shape and type"):
            unpack(description, tensor)
    for dtype in ("U1000000000", "object", "complex128", "O"):
        with pytest.raises(ValueError, match="not a type of numbers"):
            unpack(description | {"dtype": dtype}, stored)

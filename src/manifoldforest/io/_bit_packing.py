"""Lossless packing of arrays: whole numbers take as many bits as the largest needs.

A packed array is a *stored* array and a *description* of plain numbers and words, which says how to
get the original back. Every number takes at least one bit, so that no stored array can ask for much
more memory than it has itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Arrays = dict[str, NDArray[Any]]

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
_FLOATS = ("float32", "float64")
_TYPES = (*_INTEGERS, *_FLOATS, "uint64", "float16", "bool")
_MOST_BITS = 32
_LARGEST = 2**53  # whole numbers up to here are exact as float64
_CHUNK = 2**16  # numbers worked on at a time, which is what a cache holds; a multiple of 8


class PackedArrays:
    """Named arrays, which are packed when they come in and unpacked when they are looked up.

    Parameters
    ----------
    described : mapping of str to dict, optional
        Description of each array.
    stored : mapping of str to ndarray, optional
        What is stored of each array.
    """

    def __init__(
        self,
        described: Mapping[str, Any] | None = None,
        stored: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.described = dict(described or {})
        self.stored = dict(stored or {})
        if self.described.keys() != self.stored.keys():
            raise ValueError("arrays and their descriptions differ")

    def __setitem__(self, name: str, array: NDArray[Any]) -> None:
        self.described[name], self.stored[name] = pack(array)

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return unpack(self.described[name], self.stored[name])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the array {name!r} is missing or malformed: {error}") from error

    def take(self, name: str, dtype: DTypeLike, ndim: int = 1) -> NDArray[Any]:
        """Return an array that must be of one type and number of axes."""
        array = self[name]
        if array.dtype != dtype or array.ndim != ndim:
            raise ValueError(f"the array {name!r} is of another type or shape")
        return array

    def __contains__(self, name: str) -> bool:
        return name in self.described

    def __iter__(self) -> Iterator[str]:
        return iter(self.described)

    def add_all(self, prefix: str, others: PackedArrays) -> None:
        """Add other packed arrays, their names behind a prefix."""
        self.described |= {prefix + name: text for name, text in others.described.items()}
        self.stored |= {prefix + name: array for name, array in others.stored.items()}

    def all_under(self, prefix: str) -> PackedArrays:
        """Return the arrays whose names begin with a prefix, without it."""
        names = [name for name in self if name.startswith(prefix)]
        return PackedArrays(
            {name.removeprefix(prefix): self.described[name] for name in names},
            {name.removeprefix(prefix): self.stored[name] for name in names},
        )

    @property
    def nbytes(self) -> int:
        """Bytes of all that is stored."""
        return sum(array.nbytes for array in self.stored.values())


def pack(array: NDArray[Any]) -> tuple[dict[str, Any], NDArray[Any]]:
    """Return a description of an array and what has to be stored of it.

    Whole numbers, and halves of them, are stored as bits; other floating-point numbers in the
    smallest type that is exact. Anything else is stored as it is.
    """
    description: dict[str, Any] = {"dtype": array.dtype.name, "shape": list(array.shape)}
    # files hold the bytes of contiguous arrays
    values = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(-1)
    if array.dtype.name in _INTEGERS:
        coded = _integers_as_bits(values)
    elif array.dtype.name in _FLOATS:
        coded = _floats_as_bits(values)
    else:
        coded = None
    if coded is not None:
        return description | coded[0], coded[1]
    return description, _smallest_float(values).reshape(array.shape)


def unpack(description: Mapping[str, Any], stored: NDArray[Any]) -> NDArray[Any]:
    """Return the array that was packed, or raise a ValueError before any memory is taken."""
    shape = tuple(_whole(length, 0, 2**62) for length in description["shape"])
    if description["dtype"] not in _TYPES:
        raise ValueError(f"{description['dtype']!r} is not a type of numbers")
    if "bits" not in description:
        dtype = np.dtype(description["dtype"])
        if stored.shape != shape or not np.can_cast(stored.dtype, dtype, "safe"):
            raise ValueError("it is not of the described shape and type")
        return stored.astype(dtype, copy=False)
    bits = _whole(description["bits"], 1, _MOST_BITS)
    low = _whole(description["low"], -_LARGEST, _LARGEST)
    halves = _whole(description["halves"], 0, 1)
    n = math.prod(shape)  # in Python, where no product is too large
    if stored.dtype != np.uint8 or stored.shape != (_bytes_for(n, bits),):
        raise ValueError("it does not have the described number of bytes")
    return _from_bits(stored, n, bits, low, halves, description["dtype"]).reshape(shape)


def same_bits(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two arrays are equal to the last bit, signs of zeros included."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    bits = np.dtype(f"u{a.dtype.itemsize}")
    return np.array_equal(np.ascontiguousarray(a).view(bits), np.ascontiguousarray(b).view(bits))


def _whole(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{value!r} is not a whole number from {least} to {most}")
    return value


# ------------------------------------------------------- numbers as whole numbers


def _integers_as_bits(values: NDArray[Any]) -> tuple[dict[str, int], NDArray[np.uint8]] | None:
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    bits = max(1, (high - low).bit_length())
    if bits >= min(8 * values.dtype.itemsize, _MOST_BITS + 1) or abs(low) > _LARGEST:
        return None
    return {"bits": bits, "low": low, "halves": 0}, _to_bits(values, bits, low, 0)


def _floats_as_bits(values: NDArray[Any]) -> tuple[dict[str, int], NDArray[np.uint8]] | None:
    low, high = (values.min(), values.max()) if len(values) else (0.0, 0.0)
    # comparisons with NaN are false
    if not (low >= -_LARGEST / 2 and high <= _LARGEST / 2):
        return None
    twice = values * 2.0
    if (twice != np.trunc(twice)).any():
        return None
    halves = int((values != np.trunc(values)).any())
    first, last = int(low * 2.0**halves), int(high * 2.0**halves)
    bits = max(1, (last - first).bit_length())
    if bits >= min(8 * values.dtype.itemsize, _MOST_BITS + 1):
        return None
    described = {"bits": bits, "low": first, "halves": halves}
    stored = _to_bits(values, bits, first, halves)
    # negative zeros are lost in whole numbers
    exact = same_bits(_from_bits(stored, len(values), dtype=values.dtype, **described), values)
    return (described, stored) if exact else None


def _smallest_float(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.name not in _FLOATS:
        return values
    with np.errstate(all="ignore"):
        for dtype in (np.float16, np.float32):
            small = values.astype(dtype)
            if same_bits(small.astype(values.dtype), values):
                return small
    return values


# ------------------------------------------------------------ whole numbers as bits
#
# Eight numbers of b bits are b bytes; number j begins at bit j * b. Lowest bits come first.


def _bytes_for(n: int, bits: int) -> int:
    return -(-n // 8) * bits


def _overlaps(bits: int) -> list[tuple[int, int, int]]:
    """Return the pairs of number and byte that share bits, with the shift between them."""
    return [
        (j, byte, j * bits - 8 * byte)
        for j in range(8)
        for byte in range(j * bits // 8, ((j + 1) * bits - 1) // 8 + 1)
    ]


def _shifted(numbers: NDArray[np.uint32], shift: int) -> NDArray[np.uint32]:
    moved: NDArray[np.uint32] = (
        numbers << np.uint32(shift) if shift >= 0 else numbers >> np.uint32(-shift)
    )
    return moved


def _to_bits(values: NDArray[Any], bits: int, low: int, halves: int) -> NDArray[np.uint8]:
    """Return the numbers ``values * 2**halves - low`` in bits."""
    out = np.zeros((-(-len(values) // 8), bits), dtype=np.uint8)
    overlaps = _overlaps(bits)
    for start in range(0, len(values), _CHUNK):
        chunk = values[start : start + _CHUNK]
        scaled = chunk * 2.0**halves if halves else chunk
        groups = np.zeros((-(-len(chunk) // 8), 8), dtype=np.uint32)
        groups.reshape(-1)[: len(chunk)] = scaled.astype(np.int64) - low
        numbers = np.ascontiguousarray(groups.T)
        to = out[start // 8 : start // 8 + len(groups)]
        for j, byte, shift in overlaps:
            to[:, byte] |= _shifted(numbers[j], shift).astype(np.uint8)
    return out.reshape(-1)


def _from_bits(
    stored: NDArray[np.uint8], n: int, bits: int, low: int, halves: int, dtype: DTypeLike
) -> NDArray[Any]:
    out = np.empty(n, dtype=dtype)
    groups = stored.reshape(-1, bits)
    overlaps = _overlaps(bits)
    for start in range(0, n, _CHUNK):
        chunk = np.ascontiguousarray(groups[start // 8 : (start + _CHUNK) // 8].T)
        numbers = np.zeros((8, chunk.shape[1]), dtype=np.uint32)
        for j, byte, shift in overlaps:
            numbers[j] |= _shifted(chunk[byte].astype(np.uint32), -shift)
        numbers &= np.uint32(2**bits - 1)
        to = out[start : start + _CHUNK]
        whole = numbers.T.reshape(-1)[: len(to)].astype(np.int64) + low
        to[:] = whole * 0.5 if halves else whole
    return out

"""Recognise pickles and files of joblib, which are often taken for model files."""

from __future__ import annotations

from pathlib import Path

# first bytes of files that joblib.dump has compressed, and the method of compression
_COMPRESSED = {
    **{bytes([0x78, level]): "zlib" for level in (0x01, 0x5E, 0x9C, 0xDA)},
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ": "xz",
    b"\x5d\x00": "lzma",
    b"\x04\x22\x4d\x18": "lz4",
}
_JOBLIB = b"joblib.numpy_pickle"  # the module of the arrays in its files
_LOOKED_AT = 2**20  # bytes


def description_of_pickle(path: Path) -> str | None:
    """Say how to read a file that begins like a pickle or a compressed one; None for others.

    Only the first bytes are looked at, and nothing in the file is executed.
    """
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    if _begins_like_a_model(start):
        return None
    if len(start) > 2 and start[0] == 0x80 and start[1] in range(2, 6):  # the protocol
        if _JOBLIB in start:
            return "a file that joblib.dump wrote: use joblib.load"
        return "a pickle: use pickle.load, or joblib.load if joblib.dump wrote it"
    for magic, name in _COMPRESSED.items():
        if start.startswith(magic):
            return f"compressed ({name}): use joblib.load if joblib.dump wrote it"
    return None


def _begins_like_a_model(start: bytes) -> bool:
    """Whether a file begins like a model file, perhaps a truncated one: length and header."""
    return not any(start[4:8]) and start[8:9] in (b"", b"{")

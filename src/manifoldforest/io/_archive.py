"""The container of all model files: safetensors with one JSON text in the header.

The JSON text holds the *content*, in an order that is ours, so that equal models are equal files,
and a checksum of it and of the tensors. Its `format_version` says how the rest is to be read:
`docs/model_files.md` tells when it grows. A *detached* tensor is one that may be too large to
be read when the file is opened: it has a checksum of its own in the content, and is mapped into
memory.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from ._atomic_file import replacing
from ._bit_packing import Arrays

OLDEST_FORMAT = 2
NEWEST_FORMAT = 5  # of all kinds of files

_KEY = "manifoldforest"
_DETACHED = "detached"
_LARGEST_LABELS = 2**30  # bytes: a type of text may be much wider than any of its labels
_NUMPY_TYPES = {"U8": np.uint8, "F32": np.float32, "F64": np.float64, "I64": np.int64}  # detached
_TYPE_NAMES = {
    "bool": "BOOL",
    **{f"uint{bits}": f"U{bits}" for bits in (8, 16, 32, 64)},
    **{f"int{bits}": f"I{bits}" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"F{bits}" for bits in (16, 32, 64)},
}


class ModelFileError(ValueError):
    """Raised if a model file is damaged, incomplete, of a newer version or no model file at all.

    Examples
    --------
    >>> import os, tempfile
    >>> import manifoldforest as mf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "table.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("a,b")
    ...     try:
    ...         mf.load(path)
    ...     except mf.ModelFileError as error:
    ...         print("not a whole model file" in str(error))
    True
    """


@dataclass(frozen=True)
class Archive:
    """What is in a file: content and tensors in memory, detached tensors where they are."""

    path: Path
    content: dict[str, Any]
    tensors: Arrays
    detached: Arrays

    def verify(self, name: str) -> None:
        """Read a detached tensor to the end, and raise a ModelFileError if it was changed."""
        if self.content[_DETACHED][name] != _digest(self.detached[name]):
            raise ModelFileError(f"{self.path} is damaged: the checksum of {name} does not match")


def as_path(path: Any) -> Path:
    """Return the path that a user has given."""
    try:
        return Path(os.fsdecode(path))
    except TypeError as error:  # an integer would be taken for an open file
        raise TypeError(f"path must be a string or path-like, got {path!r}") from error


def write(
    path: str | os.PathLike[str],
    content: Mapping[str, Any],
    tensors: Arrays,
    detached: Arrays | None = None,
) -> None:
    """Write a file, which appears under its name only when it is complete.

    The content must have a `format_version`.
    """
    target = as_path(path)
    content = dict(content)
    if detached:
        content[_DETACHED] = {name: _digest(tensor) for name, tensor in detached.items()}
    tensors = {**tensors, **(detached or {})}
    header = {"checksum": checksum(content, tensors), "content": content}
    metadata = {_KEY: _canonical(header)}
    with replacing(target) as file:
        _write_safetensors(file, tensors, metadata)


def _write_safetensors(file: IO[bytes], tensors: Arrays, metadata: Mapping[str, str]) -> None:
    """Write tensors in the safetensors format.

    The library's own writer turns a full disk into an error that is no OSError.
    """
    # Wide numbers first, so that all of them lie at multiples of their width.
    names = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    entries: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name in names:
        tensor = tensors[name]
        begin, end = end, end + tensor.nbytes
        dtype = _TYPE_NAMES[tensor.dtype.name]
        entries[name] = {"dtype": dtype, "shape": tensor.shape, "data_offsets": [begin, end]}
    header = json.dumps(entries, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    file.write(len(header).to_bytes(8, "little") + header)
    for name in names:
        little_endian = tensors[name].dtype.newbyteorder("<")
        file.write(_as_bytes(tensors[name].astype(little_endian, copy=False)))


def read(path: Path) -> Archive:
    """Read a file and verify all of it but the numbers in detached tensors.

    Whatever a damaged file makes the readers raise comes out as it is.
    """
    with path.open("rb") as raw, safe_open(path, framework="numpy") as file:
        metadata = file.metadata() or {}
        if _KEY not in metadata:
            raise ModelFileError(f"{path} is not a model file of manifoldforest")
        header = json.loads(metadata[_KEY])
        content = header["content"]
        check_format(path, content, NEWEST_FORMAT)  # before the content is interpreted
        names = file.keys()
        away = content.get(_DETACHED, {})
        tensors = {name: file.get_tensor(name) for name in names if name not in away}
        detached = _mapped(raw, away, metadata) if away else {}
    if header["checksum"] != checksum(content, tensors | detached):
        raise ModelFileError(f"{path} is damaged: its checksum does not match")
    return Archive(path, content, tensors, detached)


def check_format(path: Path, content: Mapping[str, Any], newest: int) -> None:
    """Raise a ModelFileError unless the format is one that can be read."""
    version = content["format_version"]
    if type(version) is not int or version < OLDEST_FORMAT:
        raise ModelFileError(
            f"{path} has the format {version!r}, expected one from {OLDEST_FORMAT} to {newest}"
        )
    if version > newest:
        by = content.get("package_version")
        raise ModelFileError(
            f"{path} was written by a newer version of manifoldforest ({by}): it has the format "
            f"{version}, and this version reads formats up to {newest}"
        )


def checksum(content: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of content and tensors; of detached ones, name, type and shape."""
    away = content.get(_DETACHED, {})
    digest = hashlib.sha256(_canonical(content).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype.str} {tensor.shape} ".encode())
        if name not in away:
            digest.update(_as_bytes(tensor))
    return digest.hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(tensor: NDArray[Any]) -> str:
    return hashlib.sha256(_as_bytes(tensor)).hexdigest()


def _as_bytes(tensor: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(tensor).reshape(-1).view(np.uint8).data


def _mapped(raw: Any, names: Iterable[str], metadata: Mapping[str, str]) -> Arrays:
    """Map tensors copy-on-write: the file stays as it is."""
    size = int.from_bytes(raw.read(8), "little")
    entries = json.loads(raw.read(size))
    if entries["__metadata__"] != metadata:
        raise ValueError("it was replaced while it was read")
    arrays: Arrays = {}
    for name in names:
        entry = entries[name]
        dtype, shape = np.dtype(_NUMPY_TYPES[entry["dtype"]]), tuple(entry["shape"])
        if 0 in shape:  # an empty tensor cannot be mapped
            arrays[name] = np.empty(shape, dtype)
            continue
        offset = 8 + size + entry["data_offsets"][0]
        array: NDArray[Any] = np.memmap(raw, dtype=dtype, mode="c", offset=offset, shape=shape)
        arrays[name] = array if array.flags.aligned else np.array(array)
    return arrays


# ----------------------------------------------------------------- parameters


def plain(name: str, value: Any) -> Any:
    """Return a parameter for JSON; dictionaries become pairs, for their keys may be any labels."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"pairs": [[plain(name, k), plain(name, v)] for k, v in value.items()]}
    if isinstance(value, list):
        return [plain(name, item) for item in value]
    raise TypeError(f"{name} must hold numbers or strings to be stored, got {value!r}")


def plain_in(value: Any) -> Any:
    """Return the parameter that was given to `plain`."""
    if isinstance(value, list):
        return [plain_in(item) for item in value]
    if isinstance(value, dict):
        return {key: plain_in(item) for key, item in value["pairs"]}
    return value


# --------------------------------------------------------------------- labels


def labels_out(per_output: Iterable[NDArray[Any]], arrays: Arrays) -> list[Any]:
    """Describe the labels of each output; numbers become arrays."""
    described: list[Any] = []
    for k, labels in enumerate(per_output):
        if labels.dtype.kind in "biuf":
            arrays[f"labels.{k}"] = labels
            described.append(None)
        elif all(isinstance(label, str) for label in labels):
            described.append({"dtype": labels.dtype.str, "values": labels.tolist()})
        else:
            raise TypeError(f"labels must be numbers or strings to be stored, got {labels.dtype}")
    return described


def labels_in(described: list[Any], arrays: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the labels that `labels_out` has described."""
    return [
        arrays[f"labels.{k}"] if text is None else _text_labels_in(text["values"], text["dtype"])
        for k, text in enumerate(described)
    ]


def _text_labels_in(values: list[str], dtype_name: str) -> NDArray[Any]:
    dtype = np.dtype(dtype_name)
    if dtype.kind not in "UO" or dtype.itemsize * len(values) > _LARGEST_LABELS:
        raise ValueError(f"labels cannot be of the type {dtype_name!r}")
    return np.array(values, dtype)

"""Model files that were changed by someone who knows the format, with checksums that fit."""

from __future__ import annotations

import json

from safetensors.numpy import save_file

from manifoldforest.io import _archive
from manifoldforest.io._bit_packing import PackedArrays


def rewritten(path, change):
    """Change the description and the tensors of a model file, with a checksum that fits."""
    archive = _archive.read(path)
    content, tensors = archive.content, archive.tensors
    tensors = {name: tensor.copy() for name, tensor in tensors.items()}
    change(content, tensors)
    header = {"checksum": _archive.checksum(content, tensors), "content": content}
    save_file(tensors, path, metadata={"manifoldforest": json.dumps(header)})


def repacked(path, change):
    """Change the description and the arrays that the tensors of a model file stand for."""

    def change_arrays(content, tensors):
        packed = PackedArrays(content["arrays"], tensors)
        arrays = {name: packed[name].copy() for name in packed}
        change(content, arrays)
        packed = PackedArrays()
        for name, array in arrays.items():
            packed[name] = array
        content["arrays"] = packed.described
        tensors.clear()
        tensors.update(packed.stored)

    rewritten(path, change_arrays)


def as_format_2(content, arrays):
    """Make a forest's file one of format 2, which has a recipe in place of the geometry."""
    content["format_version"] = 2
    del content["grids"]
    for name in [name for name in arrays if name.startswith("geometry.")]:
        del arrays[name]

"""Shifts and flips of one example, by padding and cutting."""

from __future__ import annotations

import numpy as np


def moved(example, shifts, flips, fill):
    """Return an example that is flipped along some axes and then shifted, one shift per axis."""
    for axis, flip in enumerate(flips):
        if flip:
            example = np.flip(example, axis)
    if fill == "wrap":
        return np.roll(example, shifts, axis=tuple(range(example.ndim)))
    width = [(max(s, 0), max(-s, 0)) for s in shifts]
    if fill == "edge":
        padded = np.pad(example, width, mode="edge")
    else:
        padded = np.pad(example, width, constant_values=fill)
    window = tuple(
        slice(max(-s, 0), max(-s, 0) + side) for s, side in zip(shifts, example.shape, strict=True)
    )
    return padded[window]

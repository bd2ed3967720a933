"""Labels of several outputs side by side, and their places among the classes of a forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation._inputs import Target


def decoded(codes: NDArray[Any], target: Target) -> NDArray[Any]:
    """Return the labels that class indices, one column for each output, stand for."""
    columns = [labels[codes[:, k]] for k, labels in enumerate(target.classes)]
    return columns[0] if len(columns) == 1 else side_by_side(columns)


def side_by_side(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Join label columns; those of different kinds keep their values in an array of objects."""
    alike = len({column.dtype.kind for column in columns}) == 1
    return np.stack(columns if alike else [c.astype(object) for c in columns], axis=1)


def codes_among(known: list[NDArray[Any]], target: Target) -> NDArray[Any]:
    """Return the index of each label in the classes of its output, -1 if it is not among them."""
    columns = []
    for codes, labels, mine in zip(target.values.T, target.classes, known, strict=True):
        index = {label: i for i, label in enumerate(mine.tolist())}
        of_label = np.array([index.get(label, -1) for label in labels.tolist()])
        if (of_label < 0).all():
            raise ValueError(
                f"y must hold labels that the forest has learned, such as "
                f"{mine[:1].tolist()[0]!r}, got none of them, but {labels[:1].tolist()[0]!r}"
            )
        columns.append(of_label[codes])
    return np.stack(columns, axis=1)

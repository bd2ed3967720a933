"""Labels among the arguments of pictures, and their places among the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._arrays import as_array, check_each_finite
from manifoldforest.validation._rules import shown

from ._style import class_codes


def read_label_array(name: str, values: Any, n: int | None = None) -> NDArray[Any]:
    """Return labels of one type in an array with one axis, n of them if that is given."""
    expected = "an array of labels with one axis"
    labels = as_array(values, name, expected)
    if labels.ndim != 1 or not len(labels):
        raise ValueError(f"{name} must be {expected} and not empty, got the shape {labels.shape}")
    if n is not None and len(labels) != n:
        raise ValueError(f"{name} must have one label for each of the {n} rows, got {len(labels)}")
    if labels.dtype.kind == "f":
        check_each_finite(labels, name)
    return labels


def read_classes(labels: Any, *given: NDArray[Any]) -> NDArray[Any]:
    """Return the classes in the order that is asked for, or all that occur in ascending order."""
    if labels is None:
        return np.unique(np.concatenate(given))
    classes = read_label_array("labels", labels)
    if len(np.unique(classes)) < len(classes):
        raise ValueError(f"labels must be different from each other, got {shown(labels)}")
    return classes


def codes_of(name: str, values: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each label among the classes, or raise if it is none of them."""
    codes = class_codes(classes, values)
    unknown = classes[codes] != values
    if np.any(unknown):
        raise ValueError(
            f"{name} must hold labels of the {len(classes)} classes, got "
            f"{shown(values[unknown][0])}"
        )
    return codes

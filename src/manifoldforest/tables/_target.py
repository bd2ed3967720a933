"""The column that is to be predicted, and whether it holds labels or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..validation._arrays import are_labels
from ._columns import Column, Table, first_row, listed
from ._encoding import Data
from ._errors import TableError
from ._image_data import Images
from ._schema import ArrayPositions, TableSchema

Task = Literal["classification", "regression"]


@dataclass(frozen=True)
class Target:
    """What is to be predicted: its values, its name and how messages name it."""

    where: str
    name: str | None
    values: NDArray[Any]  # numbers, booleans or text
    dtype: str
    content: str = ""  # of a column with numbers and text, what it holds


def target_of_column(source: str, column: Column) -> Target:
    """Return a column of a table as target."""
    where = f"column {column.name!r} of {source}, the target,"
    if column.kind == "other":
        raise TableError(f"{where} must hold numbers or labels, got {column.content}")
    missing = column.missing
    if missing.any():
        raise TableError(
            f"{where} is empty in row {first_row(missing)} ({int(missing.sum())} in all): fill "
            "it in, or take these rows away"
        )
    values = column.texts() if column.kind in ("text", "mixed") else column.values
    return _checked(Target(where, column.name, values, column.dtype, column.content))


def target_of_array(source: str, name: str | None, values: NDArray[Any]) -> Target:
    """Return an array with one axis as target."""
    where = f"the target {f'{name} ' if name else ''}of {source}"
    if values.dtype.kind not in "biufU":
        raise TableError(f"{where} must hold numbers or text, got the type {values.dtype}")
    if values.dtype.kind == "f" and np.isnan(values).any():
        row = first_row(np.isnan(values))
        raise TableError(f"{where} is missing in row {row}: fill it in, or take such rows away")
    dtype = "string" if values.dtype.kind == "U" else values.dtype.name
    return _checked(Target(where, name, values, dtype))


def _checked(target: Target) -> Target:
    values = target.values
    if values.dtype.kind == "f" and np.isinf(values).any():
        row = first_row(np.isinf(values))
        raise TableError(
            f"{target.where} must hold finite numbers, got {values[row - 1]} in row {row}"
        )
    return target


# ------------------------------------------------------------------------------------- task


def chosen_task(target: Target, task: str) -> Task:
    """Return what is to be learned; ``"auto"`` goes by the values."""
    values = target.values
    is_text = values.dtype.kind == "U"
    if task == "regression":
        if is_text:
            content = target.content or f"text, such as {str(values[0])!r}"
            raise TableError(
                f"{target.where} must hold numbers for --task regression, got {content}"
            )
        return "regression"
    if task == "auto" and target.content:
        raise TableError(
            f"{target.where} holds {target.content}: correct it, or say --task classification if "
            "all of them are labels"
        )
    if task == "auto" and not are_labels(values):
        return "regression"
    _check_labels(target)
    return "classification"


def _refuse_fractions(target: Target) -> None:
    values = target.values
    if values.dtype.kind == "f" and (values != np.rint(values)).any():
        row = first_row(values != np.rint(values))
        raise TableError(
            f"{target.where} must hold labels for a classification, and {values[row - 1]} in row "
            f"{row} is a fraction: numbers are for --task regression"
        )


def _check_labels(target: Target) -> None:
    _refuse_fractions(target)
    values = target.values
    n_classes = len(np.unique(values))
    if n_classes == 1:
        raise TableError(
            f"{target.where} has one class only, {values[0].item()!r}: a forest needs at least two"
        )
    if n_classes == len(values) > 2:
        raise TableError(
            f"{target.where} has another label in each of its {n_classes} rows, from which "
            "nothing can be learned: name another column"
        )


# ------------------------------------------------------------- the target of a fitted forest


def known_target(schema: TableSchema, data: Data, classes: NDArray[Any] | None) -> NDArray[Any]:
    """Return the true values of data on which a forest is evaluated, in the type of its labels.

    Parameters
    ----------
    schema : TableSchema
        What the forest knows of its data.
    data : Table, Arrays or Images
        What was read.
    classes : ndarray or None
        The labels that the forest knows; None if it predicts numbers.
    """
    target = _found_target(schema, data)
    values = target.values
    if classes is None:
        if values.dtype.kind == "U":
            content = target.content or f"text, such as {str(values[0])!r}"
            raise TableError(f"{target.where} must hold numbers, as at the fit, got {content}")
        return values.astype(np.float64)
    of_one_kind = (values.dtype.kind == "U") == (classes.dtype.kind in "UO")
    if not of_one_kind or not np.isin(values, classes).any():
        raise TableError(
            f"{target.where} holds labels such as {values[0].item()!r}, none of which the forest "
            f"knows: it has learned {listed(classes.tolist())}"
        )
    _refuse_fractions(target)
    return values.astype(classes.dtype) if _same_values(values, classes.dtype) else values


def _same_values(values: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Whether all values are what they were after becoming of another type."""
    if values.dtype.kind == "U" or dtype.kind in "UO":
        return False
    return bool((values.astype(dtype) == values).all())


def _found_target(schema: TableSchema, data: Data) -> Target:
    if isinstance(data, Table):
        if schema.target_name is None:
            raise TableError(
                f"{data.source} must be an npz file with arrays X and y: the model does not know "
                "the name of its target"
            )
        name = schema.target_name
        if name not in data.columns:
            raise TableError(
                f"{data.source} lacks the column {name!r}, the target of the model, which is "
                f"needed to evaluate it: it has {listed(data.columns)}"
            )
        return target_of_column(data.source, data.columns[name])
    if isinstance(data, Images):
        if data.labels is None:
            raise TableError(
                f"{data.source} must have one folder for each class, with its images, so that "
                "labels are known"
            )
        return target_of_array(data.source, None, data.labels)
    if data.y is not None:
        return target_of_array(data.source, "y", data.y)
    features = schema.features
    if isinstance(features, ArrayPositions) and features.target is not None:
        if data.X.ndim == 2 and data.X.shape[1] == features.n_columns:
            return target_of_array(data.source, None, data.X[:, features.target])
        raise TableError(
            f"{data.source} must have {features.n_columns} columns, as at the fit, so that the "
            f"true values are in column {features.target}, got the shape {data.X.shape}"
        )
    raise TableError(
        f"{data.source} must be an npz file with arrays X and y, so that true values are known"
    )

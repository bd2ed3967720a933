"""From data to what a forest is fitted on: features, target, weights, and their schema."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation._suggestions import did_you_mean
from ._arrays import Arrays
from ._columns import Column, Table, first_row, listed
from ._encoding import Data, columns_that_lose, encoded
from ._errors import TableError
from ._image_data import Images
from ._schema import (
    MOST_LEVELS,
    ArrayPositions,
    FeatureColumn,
    FeatureKind,
    Features,
    ImagePixels,
    NamedColumns,
)
from ._target import Target, target_of_array, target_of_column


@dataclass(frozen=True)
class Training:
    """What a forest is fitted on, and what is worth knowing about it."""

    X: NDArray[Any]
    target: Target
    weights: NDArray[np.float64] | None
    features: Features
    notes: list[str] = field(default_factory=list)

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the features, if columns had names."""
        return self.features.feature_names if isinstance(self.features, NamedColumns) else None


def training_data(
    data: Data,
    target: str | None,
    *,
    ignore: Sequence[str] = (),
    weights: str | None = None,
    resize: bool = False,
) -> Training:
    """Take data apart.

    Parameters
    ----------
    data : Table, Arrays or Images
        What was read.
    target : str or None
        Column that is to be predicted: its name, in an array its place. None where the data say it
        themselves: y in an npz, the folders of images.
    ignore : sequence of str
        Columns that are left out.
    weights : str or None
        Column with the weight of each row, or a further array of an npz.
    resize : bool
        Whether images were scaled to their size.
    """
    if isinstance(data, Table):
        return _from_table(data, target, ignore, weights)
    if isinstance(data, Images):
        return _from_images(data, target, ignore, weights, resize)
    return _from_arrays(data, target, ignore, weights)


# ---------------------------------------------------------------------------------- tables


def _from_table(
    table: Table, target: str | None, ignore: Sequence[str], weights: str | None
) -> Training:
    if target is None:
        raise TableError(
            f"--target must name the column of {table.source} that is to be predicted. It has "
            f"{listed(table.columns)}"
        )
    learned = target_of_column(table.source, table.column(target, "--target"))
    if target in ignore or target == weights:
        option = "--ignore" if target in ignore else "--weights"
        raise TableError(f"{option} must not name {target!r}, which --target names")
    for name in ignore:
        table.column(name, "--ignore")
    weight = None if weights is None else weights_of(table, weights)
    apart = {target, weights, *ignore}
    chosen = [column for name, column in table.columns.items() if name not in apart]
    if not chosen:
        raise TableError(f"{table.source} has no column to learn from besides {target!r}")
    _refuse_unusable(table.source, chosen)
    features = NamedColumns(tuple(map(_feature, chosen)))
    X = encoded(features, table)
    notes = []
    if table.n_unnamed:
        plural = "columns have" if table.n_unnamed > 1 else "column has"
        notes.append(f"{table.n_unnamed} {plural} no name, and {_is(table.n_unnamed)} left out")
    lost = columns_that_lose(features, table, X)
    if lost:
        notes.append(
            f"values of {listed(lost)} that differ are equal in single precision, in which "
            "forests read numbers: subtract a constant, such as the smallest value"
        )
    return Training(X, learned, weight, features, notes)


def _is(number: int) -> str:
    return "are" if number > 1 else "is"


def _refuse_unusable(source: str, columns: Sequence[Column]) -> None:
    """Raise an error that names all columns of which no numbers can be made."""
    reasons = {}
    for column in columns:
        if column.kind in ("mixed", "other"):
            reasons[column.name] = column.content
        elif column.kind == "text" and len(column.levels) > MOST_LEVELS:
            reasons[column.name] = f"{len(column.levels)} different texts"
    if not reasons:
        return
    found = "; ".join(f"{name!r} holds {reason}" for name, reason in reasons.items())
    options = " ".join(f"--ignore {shlex.quote(name)}" for name in reasons)
    raise TableError(
        f"columns of {source} must hold numbers, booleans or at most {MOST_LEVELS} different "
        f"texts: {found}. Make numbers of {'it' if len(reasons) == 1 else 'them'}, or add {options}"
    )


def _feature(column: Column) -> FeatureColumn:
    if column.kind == "text":
        return FeatureColumn(column.name, "text", "string", tuple(sorted(column.levels)))
    kind: FeatureKind = "boolean" if column.kind == "boolean" else "number"
    return FeatureColumn(column.name, kind, column.dtype)


# ---------------------------------------------------------------------------------- arrays


def _from_arrays(
    arrays: Arrays, target: str | None, ignore: Sequence[str], weights: str | None
) -> Training:
    apart = {_place(arrays, name, "--ignore") for name in ignore}
    weight = None
    if weights is not None:
        weight = weights_of(arrays, weights)
        if weights not in arrays.others:
            apart.add(_place(arrays, weights, "--weights"))
    name, place_of_target = None, None
    if arrays.y is None:
        if target is None:
            raise TableError(
                f"--target must be the place of the column of {arrays.source} that is to be "
                "predicted, such as 0 or -1, or the file an npz with arrays X and y"
            )
        place_of_target = _place(arrays, target, "--target")
        values = arrays.X[:, place_of_target]
        if place_of_target in apart:
            raise TableError(f"--target names column {place_of_target}, and another option, too")
        apart.add(place_of_target)
    elif target not in (None, "y"):
        raise TableError(f"--target must not be given for {arrays.source}, which has an array y")
    else:
        values = arrays.y
        name = "y"
    learned = target_of_array(arrays.source, name, values)
    features = ArrayPositions()
    if apart:
        n_columns = arrays.X.shape[1]
        used = tuple(place for place in range(n_columns) if place not in apart)
        if not used:
            raise TableError(f"{arrays.source} has no column to learn from besides the target")
        features = ArrayPositions(n_columns, used, place_of_target)
    return Training(encoded(features, arrays), learned, weight, features)


def _place(arrays: Arrays, name: str, option: str) -> int:
    """Return the place of a column that an option gives, counted from 0, or from -1 backwards."""
    shape = arrays.X.shape
    if len(shape) != 2:
        raise TableError(f"{option} names a column, and {arrays.source} has the shape {shape}")
    try:
        place = int(name)
    except ValueError:
        others = did_you_mean(name, list(arrays.others))
        raise TableError(
            f"{option} must be the place of a column of {arrays.source}, from 0 to "
            f"{shape[1] - 1}, or from -1 backwards, got {name!r}{others}"
        ) from None
    if not -shape[1] <= place < shape[1]:
        raise TableError(
            f"{option} must be from 0 to {shape[1] - 1}, or from -1 backwards to {-shape[1]}, for "
            f"{arrays.source}, got {place}"
        )
    return place % int(shape[1])


# --------------------------------------------------------------------------------- weights


def weights_of(data: Data, name: str) -> NDArray[np.float64]:
    """Return the weights of rows: a column of a table, a column or a further array of an npz."""
    if isinstance(data, Images):
        raise TableError("--weights is for tables and arrays, not for images")
    if isinstance(data, Table):
        column = data.column(name, "--weights")
        where = f"column {name!r} of {data.source}, the weights,"
        if column.kind not in ("number", "boolean"):
            raise TableError(f"{where} must hold numbers, got {column.content or 'text'}")
        return _checked_weights(where, column.values)
    if name in data.others:
        values = data.others[name]
        where = f"array {name!r} of {data.source}, the weights,"
        if values.shape != (data.n_rows,) or values.dtype.kind not in "biuf":
            raise TableError(f"{where} must hold one number for each of {data.n_rows} rows")
        return _checked_weights(where, values)
    place = _place(data, name, "--weights")
    where = f"column {place} of {data.source}, the weights,"
    return _checked_weights(where, data.X[:, place])


def _checked_weights(where: str, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return weights of rows, which must be finite, not negative and not all zero."""
    weights = values.astype(np.float64)
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = first_row(wrong)
        found = "an empty cell" if np.isnan(weights[row - 1]) else weights[row - 1]
        raise TableError(f"{where} must be 0 or more in each row, got {found} in row {row}")
    if not weights.any():
        raise TableError(f"{where} must not be 0 in all rows")
    return weights


# ---------------------------------------------------------------------------------- images


def _from_images(
    images: Images, target: str | None, ignore: Sequence[str], weights: str | None, resize: bool
) -> Training:
    given = {"--target": target, "--ignore": ignore, "--weights": weights}
    for option, value in given.items():
        if value:
            raise TableError(f"{option} is for tables: the labels of images are their folders")
    assert images.labels is not None  # read_images(labelled=True) has seen to it
    height, width = images.X.shape[1:3]
    features = ImagePixels(height, width, images.pixels, resize)
    notes = []
    if images.n_left_out:
        plural = "files are" if images.n_left_out > 1 else "file is"
        notes.append(f"{images.n_left_out} {plural} left out: no images by their names")
    return Training(
        images.X, target_of_array(images.source, None, images.labels), None, features, notes
    )

"""What a model file keeps of the data it was made of: columns, labels, and how they are encoded.

A schema is read from files, which may be forged: `from_json` accepts what `to_json` makes and
nothing else, and `check` says whether it fits a forest. `docs/model_files.md` has the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ._image_data import Pixels

# Texts that a column may hold, each of which becomes a column of zeros and ones.
MOST_LEVELS = 20

FeatureKind = Literal["number", "boolean", "text"]
_NUMBER_TYPES = (
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
)
_TYPES: dict[str, tuple[str, ...]] = {
    "number": _NUMBER_TYPES,
    "boolean": ("bool",),
    "text": ("string",),
}
_LARGEST_WIDTH = 2**31 - 1  # columns of an array


@dataclass(frozen=True)
class FeatureColumn:
    """A column that a forest learns from, with the texts that it may hold in ascending order."""

    name: str
    kind: FeatureKind
    dtype: str
    levels: tuple[str, ...] = ()

    @property
    def feature_names(self) -> list[str]:
        """Names of the features that are made of it."""
        return [f"{self.name}={level}" for level in self.levels] or [self.name]


@dataclass(frozen=True)
class NamedColumns:
    """Columns that are found by their names."""

    columns: tuple[FeatureColumn, ...]

    @property
    def feature_names(self) -> list[str]:
        """Names of all features, in their order."""
        return [name for column in self.columns for name in column.feature_names]


@dataclass(frozen=True)
class ArrayPositions:
    """Columns of an array that are found by their places; None is all of them, of any shape.

    `target` is the place of what is predicted, if that is one of the columns.
    """

    n_columns: int | None = None
    used: tuple[int, ...] | None = None
    target: int | None = None


@dataclass(frozen=True)
class ImagePixels:
    """Images of one size, to which others are scaled if `resize` says so."""

    height: int
    width: int
    pixels: Pixels
    resize: bool


Features = NamedColumns | ArrayPositions | ImagePixels


@dataclass(frozen=True)
class TableSchema:
    """What a forest was fitted on: its features and its target, as they were in a file.

    Parameters
    ----------
    features : NamedColumns, ArrayPositions or ImagePixels
        Where the features are, and how they are encoded.
    target_name : str or None
        Name of the column that is predicted; None if it has none.
    target_dtype : str
        Type of the target: ``"bool"``, ``"string"`` or a type of numbers.

    Examples
    --------
    >>> from manifoldforest.tables import TableSchema
    >>> from manifoldforest.tables._schema import ArrayPositions
    >>> schema = TableSchema(ArrayPositions(), None, "int64")
    >>> TableSchema.from_json(schema.to_json()) == schema
    True
    """

    features: Features
    target_name: str | None
    target_dtype: str

    def to_json(self) -> dict[str, Any]:
        """Return the schema for JSON."""
        return {
            "features": _features_out(self.features),
            "target": {"name": self.target_name, "dtype": self.target_dtype},
        }

    @classmethod
    def from_json(cls, content: Any) -> TableSchema:
        """Return the schema that `to_json` has described; everything else is a ValueError."""
        _require_keys(content, "features", "target")
        target = content["target"]
        _require_keys(target, "name", "dtype")
        _require(target["name"] is None or type(target["name"]) is str, "name of the target")
        _require(target["dtype"] in (*_NUMBER_TYPES, "bool", "string"), "type of the target")
        return cls(_features_in(content["features"]), target["name"], target["dtype"])

    def check(self, feature_shape: tuple[int, ...], label_kind: str | None) -> None:
        """Raise a ValueError unless the schema fits a forest.

        Parameters
        ----------
        feature_shape : tuple of int
            Shape of one example.
        label_kind : str or None
            Kind of the type of the labels, as NumPy has it; None if the forest predicts numbers.
        """
        _require(_shape(self.features, feature_shape) == feature_shape, "number of features")
        text, boolean = self.target_dtype == "string", self.target_dtype == "bool"
        if label_kind is None:
            _require(not text, "type of the target")
        else:
            _require(text == (label_kind in "UO"), "type of the labels")
            _require(boolean == (label_kind == "b"), "type of the labels")


def _shape(features: Features, feature_shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the examples that are made of data."""
    if isinstance(features, NamedColumns):
        return (len(features.feature_names),)
    if isinstance(features, ArrayPositions):
        return feature_shape if features.used is None else (len(features.used),)
    channels = (3,) if features.pixels == "colour" else ()
    return (features.height, features.width, *channels)


# ------------------------------------------------------------------------------------- JSON


def _features_out(features: Features) -> dict[str, Any]:
    if isinstance(features, NamedColumns):
        columns = [
            {"name": c.name, "kind": c.kind, "dtype": c.dtype}
            | ({"levels": list(c.levels)} if c.kind == "text" else {})
            for c in features.columns
        ]
        return {"kind": "columns", "columns": columns}
    if isinstance(features, ArrayPositions):
        used = None if features.used is None else list(features.used)
        return {
            "kind": "array",
            "n_columns": features.n_columns,
            "used": used,
            "target": features.target,
        }
    return {
        "kind": "images",
        "height": features.height,
        "width": features.width,
        "pixels": features.pixels,
        "resize": features.resize,
    }


def _features_in(content: Any) -> Features:
    _require(isinstance(content, Mapping), "features")
    if content.get("kind") == "columns":
        _require_keys(content, "kind", "columns")
        _require(isinstance(content["columns"], list), "columns")
        columns = tuple(map(_column_in, content["columns"]))
        names = [column.name for column in columns]
        _require(len(set(names)) == len(names), "names of columns")
        return NamedColumns(columns)
    if content.get("kind") == "array":
        _require_keys(content, "kind", "n_columns", "used", "target")
        return _positions_in(content["n_columns"], content["used"], content["target"])
    _require(content.get("kind") == "images", "kind of features")
    _require_keys(content, "kind", "height", "width", "pixels", "resize")
    height, width = content["height"], content["width"]
    _require(_is_count(height) and _is_count(width), "size of images")
    _require(content["pixels"] in get_args(Pixels), "kind of pixels")
    _require(type(content["resize"]) is bool, "scaling of images")
    return ImagePixels(height, width, content["pixels"], content["resize"])


def _column_in(content: Any) -> FeatureColumn:
    _require(isinstance(content, Mapping), "column")
    name, kind = content.get("name"), content.get("kind")
    _require(type(name) is str and bool(name.strip()), "name of a column")
    _require(type(kind) is str and kind in _TYPES, "kind of a column")
    is_text = kind == "text"
    _require_keys(content, "name", "kind", "dtype", *(["levels"] if is_text else []))
    _require(content["dtype"] in _TYPES[kind], "type of a column")
    levels = content.get("levels", [])
    if is_text:
        _require(isinstance(levels, list) and 1 <= len(levels) <= MOST_LEVELS, "texts of a column")
        _require(all(type(level) is str and level for level in levels), "texts of a column")
        _require(levels == sorted(set(levels)), "order of the texts of a column")
    return FeatureColumn(name, kind, content["dtype"], tuple(levels))


def _positions_in(n_columns: Any, used: Any, target: Any) -> ArrayPositions:
    if n_columns is None and used is None and target is None:
        return ArrayPositions()
    _require(_is_count(n_columns) and n_columns <= _LARGEST_WIDTH, "number of columns")
    _require(isinstance(used, list) and all(type(place) is int for place in used), "places")
    in_order = used == sorted(set(used))
    _require(bool(used) and in_order and used[0] >= 0 and used[-1] < n_columns, "places of columns")
    if target is not None:
        _require(type(target) is int and 0 <= target < n_columns, "place of the target")
        _require(target not in used, "place of the target")
    return ArrayPositions(n_columns, tuple(used), target)


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0


def _require_keys(content: Any, *keys: str) -> None:
    _require(isinstance(content, Mapping) and set(content) == set(keys), "keys of the description")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"the table schema is damaged or does not fit the forest: {what}")

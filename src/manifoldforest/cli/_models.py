"""Opening model files, and what forests are called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._errors import CommandError

if TYPE_CHECKING:
    from ..tables import TableSchema
    from ..tables._image_data import ImageForm

# What `mf.named_forest` knows, said here because it is imported with NumPy; a test compares them.
RECIPES = (
    *("auto", "table", "image", "series", "boosted", "RF", "F-RC", "RerF", "RerF(r)"),
    *("RerF(d)", "RerF(d+r)", "RotRF", "SPORF", "MORF", "QUANT", "dRF", "kRF"),
)


def load_package() -> None:
    """Import what commands stand on, which takes longer than most of them work."""
    for name in ("boosting", "boundary", "forests", "responses", "tables._training"):
        import_module(f"manifoldforest.{name}")


def load_model(path: str) -> Any:
    """Read a model file."""
    from ..io import ModelFileError, load

    try:
        return load(path)
    except FileNotFoundError as error:
        message = f"there is no model {path}: make one with manifoldforest fit"
        raise CommandError(message) from error
    except OSError as error:
        raise CommandError(f"the model {path} cannot be read: {error.strerror}") from error
    except ModelFileError as error:
        raise CommandError(f"{error}. A model is what manifoldforest fit writes") from error


def schema_of(model: Any, path: str) -> TableSchema:
    """Return what a model knows of its data; of one that was saved by Python, what can be told."""
    from ..tables._schema import ArrayPositions, FeatureColumn, NamedColumns, TableSchema

    if not hasattr(model, "predict"):
        raise CommandError(f"{path} holds a {type(model).__name__}, which predicts nothing")
    if hasattr(model, "classes_") and isinstance(model.classes_, list):
        raise CommandError(f"{path} predicts several labels for each row: use it in Python")
    if hasattr(model, "table_schema_"):
        schema: TableSchema = model.table_schema_
        return schema
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return TableSchema(ArrayPositions(), None, "float64")
    columns = tuple(FeatureColumn(str(name), "number", "float64") for name in names)
    return TableSchema(NamedColumns(columns), None, "float64")


def image_form(schema: TableSchema) -> ImageForm | None:
    """Return what images must be for a model of images."""
    from ..tables._image_data import ImageForm
    from ..tables._schema import ImagePixels

    features = schema.features
    if not isinstance(features, ImagePixels):
        return None
    return ImageForm((features.height, features.width), features.resize, features.pixels)

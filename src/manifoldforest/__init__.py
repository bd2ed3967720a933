"""Forests for data with geometry.

>>> import manifoldforest as mf
>>> forest = mf.ForestClassifier(projection=mf.projections.Patches(max_size=5))
"""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import Any as _Any

from . import boundary, datasets, projections, spaces
from .boundary import (
    BoundaryForestClassifier,
    BoundaryForestRegressor,
    BoundaryIndex,
    DifferentiableBoundaryTree,
)
from .forests._classifier import ForestClassifier
from .forests._presets import named_forest
from .forests._rank_transformer import RankTransformer
from .forests._regressor import ForestRegressor
from .io._archive import ModelFileError
from .io._model_file import load
from .responses import KernelForestRegressor, MetricForestRegressor

__version__ = _version("manifoldforest")

__all__ = [
    "BoundaryForestClassifier",
    "BoundaryForestRegressor",
    "BoundaryIndex",
    "DifferentiableBoundaryTree",
    "ForestClassifier",
    "ForestRegressor",
    "KernelForestRegressor",
    "MetricForestRegressor",
    "ModelFileError",
    "RankTransformer",
    "__version__",
    "boundary",
    "datasets",
    "load",
    "named_forest",
    "projections",
    "spaces",
]


def __dir__() -> list[str]:
    return sorted({*globals(), "plot"})


def __getattr__(name: str) -> _Any:
    if name == "plot":  # needs matplotlib, which not everybody has
        return _import_module(".plot", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

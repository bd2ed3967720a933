"""Forests for data with geometry.

>>> import manifoldforest as mf
>>> forest = mf.ForestClassifier(projection=mf.projections.Patches(max_size=5))
"""

# Names are imported when they are first used (PEP 562): `import manifoldforest` alone loads neither
# NumPy nor scikit-learn. Editors and type checkers read the same names in __init__.pyi.

from importlib import import_module as _import_module
from threading import RLock as _RLock

_SUBMODULES = (
    *("augmentation", "boosting", "boundary", "dask", "datasets", "evaluation", "explanation"),
    *("export", "forests", "inspection", "io", "plot", "projections", "report", "responses"),
    *("spaces", "views"),
)

# name -> submodule that defines it
_ORIGIN = {
    "BoostedForestClassifier": "boosting",
    "BoostedForestRegressor": "boosting",
    "BoundaryForestClassifier": "boundary",
    "BoundaryForestRegressor": "boundary",
    "BoundaryIndex": "boundary",
    "DifferentiableBoundaryTree": "boundary",
    "ForestClassifier": "forests",
    "ForestRegressor": "forests",
    "KernelForestRegressor": "responses",
    "MetricForestRegressor": "responses",
    "ModelFileError": "io",
    "RankTransformer": "forests",
    "evaluate": "evaluation",
    "load": "io",
    "named_forest": "forests",
    "shap_values": "explanation",
    "suggest_projection": "evaluation",
    "to_onnx": "export",
}

# What `from manifoldforest import *` takes: not plot and dask, which need extras, nor packages
# whose classes are names here already; one of these would hide the standard library's io.
__all__ = sorted(
    [
        *("__version__", "augmentation", "boundary", "datasets", "evaluation", "projections"),
        *("spaces", "views"),
        *_ORIGIN,
    ]
)

# Packages of scikit-learn import each other: two threads that enter them by different doors at the
# same time would find half of one of them.
_importing = _RLock()


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})


def __getattr__(name: str) -> object:
    if name == "__version__":
        value = _import_module("importlib.metadata").version(__name__)
    elif name in _ORIGIN or name in _SUBMODULES:
        with _importing:
            module = _import_module(f".{_ORIGIN.get(name, name)}", __name__)
        value = getattr(module, name) if name in _ORIGIN else module
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # the next access finds it without this function
    return value

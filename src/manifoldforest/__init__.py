"""Forests for data with geometry.

>>> import manifoldforest as mf
>>> forest = mf.ForestClassifier(projection=mf.projections.Patches(max_size=5))
"""

# Names are imported when they are first used (PEP 562): `import manifoldforest` alone loads neither
# NumPy nor scikit-learn. Editors and type checkers read the same names in __init__.pyi.

from importlib import import_module as _import_module

_SUBMODULES = (
    *("boundary", "datasets", "forests", "inspection", "io"),
    *("plot", "projections", "responses", "spaces"),
)

# name -> submodule that defines it
_ORIGIN = {
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
    "load": "io",
    "named_forest": "forests",
}

# without plot, which needs matplotlib: not everybody has it
__all__ = sorted(["__version__", *_ORIGIN, *(name for name in _SUBMODULES if name != "plot")])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "plot"})


def __getattr__(name: str) -> object:
    if name in _SUBMODULES:
        return _import_module(f".{name}", __name__)
    if name in _ORIGIN:
        value = getattr(_import_module(f".{_ORIGIN[name]}", __name__), name)
    elif name == "__version__":
        value = _import_module("importlib.metadata").version(__name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # the next access finds it without this function
    return value

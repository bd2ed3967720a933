"""What single tests need: packages for examples in docstrings, and markers of scikit-learn."""

import importlib.util

import pytest
from _pytest.doctest import DoctestItem

# module of the docstring -> package that its examples need
NEEDS = {
    "manifoldforest.boundary._differentiable": "torch",
    "manifoldforest.spaces._geomstats": "geomstats",
}


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: a marker of scikit-learn's own tests")


def pytest_collection_modifyitems(items):
    for item in items:
        if not isinstance(item, DoctestItem):
            continue
        for module, package in NEEDS.items():
            if item.name.startswith(module) and importlib.util.find_spec(package) is None:
                item.add_marker(pytest.mark.skip(reason=f"{package} is not installed"))

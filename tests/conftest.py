"""What single tests need: packages for examples in docstrings, and one worker for slow fixtures."""

import importlib.util

import pytest
from _pytest.doctest import DoctestItem

# module of the docstring -> package that its examples need
NEEDS = {
    "manifoldforest.boundary._differentiable": "torch",
    "manifoldforest.spaces._geomstats": "geomstats",
}


# fixtures that take long: the tests that use one run in one worker, so that it is made once
SHARED = ("quick",)


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: a marker of scikit-learn's own tests")
    config.addinivalue_line("markers", "xdist_group(name): known without pytest-xdist too")


def pytest_collection_modifyitems(items):
    for item in items:
        for fixture in SHARED:
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(fixture))
        if not isinstance(item, DoctestItem):
            continue
        for module, package in NEEDS.items():
            if item.name.startswith(module) and importlib.util.find_spec(package) is None:
                item.add_marker(pytest.mark.skip(reason=f"{package} is not installed"))

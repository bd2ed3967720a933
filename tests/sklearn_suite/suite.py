"""Loads a test module of scikit-learn on substituted classes, and compares with what is expected.

In `MADE_FOR`, every test must pass, or be listed with the reason why it cannot; a listed test that
passes is an error too. In other versions, where tests differ, the outcome is only reported.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import sklearn

from . import adapter

MADE_FOR = "1.9.1"
COMPARED = sklearn.__version__ == MADE_FOR

# Tests of other versions that expect an error where ours works on for an hour, and why.
TOO_LONG = {"test_large_max_samples_exception": "trees may draw 10^9 rows with replacement"}

Reasons = Mapping[str, Sequence[str]]  # reason -> tests, as `matches` reads them


def load(module: str) -> dict[str, Callable[..., Any]]:
    """Return the test functions of an installed test module of scikit-learn."""
    try:
        with adapter.substituted():
            loaded = importlib.import_module(module)
    except pytest.fail.Exception as error:  # an unknown marker, since markers are strict
        if COMPARED:
            raise
        pytest.skip(f"made for scikit-learn {MADE_FOR}: {error}", allow_module_level=True)
    except ModuleNotFoundError as error:
        pytest.skip(
            f"scikit-learn was installed without its tests: {error}", allow_module_level=True
        )
    return {
        name: _using_ours(function)
        for name, function in vars(loaded).items()
        if name.startswith("test_") and callable(function)
    }


def _using_ours(test: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(test)
    def wrapped(**arguments: Any) -> None:
        before = adapter.n_made
        with adapter.substituted():
            test(**arguments)
        if adapter.n_made == before:
            pytest.skip("uses none of the classes that were substituted")

    wrapped.pytestmark = [_repeatable(mark) for mark in getattr(test, "pytestmark", [])]
    return wrapped


def _repeatable(mark: pytest.Mark) -> pytest.Mark:
    """Return a mark whose parameters can be listed more than once: some are iterators."""
    if mark.name != "parametrize":
        return mark
    names, values, *others = mark.args
    return pytest.mark.parametrize(names, list(values), *others, **mark.kwargs).mark


def matches(pattern: str, test: str) -> bool:
    """Whether a pattern means a test: ``"test_x"``, or with some parameters ``"test_x[a-b]"``."""
    name, _, parameters = test.rstrip("]").partition("[")
    wanted_name, _, wanted = pattern.rstrip("]").partition("[")
    return name == wanted_name and set(filter(None, wanted.split("-"))) <= set(
        parameters.split("-")
    )


def expect(request: pytest.FixtureRequest, *tables: Reasons) -> None:
    """Mark a test of scikit-learn as failing if a table has a reason for it."""
    if not hasattr(request.function, "__wrapped__"):
        return  # a test of ours beside them
    if not COMPARED:
        if request.function.__name__ in TOO_LONG:
            pytest.skip(TOO_LONG[request.function.__name__])
        told = f"reasons are those of scikit-learn {MADE_FOR}, this is {sklearn.__version__}"
        request.applymarker(pytest.mark.xfail(reason=told, strict=False))
        return
    for table in tables:
        for reason, patterns in table.items():
            if any(matches(pattern, request.node.name) for pattern in patterns):
                request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
                return


def patterns_without_test(module: pytest.Module, *tables: Reasons) -> list[str]:
    """Return the patterns that mean no test of a module."""
    if not COMPARED:
        pytest.skip(f"made for scikit-learn {MADE_FOR}, this is {sklearn.__version__}")
    tests = [item.name for item in module.collect()]
    listed = [pattern for table in tables for patterns in table.values() for pattern in patterns]
    return [pattern for pattern in listed if not any(matches(pattern, test) for test in tests)]

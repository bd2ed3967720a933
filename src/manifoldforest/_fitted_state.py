"""The fitted state of an estimator: one object that a fit replaces at once.

Parameters and fitted attributes live in the instance's ``__dict__``, as scikit-learn wants it. A
fit puts a new dictionary in its place, which is one step for all other threads, and never changes
the old one. Whatever reads several attributes takes a snapshot first and asks only that, so that
no caller sees the classes of one fit and the trees of another.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec, TypeVar

Estimator = TypeVar("Estimator")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def snapshot(estimator: Estimator) -> Estimator:
    """Return an estimator that is what this one is now, and stays so if this one is fitted."""
    copied = object.__new__(type(estimator))
    copied.__dict__.update(estimator.__dict__)  # in C and without callbacks: one step
    return copied


def of_one_fit(
    method: Callable[Concatenate[Estimator, Arguments], Result],
) -> Callable[Concatenate[Estimator, Arguments], Result]:
    """Make a method that reads fitted attributes run on a snapshot of its estimator."""

    @functools.wraps(method)
    def on_snapshot(
        estimator: Estimator, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        return method(snapshot(estimator), *args, **kwargs)

    return on_snapshot


def replace_fitted(estimator: object, fitted: Mapping[str, Any]) -> None:
    """Replace all fitted attributes at once; those that a former fit made go."""
    before = estimator.__dict__.copy()
    kept = {name: value for name, value in before.items() if not _is_fitted(name)}
    estimator.__dict__ = kept | dict(fitted)


def _is_fitted(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")

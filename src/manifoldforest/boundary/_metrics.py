"""Metrics, by name as the core describes them or written by users, and embeddings."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from .. import _core
from ..validation._arrays import is_array_like
from ..validation._rules import Rule, check_argument, none, one_of

Metric: TypeAlias = str | Callable[[Any, Any], Any]

_METRICS = {metric.name: metric for metric in _core.metrics()}

INDEX_METRICS = tuple(_METRICS)
# Estimators need distances >= 0, by which predictions weight examples.
METRICS = tuple(name for name, metric in _METRICS.items() if metric.non_negative)

# Responses are compared by the Euclidean norm of their difference.
LARGEST_RESPONSE = _METRICS["euclidean"].largest_entry


def largest_entry(metric: Any) -> float:
    """Return the largest magnitude of an entry for which the distances of a metric are finite."""
    return _METRICS[metric].largest_entry if isinstance(metric, str) else math.inf


def has_method(value: Any, method: str) -> bool:
    """Whether a value is an object with a method; a class has not been given its parameters."""
    return not isinstance(value, type) and callable(getattr(value, method, None))


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


@cache
def metric_rule(names: tuple[str, ...]) -> Rule:
    """Accept one of these names, a callable or an object with a method `distance`."""
    return one_of(*names) | Rule(
        "a callable or an object with a method `distance`",
        lambda value: _is_function(value) or has_method(value, "distance"),
    )


EMBEDDING = (
    Rule(
        "a transformer or a callable",
        lambda value: _is_function(value) or has_method(value, "transform"),
    )
    | none
)


def resolve_metric(metric: Any, names: tuple[str, ...] = METRICS) -> Metric:
    """Return the name of a metric, or the function that a callable or an object stands for."""
    check_argument("metric", metric, metric_rule(names))
    if isinstance(metric, str):
        return metric
    distance: Metric = metric.distance if has_method(metric, "distance") else metric
    return distance


def resolve_embedding(embedding: Any) -> Callable[[Any], Any] | None:
    """Return the function that an embedding stands for."""
    check_argument("embedding", embedding, EMBEDDING)
    function: Callable[[Any], Any] | None = (
        embedding.transform if has_method(embedding, "transform") else embedding
    )
    return function


def check_embedded(X: Any, points: Any) -> None:
    """Raise a ValueError unless there is one embedded point for each row of X.

    An embedding may read what has no number of rows, such as a generator; that is not checked.
    """
    n_rows = _n_rows(X)
    if n_rows is not None and len(points) != n_rows:
        raise ValueError(
            f"the embedding of X must have one row for each of the {n_rows} rows of X, got "
            f"{len(points)}"
        )


def _n_rows(X: Any) -> int | None:
    """Return the number of rows of an array, a table or a sequence, None of everything else."""
    shape = getattr(X, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    return len(X) if is_array_like(X) and hasattr(X, "__len__") else None

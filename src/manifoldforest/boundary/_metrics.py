"""The metrics of the core between rows of numbers, by name."""

from __future__ import annotations

import math
from typing import Any

from .. import _core

_METRICS = {metric.name: metric for metric in _core.metrics()}

INDEX_METRICS = tuple(_METRICS)
# Estimators need distances >= 0, by which predictions weight examples.
METRICS = tuple(name for name, metric in _METRICS.items() if metric.non_negative)

# Responses are compared by the Euclidean norm of their difference.
LARGEST_RESPONSE = _METRICS["euclidean"].largest_entry


def largest_entry(metric: Any) -> float:
    """Return the largest magnitude of an entry for which the distances of a metric are finite."""
    return _METRICS[metric].largest_entry if isinstance(metric, str) else math.inf

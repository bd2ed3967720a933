"""The metrics between rows of numbers that have names, as the core describes them."""

from __future__ import annotations

import math
from typing import Any

from .. import _core

_METRICS = {metric.name: metric for metric in _core.metrics()}

INDEX_METRICS = tuple(_METRICS)
# predictions cannot weigh examples by distances that may be negative
METRICS = tuple(name for name, metric in _METRICS.items() if metric.non_negative)

# Responses are compared by the Euclidean norm of their difference.
LARGEST_RESPONSE = _METRICS["euclidean"].largest_entry


def largest_entry(metric: Any) -> float:
    """Return the largest number, in magnitude, that a metric can measure."""
    return _METRICS[metric].largest_entry if isinstance(metric, str) else math.inf

"""Parameters of the cases for older versions, in which some meant something else."""

from __future__ import annotations

from inspect import signature
from typing import Any

import manifoldforest as mf

# Formerly `honest_fraction` was the share of rows that fill leaves, `bandwidth` of metric forests
# the divisor of squared distances, and `distance_order` was called `rule`.
_HAS_FORMER_MEANING = "rule" in signature(mf.MetricForestRegressor).parameters


def for_installed_version(make: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters by which the version that this Python has makes the same forest."""
    if not _HAS_FORMER_MEANING:
        return params
    former = dict(params)
    if "honest_fraction" in former:
        former["honest_fraction"] = 1 - former["honest_fraction"]
    if "distance_order" in former:
        order = former.pop("distance_order")
        former["rule"] = "paper" if order == "decreasing" else order
    if "bandwidth" in former and make is mf.MetricForestRegressor:
        former["bandwidth"] = 2 * former["bandwidth"] ** 2
    return former

"""Honest forests as in the theorem of the thesis, and how far they are from the Bayes error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from manifoldforest.datasets import bayes_error
from manifoldforest.datasets._impulse import impulse_curve
from manifoldforest.forests._presets import named_forest
from manifoldforest.projections import Patches

from .._datasets import Array

if TYPE_CHECKING:
    from manifoldforest.forests._classifier import ForestClassifier

BAYES_ERROR = bayes_error("impulse")

ExcessCurves = Mapping[str, Mapping[int, float]]  # excess errors by method and training size

# The theorem needs subsamples of s examples with s -> inf and s / n -> 0 (Specification 1A v),
# a share of the parent's examples in each child (ii), and single features among the projections
# (Assumption 1): widths from 1.
SUBSAMPLE_EXPONENT, MIN_BALANCE = 0.9, 0.05


def forest_of(method: str, n: int, trees: int, seed: int) -> ForestClassifier:
    """Return a forest for n training examples, not fitted yet."""
    name = method.removeprefix("honest ")
    params: dict[str, Any] = {"n_estimators": trees, "random_state": seed, "n_jobs": 1}
    if name == "MORF":
        params |= {"projection": Patches(min_size=1, max_size=12), "max_features": 30}
    if name != method:
        params |= {
            "honest": True,
            "bootstrap": False,
            "max_samples": round(n**SUBSAMPLE_EXPONENT),
            "min_balance": MIN_BALANCE,
        }
    forest: ForestClassifier = named_forest(name, **params)
    return forest


def excess_error(predicted: Array, X: Array) -> float:
    """Return how much the error is above the Bayes error, given where the test examples lie.

    The probability of class 1 at x is known: its logarithmic odds are s·x − s·s / 2 for the curve
    s of the impulse. Where a prediction p differs from the better class, it is wrong with
    probability P(better | x) in place of P(p | x). Labels are not used, and add no noise.
    """
    curve = impulse_curve()
    odds = X @ curve - curve @ curve / 2
    costs = np.abs(np.tanh(odds / 2))  # difference of both probabilities
    return float(np.mean(costs * (predicted != (odds > 0))))

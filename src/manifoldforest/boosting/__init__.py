"""Boosted forests, for labels and for numbers."""

from ._classifier import BoostedForestClassifier
from ._regressor import BoostedForestRegressor

__all__ = ["BoostedForestClassifier", "BoostedForestRegressor"]

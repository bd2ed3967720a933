"""Forests for classes and numbers, on random projections of the features."""

from ._classifier import ForestClassifier
from ._presets import named_forest
from ._rank_transformer import RankTransformer
from ._regressor import ForestRegressor

__all__ = ["ForestClassifier", "ForestRegressor", "RankTransformer", "named_forest"]

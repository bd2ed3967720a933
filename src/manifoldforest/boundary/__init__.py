"""Boundary forests: trees of stored examples that learn one example at a time."""

from ._brute_force import BruteForceIndex
from ._classifier import BoundaryForestClassifier
from ._differentiable import DifferentiableBoundaryTree
from ._index import BoundaryIndex
from ._regressor import BoundaryForestRegressor
from ._trees import BoundaryTree

__all__ = [
    "BoundaryForestClassifier",
    "BoundaryForestRegressor",
    "BoundaryIndex",
    "BoundaryTree",
    "BruteForceIndex",
    "DifferentiableBoundaryTree",
]

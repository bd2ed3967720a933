"""Boundary forests: trees of stored examples that learn one example at a time."""

from ._boundary_index import BoundaryIndex
from ._boundary_tree import BoundaryTree
from ._brute_force_index import BruteForceIndex
from ._classifier import BoundaryForestClassifier
from ._differentiable import DifferentiableBoundaryTree
from ._regressor import BoundaryForestRegressor

__all__ = [
    "BoundaryForestClassifier",
    "BoundaryForestRegressor",
    "BoundaryIndex",
    "BoundaryTree",
    "BruteForceIndex",
    "DifferentiableBoundaryTree",
]

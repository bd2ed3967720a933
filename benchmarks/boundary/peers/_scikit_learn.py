"""scikit-learn's exact neighbours."""

from __future__ import annotations

from typing import Any

from boundary.peer import NearestNeighbour


class ScikitLearn(NearestNeighbour):
    """NearestNeighbors with one of its algorithms, in the environment of this package."""

    module = "sklearn"
    distribution = "scikit-learn"
    learns_rows = False
    algorithm: str

    def make(self, n_features: int, capacity: int, seed: int) -> Any:
        """Return an estimator."""
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(algorithm=self.algorithm, n_jobs=1)

    def add(self, index: Any, X: Any) -> Any:
        """Store the rows or build the tree."""
        return index.fit(X)

    def find(self, index: Any, X: Any, k: int) -> Any:
        """Return the numbers of the nearest rows."""
        return index.kneighbors(X, k, return_distance=False)

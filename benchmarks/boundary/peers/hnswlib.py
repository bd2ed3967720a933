"""hnswlib."""

from __future__ import annotations

from typing import Any

from boundary.peer import NearestNeighbour

M, EF_CONSTRUCTION, EF = 16, 200, 50


class Hnswlib(NearestNeighbour):
    """A graph of neighbours on several levels."""

    name = "hnswlib"
    module = "hnswlib"
    distribution = "hnswlib"
    environment = "neighbours"
    requirements = ("hnswlib==0.8.0",)
    note = f"M={M}, ef_construction={EF_CONSTRUCTION}, ef={EF}; stores float32"

    efforts = (20, 50, 100, 200)

    def set_effort(self, model: Any, effort: float) -> None:
        """Choose ef, the number of candidates."""
        model.index.set_ef(int(effort))

    def make(self, n_features: int, capacity: int, seed: int) -> Any:
        """Return an empty index; it cannot grow beyond its capacity."""
        import hnswlib

        index = hnswlib.Index(space="l2", dim=n_features)
        index.init_index(
            max_elements=capacity, M=M, ef_construction=EF_CONSTRUCTION, random_seed=seed
        )
        index.set_ef(EF)
        index.set_num_threads(1)
        return index

    def add(self, index: Any, X: Any) -> Any:
        """Add rows, which get the next numbers."""
        index.add_items(X)
        return index

    def find(self, index: Any, X: Any, k: int) -> Any:
        """Return the numbers of the nearest rows."""
        return index.knn_query(X, k)[0].astype(int)


PEER = Hnswlib()

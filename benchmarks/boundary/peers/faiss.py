"""faiss."""

from __future__ import annotations

from typing import Any

from boundary.peer import NearestNeighbour

M, EF_CONSTRUCTION, EF = 16, 200, 50


class Faiss(NearestNeighbour):
    """Its graph of neighbours, IndexHNSWFlat."""

    name = "faiss HNSW"
    module = "faiss"
    distribution = "faiss-cpu"
    environment = "neighbours"
    requirements = ("faiss-cpu==1.15.1",)
    quick = False  # much like hnswlib
    note = f"M={M}, efConstruction={EF_CONSTRUCTION}, efSearch={EF}; stores float32"

    efforts = (20, 50, 100, 200)

    def set_effort(self, model: Any, effort: float) -> None:
        """Choose efSearch, the number of candidates."""
        model.index.hnsw.efSearch = int(effort)

    def make(self, n_features: int, capacity: int, seed: int) -> Any:
        """Return an empty index."""
        import faiss

        faiss.omp_set_num_threads(1)
        index = faiss.IndexHNSWFlat(n_features, M)
        index.hnsw.efConstruction = EF_CONSTRUCTION
        index.hnsw.efSearch = EF
        return index

    def add(self, index: Any, X: Any) -> Any:
        """Add rows, which get the next numbers."""
        index.add(_floats(X))
        return index

    def find(self, index: Any, X: Any, k: int) -> Any:
        """Return the numbers of the nearest rows."""
        return index.search(_floats(X), k)[1]


def _floats(X: Any) -> Any:
    import numpy as np

    return np.ascontiguousarray(X, np.float32)


PEER = Faiss()

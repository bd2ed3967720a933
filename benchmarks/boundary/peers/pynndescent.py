"""pynndescent."""

from __future__ import annotations

from typing import Any

from boundary.peer import NearestNeighbour


class Pynndescent(NearestNeighbour):
    """A graph of neighbours found by descent."""

    name = "pynndescent"
    module = "pynndescent"
    distribution = "pynndescent"
    environment = "neighbours"
    requirements = ("pynndescent==0.7.0",)
    quick = False
    compiles = True
    learns_rows = False
    note = "defaults; the time to build includes prepare(); single rows cannot be added"

    efforts = (0.05, 0.1, 0.2, 0.3)
    epsilon = 0.1  # the default of the library

    def set_effort(self, model: Any, effort: float) -> None:
        """Choose epsilon: how much farther than the worst neighbour a candidate may be."""
        self.epsilon = effort

    def make(self, n_features: int, capacity: int, seed: int) -> Any:
        """Return the parameters: the index is made with its rows."""
        import pynndescent  # noqa: F401

        return {"random_state": seed, "n_jobs": 1}

    def add(self, index: Any, X: Any) -> Any:
        """Build and prepare the graph."""
        import numpy as np
        import pynndescent

        graph = pynndescent.NNDescent(np.ascontiguousarray(X, np.float32), **index)
        graph.prepare()
        return graph

    def find(self, index: Any, X: Any, k: int) -> Any:
        """Return the numbers of the nearest rows."""
        import numpy as np

        return index.query(np.ascontiguousarray(X, np.float32), k, epsilon=self.epsilon)[0]


PEER = Pynndescent()

"""Our own forests."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from harness.peer import Peer
from harness.task import QUANTILES, Forest, Task


class Manifoldforest(Peer):
    """The forests that all others are compared with."""

    name = "manifoldforest"
    module = "manifoldforest"
    distribution = "manifoldforest"
    forests = ("RF", "SPORF", "MORF", "ET", "QRF")
    most_outputs = 1000
    takes_shape = True

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return a ForestClassifier or a ForestRegressor."""
        from manifoldforest import ForestClassifier, ForestRegressor

        extra_trees = {"splitter": "random", "bootstrap": False} if forest.kind == "ET" else {}
        parameters = {
            "projection": _projection(forest),
            "max_features": forest.d,
            "n_jobs": 1,
            "random_state": seed,
            **extra_trees,
        }
        # A splitter from the command line is for the other forests: "random" is what ET is.
        options = {k: v for k, v in self.options.items() if k not in extra_trees}
        estimator = ForestRegressor if task.is_regression else ForestClassifier
        return estimator(trees, **(parameters | options))

    def predict_quantiles(self, model: Any, X: Any) -> Any:
        """Return quantiles, one column each."""
        return model.predict_quantiles(X, QUANTILES)

    def visited_rows(self, model: Any) -> float:
        """Return the weight of all nodes that are split."""
        return float(sum(tree.weight[~tree.is_leaf].sum() for tree in model.trees_))

    def model_bytes(self, model: Any) -> int:
        """Return the size of the model file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.mf")
            model.save(path)
            return os.path.getsize(path)


def _projection(forest: Forest) -> Any:
    from manifoldforest.projections import Axis, Patches, Sporf

    if forest.kind == "SPORF":
        return Sporf()
    if forest.kind != "MORF":
        return Axis()
    patch = forest.patch
    assert patch is not None
    contiguous = [not patch.free_channels] + [True] * (len(patch.min_size) - 1)
    return Patches(
        min_size=patch.min_size, max_size=patch.max_size, wrap=patch.wrap, contiguous=contiguous
    )


PEER = Manifoldforest()

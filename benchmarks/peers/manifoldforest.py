"""Our own forests."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from harness.peer import Peer
from harness.task import Forest, Task


class Manifoldforest(Peer):
    """The forests that all others are compared with."""

    name = "manifoldforest"
    module = "manifoldforest"
    distribution = "manifoldforest"
    forests = ("RF", "SPORF", "MORF", "ET")
    takes_shape = True

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return a ForestClassifier."""
        from manifoldforest import ForestClassifier

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
        return ForestClassifier(trees, **(parameters | options))

    def model_bytes(self, model: Any) -> int:
        """Return the size of the model file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.mf")
            model.save(path)
            return os.path.getsize(path)

    def searched_rows(self, model: Any) -> float:
        """Return the sum of the weights of all nodes but leaves."""
        return float(sum(tree.weight[~tree.is_leaf].sum() for tree in model.trees_))


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

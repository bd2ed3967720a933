"""treeple's oblique forests."""

from __future__ import annotations

from typing import Any

from harness.peer import Peer, image_sizes, pickled_bytes
from harness.task import Forest, Task


class Treeple(Peer):
    """ObliqueRandomForestClassifier and PatchObliqueRandomForestClassifier."""

    name = "treeple"
    module = "treeple"
    distribution = "treeple"
    environment = "treeple"
    requirements = ("treeple==0.10.3", "scikit-learn==1.6.1")  # broken with any other minor version
    forests = ("SPORF", "MORF")
    note = "patches lie inside the image and never wrap; the pickle holds dense projections"

    def tree_limit(self, task: Task, forest: Forest) -> int | None:
        """Return a single tree for wide data: a SPORF node visits d x n_features numbers."""
        return 1 if forest.kind == "SPORF" and task.n_features > 10_000 else None

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return one of the two; patch sizes include both ends, as ours."""
        import numpy as np
        from treeple import ObliqueRandomForestClassifier, PatchObliqueRandomForestClassifier

        common = {"max_features": forest.d, "n_jobs": 1, "random_state": seed}
        if forest.patch is None:
            return ObliqueRandomForestClassifier(trees, feature_combinations=1.5, **common)
        low, high = image_sizes(forest.patch)
        return PatchObliqueRandomForestClassifier(
            trees,
            min_patch_dims=np.array(low),
            max_patch_dims=np.array(high),
            dim_contiguous=np.array((not forest.patch.free_channels, True)),
            data_dims=np.array(task.image),
            **common,
        )

    def model_bytes(self, model: Any) -> int:
        """Return the sum over trees: a pickle of all keeps every dense matrix in memory."""
        return sum(pickled_bytes(tree) for tree in model.estimators_)


PEER = Treeple()

"""The papers' own program for SPORF and MORF."""

from __future__ import annotations

from typing import Any

from harness.peer import Peer, image_sizes
from harness.task import Forest, Task


class Rerf(Peer):
    """rerfClassifier with the projections Base, RerF and S-RerF."""

    name = "rerf"
    module = "rerf.rerfClassifier"
    distribution = "rerf"
    environment = "rerf"
    headers = ("cmeel-eigen==3.4.1",)  # or Debian's libeigen3-dev
    requirements = ("rerf==2.0.5",)
    forests = ("RF", "SPORF", "MORF")
    note = "patches lie inside the image, never wrap, channels are neighbours; cannot be stored"

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return the classifier; a seed of 0 would be drawn from the clock."""
        from rerf.rerfClassifier import rerfClassifier

        return rerfClassifier(
            {"RF": "Base", "SPORF": "RerF", "MORF": "S-RerF"}[forest.kind],
            n_estimators=trees,
            max_features=forest.d,
            feature_combinations=1.5,
            n_jobs=1,
            random_state=seed + 1,
            **_patch_parameters(task, forest),
        )

    def model_bytes(self, model: Any) -> int | None:
        """Return None: it has neither a pickle nor a file."""
        return None


def _patch_parameters(task: Task, forest: Forest) -> dict[str, int]:
    if forest.patch is None:
        return {}
    height, width = task.image
    low, high = image_sizes(forest.patch)
    return {
        "image_height": height,
        "image_width": width,
        "patch_height_min": low[0],
        "patch_height_max": high[0],
        "patch_width_min": low[1],
        "patch_width_max": high[1],
    }


PEER = Rerf()

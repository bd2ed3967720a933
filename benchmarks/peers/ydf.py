"""Yggdrasil decision forests."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

from harness.peer import Peer
from harness.task import Forest, Task


class Ydf(Peer):
    """RandomForestLearner, axis-aligned or SPARSE_OBLIQUE."""

    name = "ydf"
    module = "ydf"
    distribution = "ydf"
    environment = "common"
    requirements = ("ydf==0.16.1",)
    forests = ("RF", "SPORF")
    note = "one row is model.predict from Python, mostly the reading of columns"

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return a learner that grows trees to purity, unlike its defaults."""
        import ydf

        ydf.verbose(0)
        oblique = {
            "split_axis": "SPARSE_OBLIQUE",
            "sparse_oblique_weights": "BINARY",
            "sparse_oblique_normalization": "NONE",
            "sparse_oblique_projection_density_factor": 1.5,
            # The number of projections is n_features ** exponent.
            "sparse_oblique_num_projections_exponent": math.log(forest.d)
            / math.log(task.n_features),
        }
        return ydf.RandomForestLearner(
            label="label",
            num_trees=trees,
            max_depth=-1,
            min_examples=1,
            winner_take_all=False,
            compute_oob_performances=False,
            random_seed=seed,
            num_threads=1,
            **(oblique if forest.kind == "SPORF" else {"num_candidate_attributes": forest.d}),
        )

    def fit(self, estimator: Any, X: Any, y: Any) -> Any:
        """Train on a dictionary of columns; an array of two axes is a block of columns."""
        return estimator.train({"x": X, "label": y})

    def predict(self, model: Any, X: Any) -> Any:
        """Return the most likely class."""
        import numpy as np

        classes = np.array(model.label_classes()).astype(int)
        probabilities = self.predict_proba(model, X)
        if probabilities.ndim == 1:  # two classes: the probability of the second
            return classes[(probabilities > 0.5).astype(int)]
        return classes[probabilities.argmax(axis=1)]

    def predict_proba(self, model: Any, X: Any) -> Any:
        """Return the probabilities, of the second class only if there are two."""
        return model.predict({"x": X}, num_threads=1)

    def model_bytes(self, model: Any) -> int:
        """Return the size of the saved folder."""
        with tempfile.TemporaryDirectory() as folder:
            model.save(str(Path(folder, "model")))
            return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


PEER = Ydf()

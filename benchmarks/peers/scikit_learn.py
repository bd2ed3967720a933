"""scikit-learn's forests."""

from __future__ import annotations

from typing import Any

from harness.peer import Peer
from harness.task import Forest, Task


class ScikitLearn(Peer):
    """Random forests and Extra-Trees, in the environment of this package."""

    name = "scikit-learn"
    module = "sklearn"
    distribution = "scikit-learn"
    forests = ("RF", "ET")
    most_outputs = 1000

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return one of the four."""
        from sklearn import ensemble

        name = "ExtraTrees" if forest.kind == "ET" else "RandomForest"
        estimator = getattr(ensemble, name + ("Regressor" if task.is_regression else "Classifier"))
        return estimator(trees, max_features=forest.d, n_jobs=1, random_state=seed)

    def visited_rows(self, model: Any) -> float:
        """Return the weight of all nodes that are split."""
        trees = [estimator.tree_ for estimator in model.estimators_]
        return float(sum(t.weighted_n_node_samples[t.feature >= 0].sum() for t in trees))


PEER = ScikitLearn()

"""scikit-learn's forests."""

from __future__ import annotations

from typing import Any

from harness.peer import Peer
from harness.task import Forest, Task


class ScikitLearn(Peer):
    """RandomForestClassifier and ExtraTreesClassifier, in the environment of this package."""

    name = "scikit-learn"
    module = "sklearn"
    distribution = "scikit-learn"
    forests = ("RF", "ET")

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return one of the two."""
        from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

        classifier = ExtraTreesClassifier if forest.kind == "ET" else RandomForestClassifier
        return classifier(trees, max_features=forest.d, n_jobs=1, random_state=seed)

    def searched_rows(self, model: Any) -> float:
        """Return the sum of the weights of all nodes but leaves."""
        trees = [member.tree_ for member in model.estimators_]
        return float(
            sum(tree.weighted_n_node_samples[tree.children_left >= 0].sum() for tree in trees)
        )


PEER = ScikitLearn()

"""scikit-learn, ball tree."""

from __future__ import annotations

from boundary.peers._scikit_learn import ScikitLearn
from boundary.task import Task

QUERY_NUMBERS = 10_000_000_000  # rows x features x queries worth waiting for


class ScikitLearnBallTree(ScikitLearn):
    """Exact neighbours by a tree of balls."""

    name = "sklearn ball tree"
    algorithm = "ball_tree"
    quick = False
    note = "a part of the queries on MNIST, time per query"

    def query_limit(self, task: Task) -> int:
        """Return what takes some seconds."""
        return max(20, QUERY_NUMBERS // (task.n_train * task.n_features))


PEER = ScikitLearnBallTree()

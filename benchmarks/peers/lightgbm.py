"""LightGBM's random forest mode."""

from __future__ import annotations

from typing import Any

from harness.peer import Peer
from harness.task import Forest, Task


class LightGBM(Peer):
    """LGBMClassifier and LGBMRegressor with boosting_type="rf"."""

    name = "lightgbm"
    module = "lightgbm"
    distribution = "lightgbm"
    environment = "common"
    requirements = ("lightgbm==4.7.0", "scikit-learn")
    forests = ("RF",)
    most_outputs = 1
    widest = 10_000  # histograms of all features are kept for many nodes
    quick = False
    note = (
        "histograms; leaves are capped (memory grows with leaves x features); rows are drawn "
        "without replacement; more than two classes grow one tree per class"
    )

    def tree_limit(self, task: Task, forest: Forest) -> int | None:
        """Return few trees where each stands for one per class."""
        return 5 if task.n_classes > 2 else None

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return the estimator with as many leaves as memory bears."""
        from lightgbm import LGBMClassifier, LGBMRegressor

        return (LGBMRegressor if task.is_regression else LGBMClassifier)(
            boosting_type="rf",
            n_estimators=trees,
            num_leaves=min(16384, task.n_train, max(64, 800_000 // task.n_features)),
            max_depth=-1,
            min_child_samples=1,
            min_child_weight=0.0,
            subsample=0.632,
            subsample_freq=1,
            colsample_bynode=min(1.0, forest.d / task.n_features),
            n_jobs=1,
            random_state=seed,
            verbose=-1,
        )


PEER = LightGBM()

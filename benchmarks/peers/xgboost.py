"""XGBoost's random forest mode."""

from __future__ import annotations

from typing import Any

from harness.peer import Peer
from harness.task import Forest, Task


class XGBoost(Peer):
    """XGBRFClassifier and XGBRFRegressor without a depth limit."""

    name = "xgboost"
    module = "xgboost"
    distribution = "xgboost-cpu"
    environment = "common"
    requirements = ("xgboost-cpu==3.2.0", "scikit-learn")
    forests = ("RF",)
    most_outputs = 1
    widest = 10_000  # histograms of all features are kept for many nodes
    quick = False
    note = (
        "histograms of 256 bins; rows are drawn without replacement; more than two classes grow "
        "one tree per class"
    )

    def tree_limit(self, task: Task, forest: Forest) -> int | None:
        """Return few trees where each stands for one per class."""
        return 2 if task.n_classes > 2 else None

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return the estimator."""
        from xgboost import XGBRFClassifier, XGBRFRegressor

        return (XGBRFRegressor if task.is_regression else XGBRFClassifier)(
            n_estimators=trees,
            tree_method="hist",
            max_depth=0,
            min_child_weight=0.0,
            reg_lambda=1e-5,
            subsample=0.632,
            colsample_bynode=min(1.0, forest.d / task.n_features),
            n_jobs=1,
            random_state=seed,
        )


PEER = XGBoost()

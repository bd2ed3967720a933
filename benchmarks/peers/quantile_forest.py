"""quantile-forest: scikit-learn's forests that keep the responses of their leaves."""

from __future__ import annotations

from typing import Any

from harness.peer import Peer
from harness.task import Forest, Task


class QuantileForest(Peer):
    """RandomForestQuantileRegressor."""

    name = "quantile-forest"
    module = "quantile_forest"
    distribution = "quantile-forest"
    environment = "quantiles"
    requirements = ("quantile-forest==1.4.2",)
    forests = ("QRF",)
    most_outputs = 1
    quick = False

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return a regressor that keeps all responses of a leaf, as ours does."""
        from quantile_forest import RandomForestQuantileRegressor

        return RandomForestQuantileRegressor(
            trees,
            max_features=forest.d,
            max_samples_leaf=None,
            min_samples_leaf=1,
            n_jobs=1,
            random_state=seed,
        )


PEER = QuantileForest()

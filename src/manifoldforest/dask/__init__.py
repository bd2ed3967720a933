"""Forests on Dask collections, whose rows are spread over the workers of a cluster.

They need the extra ``manifoldforest[dask]``. The estimators have the parameters of the local ones
of the same names, and two more: the client, and whether all workers get all rows
(``rows="replicated"``, the same forest as without Dask) or the rows stay where they are
(``rows="partitioned"``). Predictions are lazy; ``to_local()`` gives the ordinary estimator.
"""

try:
    import dask as _dask  # noqa: F401
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"manifoldforest.dask needs {error.name}, which is not installed: "
        "pip install 'manifoldforest[dask]'",
        name=error.name,
    ) from error

from ._classifier import ForestClassifier
from ._metric_forest import MetricForestRegressor
from ._regressor import ForestRegressor

__all__ = ["ForestClassifier", "ForestRegressor", "MetricForestRegressor"]

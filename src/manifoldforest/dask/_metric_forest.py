"""Forests for responses in metric spaces on Dask collections."""

from __future__ import annotations

from .. import responses
from ._base import DaskForest
from ._parameters_of import parameters_of


@parameters_of(responses.MetricForestRegressor)
class MetricForestRegressor(DaskForest):
    """:class:`manifoldforest.MetricForestRegressor` on dask arrays and dataframes.

    Responses are rows of a dask array with as many axes as the space has, or objects of a dask bag.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Number of threads on each worker; None is as many as the worker has. The forest does not
        depend on it.
    client : distributed.Client or None, default=None
        The client of the cluster; None is distributed's default client. It is not stored with the
        estimator.
    rows : {"replicated", "partitioned"}, default="replicated"
        ``"replicated"``: every worker gets all rows and grows some of the trees. The forest is
        that of the local estimator on the same rows, byte for byte. ``"partitioned"`` raises an
        error: predictions are means of training responses, of which all have to be in one place.

    See Also
    --------
    manifoldforest.MetricForestRegressor : the local estimator, with all attributes.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> import manifoldforest as mf
    >>> rng = da.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2), chunks=(100, 2))
    >>> angle = da.arctan2(X[:, 1], X[:, 0])
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     forest = mf.dask.MetricForestRegressor(10, space="circle", random_state=0)
    ...     predicted = forest.fit(X, angle).predict(X[:5]).compute()
    >>> predicted.shape
    (5,)
    """

    _takes_lists = True

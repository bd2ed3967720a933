"""Classification forests on Dask collections."""

from __future__ import annotations

from typing import Any

from .. import forests
from ._base import DaskForest
from ._lazy import lazy_result
from ._parameters_of import parameters_of


@parameters_of(forests.ForestClassifier)
class ForestClassifier(DaskForest):
    """:class:`manifoldforest.ForestClassifier` on dask arrays and dataframes.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Number of threads on each worker; None is as many as the worker has, and with
        ``rows="partitioned"`` 1 for each task. The forest does not depend on it.
    client : distributed.Client or None, default=None
        The client of the cluster; None is distributed's default client. It is not stored with the
        estimator.
    rows : {"replicated", "partitioned"}, default="replicated"
        Where the rows of trees come from:

        * ``"replicated"``: every worker gets all rows and grows some of the trees. The forest is
          that of the local estimator on the same rows, byte for byte.
        * ``"partitioned"``: a tree begins on the rows of one partition, in proportion to whose rows
          partitions get trees: the first trees are those of the first partition. Below nodes with
          about 1/32 of these rows it goes on as subtrees, each grown on the rows that up to 8
          partitions have there, which travel for that. Numbers and shares of rows in parameters are
          those of a whole tree. Trees with `honest`, `max_leaf_nodes`, `ccp_alpha`, `augment`,
          ``class_weight="balanced_subsample"`` or rotations do not go on; with ``bootstrap=True``
          and ``max_samples=None`` these draw 90 % of the rows of their partition, without
          replacement. Classes, class weights and the value for rows of which no tree knows anything
          are those of all rows; what a projection learns before trees grow, also the choice of
          ``"auto"``, is learned from a sample of at most 4096 rows of all partitions. The order of
          rows must be random, as a partition chooses the first splits. Not with `oob_score`,
          ``keep_samples=True``, `refine`, `ranks` or `warm_start`.

    See Also
    --------
    manifoldforest.ForestClassifier : the local estimator, with all attributes.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> import manifoldforest as mf
    >>> rng = da.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4), chunks=(100, 4))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     forest = mf.dask.ForestClassifier(20, random_state=0).fit(X, y)
    ...     predicted = forest.predict(X).compute()
    >>> predicted.shape, forest.to_local().predict([[3.0, 0.0, 0.0, 0.0]]).tolist()
    ((300,), [1])
    """

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each label for each example, lazily.

        Parameters
        ----------
        X : dask array or dask dataframe
            Examples.

        Returns
        -------
        probabilities : dask array of shape (n_samples, n_classes), or list of these
            What the local estimator says, in the order of `classes_`.

        Examples
        --------
        >>> import dask.array as da
        >>> from distributed import Client
        >>> import manifoldforest.dask
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0, 0, 1, 1], chunks=2)
        >>> forest = manifoldforest.dask.ForestClassifier(5, bootstrap=False)
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     forest.fit(X, y).predict_proba(X[:1]).compute().tolist()
        [[1.0, 0.0]]
        """
        return lazy_result(self.to_local(), "predict_proba", X)

"""What the estimators on Dask collections share."""

from __future__ import annotations

import os
from typing import Any, ClassVar, TypeVar

from dask.array import Array
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from ..forests._base import BaseForest
from ..forests._fit_steps import check_fit
from ..forests._growing import progress_of
from ..validation._parameters import draw_seed
from ..validation._rules import Rule, check_argument, one_of
from ._blocks import check_collections
from ._cluster import CLIENT, connected_client
from ._lazy import lazy_result
from ._partitioned import check_partitioned, fit_partitioned
from ._replicated import fit_replicated

Self = TypeVar("Self", bound="DaskForest")

_ROWS: Rule = one_of("replicated", "partitioned")
_OWN = ("client", "rows")


class DaskForest(BaseEstimator):
    """Base class of the estimators; use those of :mod:`manifoldforest.dask`."""

    _local_class: ClassVar[type[BaseForest]]
    _takes_lists: ClassVar[bool] = False  # whether y may be a bag of responses

    client: Any
    rows: str

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest on the workers.

        The estimator then has the fitted attributes of the local one, such as `classes_`,
        `feature_importances_` or `oob_score_`.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or (n_samples, ...), or dask dataframe
            Training examples, as of the local estimator.
        y : dask array, series or dataframe of n_samples rows
            What is to be predicted, as of the local estimator. Responses of a metric space that
            are objects come in a dask bag.
        sample_weight : dask array or series of n_samples rows, or None, default=None
            Weights of the examples, at least 0.

        Returns
        -------
        self : estimator
            The fitted forest.

        Examples
        --------
        >>> import dask.array as da
        >>> from distributed import Client
        >>> import manifoldforest.dask
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0, 0, 1, 1], chunks=2)
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     forest = manifoldforest.dask.ForestClassifier(20, random_state=0).fit(X, y)
        >>> forest.classes_.tolist()
        [0, 1]
        """
        self._check_parameters()
        check_collections(X, y, sample_weight, lists=self._takes_lists)
        client = connected_client(self.client)
        forest = self._local(fitted=bool(self.warm_start))
        told = progress_of(forest)
        seed = None if forest.__sklearn_is_fitted__() else draw_seed(forest.random_state)
        forest.set_params(random_state=None)  # the seed is all that workers need of it
        fit = fit_replicated if self.rows == "replicated" else fit_partitioned
        self._fitted = fit(client, forest, (X, y, sample_weight), seed, told)
        return self

    def predict(self, X: Any) -> Any:
        """Return the prediction for each example, lazily.

        Parameters
        ----------
        X : dask array or dask dataframe
            Examples.

        Returns
        -------
        predictions : dask array of n_samples rows
            What the local estimator predicts, computed block by block where the blocks are.

        Examples
        --------
        >>> import dask.array as da
        >>> from distributed import Client
        >>> import manifoldforest.dask
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0, 0, 1, 1], chunks=2)
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     forest = manifoldforest.dask.ForestClassifier(20, random_state=0).fit(X, y)
        ...     forest.predict(X[[0, 3]]).compute().tolist()
        [0, 1]
        """
        return lazy_result(self.to_local(), "predict", X)

    def apply(self, X: Any) -> Array:
        """Return the leaf that each example falls into, in each tree, lazily.

        Parameters
        ----------
        X : dask array or dask dataframe
            Examples.

        Returns
        -------
        leaves : dask array of int32, shape (n_samples, n_estimators)
            Node numbers, as of the local estimator.

        Examples
        --------
        >>> import dask.array as da
        >>> from distributed import Client
        >>> import manifoldforest.dask
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0, 0, 1, 1], chunks=2)
        >>> forest = manifoldforest.dask.ForestClassifier(2, projection="axis", bootstrap=False)
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     forest.fit(X, y).apply(X).compute().tolist()
        [[1, 1], [1, 1], [2, 2], [2, 2]]
        """
        leaves: Array = lazy_result(self.to_local(), "apply", X)
        return leaves

    def to_local(self) -> Any:
        """Return the ordinary estimator, which needs no Dask.

        Returns
        -------
        estimator : ForestClassifier, ForestRegressor or MetricForestRegressor
            The estimator of :mod:`manifoldforest` with the same parameters and trees. They share
            the arrays of the trees.

        Examples
        --------
        >>> import dask.array as da
        >>> from distributed import Client
        >>> import manifoldforest.dask
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0.0, 0.0, 1.0, 1.0], chunks=2)
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     forest = manifoldforest.dask.ForestRegressor(20, random_state=0).fit(X, y)
        >>> type(forest.to_local())
        <class 'manifoldforest.forests._regressor.ForestRegressor'>
        """
        check_is_fitted(self)
        return self._local(fitted=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the forest to a file that :func:`manifoldforest.load` reads, as a local one.

        Parameters
        ----------
        path : str or path-like
            Where to write.

        Examples
        --------
        >>> import os, tempfile
        >>> import dask.array as da
        >>> from distributed import Client
        >>> import manifoldforest as mf
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0.0, 0.0, 1.0, 1.0], chunks=2)
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     forest = mf.dask.ForestRegressor(20, random_state=0).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "forest.mf")
        ...     forest.save(path)
        ...     type(mf.load(path)).__name__
        'ForestRegressor'
        """
        self.to_local().save(path)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with `deep` also those of objects among them.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add parameters of parameters, such as ``projection__max_size``.

        Returns
        -------
        params : dict
            Values by name.

        Examples
        --------
        >>> import manifoldforest.dask
        >>> forest = manifoldforest.dask.ForestClassifier(projection="patches")
        >>> forest.get_params()["projection__min_size"], forest.get_params()["rows"]
        (1, 'replicated')
        """
        params: dict[str, Any] = super().get_params(deep=False)
        return params | self._local().get_params(deep=True) if deep else params

    def set_params(self: Self, **params: Any) -> Self:
        """Set parameters; ``projection__parameter`` sets one of the projection.

        Parameters
        ----------
        **params : dict
            New values by name.

        Returns
        -------
        self : estimator
            This forest.

        Examples
        --------
        >>> import manifoldforest.dask
        >>> forest = manifoldforest.dask.ForestClassifier(projection="patches")
        >>> forest.set_params(rows="partitioned", projection__max_size=3).projection
        Patches(max_size=3)
        """
        local = self._local()
        local.set_params(**{name: value for name, value in params.items() if name not in _OWN})
        own = {name: value for name, value in params.items() if name in _OWN}
        self.__dict__.update(local.get_params(deep=False) | own)
        return self

    def _check_parameters(self) -> None:
        check_argument("client", self.client, CLIENT)
        check_argument("rows", self.rows, _ROWS)
        forest = self._local()
        check_fit(forest)
        if self.rows == "partitioned":
            check_partitioned(forest)

    def _local(self, *, fitted: bool = False) -> BaseForest:
        """Return a local estimator with the same parameters, perhaps with what was fitted."""
        params = super().get_params(deep=False)
        local = self._local_class(**{k: v for k, v in params.items() if k not in _OWN})
        if fitted and self.__sklearn_is_fitted__():
            local._adopt(self._fitted)
        return local

    def __getattr__(self, name: str) -> Any:
        """Return a fitted attribute, which is that of the local estimator."""
        if name.endswith("_") and not name.startswith("_") and self.__sklearn_is_fitted__():
            return getattr(self._local(fitted=True), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the forest is fitted."""
        return "_fitted" in self.__dict__

    def __sklearn_clone__(self: Self) -> Self:
        """Return an estimator that is not fitted, with the same client."""
        params = super().get_params(deep=False)
        client = params.pop("client")
        copied = {name: clone(value, safe=False) for name, value in params.items()}
        return type(self)(**copied, client=client)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the client, which is a connection of this process."""
        state: dict[str, Any] = dict(super().__getstate__())
        return state | {"client": None}

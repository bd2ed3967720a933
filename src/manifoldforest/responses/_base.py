"""What response forests share: forests whose responses have distances between them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import RegressorMixin

from .._fitted_state import of_one_fit
from ..forests._base import BaseForest, count_skipped
from ..forests._forest_model import ForestModel
from ..forests._weights import (
    RowWeights,
    moderate,
    read_sample_weight,
    row_weights,
    same_for_all,
)
from ..inspection._error_over_trees import TreeErrors, steps_of_trees
from ..inspection._forest_weights import forest_weights, proximity
from ..inspection._permutation_importance import require_seen
from ..spaces import Space
from ..validation._parameter_object import same_value
from ..validation._parameters import n_threads
from ..validation._rules import check_argument, check_parameters, real
from ._frechet_variance import explained_variance
from ._stored_responses import describe_responses, restored_responses
from ._training_responses import ResponseTarget, TrainingResponses

# examples × training rows that are weighed at a time
_CHUNK = 2**24

_LARGEST_WEIGHT = 2.0**30


@dataclass(frozen=True)
class HeldOut:
    """Training rows that are predicted by the trees that did not see them."""

    trees: NDArray[np.bool_]  # rows × trees
    rows: NDArray[np.intp]

    def __getitem__(self, some: slice) -> HeldOut:
        return HeldOut(self.trees[some], self.rows[some])


@dataclass
class PredictionCache:
    """What predictions of one fit have in common; each is computed when it is first needed."""

    weighted_responses: TrainingResponses | None = None  # those whose weight is not zero
    # prediction parameters, and the distances between responses and out-of-bag predictions
    oob_distances: tuple[dict[str, Any], NDArray[np.float64]] | None = None


class BaseResponseForest(RegressorMixin, BaseForest):
    """Base class of :class:`MetricForestRegressor` and :class:`KernelForestRegressor`."""

    # parameters of other forests that are fixed in these
    criterion = "squared_distance"
    keep_samples = True  # predictions need the training rows

    max_rank: int | None

    # parameters that may be changed after a fit
    _prediction_parameter_names: ClassVar[tuple[str, ...]]

    space_: Space
    _responses: TrainingResponses
    _prediction_cache: PredictionCache
    oob_distance_: NDArray[np.float64]
    truncation_error_: float

    @abstractmethod
    def _make_space(self) -> Space:
        """Return the space of the responses, which the parameters stand for."""

    @abstractmethod
    def _check_prediction(self, responses: TrainingResponses) -> None:
        """Raise a ValueError if the forest could not predict such responses."""

    @abstractmethod
    def _predict_from_leaves(self, leaves: NDArray[np.int32], held_out: HeldOut | None) -> Any:
        """Return predictions for examples in given leaves, or for training rows held out."""

    # ------------------------------------------------------------------------------- predicting

    @of_one_fit
    def predict(self, X: Any) -> Any:
        """Return the predicted response of each example.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.

        Returns
        -------
        responses : ndarray or list
            Predictions in the form in which the space has its responses.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, hours = [[0.0], [1.0], [2.0], [3.0]], [22.0, 4.0, 11.0, 13.0]
        >>> clock = mf.spaces.Circle(24)
        >>> stump = mf.MetricForestRegressor(1, space=clock, max_depth=1, bootstrap=False)
        >>> stump.fit(X, hours).predict([[0.5], [2.5]]).round(6).tolist()
        [1.0, 12.0]
        """
        leaves = self.apply(X)
        self._check_prediction_parameters()
        return self._predict_in_chunks(leaves)

    @of_one_fit
    def predict_region(self, X: Any, coverage: float = 0.9) -> tuple[Any, float]:
        """Return balls in which the responses of examples lie with a given probability.

        The radius is a quantile of the distances between training responses and their out-of-bag
        predictions, as in conformal prediction: with m of them the ``ceil(coverage (m + 1))``-th
        smallest. It is the same for all examples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.
        coverage : float, default=0.9
            Probability in (0, 1), about that over training sets and examples together.

        Returns
        -------
        centres : ndarray or list
            Predictions, as of :meth:`predict`.
        radius : float
            Distance from the centres; infinite if there are too few training rows for such a
            coverage.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.random((200, 1))
        >>> hours = 24 * X[:, 0] + rng.uniform(-1, 1, 200)
        >>> forest = mf.MetricForestRegressor(20, space=mf.spaces.Circle(24), random_state=0)
        >>> centres, radius = forest.fit(X, hours).predict_region([[0.25], [0.5]], coverage=0.8)
        >>> centres.round().tolist(), 0.8 < radius < 1.2
        ([6.0, 12.0], True)
        """
        check_argument("coverage", coverage, real("(0, 1)"))
        centres = self.predict(X)
        distance = self._out_of_bag_distances()
        return centres, region_radius(distance[~np.isnan(distance)], coverage)

    @of_one_fit
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the Fréchet variance that predictions explain.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
            Examples.
        y : array-like or sequence
            Their responses.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the examples.

        Returns
        -------
        score : float
            1 minus the mean squared distance between responses and predictions, divided by that
            between responses and the best single response: their Fréchet mean, or their medoid in
            spaces without means. 1 is perfect, 0 as good as no features at all.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, hours = [[0.0], [1.0], [2.0], [3.0]], [22.0, 4.0, 11.0, 13.0]
        >>> clock = mf.spaces.Circle(24)
        >>> stump = mf.MetricForestRegressor(1, space=clock, max_depth=1, bootstrap=False)
        >>> round(stump.fit(X, hours).score(X, hours), 3)
        0.858
        """
        predicted = self.predict(X)
        truth = self._checked_responses(y, len(predicted))
        weight = read_sample_weight(sample_weight, len(predicted))
        return explained_variance(self.space_, truth, predicted, weight)

    def _weights(self, leaves: NDArray[np.int32], held_out: HeldOut | None) -> csr_matrix:
        return forest_weights(
            self._model, leaves, used=None if held_out is None else held_out.trees
        )

    def _affinity(
        self, kind: str, leaves: NDArray[np.int32], held_out: HeldOut | None
    ) -> csr_matrix:
        """Return how often examples and training rows share a leaf, by the rows that count."""
        inbag = self._model.trees["inbag"]
        counts = {"all": None, "inbag": np.maximum(inbag, 0), "oob": inbag == 0}[kind]
        if held_out is None:
            return proximity(self._model.trees, leaves, counts=counts)
        shared = proximity(self._model.trees, leaves, counts=counts, used=held_out.trees)
        # a row shares all leaves with itself, and its own response must not count
        query = np.repeat(np.arange(shared.shape[0]), np.diff(shared.indptr))
        shared.data[shared.indices == held_out.rows[query]] = 0.0
        shared.eliminate_zeros()
        return shared

    def _predict_in_chunks(self, leaves: NDArray[np.int32], held_out: HeldOut | None = None) -> Any:
        """Return the predictions for all examples, found for one chunk after the other."""
        step = max(1, _CHUNK // len(self._responses))
        parts = []
        for first in range(0, len(leaves), step):
            some = slice(first, first + step)
            parts.append(
                self._predict_from_leaves(leaves[some], held_out[some] if held_out else None)
            )
        if isinstance(parts[0], list):
            return [response for part in parts for response in part]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    # ------------------------------------------------------------------------------ out of bag

    def _predict_out_of_bag(self, leaves: NDArray[np.int32]) -> tuple[Any, NDArray[np.bool_]]:
        """Return predictions for training rows that fell into given leaves, and which have one."""
        used = (self._model.trees["inbag"] == 0).T
        seen = used.any(axis=1) & self._present
        if not seen.any():
            return self._responses.take(np.zeros(0, dtype=np.intp)), seen
        held_out = HeldOut(used[seen], np.flatnonzero(seen))
        return self._predict_in_chunks(np.ascontiguousarray(leaves[seen]), held_out), seen

    def _out_of_bag_distances(self) -> NDArray[np.float64]:
        """Return the distance of each training response to its prediction; NaN without one."""
        parameters, cached = self._prediction_parameters(), self._prediction_cache.oob_distances
        if cached is not None and cached[0] == parameters:
            return cached[1]
        predicted, seen = self._predict_out_of_bag(self._model.trees["leaf_of_row"].T)
        if not seen.any():
            raise ValueError(
                "predict_region needs rows out of bag: set bootstrap=True or max_samples, or grow "
                "more trees"
            )
        distances = self._distances_to(predicted, seen)
        self._prediction_cache.oob_distances = parameters, distances
        return distances

    def _distances_to(self, predicted: Any, seen: NDArray[np.bool_]) -> NDArray[np.float64]:
        truth = self._responses.take(np.flatnonzero(seen))
        distance = np.full(len(seen), np.nan)
        if seen.any():
            distance[seen] = self.space_.paired_distances(truth, predicted)
        return distance

    def _out_of_bag_error(self, leaves: NDArray[np.int32]) -> float:
        self._check_prediction_parameters()
        predicted, seen = self._predict_out_of_bag(leaves.T)
        require_seen(seen)
        return float(np.mean(self._distances_to(predicted, seen)[seen] ** 2))

    def _held_out_error(self, y: Any, n_rows: int) -> Callable[[NDArray[Any]], float]:
        self._check_prediction_parameters()
        truth = self._checked_responses(y, n_rows)
        model, threads = self._model, n_threads(self.n_jobs)

        def error(rows: NDArray[Any]) -> float:
            predicted = self._predict_in_chunks(model.apply(rows, threads))
            return float(np.mean(self.space_.paired_distances(truth, predicted) ** 2))

        return error

    def _tree_errors(self, X: Any, y: Any) -> TreeErrors:
        """Return the errors of the first trees on given examples, or out of bag if X is None.

        Each number of trees takes a whole prediction, so that only some are tried.
        """
        self._check_prediction_parameters()
        trees = self._model.trees
        if X is None:
            self._require_rows_out_of_bag()
            name, truth, leaves = "out of bag", self._responses.values, trees["leaf_of_row"].T
            used = (trees["inbag"] == 0).T & self._present[:, None]
            rows = np.arange(len(leaves))
        else:
            leaves = self.apply(X)
            name, truth = "given examples", self._checked_responses(y, len(leaves))
            used = np.ones(leaves.shape, dtype=bool)
            rows = np.full(len(leaves), -1)  # none of them is a training row
        steps, errors = steps_of_trees(len(self)), []
        for n_trees in steps:
            first = used & (np.arange(len(self)) < n_trees)
            some = np.flatnonzero(first.any(axis=1))
            if not len(some):
                errors.append(np.nan)
                continue
            held_out = HeldOut(first[some], rows[some])
            predicted = self._predict_in_chunks(np.ascontiguousarray(leaves[some]), held_out)
            true = [truth[i] for i in some] if isinstance(truth, list) else truth[some]
            distances = self.space_.paired_distances(true, predicted)
            errors.append(float(np.sqrt(np.mean(distances**2))))
        return TreeErrors("root mean squared distance", steps, {name: np.array(errors)})

    def _out_of_bag_attributes(self, model: ForestModel, target: ResponseTarget) -> dict[str, Any]:
        """Return predictions, distances and score; this forest is not fitted yet."""
        fitted = self._fitted_copy(model, target)
        predicted, seen = fitted._predict_out_of_bag(model.trees["leaf_of_row"].T)
        distance = fitted._distances_to(predicted, seen)
        fitted._prediction_cache.oob_distances = self._prediction_parameters(), distance
        attributes: dict[str, Any] = {
            "oob_skipped_": count_skipped(seen | ~fitted._present),
            "oob_prediction_": _predictions_of_all_rows(predicted, seen),
            "oob_distance_": distance,
            "_prediction_cache": fitted._prediction_cache,
        }
        truth = target.responses.take(np.flatnonzero(seen))
        score = float("nan")
        if callable(self.oob_score):
            score = self.oob_score(truth, predicted)
        elif seen.sum() > 1:
            space = target.responses.space
            score = explained_variance(space, truth, predicted, np.ones(int(seen.sum())))
        return attributes | {"oob_score_": score}

    def _fitted_copy(self, model: ForestModel, target: ResponseTarget) -> BaseResponseForest:
        """Return a copy of this forest that has the attributes of a fit."""
        fitted = type(self)(**self.get_params(deep=False))
        fitted._adopt({"_model": model, **self._target_attributes(target)})
        return fitted

    @property
    def _present(self) -> NDArray[np.bool_]:
        """Which training rows have any weight."""
        record = self._model.record
        assert record is not None
        return np.asarray(record.total_weight > 0)

    def _weighted_responses(
        self, *weights: csr_matrix
    ) -> tuple[TrainingResponses, tuple[csr_matrix, ...]]:
        """Return the training responses of positive weight, and the columns of matrices for them.

        Rows of weight 0 count as absent, so that no prediction may be one of their responses.
        """
        present = self._present
        if present.all():
            return self._responses, weights
        some = self._prediction_cache.weighted_responses
        if some is None:
            some = self._prediction_cache.weighted_responses = self._responses.some(
                np.flatnonzero(present)
            )
        return some, tuple(csr_matrix(matrix[:, present]) for matrix in weights)

    def _prediction_parameters(self) -> dict[str, Any]:
        """Return the parameters that predictions depend on."""
        return {name: getattr(self, name) for name in self._prediction_parameter_names}

    def _check_prediction_parameters(self) -> None:
        """Raise a ValueError if parameters that were changed after the fit are not valid for it."""
        check_parameters(
            self._prediction_parameters(),
            {name: self._rules[name] for name in self._prediction_parameter_names},
        )
        self._check_prediction(self._responses)

    # ----------------------------------------------------------------------------------- fitting

    def _checked_responses(self, y: Any, n_rows: int, space: Space | None = None) -> Any:
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None.")
        values = (self.space_ if space is None else space).check(y, name="y")
        if space is None and isinstance(values, np.ndarray):
            expected = self._responses.values.shape[1:]
            if values.shape[1:] != expected:
                raise ValueError(
                    f"y must have responses of the shape {expected}, as at fit, got "
                    f"{values.shape[1:]}"
                )
        if len(values) != n_rows:
            raise ValueError(
                f"X and y must have equally many rows, got {n_rows} rows of X and {len(values)} "
                "responses"
            )
        return values

    def _read_target(self, y: Any, n_rows: int) -> ResponseTarget:
        space = self._make_space()
        responses = TrainingResponses(space, self._checked_responses(y, n_rows, space))
        return ResponseTarget(responses, self.max_rank)

    def _check_target(self, target: ResponseTarget) -> None:
        self._check_prediction(target.responses)

    def _table(self, target: ResponseTarget) -> None:
        return None  # the responses themselves are stored

    def _same_outputs(self, target: ResponseTarget) -> bool:
        return True

    def _learned_from(self, target: ResponseTarget) -> bool:
        mine, theirs = self._responses, target.responses
        if mine.space != theirs.space or len(mine) != len(theirs):
            return False
        if isinstance(mine.values, list):
            pairs = zip(mine.values, theirs.values, strict=True)
            return all(a is b or same_value(a, b) for a, b in pairs)
        return np.array_equal(mine.values, theirs.values)

    def _row_weights(
        self, target: ResponseTarget, sample_weight: NDArray[np.float64]
    ) -> RowWeights:
        # products of squared distances and weights must not overflow in single precision
        sample_weight = moderate(sample_weight, _LARGEST_WEIGHT)
        factor = same_for_all(1.0, len(sample_weight))
        return row_weights(sample_weight, factor, bootstrap=self.bootstrap, stratify=False)

    def _target_attributes(self, target: ResponseTarget) -> dict[str, Any]:
        attributes = {
            "n_outputs_": 1,
            "space_": target.responses.space,
            "_responses": target.responses,
            "_prediction_cache": PredictionCache(),
        }
        if self.max_rank is not None:
            truncated = target.truncation()
            attributes["truncation_error_"] = 0.0 if truncated is None else truncated.error
        return attributes

    def _describe_for_file(self, arrays: dict[str, NDArray[Any]]) -> Any:
        description: dict[str, Any] = {"space": describe_responses(self._responses, arrays)}
        if hasattr(self, "truncation_error_"):
            description["truncation_error"] = self.truncation_error_
        return description

    @classmethod
    def _read_description(
        cls, description: Any, arrays: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        responses = restored_responses(description["space"], arrays)
        fitted: dict[str, Any] = {
            "space_": responses.space,
            "_responses": responses,
            "_prediction_cache": PredictionCache(),
        }
        if "truncation_error" in description:
            fitted["truncation_error_"] = float(description["truncation_error"])
        return {}, fitted

    def _describe_target(self) -> str:
        return f"{len(self._responses)} responses in {self.space_!r}"


def region_radius(distances: NDArray[np.float64], coverage: float) -> float:
    """Return the radius of balls that hold responses with a probability, from those out of bag."""
    known = np.sort(distances)
    place = math.ceil(coverage * (len(known) + 1) * (1 - 1e-12))
    return float(known[place - 1]) if place <= len(known) else math.inf


def _predictions_of_all_rows(predicted: Any, seen: NDArray[np.bool_]) -> Any:
    """Return predictions of some rows as those of all; NaN, -1 or None for the others."""
    if isinstance(predicted, list):
        given = iter(predicted)
        return [next(given) if is_seen else None for is_seen in seen]
    missing: Any = -1 if predicted.dtype.kind == "i" else np.nan
    spread = np.full((len(seen), *predicted.shape[1:]), missing, dtype=predicted.dtype)
    spread[seen] = predicted
    return spread

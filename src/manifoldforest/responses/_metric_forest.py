"""Regression forests for responses in metric spaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..projections import Projection
from ..spaces import NAMES, Space, as_space
from ._base import BaseResponseForest, HeldOut
from ._drf_prediction import DrfOptions, DrfPredictor
from ._parameters import METRIC_RULES
from ._training_responses import ResponseTarget, TrainingResponses


class MetricForestRegressor(BaseResponseForest):
    """A regression forest for responses in a metric space, such as angles or matrices (dRF).

    Responses may be angles, points on a sphere, positive definite matrices, rotations, shapes,
    distributions, half images: all that is needed is a distance. Splits minimise the Fréchet
    variance of the responses in the nodes (Tsagkrasoulis and Montana 2018). Predictions are Fréchet
    means, medoids, or those of the paper; all are functions of the weights that the forest gives to
    the training rows. Any projection goes with any space: a forest may take images and predict
    matrices.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    space : str or Space, default="euclidean"
        Where responses live: an object of :mod:`manifoldforest.spaces` or, for those that need no
        arguments, its name.
    projection : str or Projection, default="axis"
        Where the candidate directions of splits come from: an object of
        :mod:`manifoldforest.projections` or its name. ``"patches"`` looks at patches of images.
    max_features : int, float, {"sqrt", "2sqrt", "log2"} or None, default=1.0
        Number of candidate projections per node, the paper's mtry; a float is a fraction of the
        number of features, None is as many as features, ``"2sqrt"`` twice the square root of that.
        It may exceed the number of features.
    splitter : {"auto", "exact", "histogram", "random"}, default="auto"
        How thresholds are searched: ``"exact"`` tries all of them; ``"histogram"`` and ``"auto"``
        use bins in large nodes where responses embed in a Euclidean space, and try all thresholds
        where only distances are known; ``"random"`` tries one per candidate (Extra-Trees).
    max_depth : int or None, default=None
        Largest depth of a tree; None is no limit.
    min_samples_split : int or float, default=2
        Smallest number of rows in a node that may be split; a float is a fraction of all rows.
    min_samples_leaf : int or float, default=1
        Smallest number of rows in a leaf; a float is a fraction of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Smallest weight of a leaf, as a fraction of the weight of all rows of the tree.
    min_balance : float, default=0.0
        Smallest share of a node's rows that each of its children gets, at most 0.5.
    min_impurity_decrease : float, default=0.0
        Smallest decrease of the Fréchet variance by a split, times the node's share of all weight.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of a tree. If given, the nodes with the largest gain are split
        first.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning: price of a leaf, in units of squared distance.
    bootstrap : bool, default=True
        Whether each tree draws its rows with replacement.
    max_samples : int, float or None, default=None
        Number of rows that each tree draws, with replacement if `bootstrap` and without otherwise;
        a float is a fraction of the rows that have weight (above 1 only with `bootstrap`), None is
        all of them.
    honest : bool, default=False
        Whether the rows of a tree are divided: some choose the splits, the others fill the leaves.
    honest_fraction : float, default=0.5
        Share of an honest tree's rows that choose the splits, as grf's ``honesty.fraction``: of n
        rows ``floor(honest_fraction * n)``, and one more with the probability of what is left over.
        The other rows fill the leaves.
    empty_leaf : {"ignore", "empirical", "prune"}, default="ignore"
        What an honest tree says where no row fills the leaf: ``"ignore"`` leaves the tree out,
        ``"empirical"`` takes all rows that fill leaves, ``"prune"`` joins leaves until none is
        empty.
    ranks : bool, default=False
        Whether each feature is replaced by its rank among the training values first.
    max_rank : int or None, default=None
        None searches splits exactly. A number allows large nodes to be searched in that many
        coordinates, positive and negative, with the largest part in the distances, which takes
        time in proportion to it rather than to the rows of the node. It has no effect where
        responses embed in a Euclidean space.
    oob_score : bool or callable, default=False
        Whether to score the forest on rows that trees did not draw; a callable
        ``score(y_true, y_pred)`` takes the place of the score.
    prediction : str, default="auto"
        How responses are predicted from the weights of training rows:

        * ``"frechet"``: their weighted Fréchet mean;
        * ``"projected"``: their weighted mean as vectors, brought back to the space;
        * ``"medoid"``: the training response with the smallest weighted sum of squared distances;
        * ``"barycentre"``: their weighted mean in an embedding of them, mapped back;
        * ``"drf"``: as in the paper, distances of the new response from the affinities, its place
          in the embedding from the distances, and back;
        * ``"auto"``: the mean that minimises the distances that splits use. That is the Fréchet
          mean, and for chords through a circle, a sphere or the rotations the projected mean, which
          is less drawn by responses far away; the medoid in spaces without means.
    embedding_dim : int or None, default=None
        Dimension of the embedding of ``"barycentre"`` and ``"drf"``, the paper's m; None is the
        smallest that explains 95 % of the positive inertia.
    bandwidth : float or None, default=None
        Width sigma of the Gaussian kernel ``exp(-|v - w|^2 / (2 sigma^2))`` that maps the embedding
        back, in units of distance. The paper's sigma_G is ``2 sigma^2``; None makes that the mean
        squared distance between points.
    smoothness : float, default=1.0
        Weight of the data against the smoothness of that map, the paper's gamma.
    affinity : {"all", "inbag", "oob"}, default="all"
        Which training rows in the leaf of an example count in the affinity of ``"drf"``: all, those
        in the bag of the tree (as often as they were drawn), or those out of it.
    distance_order : {"decreasing", "increasing"}, default="decreasing"
        Order in which Algorithm 1 of the paper goes through the training responses, by their
        distance to the one with the largest affinity. ``"decreasing"`` is as printed, and copies
        the distances of that response.
    ridge : {"objective", "eq8"}, default="objective"
        Ridge of the map back: 1 / gamma, which minimises the paper's objective, or n / gamma as
        its equation (8) has it.
    out_of_sample : {"gower", "paper"}, default="gower"
        Gower's formula for the place of a new response, or the paper's, n / (n + 1) of it.
    center : bool, default=True
        Whether the map back learns deviations from the mean response. In the paper it does not, and
        goes to zero far from all training responses.
    warm_start : bool, default=False
        Whether a further fit, on the same data, keeps the trees and adds those that are missing
        to `n_estimators`. The result equals that of a single fit.
    n_jobs : int or None, default=None
        Number of threads; None is 1 unless joblib's context says otherwise, -1 all cores. The
        forest does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same forest.
    verbose : int, default=0
        Whether to write progress to the standard error stream.

    Attributes
    ----------
    space_ : Space
        The space that was used.
    n_outputs_ : int
        Always 1: a response is one output, whatever its shape.
    n_features_in_ : int
        Number of features of an example, the product of its shape.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a table whose column names are all strings.
    feature_dims_ : tuple of str
        Names of the axes of one example, if X was an array of xarray.
    feature_shape_ : tuple of int
        Shape of one example.
    feature_importances_, feature_usage_ : ndarray of shape `feature_shape_`
        Mean impurity decrease by each feature, and its share in all uses of features by splits.
    view_importances_ : list of ndarray
        Mean impurity decrease by each cell of each view that patches were drawn on.
    trees_ : list of TreeView
        The trees as flat read-only arrays. Their `value` is the mean of the first coordinate of the
        responses that splits work with, relative to all rows; zero if they only use distances.
    estimators_samples_, oob_samples_ : list of ndarray
        Rows in the bag of each tree, and those that are not.
    projection_ : Projection
        The projection that was used.
    max_features_ : int
        Number of candidate projections per node that `max_features` stands for.
    rank_transformer_ : RankTransformer
        What replaces features by ranks, if `ranks`.
    truncation_error_ : float
        Share of the inertia of the responses that `max_rank` coordinates leave out, if it is given.
    oob_score_ : float
        Score on out-of-bag rows, if `oob_score`.
    oob_prediction_ : ndarray or list
        Out-of-bag predictions, if `oob_score`; rows without one have NaN, -1 if responses are
        indices, or None in lists.
    oob_distance_ : ndarray of shape (n_samples,)
        Distance of each response to its out-of-bag prediction, if `oob_score`.
    oob_skipped_ : int
        Number of rows that are in every bag and therefore have no out-of-bag prediction.

    See Also
    --------
    KernelForestRegressor : kernels on the responses instead of distances.
    ForestRegressor : the faster way to numbers and vectors.

    References
    ----------
    Tsagkrasoulis and Montana, Random forest regression for manifold-valued responses, Pattern
    Recognition Letters 101, 2018.

    Examples
    --------
    Directions from features:

    >>> import numpy as np
    >>> import manifoldforest as mf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> angle = np.arctan2(X[:, 1], X[:, 0]) + 0.1 * rng.normal(size=300)
    >>> forest = mf.MetricForestRegressor(space="circle", oob_score=True, random_state=0)
    >>> forest.fit(X, angle).oob_score_ > 0.9
    True

    Images in, positive definite matrices out:

    >>> images = rng.integers(0, 256, size=(60, 8, 8), dtype=np.uint8)
    >>> factors = rng.normal(size=(60, 3, 3))
    >>> matrices = factors @ factors.transpose(0, 2, 1) + np.eye(3)
    >>> forest = mf.MetricForestRegressor(10, space="spd", projection="patches", random_state=0)
    >>> forest.fit(images, matrices).predict(images[:2]).shape
    (2, 3, 3)
    """

    _rules = METRIC_RULES
    _described_parameters = ("projection", "space")
    _parameters_by_name = {**BaseResponseForest._parameters_by_name, "space": (NAMES, as_space)}  # noqa: RUF012
    _prediction_parameter_names = (
        *("prediction", "embedding_dim", "bandwidth", "smoothness", "affinity"),
        *("distance_order", "ridge", "out_of_sample", "center"),
    )

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        space: str | Space = "euclidean",
        projection: str | Projection = "axis",
        max_features: int | float | str | None = 1.0,
        splitter: str = "auto",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_balance: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float = 0.0,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        honest: bool = False,
        honest_fraction: float = 0.5,
        empty_leaf: str = "ignore",
        ranks: bool = False,
        max_rank: int | None = None,
        oob_score: bool | Callable[..., float] = False,
        prediction: str = "auto",
        embedding_dim: int | None = None,
        bandwidth: float | None = None,
        smoothness: float = 1.0,
        affinity: str = "all",
        distance_order: str = "decreasing",
        ridge: str = "objective",
        out_of_sample: str = "gower",
        center: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.space = space
        self.projection = projection
        self.max_features = max_features
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_balance = min_balance
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.ccp_alpha = ccp_alpha
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.honest = honest
        self.honest_fraction = honest_fraction
        self.empty_leaf = empty_leaf
        self.ranks = ranks
        self.max_rank = max_rank
        self.oob_score = oob_score
        self.prediction = prediction
        self.embedding_dim = embedding_dim
        self.bandwidth = bandwidth
        self.smoothness = smoothness
        self.affinity = affinity
        self.distance_order = distance_order
        self.ridge = ridge
        self.out_of_sample = out_of_sample
        self.center = center
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _make_space(self) -> Space:
        space: Space = clone(as_space(self.space))
        return space

    def _describe_for_file(self, arrays: dict[str, NDArray[Any]]) -> Any:
        description = super()._describe_for_file(arrays)
        if isinstance(self.space, str):
            description["name"] = self.space
        if as_space(self.space) != self.space_:
            raise ValueError(
                f"space must be the one that the forest was fitted with to be stored, "
                f"{self.space_!r}, got {self.space!r}"
            )
        return description

    @classmethod
    def _read_description(
        cls, description: Any, arrays: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        params, fitted = super()._read_description(description, arrays)
        return params | {"space": description.get("name", fitted["space_"])}, fitted

    def _prediction_kind(self, space: Space) -> str:
        """Return how responses are predicted."""
        if self.prediction != "auto":
            return self.prediction
        if space.splits_by_chords:
            return "projected"
        return "frechet" if space.has_mean else "medoid"

    def _check_prediction(self, responses: TrainingResponses) -> None:
        kind = self._prediction_kind(responses.space)
        if kind == "frechet" and not responses.space.has_mean:
            raise ValueError(
                f"prediction must not be 'frechet' in a space without means, got "
                f"space={responses.space!r}"
            )
        if kind == "projected" and responses.space.vectors(responses.values) is None:
            raise ValueError(
                f"prediction must not be 'projected' where responses are no vectors, got "
                f"space={responses.space!r}"
            )
        if kind in ("drf", "barycentre") and (self.embedding_dim or 0) > len(responses) - 1:
            raise ValueError(
                f"embedding_dim must be at most {len(responses) - 1} for {len(responses)} training "
                f"responses, got {self.embedding_dim}"
            )

    def _target_attributes(self, target: ResponseTarget) -> dict[str, Any]:
        if self._prediction_kind(target.responses.space) in ("drf", "barycentre"):
            self._drf_predictor(target.responses)  # so that fit, not predict, gives its warnings
        return super()._target_attributes(target)

    def _drf_options(self) -> DrfOptions:
        return DrfOptions(
            self.embedding_dim, self.bandwidth, self.smoothness, self.ridge, bool(self.center)
        )

    def _drf_predictor(self, responses: TrainingResponses) -> DrfPredictor:
        """Return the embedding and the map back, which are stored with the responses."""
        options = self._drf_options()
        made: DrfPredictor | None = responses.predictors.get(options)
        if made is None:
            made = DrfPredictor(responses, options)
            responses.predictors = {options: made}
        return made

    def _predict_from_leaves(self, leaves: NDArray[np.int32], held_out: HeldOut | None) -> Any:
        responses, (weights,) = self._weighted_responses(self._weights(leaves, held_out))
        kind = self._prediction_kind(self.space_)
        if kind == "frechet":
            return self.space_.mean(responses.values, weights)
        if kind == "projected":
            return responses.projected_means(weights)
        if kind == "medoid":
            return responses.take(responses.medoids(weights))
        if kind == "barycentre":
            return self._drf_predictor(responses).by_barycentre(weights)
        assert kind == "drf"
        _, (affinity,) = self._weighted_responses(self._affinity(self.affinity, leaves, held_out))
        return self._drf_predictor(responses).by_distances(
            affinity, weights, order=self.distance_order, formula=self.out_of_sample
        )

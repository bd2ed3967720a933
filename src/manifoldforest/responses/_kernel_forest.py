"""Output kernel forests: kRF, OK3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..projections import Projection
from ..spaces import Space
from ..validation._arrays import is_array_like
from ..validation._rules import Rule, any_callable, check_argument, one_of
from ._base import BaseResponseForest, HeldOut
from ._kernel_space import NAMED_KERNELS, KernelSpace
from ._parameters import KERNEL_RULES
from ._training_responses import TrainingResponses

_KERNEL = one_of(*NAMED_KERNELS) | any_callable | Rule("a matrix", is_array_like)


class KernelForestRegressor(BaseResponseForest):
    """A forest for responses that are compared by a kernel (kRF, OK3).

    Splits minimise the variance of the responses in the feature space of the kernel, which are the
    splits of :class:`MetricForestRegressor` for the distances in that space; the prediction is the
    training response whose image is nearest to the weighted mean of the images (Geurts, Wehenkel
    and d'Alché-Buc 2006).

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    kernel : {"rbf", "laplacian", "linear"}, callable or array-like, default="rbf"
        The kernel: a name; a function ``kernel(A, B)`` of two arrays of responses that returns the
        matrix of values; or that matrix for all responses (symmetric), with row indices into it
        as the responses, so that cross-validation works.
    bandwidth : float, default=1.0
        Width sigma in ``exp(-|a - b|^2 / (2 sigma^2))`` ("rbf") and in ``exp(-|a - b|_1 / sigma)``
        ("laplacian").
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
    affinity : {"weights", "all", "inbag", "oob"}, default="weights"
        What the mean of the images is weighted by: the weights of the training rows in the forest,
        as in OK3, or how often they are in the leaves of the example, over all rows, those in the
        bags or those out of them.
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
        The feature space of the kernel, whose distances the score uses.
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
    MetricForestRegressor : distances on the responses instead of kernels.

    References
    ----------
    Geurts, Wehenkel and d'Alché-Buc, Kernelizing the output of tree-based methods, ICML 2006.

    Examples
    --------
    >>> import numpy as np
    >>> import manifoldforest as mf
    >>> X, Y = mf.datasets.make_swiss_roll_responses(300, random_state=0)
    >>> forest = mf.KernelForestRegressor(50, kernel="rbf", bandwidth=2.5, random_state=0)
    >>> predicted = forest.fit(X[:200], Y[:200]).predict(X[200:])
    >>> bool((predicted[:, None] == Y[:200]).all(axis=2).any(axis=1).all())
    True
    """

    _rules = KERNEL_RULES
    _described_parameters = ("projection", "kernel")
    _prediction_parameter_names = ("affinity",)

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        kernel: str | Callable[..., Any] | Any = "rbf",
        bandwidth: float = 1.0,
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
        affinity: str = "weights",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.kernel = kernel
        self.bandwidth = bandwidth
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
        self.affinity = affinity
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _make_space(self) -> Space:
        check_argument("kernel", self.kernel, _KERNEL)
        return KernelSpace(self.kernel, float(self.bandwidth))

    def _describe_for_file(self, arrays: dict[str, NDArray[Any]]) -> Any:
        if self._make_space() != self.space_:
            raise ValueError(
                "kernel and bandwidth must be those that the forest was fitted with to be stored, "
                f"got kernel={self.kernel!r}, bandwidth={self.bandwidth!r}"
            )
        return super()._describe_for_file(arrays)

    @classmethod
    def _read_description(
        cls, description: Any, arrays: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        params, fitted = super()._read_description(description, arrays)
        return params | {"kernel": fitted["space_"].kernel}, fitted

    def _check_prediction(self, responses: TrainingResponses) -> None:
        """Every response can be predicted by a training response."""

    def _predict_from_leaves(self, leaves: NDArray[np.int32], held_out: HeldOut | None) -> Any:
        """Return the training responses nearest to the means of images (pre-images)."""
        responses, (weights,) = self._weighted_responses(self._weights(leaves, held_out))
        if self.affinity != "weights":
            _, (affinity,) = self._weighted_responses(
                self._affinity(self.affinity, leaves, held_out)
            )
            weights = _scaled(affinity, weights)
        return responses.take(responses.medoids(weights))


def _scaled(affinity: csr_matrix, weights: csr_matrix) -> csr_matrix:
    """Return affinities that sum to 1 for each example.

    Where no row that counts shares a leaf with it, its forest weights speak.
    """
    sums = np.asarray(affinity.sum(axis=1)).ravel()
    shares = affinity.multiply(1 / np.where(sums > 0, sums, 1.0)[:, None])
    return csr_matrix(shares + weights.multiply((sums == 0)[:, None]))

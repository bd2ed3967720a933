"""Projections without geometry: single features, random combinations of features, rotations.

Sources: [RERF] sections 2 and 3 for Forest-IC (axis), Forest-RC and RerF; [MORF] section 2.3 for
SPORF with Poisson counts; Blaser and Fryzlewicz (2015) for random rotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from manifoldforest import _core
from manifoldforest.validation._rules import Rule, integer, none, one_of, real

from ._base import Projection
from ._spreads import standard_deviations, weight_factors

Self = TypeVar("Self", bound="_SparseCombinations")

Scale: TypeAlias = Literal["std"]

_SCALE = one_of("std") | none


class Axis(Projection):
    """Single features: the ordinary random forest.

    The candidates of a node are distinct features, drawn without replacement.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = mf.ForestClassifier(3, projection=mf.projections.Axis(), random_state=0).fit(X, y)
    >>> [tree.split_text(0) for tree in forest.trees_]
    ['x[3] <= 0.8', 'x[3] <= 0.8', 'x[0] <= 5.55']
    """

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        return _core.axis_sampler(geometry.n_features)


class _SparseCombinations(Projection):
    """Weighted sums of a few features, whose weights may be relative to the spread of columns."""

    scale: Scale | None

    spread_: NDArray[np.float64]

    def _learned(
        self: Self,
        rows: NDArray[np.generic],
        feature_shape: tuple[int, ...],
        weight: NDArray[np.float64],
    ) -> Self:
        self._check_parameters()
        if self.scale is None or hasattr(self, "spread_"):
            return self
        learned: Self = clone(self)
        learned.spread_ = standard_deviations(rows, weight)
        return learned

    @property
    def _factors(self) -> NDArray[np.float32] | None:
        """What the core multiplies weights by; None leaves them as they are."""
        return None if self.scale is None else weight_factors(self.spread_)


class ForestRC(_SparseCombinations):
    """Random combinations of a fixed number of features (Forest-RC, F-RC).

    Every candidate is a sum of `n_features` distinct features with weights drawn uniformly from
    [-1, 1].

    Parameters
    ----------
    n_features : int, default=2
        Features per candidate; data with fewer features use all of them.
    scale : {"std"} or None, default=None
        What weights are divided by; see :class:`Sporf`.

    Attributes
    ----------
    spread_ : ndarray of shape (n_features_in,)
        What weights were divided by, in `projection_` of a forest that was fitted with `scale`.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> projection = mf.projections.ForestRC(n_features=3)
    >>> forest = mf.ForestClassifier(1, projection=projection, random_state=0).fit(X, y)
    >>> forest.trees_[0].split_text(0).split(" <= ")[0]
    '0.7094*x[0] - 0.5964*x[2] - 0.1041*x[3]'
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"n_features": integer(1), "scale": _SCALE}

    def __init__(self, n_features: int = 2, *, scale: Scale | None = None) -> None:
        self.n_features = n_features
        self.scale = scale

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        # Capped, not refused: the default must work on data with a single feature too.
        n_nonzeros = min(int(self.n_features), geometry.n_features)
        return _core.forest_rc_sampler(geometry.n_features, n_nonzeros, self._factors)


class RerF(_SparseCombinations):
    """Randomer forests: very sparse combinations of features with weights +1 and -1.

    With d candidates, d nonzeros are placed uniformly in the p×d matrix of candidates, so that a
    candidate has one nonzero on average and many are single features. Empty candidates are dropped.

    Parameters
    ----------
    variant : {"paper", "2016"}, default="paper"
        ``"paper"`` is the rule as printed in section 3 of the paper. ``"2016"`` is the one of the
        program that made its figures: it draws from a matrix that is wider by the factor
        1 / (1 - 1/e), because a share 1/e of the candidates comes out empty, and keeps the first d.
    scale : {"std"} or None, default=None
        What weights are divided by; see :class:`Sporf`.

    Attributes
    ----------
    spread_ : ndarray of shape (n_features_in,)
        What weights were divided by, in `projection_` of a forest that was fitted with `scale`.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = mf.ForestClassifier(3, projection=mf.projections.RerF(), random_state=0).fit(X, y)
    >>> [tree.split_text(0) for tree in forest.trees_]
    ['x[2] <= 2.35', 'x[3] <= 0.8', '-x[1] - x[3] <= -4.45']
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"variant": one_of("paper", "2016"), "scale": _SCALE}

    def __init__(
        self, variant: Literal["paper", "2016"] = "paper", *, scale: Scale | None = None
    ) -> None:
        self.variant = variant
        self.scale = scale

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        return _core.rerf_sampler(geometry.n_features, self.variant, self._factors)


class Sporf(_SparseCombinations):
    """Sparse projection oblique forests: sparse combinations with weights +1 and -1.

    Every candidate is a sum of few features, some of them with the opposite sign.

    Parameters
    ----------
    rate : float, default=1.5
        Mean number of features per candidate.
    count : {"fixed", "poisson"}, default="fixed"
        ``"fixed"``: d candidates together have ``rate * d`` nonzeros, rounded and at least one,
        placed without replacement. ``"poisson"``: every candidate has its own Poisson number of
        features with mean `rate`, the rule that the papers on manifold forests describe. Empty
        candidates are dropped either way.
    scale : {"std"} or None, default=None
        What weights are divided by. None: nothing, as in the papers; a sum of columns in different
        units is then little more than the column with the largest numbers. ``"std"``: the standard
        deviation of each column over the training rows, by their weights and without missing
        values, so that the unit of a column does not matter. A constant column is divided by the
        size of its value, and single features always have weight 1. Rows of uint8 are projected
        in integers only with None, which is faster.

    Attributes
    ----------
    spread_ : ndarray of shape (n_features_in,)
        What weights were divided by, in `projection_` of a forest that was fitted with `scale`.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = mf.ForestClassifier(3, projection=mf.projections.Sporf(), random_state=0).fit(X, y)
    >>> [tree.split_text(0) for tree in forest.trees_]
    ['x[2] <= 2.35', 'x[2] + x[3] <= 3.15', '-x[1] - x[2] + x[3] <= -5.45']

    With `scale` the forest is the same in any units; here in powers of two, where not even
    rounding differs:

    >>> forest = mf.ForestClassifier(10, projection=mf.projections.Sporf(scale="std"))
    >>> p = forest.set_params(random_state=0).fit(X, y).predict_proba(X)
    >>> other = X * [1024, 1, 0.25, 8]
    >>> bool((forest.fit(other, y).predict_proba(other) == p).all())
    True
    >>> (forest.projection_.spread_ / X.std(axis=0)).round(2).tolist()
    [1024.0, 1.0, 0.25, 8.0]
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "rate": real("(0, inf)"),
        "count": one_of("fixed", "poisson"),
        "scale": _SCALE,
    }

    def __init__(
        self,
        rate: float = 1.5,
        count: Literal["fixed", "poisson"] = "fixed",
        *,
        scale: Scale | None = None,
    ) -> None:
        self.rate = rate
        self.count = count
        self.scale = scale

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        rate = float(self.rate)
        return _core.sporf_sampler(geometry.n_features, rate, self.count, self._factors)


class Rotation(Projection):
    """Random rotation forests: every tree turns the data and then splits along axes.

    The rotation is uniform over all rotations (Haar). It costs p³ operations and p² numbers per
    tree.

    Directions read all features, so that one missing value would make all of them missing. Hence a
    missing value counts as the mean of its column in the training set, as it does with
    :class:`MeanDifference`, :class:`PrincipalAxes` and whatever has one of these as a part.

    Parameters
    ----------
    max_dims : int or None, default=None
        Rotate only this many features, a new random choice for each tree, where data have more;
        the others stay as they are. None rotates all.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = mf.ForestClassifier(2, projection=mf.projections.Rotation(), random_state=0)
    >>> tree = forest.fit(X, y).trees_[0]
    >>> tree.split_text(0).split(" <= ")[0]
    'rotated x[1]'
    >>> tree.atoms()[0].nnz  # all four features
    4
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"max_dims": integer(1) | none}

    def __init__(self, max_dims: int | None = None) -> None:
        self.max_dims = max_dims

    @property
    def _is_dense(self) -> bool:
        return True

    @property
    def _rotates(self) -> bool:
        return True

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        max_dims = geometry.n_features
        if self.max_dims is not None:
            max_dims = min(max_dims, int(self.max_dims))
        return _core.rotation_sampler(geometry.n_features, max_dims)

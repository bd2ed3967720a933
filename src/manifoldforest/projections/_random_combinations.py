"""Projections without geometry: single features, random combinations of features, rotations.

Sources: [RERF] sections 2 and 3 for Forest-IC (axis), Forest-RC and RerF; [MORF] section 2.3 for
SPORF with Poisson counts; Blaser and Fryzlewicz (2015) for random rotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from manifoldforest import _core
from manifoldforest.validation._rules import Rule, integer, none, one_of, real

from ._base import Projection


class Axis(Projection):
    """Single features: the ordinary random forest.

    The candidates of a node are distinct features, drawn without replacement.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = mf.ForestClassifier(10, projection=mf.projections.Axis(), random_state=0)
    >>> forest.fit(X, y).score(X, y) > 0.9
    True
    """

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        return _core.axis_sampler(geometry.n_features)


class ForestRC(Projection):
    """Random combinations of a fixed number of features (Forest-RC, F-RC).

    Every candidate is a sum of `n_features` distinct features with weights drawn uniformly from
    [-1, 1].

    Parameters
    ----------
    n_features : int, default=2
        Features per candidate; data with fewer features use all of them.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> projection = mf.projections.ForestRC(n_features=3)
    >>> forest = mf.ForestClassifier(10, projection=projection, random_state=0)
    >>> forest.fit(X, y).score(X, y) > 0.9
    True
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"n_features": integer(1)}

    def __init__(self, n_features: int = 2) -> None:
        self.n_features = n_features

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        # Capped, not refused: the default must work on data with a single feature too.
        n_nonzeros = min(int(self.n_features), geometry.n_features)
        return _core.forest_rc_sampler(geometry.n_features, n_nonzeros)


class RerF(Projection):
    """Randomer forests: very sparse combinations of features with weights +1 and -1.

    With d candidates, d nonzeros are placed uniformly in the p×d matrix of candidates, so that a
    candidate has one nonzero on average and many are single features. Empty candidates are dropped.

    Parameters
    ----------
    variant : {"paper", "2016"}, default="paper"
        ``"paper"`` is the rule as printed in section 3 of the paper. ``"2016"`` is the one of the
        program that made its figures: it draws from a matrix that is wider by the factor
        1 / (1 - 1/e), because a share 1/e of the candidates comes out empty, and keeps the first d.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> projection = mf.projections.RerF(variant="2016")
    >>> forest = mf.ForestClassifier(10, projection=projection, random_state=0)
    >>> forest.fit(X, y).score(X, y) > 0.9
    True
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"variant": one_of("paper", "2016")}

    def __init__(self, variant: Literal["paper", "2016"] = "paper") -> None:
        self.variant = variant

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        return _core.rerf_sampler(geometry.n_features, self.variant)


class Sporf(Projection):
    """Sparse projection oblique forests: sparse combinations with weights +1 and -1.

    Parameters
    ----------
    rate : float, default=1.5
        Mean number of features per candidate.
    count : {"fixed", "poisson"}, default="fixed"
        ``"fixed"``: d candidates together have ``rate * d`` nonzeros, rounded and at least one,
        placed without replacement. ``"poisson"``: every candidate has its own Poisson number of
        features with mean `rate`, the rule that the papers on manifold forests describe. Empty
        candidates are dropped either way.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> projection = mf.projections.Sporf(rate=2, count="poisson")
    >>> forest = mf.ForestClassifier(10, projection=projection, random_state=0)
    >>> forest.fit(X, y).score(X, y) > 0.9
    True
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "rate": real("(0, inf)"),
        "count": one_of("fixed", "poisson"),
    }

    def __init__(self, rate: float = 1.5, count: Literal["fixed", "poisson"] = "fixed") -> None:
        self.rate = rate
        self.count = count

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        return _core.sporf_sampler(geometry.n_features, float(self.rate), self.count)


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
    >>> projection = mf.projections.Rotation(max_dims=3)
    >>> forest = mf.ForestClassifier(10, projection=projection, random_state=0)
    >>> forest.fit(X, y).score(X, y) > 0.9
    True
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"max_dims": integer(1) | none}

    def __init__(self, max_dims: int | None = None) -> None:
        self.max_dims = max_dims

    @property
    def _is_dense(self) -> bool:
        return True

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        max_dims = geometry.n_features
        if self.max_dims is not None:
            max_dims = min(max_dims, int(self.max_dims))
        return _core.rotation_sampler(geometry.n_features, max_dims)

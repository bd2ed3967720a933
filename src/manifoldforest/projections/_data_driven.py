"""Projections derived from the examples that reach a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from manifoldforest import _core
from manifoldforest.validation._parameters import INT32_MAX
from manifoldforest.validation._rules import Rule, integer, none

from ._base import Projection


class PrincipalAxes(Projection):
    """Principal axes of the examples in a node.

    A missing value counts as the mean of its column in the training set.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of axes, those of largest variance first. None takes as many as the forest asks
        candidates for.
    max_rows : int, default=2048
        A node with more examples derives its axes from a random choice of this many.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0, 0, 1, 1]
    >>> projection = mf.projections.PrincipalAxes(n_components=1)
    >>> tree = mf.ForestClassifier(1, projection=projection, bootstrap=False).fit(X, y).trees_[0]
    >>> tree.split_text(0)  # along the diagonal
    '0.7071*x[0] + 0.7071*x[1] <= 2.12132'
    """

    # The axes of a single example do not exist.
    _rules: ClassVar[Mapping[str, Rule]] = {
        "n_components": integer(1) | none,
        "max_rows": integer(2),
    }

    def __init__(self, n_components: int | None = None, *, max_rows: int = 2048) -> None:
        self.n_components = n_components
        self.max_rows = max_rows

    @property
    def _is_dense(self) -> bool:
        return True

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        self._check_parameters()
        # 0 means None in the core
        n_components = 0 if self.n_components is None else int(self.n_components)
        if n_components > geometry.n_features:
            raise ValueError(
                "PrincipalAxes.n_components must be at most the number of features, "
                f"{geometry.n_features}, got {n_components}"
            )
        max_rows = min(int(self.max_rows), INT32_MAX)  # a huge number means "no limit"
        return _core.principal_axes_sampler(geometry.n_features, n_components, max_rows)


class MeanDifference(Projection):
    """Differences between the class means of the examples in a node.

    The mean of the class with most examples in the node is subtracted from the mean of every other
    class that is present, so that K classes give K - 1 candidates: RerF(d) of Tomita et al.
    In regression the two halves of the examples around the median response take the place of
    classes.

    Usually added to a random projection: ``Sporf() + MeanDifference()``. A missing value counts as
    the mean of its column in the training set, for all parts of a sum.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = [[0, 0], [0, 2], [4, 0], [4, 2], [4, 4]], ["a", "a", "b", "b", "b"]
    >>> projection = mf.projections.MeanDifference()
    >>> tree = mf.ForestClassifier(1, projection=projection, bootstrap=False).fit(X, y).trees_[0]
    >>> tree.atoms()[0].toarray().tolist()  # the mean of a, (0, 1), minus that of b, (4, 2)
    [[-4.0, -1.0]]
    """

    @property
    def _is_dense(self) -> bool:
        return True

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        return _core.mean_difference_sampler(geometry.n_features)

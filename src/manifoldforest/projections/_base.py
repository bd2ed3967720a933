"""The base class of projections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._parameter_object import ParameterObject

if TYPE_CHECKING:
    from manifoldforest import _core

    from ._composition import Sum

Self = TypeVar("Self", bound="Projection")


class Projection(ParameterObject, ABC):
    """Base class of the distributions from which candidate directions are drawn.

    A projection only stores its parameters; they are checked when a forest is fitted, because only
    then the shape of the examples is known. Projections of one class with equal parameters are
    equal, whether lists, tuples or arrays hold them, and ``a + b`` is the :class:`Sum` of both.

    A class of your own has a method ``_build(geometry, feature_shape)``, which returns a sampler of
    the core. That of another projection will often do, as in the last example.

    Examples
    --------
    >>> from manifoldforest.projections import Dictionary, Patches, Projection, Sporf
    >>> Patches(max_size=5) == Patches().set_params(max_size=5)
    True
    >>> Sporf(rate=2) + Patches(max_size=5)
    Sum(parts=[('sporf', Sporf(rate=2)), ('patches', Patches(max_size=5))])

    Sums of two neighbouring features, for examples of any length:

    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> class Neighbours(Projection):
    ...     def _build(self, geometry, feature_shape):
    ...         pairs = np.eye(geometry.n_features) + np.eye(geometry.n_features, k=1)
    ...         return Dictionary(pairs)._build(geometry, feature_shape)
    >>> forest = mf.ForestClassifier(5, projection=Neighbours(), random_state=0)
    >>> forest.fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 1]).predict([[1, 0, 0]])
    array([0])
    """

    @property
    def _is_dense(self) -> bool:
        """Whether candidates read so many features that missing values have to be filled in."""
        return False

    @property
    def _rotates(self) -> bool:
        """Whether atoms are coordinates of a rotation, of which every tree has its own."""
        return False

    @property
    def _reads_series(self) -> bool:
        """Whether examples are series, along their last axis, that may be of unequal length."""
        return False

    def _learned(
        self: Self,
        rows: NDArray[np.generic],
        feature_shape: tuple[int, ...],
        weight: NDArray[np.float64],
    ) -> Self:
        """Return the projection with what it learns from training rows before a forest is grown.

        That is itself if there is nothing to learn, or if it was learned before; otherwise a clone
        with fitted attributes. `rows` are as the core reads them, `weight` are their weights.
        """
        return self

    def _alternatives(self, feature_shape: tuple[int, ...]) -> list[Projection]:
        """Return the projections among which a fit chooses out of bag, the first on ties.

        Most leave no choice: the list holds the projection itself.
        """
        return [self]

    @abstractmethod
    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        """Check the parameters against the shape of one example and make the core's sampler.

        Grids and dictionaries that the drawn atoms refer to are added to `geometry`. The same
        projection and shape always add the same things in the same order: a warm start goes on only
        if its trees find their atoms under the same numbers, and so do files of format 2. Other
        stored forests hold what their atoms refer to.
        """

    def _bank(self, feature_shape: tuple[int, ...]) -> list[tuple[str, list[int], list[int]]]:
        """Return the views whose cells take the place of the features: kind, shape and numbers.

        Most projections have none; a view that comes twice counts once. `_build` is then called
        with a geometry of cells, which are all that trees see.
        """
        return []

    def _columns(
        self, rows: NDArray[Any], feature_shape: tuple[int, ...]
    ) -> list[NDArray[np.float32] | None]:
        """Return what Python computes of the views of rows, in the order of `_build`."""
        return []

    def _advice(self, feature_shape: tuple[int, ...]) -> list[str]:
        """Return texts of warnings to give at fit; the parameters have been checked."""
        return []

    def _grids(self, feature_shape: tuple[int, ...]) -> list[str]:
        """Describe the grids on which candidates lie, for those that lie on any."""
        return []

    def __add__(self, other: Any) -> Sum:
        from ._composition import add

        return add(self, other) if isinstance(other, Projection) else NotImplemented
